// pendec complete FILE: a matrix of low rank from some of its entries.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/report.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/graph_file.hpp"
#include "pendec/solvers/completion.hpp"

namespace pendec::cli {
namespace {

struct CompleteArguments {
  std::string file, output, whole;
  Index rank = 2;
  double ridge = 0.0, held_out = 0.0, seconds = infinity;
  std::pair<double, double> box{-infinity, infinity};  // all numbers: none
  Index seed = 1;
  bool centre = false, json = false, quiet = false;
};

/// One line an entry asked about: row, column, prediction. The entries are those held out, or all that were seen.
void write_predictions(const std::string& path, const io::ObservedEntries& data,
                       const std::vector<Observation>& asked, const Biases& biases, const CompletionResult& r) {
  std::string text = "row,column,value,prediction\n";
  for (const Observation& o : asked)
    text += fmt::format("{},{},{},{}\n", csv_cell(data.rows[static_cast<std::size_t>(o.row)]),
                        csv_cell(data.columns[static_cast<std::size_t>(o.column)]), to_text(o.value),
                        to_text(biases.at(o.row, o.column) + r.entry(o.row, o.column)));
  write_output(path, text);
}

/// A table with the names of rows and columns and all entries as predicted.
void write_whole(const std::string& path, const io::ObservedEntries& data, const Biases& biases,
                 const CompletionResult& r) {
  std::string text;
  for (const std::string& column : data.columns) text += ',' + csv_cell(column);
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    text += '\n' + csv_cell(data.rows[i]);
    const auto row = static_cast<Index>(i);
    for (Index j = 0; j < r.C.rows(); ++j) text += ',' + to_text(biases.at(row, j) + r.entry(row, j));
  }
  write_output(path, text + '\n');
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

int complete(const CompleteArguments& a) {
  require_outputs({{"--output", a.output}, {"--matrix", a.whole}}, {a.file});
  require_box(a.box);
  require(a.seed >= 0, "--seed", a.seed, "a whole number, at least 0");
  require(a.held_out >= 0.0 && a.held_out < 1.0, "--held-out", a.held_out, "0 <= fraction < 1");
  const io::ObservedEntries data = io::read_entries(a.file);
  CompletionProblem problem;
  problem.rows = static_cast<Index>(data.rows.size());
  problem.cols = static_cast<Index>(data.columns.size());
  problem.kappa = a.rank;
  problem.gamma = a.ridge;
  if (a.box != CompleteArguments().box) problem.box = a.box;
  const auto [train, held] = split(data.seen, a.held_out, static_cast<std::uint64_t>(a.seed));
  problem.seen = train;
  problem.validate();
  const Biases biases =
      a.centre ? fit_biases(problem.rows, problem.cols, train) : Biases::zero(problem.rows, problem.cols);
  problem.biases = biases;
  for (Observation& o : problem.seen) o.value -= biases.at(o.row, o.column);
  const Interrupt interrupt;
  CompletionOptions options;
  options.seconds = a.seconds;
  options.stop = interrupt.token();
  const CompletionResult r = complete_matrix(problem, options);
  const bool usable = r.status != Status::not_finite;
  const double held_rmse = rmse(held, biases, &r), bias_rmse = rmse(held, biases);
  if (usable && !a.output.empty()) write_predictions(a.output, data, held.empty() ? train : held, biases, r);
  if (usable && !a.whole.empty()) write_whole(a.whole, data, biases, r);
  if (a.json) {
    fmt::print("{}\n", Json{{"status", to_string(r.status)},
                            {"message", r.message},
                            {"rows", problem.rows},
                            {"columns", problem.cols},
                            {"seen", train.size()},
                            {"held_out", held.size()},
                            {"rank", a.rank},
                            {"f", to_json(r.f)},
                            {"rmse", to_json(r.rmse)},
                            {"held_out_rmse", held.empty() ? Json(nullptr) : to_json(held_rmse)},
                            {"bias_rmse", held.empty() ? Json(nullptr) : to_json(bias_rmse)},
                            {"stationarity", to_json(r.stationarity)},
                            {"box_error", to_json(r.box_error)},
                            {"iterations", r.iterations},
                            {"seconds", r.seconds}}
                           .dump());
  } else if (!a.quiet) {
    print_row("matrix", fmt::format("{}, {} x {}, {} entries seen, {} held out", a.file, problem.rows, problem.cols,
                                    train.size(), held.size()));
    print_row("status", fmt::format("{}: {}", to_string(r.status), r.message));
    if (!usable) print_row("advice", advice_on_units(data));
    if (usable && !r.success() && a.ridge == 0.0 && !problem.box)
      print_row("advice", fmt::format("{}--ridge G, for instance 0.05, makes the problem well-posed",
                                      a.centre ? "" : "--centre removes what means explain, "));
    if (!data.ignored.empty())
      print_row("columns", fmt::format("{}; ignored: {}", fmt::join(data.used, ", "), fmt::join(data.ignored, ", ")));
    if (!usable && !(a.output.empty() && a.whole.empty())) print_row("files", "not written");
    print_row("objective", computed(r.f));
    print_row("RMSE", fmt::format("{} on the entries seen", computed(r.rmse, "{:.6g}")));
    if (a.held_out > 0.0 && held.empty())
      print_row("held out", fmt::format("none: {} of {} entries is less than one", a.held_out, train.size()));
    if (!held.empty())
      print_row("held out",
                fmt::format("{}{}", computed(held_rmse, "{:.6g}"),
                            a.centre ? fmt::format(" (biases alone {})", computed(bias_rmse, "{:.6g}")) : ""));
    if (problem.box) print_row("box", fmt::format("kept up to {}", computed(r.box_error, "{:.1e}")));
    print_row("work", fmt::format("{} iterations, {:.3g} s", r.iterations, r.seconds));
  }
  return exit_code(r.status);
}

}  // namespace

void add_complete(CLI::App& app, Run& run) {
  const auto a = std::make_shared<CompleteArguments>();
  auto* command = app.add_subcommand("complete", "Complete a matrix of low rank from some of its entries");
  command->add_option("FILE", a->file, "CSV with the columns row,column,value, or a sparse Matrix Market file")
      ->required();
  command->add_option("--rank", a->rank, "Largest rank (2)");
  command->add_option("--ridge", a->ridge, "Adds ridge/2 times the squared Frobenius norm (0)");
  command->add_flag("--centre", a->centre, "Subtract a mean and biases of rows and columns first");
  command->add_option("--box", a->box, "Bounds of all entries as predicted")->type_name("LOWER UPPER");
  command->add_option("--held-out", a->held_out, "Fraction of the entries kept back to judge by (0)");
  command->add_option("--seed", a->seed, "Of the choice of those entries (1)");
  command->add_option("--time-limit", a->seconds, "Give up after this many seconds")->type_name("SECONDS");
  add_output(*command, "-o,--output", a->output,
             "Write predictions of the entries held out (else seen) to this CSV file");
  add_output(*command, "--matrix", a->whole, "Write the whole matrix as predicted, with names, to this CSV file");
  auto* json = command->add_flag("--json", a->json, "Print the result as one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors")->excludes(json);
  command->callback([&run, a] { run = [a] { return complete(*a); }; });
}

}  // namespace pendec::cli
