// pendec bench [FILE...]: the methods side by side on the same problems, in one run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/enumerated.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/rival.hpp"
#include "cli/show.hpp"
#include "experiments/showcase.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/version.hpp"

namespace pendec::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> files;
  std::vector<std::string> methods{"automatic", "pd", "pdlm", "alm"};
  std::string preset = "default", output;
  Index repeat = 5;
  bool confine = false, json = false;
  RivalArguments rival;
};

struct Subject {
  std::string name;
  Problem problem;
  Vector start;
};

/// The files given, or the problems of the demo.
std::vector<Subject> subjects(const std::vector<std::string>& files, bool confine) {
  std::vector<Subject> all;
  for (const std::string& path : files) {
    io::ProblemFile file = io::read_problem(path, confine);
    all.push_back({file.name.empty() ? path : file.name, file.problem, file.start});
  }
  if (!files.empty()) return all;
  for (experiments::Showcase& s : experiments::showcases()) all.push_back({s.name, s.problem, s.start});
  return all;
}

/// One solve counted, the least seconds of all: what disturbs a run makes it slower, never faster.
struct Row {
  std::string problem, method;
  std::string status = {};
  double f = infinity;
  Certificate certificate = {};
  Index projections = 0;
  double seconds = infinity;
};

template <class Solve>
Row measure(const Subject& subject, std::string method, const BenchArguments& a, const Interrupt& interrupt,
            const Solve& solve_once) {
  Row row{.problem = subject.name, .method = std::move(method)};
  for (Index k = 0; k < a.repeat && !interrupt.requested(); ++k) {
    const Result result = solve_once(Hooks{.stop = interrupt.token()});
    row.status = to_string(result.status);
    row.f = result.f;
    row.certificate = result.certificate;
    row.projections = result.counts.project_D;
    row.seconds = std::min(row.seconds, result.times.total);
  }
  return row;
}

Row measure_method(const Subject& subject, const std::string& method, const BenchArguments& a,
                   const Interrupt& interrupt) {
  const Options options = io::OptionSettings{a.preset, {{"method", method}}}.options();
  return measure(subject, method, a, interrupt,
                 [&](const Hooks& hooks) { return solve(subject.problem, subject.start, options, hooks); });
}

bool is_union_of_convex_sets(const Set& D) {
  const auto* parts = D.as<UnionOf>();
  return parts &&
         std::all_of(parts->parts.begin(), parts->parts.end(), [](const Set& part) { return part.convex(); });
}

/// The global optimum of a union of parts, with its proof.
Row measure_certified(const Subject& subject, const BenchArguments& a, const Interrupt& interrupt) {
  return measure(subject, "disjunctive", a, interrupt,
                 [&](const Hooks& hooks) { return solve_disjunctive(subject.problem, subject.start, {}, hooks); });
}

/// SLSQP on every part, where there are parts.
std::optional<Row> measure_enumeration(const Subject& subject, const BenchArguments& a, const Interrupt& interrupt) {
  std::optional<Row> row;
  for (Index k = 0; k < a.repeat && !interrupt.requested(); ++k) {
    const auto found = enumerated(subject.problem, subject.start, [&] { return interrupt.requested(); });
    if (!found || found->x.size() == 0) return row;
    row = Row{subject.name,
              "slsqp",
              found->status,
              found->f,
              certify(subject.problem, found->x),
              0,
              std::min(found->seconds, row ? row->seconds : infinity)};
  }
  return row;
}

nlohmann::ordered_json record(const Row& row) {
  return {{"problem", row.problem},
          {"method", row.method},
          {"status", row.status},
          {"objective", row.f},
          {"infeasibility", row.certificate.relative_infeasibility()},
          {"stationarity", row.certificate.relative_stationarity()},
          {"projections", row.projections},
          {"seconds", row.seconds}};
}

void print_bench_row(const Row& row, double fastest) {
  show("{:<30.30} {:<10} {:>16.9g} {:>9.1e} {:>9.1e} {:>8} {:>10.6f} {:>7.1f}  {}\n", row.problem, row.method, row.f,
       row.certificate.relative_infeasibility(), row.certificate.relative_stationarity(), row.projections,
       row.seconds, row.seconds / fastest, row.status);
  std::fflush(stdout);
}

/// All methods on one problem; an interrupt leaves out the one under way and those after it.
std::vector<Row> measure_all(const Subject& subject, const BenchArguments& a, const Interrupt& interrupt) {
  std::vector<Row> rows;
  const auto keep = [&](std::optional<Row> row) {
    if (row && !interrupt.requested()) rows.push_back(std::move(*row));
  };
  for (const std::string& method : a.methods) keep(measure_method(subject, method, a, interrupt));
  if (is_union_of_convex_sets(subject.problem.D)) keep(measure_certified(subject, a, interrupt));
  keep(measure_enumeration(subject, a, interrupt));
  return rows;
}

int bench(const BenchArguments& a) {
  require(a.repeat >= 1, "--repeat", a.repeat, "at least 1");
  require_output(a.output, a.files);
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  const std::vector<Subject> problems = subjects(a.files, a.confine);
  const Interrupt interrupt;
  if (!a.json)
    show("{:<30} {:<10} {:>16} {:>9} {:>9} {:>8} {:>10} {:>7}  {}\n{:-<122}\n", "problem", "method", "objective",
         "infeas.", "station.", "proj.", "seconds", "ratio", "status", "");
  for (const Subject& subject : problems) {
    const std::vector<Row> rows = measure_all(subject, a, interrupt);
    double fastest = infinity;
    for (const Row& row : rows) fastest = std::min(fastest, row.seconds);
    for (const Row& row : rows) {
      runs.push_back(record(row));
      if (!a.json) print_bench_row(row, fastest);
    }
  }
  nlohmann::ordered_json all = {{"version", version},
                                {"preset", a.preset},
                                {"repeat", a.repeat},
                                {"interrupted", interrupt.requested()},
                                {"runs", std::move(runs)}};
  if (!a.json)
    show(
        "\nseconds: the least of {} solves; ratio: to the fastest method of the problem\n"
        "disjunctive: solve_disjunctive, which proves the optimum of a union; slsqp: NLopt's on every part\n\n",
        a.repeat);
  if (!a.rival.program.empty() && !interrupt.requested()) all["reference"] = run_rival(a.rival, a.json);
  if (a.json) fmt::print("{}\n", all.dump());
  if (!a.output.empty()) write_output(a.output, all.dump(2) + "\n");
  return interrupt.requested() ? interrupted : solved;
}

}  // namespace

void add_bench(CLI::App& app, Job& job) {
  const auto a = std::make_shared<BenchArguments>();
  auto* command = app.add_subcommand("bench", "Compare the methods side by side on problem files or on the demo's");
  command->add_option("FILE", a->files, "Problem files; without any, the problems of the demo");
  add_confine(*command, a->confine);
  command->add_option("--methods", a->methods, "Methods to compare, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--preset", a->preset, "default (ours) or paper (the settings of the paper)");
  command->add_option("--repeat", a->repeat, "Solves of each problem by each method, of which the fastest counts");
  command->add_option("--reference", a->rival.program,
                      "Also compare with this Python program, the reference of the paper's experiments");
  command->add_option("--python", a->rival.python, "The Python that runs it, with numpy and scipy (python3)");
  command->add_option("--data", a->rival.data, "Folder with the authors' instances, for that comparison");
  add_output(*command, "-o,--output", a->output, "Write the record to this file, as JSON");
  command->add_flag("--json", a->json, "Print the record as one JSON object instead of the table");
  command->callback([&job, a] { job.run = [a] { return bench(*a); }; });
}

}  // namespace pendec::cli
