// pendec maxcut FILE: a heavy cut of a graph, with an upper bound.
#include "pendec/solvers/lowrank/maxcut.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/fields.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/report.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/graph_file.hpp"

namespace pendec::cli {
namespace {

struct MaxcutArguments {
  std::string file;
  MaxCutOptions options;
  Outputs outputs;
};

int maxcut(const MaxcutArguments& a, const ProblemRecord& record) {
  require_outputs({{"--output", a.outputs.output}, {"--csv", a.outputs.csv}}, {a.file});
  const Graph graph = io::read_graph(a.file);
  const Interrupt interrupt;
  MaxCutOptions options = a.options;
  options.stop = interrupt.token();
  Result r = max_cut(graph, options);
  const auto print = [&] {
    const CutDetails& d = r.cut();
    print_row("graph", fmt::format("{}, {} vertices, {} edges", a.file, graph.n, graph.edges.size()));
    print_status(r);
    print_row("cut", fmt::format("{:.12g}", d.cut));
    print_row("upper bound", fmt::format("{:.12g}", d.upper_bound));
    print_row("relaxation", fmt::format("{:.12g}, rank {}", d.relaxation, d.V.cols()));
    print_row("stationarity", fmt::format("{:.1e} (relative)", r.certificate.relative_stationarity()));
    print_work(r);
  };
  return Report{a.outputs, record, [&] { return csv_of(Matrix(r.y)); }, print}(r);
}

}  // namespace

void add_maxcut(CLI::App& app, Job& job) {
  const auto a = std::make_shared<MaxcutArguments>();
  auto* command = app.add_subcommand("maxcut", "Find a heavy cut of a graph by a semidefinite matrix of low rank");
  command->add_option("FILE", a->file, "Graph: a line \"n m\", then m lines \"i j w\"; or Matrix Market")->required();
  add_fields(*command, a->options, {{"seconds", ",--time-limit"}});
  add_outputs(*command, a->outputs, "the sides, -1 or 1, a line a vertex,");
  command->callback([&job, a, command] {
    job.run = [a, command] { return maxcut(*a, record_of(*command)); };
    job.verify = [a](const Result& claimed) { return verify(io::read_graph(a->file), claimed); };
  });
}

}  // namespace pendec::cli
