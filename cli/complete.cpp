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
  std::vector<double> box;
  std::uint64_t seed = 1;
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
  io::write_atomically(path, text);
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
  io::write_atomically(path, text + '\n');
}

int complete(const CompleteArguments& a) {
  const Interrupt interrupt;
  require_output(a.output, {a.file});
  require_output(a.whole, {a.file});
  require(a.ridge >= 0.0 && std::isfinite(a.ridge), "--ridge", a.ridge, "a number, at least 0");
  require(a.held_out >= 0.0 && a.held_out < 1.0, "--held-out", a.held_out, "0 <= fraction < 1");
  const io::ObservedEntries data = io::read_entries(a.file);
  const std::size_t most = std::min(data.rows.size(), data.columns.size());
  require(1 <= a.rank && a.rank <= static_cast<Index>(most), "--rank", a.rank,
          fmt::format("1 <= rank <= min(rows, columns) = {}", most));
  CompletionProblem problem;
  problem.rows = static_cast<Index>(data.rows.size());
  problem.cols = static_cast<Index>(data.columns.size());
  problem.kappa = a.rank;
  problem.gamma = a.ridge;
  if (!a.box.empty()) problem.box = {a.box[0], a.box[1]};
  const auto [train, held] = split(data.seen, a.held_out, a.seed);
  problem.seen = train;
  problem.validate();
  const Biases biases =
      a.centre ? fit_biases(problem.rows, problem.cols, train) : Biases::zero(problem.rows, problem.cols);
  problem.biases = biases;
  for (Observation& o : problem.seen) o.value -= biases.at(o.row, o.column);
  CompletionOptions options;
  options.seconds = a.seconds;
  options.stop = interrupt.token();
  const CompletionResult r = complete_matrix(problem, options);
  const double held_rmse = rmse(held, biases, &r), bias_rmse = rmse(held, biases);
  if (!a.output.empty()) write_predictions(a.output, data, held.empty() ? train : held, biases, r);
  if (!a.whole.empty()) write_whole(a.whole, data, biases, r);
  if (a.json) {
    fmt::print("{}\n", Json{{"status", to_string(r.status)},
                            {"message", r.message},
                            {"rows", problem.rows},
                            {"columns", problem.cols},
                            {"seen", train.size()},
                            {"held_out", held.size()},
                            {"rank", a.rank},
                            {"f", r.f},
                            {"rmse", r.rmse},
                            {"held_out_rmse", held.empty() ? Json(nullptr) : Json(held_rmse)},
                            {"bias_rmse", held.empty() ? Json(nullptr) : Json(bias_rmse)},
                            {"stationarity", to_json(r.stationarity)},
                            {"box_error", r.box_error},
                            {"iterations", r.iterations},
                            {"seconds", r.seconds}}
                           .dump());
  } else if (!a.quiet) {
    print_row("matrix", fmt::format("{}, {} x {}, {} entries seen, {} held out", a.file, problem.rows, problem.cols,
                                    train.size(), held.size()));
    print_row("status", fmt::format("{}: {}", to_string(r.status), r.message));
    if (!r.success() && a.ridge == 0.0 && a.box.empty())
      print_row("advice", fmt::format("{}--ridge G, for instance 0.05, makes the problem well-posed",
                                      a.centre ? "" : "--centre removes what means explain, "));
    if (!data.ignored.empty())
      print_row("columns", fmt::format("{}; ignored: {}", fmt::join(data.used, ", "), fmt::join(data.ignored, ", ")));
    print_row("objective", fmt::format("{:.12g}", r.f));
    print_row("RMSE", fmt::format("{:.6f} on the entries seen", r.rmse));
    if (!held.empty())
      print_row("held out",
                fmt::format("{:.6f}{}", held_rmse, a.centre ? fmt::format(" (biases alone {:.6f})", bias_rmse) : ""));
    if (problem.box) print_row("box", fmt::format("kept up to {:.1e}", r.box_error));
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
  command->add_option("--box", a->box, "Bounds of all entries as predicted")->expected(2)->type_name("LOWER UPPER");
  command->add_option("--held-out", a->held_out, "Fraction of the entries kept back to judge by (0)");
  command->add_option("--seed", a->seed, "Of the choice of those entries (1)");
  command->add_option("--time-limit", a->seconds, "Give up after this many seconds")->type_name("SECONDS");
  command->add_option("-o,--output", a->output,
                      "Write predictions of the entries held out (else seen) to this CSV file");
  command->add_option("--matrix", a->whole, "Write the whole matrix as predicted, with names, to this CSV file");
  auto* json = command->add_flag("--json", a->json, "Print the result as one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors")->excludes(json);
  command->callback([&run, a] { run = [a] { return complete(*a); }; });
}

}  // namespace pendec::cli
