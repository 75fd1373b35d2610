#include "cli/certified.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

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

void add_certified_options(CLI::App& command, CertifiedArguments& a) {
  command.add_option("--gap", a.gap, "Stop when (f - lower bound)/|f| is below this (1e-9)");
  command.add_option("--time-limit", a.seconds, "Give up after this many seconds")->type_name("SECONDS");
  add_output(command, "-o,--output", a.output, "Write the result to this file as JSON, as a whole or not at all");
  auto* json = command.add_flag("--json", a.json, "Print the result as one JSON object instead of the table");
  command.add_flag("-q,--quiet", a.quiet, "Print nothing but errors")->excludes(json);
}

SparseQpOptions solver_options(const CertifiedArguments& a, const Interrupt& interrupt) {
  SparseQpOptions options;
  options.gap = a.gap;
  options.seconds = a.seconds;
  options.stop = interrupt.token();
  if (a.quiet || isatty(STDERR_FILENO) != 1) return options;
  options.observer = [last = 0.4](const SparseQpProgress& p) mutable {
    if (p.seconds < last + 0.1) return true;
    last = p.seconds;
    fmt::print(stderr, "\r\033[K{:8.1f} s  {} nodes  f {:<14.7g} bound {:<14.7g}\r", p.seconds, p.nodes, p.f,
               p.lower_bound);
    std::fflush(stderr);
    return true;
  };
  return options;
}

int certified_exit_code(GlobalStatus status) {
  if (status == GlobalStatus::optimal || status == GlobalStatus::gap_limit) return solved;
  return status == GlobalStatus::interrupted ? interrupted : not_solved;
}

Vector vector_option(const std::string& option, const std::string& path, Index n) {
  if (path.empty()) return Vector::Zero(n);
  Vector v = io::read_vector(path);
  require_dimension(option + ", entries", v.size(), n);
  return v;
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json certified_record(const SparseQpResult& r) {
  return {{"status", to_string(r.status)},
          {"message", r.message},
          {"objective", number_or_null(r.f)},
          {"lower_bound", number_or_null(r.lower_bound)},
          {"gap", number_or_null(r.has_point() ? r.gap() : infinity)},
          {"support", r.support},
          {"x", std::vector<double>(r.x.begin(), r.x.end())},
          {"lambda", std::vector<double>(r.lambda.begin(), r.lambda.end())},
          {"stationarity", number_or_null(r.stationarity)},
          {"swap_optimal", r.swap_optimal},
          {"nodes", r.nodes},
          {"supports", r.supports},
          {"seconds", r.seconds}};
}

void write_record(const CertifiedArguments& a, const nlohmann::ordered_json& all) {
  if (a.json) fmt::print("{}\n", json_text(all));
  if (!a.output.empty()) write_output(a.output, json_text(all, 2) + "\n");
}

void print_certificate(const SparseQpResult& r) {
  const auto row = [](std::string_view name, const std::string& value) { show("{:<15}{}\n", name, value); };
  row("status", fmt::format("{}: {}", to_string(r.status), r.message));
  if (r.has_point()) {
    row("objective", fmt::format("{:.12g}", r.f));
    row("lower bound", fmt::format("{:.12g} (gap {:.1e})", r.lower_bound, r.gap()));
    row("stationarity", fmt::format("{:.1e} (relative)", r.stationarity));
  }
  row("work", fmt::format("{} nodes, {} supports, {:.3g} s", r.nodes, r.supports, r.seconds));
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
