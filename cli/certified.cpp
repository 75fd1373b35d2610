#include "cli/certified.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/fields.hpp"
#include "cli/output_file.hpp"
#include "cli/report.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/matrix_file.hpp"
#include "pendec/io/number.hpp"

namespace pendec::cli {

CLI::Validator positive() {
  return CLI::Validator(
      [](std::string& text) {
        const auto number = io::parse_number(text);
        return number && *number > 0.0 ? std::string() : fmt::format("{} is given; expected a positive number", text);
      },
      "POSITIVE");
}

void add_certified_options(CLI::App& command, CertifiedArguments& a, const std::string& table) {
  add_fields(command, a.solver, {{"seconds", ",--time-limit"}});
  add_outputs(command, a.outputs, table);
}

SparseQpOptions solver_options(const CertifiedArguments& a, const Interrupt& interrupt) {
  SparseQpOptions options = a.solver;
  options.stop = interrupt.token();
  if (a.outputs.quiet || isatty(STDERR_FILENO) != 1) return options;
  options.observer = [last = 0.4](const SparseQpProgress& p) mutable {
    if (p.seconds < last + 0.1) return true;
    last = p.seconds;
    fmt::print(stderr, "\r\033[K{:8.1f} s  {} nodes  f {:<14.7g} bound {:<14.7g}\r", p.seconds, p.nodes, p.f,
               p.bound);
    std::fflush(stderr);
    return true;
  };
  return options;
}

Vector vector_option(const std::string& option, const std::string& path, Index n) {
  if (path.empty()) return Vector::Zero(n);
  Vector v = io::read_vector(path);
  require_dimension(option + ", entries", v.size(), n);
  return v;
}

void print_certificate(const Result& r) {
  print_status(r);
  if (r.has_point()) {
    print_row("objective", fmt::format("{:.12g}", r.f));
    print_row("bound", fmt::format("{:.12g} (gap {:.1e})", r.bound, r.gap()));
    print_row("stationarity", fmt::format("{:.1e} (relative)", r.certificate.relative_stationarity()));
  }
  print_row("work", fmt::format("{} nodes, {} supports, {:.3g} s", r.counts.nodes, r.counts.supports, r.times.total));
}

std::string csv_of_path(const std::vector<Result>& path, const std::string& head,
                        const std::vector<std::string>& names,
                        const std::function<std::string(const Result&)>& line) {
  std::string out = head;
  for (const std::string& name : names) out += ',' + csv_cell(name);
  out += '\n';
  for (const Result& r : path) {
    if (!r.has_point()) continue;
    out += line(r);
    for (const double value : r.y) out += ',' + to_text(value);
    out += '\n';
  }
  return out;
}

void require_few_columns(const std::string& file, Index columns) {
  if (columns > max_named_columns)
    throw io::FileError(
        file, fmt::format("{} columns; expected at most {}, and a line for each row", columns, max_named_columns));
}

void require_distinct(const std::string& file, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw io::FileError(file, fmt::format("two columns are named {}; expected distinct names", *twice));
}

Index index_of(const std::string& option, const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return found - names.begin();
  Index position = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error == std::errc() && end == text.data() + text.size() && position >= 0 &&
      position < static_cast<Index>(names.size()))
    return position;
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + static_cast<Index>(std::min<std::size_t>(names.size(), 10)));
  throw InvalidArgument(option, text,
                        fmt::format("a name ({}{}) or a position from 0 to {}", fmt::join(some, ", "),
                                    some.size() < names.size() ? ", ..." : "", names.size() - 1));
}

std::vector<Index> indices_of(const std::string& option, const std::vector<std::string>& texts,
                              const std::vector<std::string>& names) {
  std::vector<Index> out;
  for (const std::string& text : texts) out.push_back(index_of(option, text, names));
  return out;
}

}  // namespace pendec::cli
