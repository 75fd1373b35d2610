// pendec maxcut FILE: a heavy cut of a graph, with an upper bound.
#include "pendec/solvers/lowrank/maxcut.hpp"

#include "cli/report.hpp"
#include "cli/solver_command.hpp"
#include "pendec/io/graph_file.hpp"

namespace pendec::cli {
namespace {

struct MaxcutArguments {
  std::string file;
  MaxCutOptions options;
};

}  // namespace

void add_maxcut(CLI::App& app, Job& job) {
  const auto a = std::make_shared<MaxcutArguments>();
  SolverCommand command(app, "maxcut", "Find a heavy cut of a graph by a semidefinite matrix of low rank");
  command.input("FILE", a->file, "Graph: a line \"n m\", then m lines \"i j w\"; or Matrix Market")->required();
  command.fields(a->options);
  command.outputs("the sides, -1 or 1, a line a vertex,");
  command.solves(
      job, [a] { return io::read_graph(a->file); },
      [a](const Graph& graph, Run& run) {
        Result r = max_cut(graph, run.with_stop(a->options));
        const auto print = [&] {
          print_row("graph", fmt::format("{}, {} vertices, {} edges", a->file, graph.n, graph.edges.size()));
          print_result(r);
        };
        return run.report(
            r, [&] { return csv_of(Matrix(r.y)); }, print);
      },
      [](const Graph& graph, const Result& claimed) { return verify(graph, claimed); });
}

}  // namespace pendec::cli
