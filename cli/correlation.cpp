// pendec correlation FILE: the nearest correlation matrix, with or without a bound on its rank.
#include "pendec/solvers/correlation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/report.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/matrix_file.hpp"

namespace pendec::cli {
namespace {

struct CorrelationArguments {
  std::string file, weights, output, factor, algorithm = "fast";
  std::optional<Index> rank;
  std::vector<std::string> fixed;  // "I,J", from one
  double seconds = infinity;
  bool json = false, quiet = false;
};

/// Messages of the library count rows and columns from zero, files and --fix from one: (0, 2) becomes (1, 3).
std::string counted_from_one(const std::string& message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    long i = 0, j = 0;
    int length = 0;
    if (message[at] == '(' && std::sscanf(message.c_str() + at, "(%ld, %ld)%n", &i, &j, &length) == 2 && length > 0) {
      out += fmt::format("({}, {})", i + 1, j + 1);
      at += static_cast<std::size_t>(length);
    } else {
      out += message[at++];
    }
  }
  return out;
}

/// The options as they are typed, for what the library calls otherwise.
std::string in_words_of_the_options(const InvalidArgument& error) {
  static constexpr std::pair<std::string_view, std::string_view> options[] = {{"algorithm", "--algorithm"},
                                                                              {"fixed", "--fix"},
                                                                              {"rank", "--rank"},
                                                                              {"seconds", "--time-limit"},
                                                                              {"weights", "--weights"}};
  std::string message = error.what();
  for (const auto& [field, option] : options)
    if (message.starts_with(field)) message.replace(0, field.size(), option);
  return counted_from_one(message);
}

/// Missing entries aside.
bool has_unit_diagonal(MatrixIn A) { return !((A.diagonal().array() - 1.0).abs() > 1e-6).any(); }

std::pair<Index, Index> entry(const std::string& text, Index n) {
  const auto comma = text.find(',');
  const std::string expected = fmt::format("I,J: a row and another column, from 1 to {}", n);
  const auto number = [&](std::string_view part) {
    const auto value = io::parse_number(part);
    const bool whole = value && *value >= 1.0 && *value <= static_cast<double>(n) && *value == std::floor(*value);
    if (!whole) throw InvalidArgument("--fix", text, expected);
    return static_cast<Index>(*value) - 1;
  };
  if (comma == std::string::npos) throw InvalidArgument("--fix", text, expected);
  const Index i = number(std::string_view(text).substr(0, comma)),
              j = number(std::string_view(text).substr(comma + 1));
  if (i == j) throw InvalidArgument("--fix", text, expected);
  return {i, j};
}

void print_correlation_json(const CorrelationResult& r, bool unit_diagonal) {
  fmt::print("{}\n", Json{{"status", to_string(r.status)},
                          {"message", r.message},
                          {"n", r.V.rows()},
                          {"rank", r.rank()},
                          {"unit_diagonal", unit_diagonal},
                          {"f", to_json(r.f)},
                          {"lower_bound", to_json(r.lower_bound)},
                          {"global", r.global},
                          {"fixed_error", r.fixed_error},
                          {"certificate", to_json(r.certificate)},
                          {"iterations", r.iterations},
                          {"products", r.products},
                          {"starts", r.starts},
                          {"seconds", r.seconds},
                          {"V", to_json(r.V)}}
                         .dump());
}

/// The bound is one for matrices with the fixed entries; X, which misses them a little, may lie below it.
std::string bound_text(const CorrelationResult& r) {
  if (r.lower_bound > r.f && r.fixed_error > 0.0)
    return fmt::format("{:.12g} for matrices with the fixed entries, which this one misses by {:.1e}", r.lower_bound,
                       r.fixed_error);
  if (!std::isfinite(r.lower_bound)) return computed(r.lower_bound);
  return fmt::format("{:.12g} of the objective{}", r.lower_bound, r.global ? ": a global minimum" : "");
}

void print_correlation_table(const CorrelationArguments& a, const CorrelationResult& r, bool unit_diagonal) {
  print_row("matrix", fmt::format("{}, {} x {}", a.file, r.V.rows(), r.V.rows()));
  if (!unit_diagonal) print_row("remark", "the diagonal is not one: is this a covariance?");
  print_row("status", fmt::format("{}: {}", to_string(r.status), r.message));
  print_row("algorithm", a.algorithm);
  print_row("distance", fmt::format("{} (objective {})", computed(std::sqrt(2.0 * r.f), "{:.10g}"), computed(r.f)));
  if (r.status != Status::infeasible) print_row("lower bound", bound_text(r));
  print_row("rank", fmt::format("{}", r.rank()));
  if (!a.fixed.empty()) print_row("fixed entries", fmt::format("kept up to {:.1e}", r.fixed_error));
  print_row("stationarity", computed(r.certificate.relative_stationarity(), "{:.1e} (relative)"));
  print_row("work", fmt::format("{} iterations, {} starts, {:.3g} s", r.iterations, r.starts, r.seconds));
}

int run_correlation(const CorrelationArguments& a) {
  require_outputs({{"--output", a.output}, {"--factor", a.factor}}, {a.file, a.weights});
  const Operator A = io::read_dense_matrix(a.file, {.missing = true});
  CorrelationOptions options;
  if (!a.weights.empty()) options.weights = io::read_dense_matrix(a.weights).dense();
  for (const std::string& text : a.fixed) options.fixed.push_back(entry(text, A.rows()));
  const Interrupt interrupt;
  options.seconds = a.seconds;
  options.stop = interrupt.token();
  const CorrelationResult r = [&] {
    try {
      options.algorithm = correlation_algorithm(a.algorithm);
      return nearest_correlation(*A.view(), a.rank, options);
    } catch (const InvalidArgument& error) {
      throw std::invalid_argument(in_words_of_the_options(error));
    }
  }();
  const bool unit_diagonal = has_unit_diagonal(*A.view());
  if (!a.output.empty()) write_matrix(a.output, r.X());
  if (!a.factor.empty()) write_matrix(a.factor, r.V);
  if (a.json)
    print_correlation_json(r, unit_diagonal);
  else if (!a.quiet)
    print_correlation_table(a, r, unit_diagonal);
  return exit_code(r.status);
}

}  // namespace

void add_correlation(CLI::App& app, Run& run) {
  const auto a = std::make_shared<CorrelationArguments>();
  auto* command = app.add_subcommand("correlation", "Find the nearest correlation matrix, of low rank if asked");
  command->add_option("FILE", a->file, "Symmetric matrix (CSV, Matrix Market, npy); empty cells are missing entries")
      ->required();
  command->add_option("--rank", a->rank, "Largest rank; without it any rank");
  command->add_option("--weights", a->weights, "Matrix of positive weights, as large as the other");
  command->add_option("--fix", a->fixed, "Keep the entry in row I, column J, from one; may be repeated")
      ->type_name("I,J")
      ->allow_extra_args(false);
  command->add_option("--algorithm", a->algorithm,
                      "fast, or one of the paper's: PD-exact-lower-level, PD-exact, PD-cg-accurate, "
                      "PD-cg-inaccurate, ALM");
  command->add_option("--time-limit", a->seconds, "Give up after this many seconds")->type_name("SECONDS");
  add_output(*command, "-o,--output", a->output, "Write the correlation matrix to this CSV file");
  add_output(*command, "--factor", a->factor, "Write V, X = V V', to this CSV file");
  auto* json = command->add_flag("--json", a->json, "Print the result as one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors")->excludes(json);
  command->callback([&run, a] { run = [a] { return run_correlation(*a); }; });
}

}  // namespace pendec::cli
