#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "pendec/core/printable.hpp"

namespace pendec::cli {

TerminalLine::TerminalLine(bool wanted) : active_(wanted && isatty(STDERR_FILENO) == 1) {}

TerminalLine::~TerminalLine() { wipe(); }

void TerminalLine::wipe() {
  if (std::exchange(shown_, false)) fmt::print(stderr, "\r\033[K");
}

void TerminalLine::draw(const std::string& text) {
  if (!active_) return;
  shown_ = true;
  fmt::print(stderr, "\r\033[K{}", printable(text));
  std::fflush(stderr);
}

bool TerminalLine::draw_at(double seconds, const std::string& text) {
  constexpr double interval = 0.1;
  if (seconds < last_ + interval) return true;
  last_ = seconds;
  draw(text);
  return true;
}

Observer TerminalLine::observer() {
  if (!active_) return {};
  return [this](const Progress& p) {
    return draw_at(p.seconds,
                   fmt::format("{:8.1f} s  iteration {:<5} f {:<14.7g} infeasibility {:<8.1e} tau {:<8.1e}",
                               p.seconds, p.outer, p.f, std::max(p.coupling, p.violation), p.tau));
  };
}

std::function<bool(const SparseQpProgress&)> TerminalLine::node_observer() {
  if (!active_) return {};
  return [this](const SparseQpProgress& p) {
    return draw_at(p.seconds,
                   fmt::format("{:8.1f} s  {} nodes  f {:<14.7g} bound {:<14.7g}", p.seconds, p.nodes, p.f, p.bound));
  };
}

}  // namespace pendec::cli
