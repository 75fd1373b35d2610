// pendec complete FILE: a matrix of low rank from some of its entries.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/report.hpp"
#include "cli/solver_command.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/graph_file.hpp"
#include "pendec/solvers/lowrank/completion.hpp"

namespace pendec::cli {
namespace {

struct CompleteArguments {
  std::string file, whole;
  double held_out = 0.0;
  CompletionProblem problem{.seen = {}, .kappa = 2};  // without its entries
  CompletionOptions options;
  std::pair<double, double> box{-infinity, infinity};  // all numbers: none
  Index seed = 1;
  bool centre = false;
};

/// One line an entry asked about: row, column, prediction. The entries are those held out, or all that were seen.
std::string predictions_csv(const io::ObservedEntries& data, const std::vector<Observation>& asked,
                            const CompletionDetails& r) {
  std::string text = "row,column,value,prediction\n";
  for (const Observation& o : asked)
    text += fmt::format("{},{},{},{}\n", csv_cell(data.rows[static_cast<std::size_t>(o.row)]),
                        csv_cell(data.columns[static_cast<std::size_t>(o.column)]), to_text(o.value),
                        to_text(r.biases->at(o.row, o.column) + r.entry(o.row, o.column)));
  return text;
}

/// All entries as predicted, with the names of rows and columns.
std::string whole_csv(const io::ObservedEntries& data, const CompletionDetails& d) {
  Matrix X = d.B * d.C.transpose();
  X.colwise() += d.biases->row;
  X.rowwise() += (d.biases->column.array() + d.biases->mean).matrix().transpose();
  return csv_of(X, data.columns, csv_cells(data.rows));
}

/// What squares overflow of is named as the file has it.
std::string advice_on_units(const io::ObservedEntries& data) {
  const auto smaller = [](const Observation& a, const Observation& b) {
    return std::abs(a.value) < std::abs(b.value);
  };
  const Observation& largest = *std::max_element(data.seen.begin(), data.seen.end(), smaller);
  return fmt::format("another unit: the entry ({}, {}) is {}, too large for its square",
                     data.rows[static_cast<std::size_t>(largest.row)],
                     data.columns[static_cast<std::size_t>(largest.column)], to_text(largest.value));
}

void require_box(const std::pair<double, double>& box) {
  const auto& [lower, upper] = box;
  if (!(lower < infinity && upper > -infinity && lower <= upper))
    throw InvalidArgument("--box", fmt::format("{} {}", lower, upper),
                          "two numbers, -inf or inf where there is no bound: lower <= upper");
}

/// The entries, and the problem that the command line makes of them.
struct Completion {
  io::ObservedEntries data;
  std::vector<Observation> held;
  CompletionProblem problem;

  explicit Completion(const CompleteArguments& a) : problem(a.problem) {
    require_box(a.box);
    require(a.seed >= 0, "--seed", a.seed, "a whole number, at least 0");
    require(a.held_out >= 0.0 && a.held_out < 1.0, "--held-out", a.held_out, "0 <= fraction < 1");
    data = io::read_entries(a.file);
    problem.rows = static_cast<Index>(data.rows.size());
    problem.cols = static_cast<Index>(data.columns.size());
    if (a.box != CompleteArguments().box) problem.box = a.box;
    std::tie(problem.seen, held) = split(data.seen, a.held_out, static_cast<std::uint64_t>(a.seed));
    problem.validate();
    problem.biases =
        a.centre ? fit_biases(problem.rows, problem.cols, problem.seen) : Biases::zero(problem.rows, problem.cols);
    for (Observation& o : problem.seen) o.value -= problem.biases->at(o.row, o.column);
  }
};

void print_completion(const CompleteArguments& a, const Outputs& to, const Completion& c, const Result& r) {
  const bool usable = r.status != Status::not_finite;
  print_row("matrix", fmt::format("{}, {} x {}, {} entries seen, {} held out", a.file, c.problem.rows, c.problem.cols,
                                  c.problem.seen.size(), c.held.size()));
  print_result(r);
  if (!usable) print_row("advice", advice_on_units(c.data));
  if (usable && !r.success() && c.problem.gamma == 0.0 && !c.problem.box)
    print_row("advice", fmt::format("{}--gamma G, for instance 0.05, makes the problem well-posed",
                                    a.centre ? "" : "--centre removes what means explain, "));
  if (!c.data.ignored.empty())
    print_row("columns",
              fmt::format("{}; ignored: {}", fmt::join(c.data.used, ", "), fmt::join(c.data.ignored, ", ")));
  if (!usable && !(to.csv.empty() && a.whole.empty())) print_row("tables", "not written");
  if (a.held_out > 0.0 && c.held.empty())
    print_row("held out", fmt::format("none: {} of {} entries is less than one", a.held_out, c.problem.seen.size()));
}

int complete(const CompleteArguments& a, const Completion& c, Run& run) {
  Result r = complete_matrix(c.problem, run.with_stop(a.options));
  auto& d = std::get<CompletionDetails>(r.details);
  if (!c.held.empty()) {
    d.held_out_rmse = rmse(c.held, *d.biases, &d);
    d.bias_rmse = rmse(c.held, *d.biases);
  }
  Run::Table table;
  if (r.status != Status::not_finite) {
    if (!a.whole.empty()) write_output(a.whole, whole_csv(c.data, d));
    table = [&] { return predictions_csv(c.data, c.held.empty() ? c.problem.seen : c.held, d); };
  }
  return run.report(r, table, [&] { print_completion(a, run.to(), c, r); });
}

}  // namespace

void add_complete(CLI::App& app, Job& job) {
  const auto a = std::make_shared<CompleteArguments>();
  SolverCommand command(app, "complete", "Complete a matrix of low rank from some of its entries");
  command.input("FILE", a->file, "CSV with the columns row,column,value, or a sparse Matrix Market file")->required();
  command.fields(a->problem, {{"kappa", ",--rank"}, {"gamma", ",--ridge"}});
  command->add_flag("--centre", a->centre, "Subtract a mean and biases of rows and columns first");
  command->add_option("--box", a->box, "Bounds of all entries as predicted")->type_name("LOWER UPPER");
  command->add_option("--held-out", a->held_out, "Fraction of the entries kept back to judge by (0)");
  command->add_option("--seed", a->seed, "Of the choice of those entries (1)");
  command.fields(a->options);
  command.outputs("predictions of the entries held out (else seen)");
  command.output("--matrix", a->whole, "Write the whole matrix as predicted, with names, to this CSV file");
  command.solves(
      job, [a] { return Completion(*a); }, [a](const Completion& c, Run& run) { return complete(*a, c, run); },
      [](const Completion& c, const Result& claimed) { return verify(c.problem, claimed); });
}

}  // namespace pendec::cli
