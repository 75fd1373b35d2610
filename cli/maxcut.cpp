// pendec maxcut FILE: a heavy cut of a graph, with an upper bound.
#include "pendec/solvers/maxcut.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/report.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/graph_file.hpp"

namespace pendec::cli {
namespace {

struct MaxcutArguments {
  std::string file, output;
  MaxCutOptions options;
  bool json = false, quiet = false;
};

int maxcut(const MaxcutArguments& a) {
  require_output(a.output, {a.file});
  const Graph graph = io::read_graph(a.file);
  const Interrupt interrupt;
  MaxCutOptions options = a.options;
  options.stop = interrupt.token();
  const MaxCutResult r = max_cut(graph, options);
  if (!a.output.empty()) write_matrix(a.output, r.side);
  if (a.json) {
    Json sides = Json::array();
    for (const double s : r.side) sides.push_back(s > 0.0 ? 1 : -1);
    fmt::print("{}\n", Json{{"status", to_string(r.status)},
                            {"message", r.message},
                            {"n", graph.n},
                            {"edges", graph.edges.size()},
                            {"rank", r.V.cols()},
                            {"cut", r.cut},
                            {"upper_bound", to_json(r.upper_bound)},
                            {"relaxation", r.relaxation},
                            {"certificate", to_json(r.certificate)},
                            {"iterations", r.iterations},
                            {"seconds", r.seconds},
                            {"side", sides}}
                           .dump());
  } else if (!a.quiet) {
    print_row("graph", fmt::format("{}, {} vertices, {} edges", a.file, graph.n, graph.edges.size()));
    print_row("status", fmt::format("{}: {}", to_string(r.status), r.message));
    print_row("cut", fmt::format("{:.12g}", r.cut));
    print_row("upper bound", fmt::format("{:.12g}", r.upper_bound));
    print_row("relaxation", fmt::format("{:.12g}, rank {}", r.relaxation, r.V.cols()));
    print_row("stationarity", fmt::format("{:.1e} (relative)", r.certificate.relative_stationarity()));
    print_row("work", fmt::format("{} iterations, {:.3g} s", r.iterations, r.seconds));
  }
  return exit_code(r.status);
}

}  // namespace

void add_maxcut(CLI::App& app, Run& run) {
  const auto a = std::make_shared<MaxcutArguments>();
  auto* command = app.add_subcommand("maxcut", "Find a heavy cut of a graph by a semidefinite matrix of low rank");
  command->add_option("FILE", a->file, "Graph: a line \"n m\", then m lines \"i j w\"; or Matrix Market")->required();
  command->add_option("--rank", a->options.rank, "Largest rank of the matrix; without it any rank");
  command->add_option("--roundings", a->options.roundings, "Random hyperplanes tried (100)");
  command->add_option("--seed", a->options.seed, "Of the random numbers (1)");
  command->add_option("--time-limit", a->options.seconds, "Give up after this many seconds")->type_name("SECONDS");
  add_output(*command, "-o,--output", a->output, "Write the sides, -1 or 1, a line a vertex, to this file");
  auto* json = command->add_flag("--json", a->json, "Print the result as one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors")->excludes(json);
  command->callback([&run, a] { run = [a] { return maxcut(*a); }; });
}

}  // namespace pendec::cli
