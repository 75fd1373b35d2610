// pendec correlation FILE: the nearest correlation matrix, with or without a bound on its rank.
#include "pendec/solvers/lowrank/correlation.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "cli/report.hpp"
#include "cli/solver_command.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/matrix_file.hpp"

namespace pendec::cli {
namespace {

struct CorrelationArguments {
  std::string file, weights, factor;
  std::optional<Index> rank;
  std::vector<std::string> fixed;  // "I,J", from one
  CorrelationOptions options;
};

/// Messages of the library count rows and columns from zero, files and --fixed from one: (0, 2) becomes (1, 3).
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

/// As the options are typed.
std::string in_words_of_the_options(const InvalidArgument& error) {
  for (const char* option : {"fixed", "rank", "weights"})
    if (error.field().starts_with(option)) return counted_from_one(fmt::format("--{}", error.what()));
  return counted_from_one(in_words_of_the_command_line(error));
}

/// Missing entries aside.
bool has_unit_diagonal(MatrixIn A) { return !((A.diagonal().array() - 1.0).abs() > 1e-6).any(); }

std::pair<Index, Index> entry(const std::string& text, Index n) {
  const auto comma = text.find(',');
  const std::string expected = fmt::format("I,J: a row and another column, from 1 to {}", n);
  const auto number = [&](std::string_view part) {
    const auto value = io::parse_number(part);
    const bool whole = value && *value >= 1.0 && *value <= static_cast<double>(n) && *value == std::floor(*value);
    if (!whole) throw InvalidArgument("--fixed", text, expected);
    return static_cast<Index>(*value) - 1;
  };
  if (comma == std::string::npos) throw InvalidArgument("--fixed", text, expected);
  const Index i = number(std::string_view(text).substr(0, comma)),
              j = number(std::string_view(text).substr(comma + 1));
  if (i == j) throw InvalidArgument("--fixed", text, expected);
  return {i, j};
}

/// The bound is one for matrices with the fixed entries; X, which misses them a little, may lie below it.
std::string bound_text(const Result& r) {
  const CorrelationDetails& d = r.correlation();
  if (r.bound > r.f && d.fixed_error > 0.0)
    return fmt::format("{:.12g} for matrices with the fixed entries, which this one misses by {:.1e}", r.bound,
                       d.fixed_error);
  if (!std::isfinite(r.bound)) return computed(r.bound);
  return fmt::format("{:.12g} of the objective{}", r.bound, d.global ? ": a global minimum" : "");
}

void print_correlation(const CorrelationArguments& a, const Result& r, const ConstMatrixView& A) {
  const CorrelationDetails& d = r.correlation();
  print_row("matrix", fmt::format("{}, {} x {}", a.file, d.V.rows(), d.V.rows()));
  if (!has_unit_diagonal(A)) print_row("remark", "the diagonal is not one: is this a covariance?");
  if (const Index missing = A.array().isNaN().count(); missing > 0)
    print_row("missing", fmt::format("{} entries (empty or NaN), chosen freely", missing));
  print_status(r);
  print_row("algorithm", r.method);
  print_row("distance", fmt::format("{} (objective {})", computed(std::sqrt(2.0 * r.f), "{:.10g}"), computed(r.f)));
  if (r.status != Status::infeasible) print_row("bound", bound_text(r));
  print_row("rank", fmt::format("{}", d.rank()));
  if (!a.fixed.empty()) print_row("fixed entries", fmt::format("kept up to {:.1e}", d.fixed_error));
  print_stationarity(r);
  print_work(r);
}

/// The matrix, and what the command line asks for.
struct CorrelationData {
  Operator A;
  CorrelationOptions options;

  explicit CorrelationData(const CorrelationArguments& a)
      : A(io::read_dense_matrix(a.file, {.missing = true})), options(a.options) {
    if (!a.weights.empty()) options.weights = io::read_dense_matrix(a.weights).dense();
    for (const std::string& text : a.fixed) options.fixed.push_back(entry(text, A.rows()));
  }
};

/// work(), which complains in the words of the options.
template <class Work>
auto in_these_words(const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    throw std::invalid_argument(in_words_of_the_options(error));
  }
}

int run_correlation(const CorrelationArguments& a, const CorrelationData& data, Run& run) {
  const ConstMatrixView& A = *data.A.view();
  Result r = in_these_words([&] { return nearest_correlation(A, a.rank, run.with_stop(data.options)); });
  if (!a.factor.empty()) write_output(a.factor, csv_of(r.correlation().V));
  return run.report(
      r, [&] { return csv_of(r.correlation().X()); }, [&] { print_correlation(a, r, A); });
}

}  // namespace

void add_correlation(CLI::App& app, Job& job) {
  const auto a = std::make_shared<CorrelationArguments>();
  SolverCommand command(app, "correlation", "Find the nearest correlation matrix, of low rank if asked");
  command.input("FILE", a->file, "Symmetric matrix (CSV, Matrix Market, npy); empty cells are missing entries")
      ->required();
  command->add_option("--rank", a->rank, "Largest rank; without it any rank");
  command.input("--weights", a->weights, "Matrix of positive weights, as large as the other");
  command->add_option("--fixed,--fix", a->fixed, "Keep the entry in row I, column J, from one; may be repeated")
      ->type_name("I,J")
      ->allow_extra_args(false);
  command.fields(a->options);
  command.outputs("the correlation matrix");
  command.output("--factor", a->factor, "Write V, X = V V', to this CSV file");
  command.solves(
      job, [a] { return CorrelationData(*a); },
      [a](const CorrelationData& data, Run& run) { return run_correlation(*a, data, run); },
      [a](const CorrelationData& data, const Result& claimed) {
        return in_these_words([&] { return verify(*data.A.view(), a->rank, data.options, claimed); });
      });
}

}  // namespace pendec::cli
