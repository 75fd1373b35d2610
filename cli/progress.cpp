#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace pendec::cli {

ProgressLine::ProgressLine(bool wanted) : active_(wanted && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

Observer ProgressLine::observer() {
  if (!active_) return {};
  return [this](const Progress& progress) {
    show(progress);
    return true;
  };
}

void ProgressLine::show(const Progress& p) {
  constexpr double interval = 0.1;
  if (p.seconds < last_ + interval) return;
  last_ = p.seconds;
  shown_ = true;
  fmt::print(stderr, "\r\033[K{:8.1f} s  iteration {:<5} f {:<14.7g} infeasibility {:<8.1e} tau {:<8.1e}", p.seconds,
             p.outer, p.f, std::max(p.coupling, p.violation), p.tau);
  std::fflush(stderr);
}

}  // namespace pendec::cli
