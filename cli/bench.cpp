// pendec bench [FILE...]: the methods side by side on the same problems, in one run. pendec demo: a first look at
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
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
#ifdef PENDEC_ENUMERATION
#include <chrono>

#include "experiments/enumeration.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/polyhedron.hpp"
#endif

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

using Subject = experiments::Showcase;  // a file's has no reference

/// The files given, or the problems of the demo; `read` lists them and the data files that they name.
std::vector<Subject> subjects(const std::vector<std::string>& files, bool confine,
                              std::vector<std::filesystem::path>& read) {
  std::vector<Subject> all;
  for (const std::string& path : files) {
    io::ProblemFile file = io::read_problem(path, confine);
    all.push_back({path, file.name.empty() ? path : file.name, file.problem, file.start});
    read.emplace_back(path);
    read.insert(read.end(), file.files.begin(), file.files.end());
  }
  return files.empty() ? experiments::showcases() : all;
}

/// One solve counted, the least seconds of all: what disturbs a run makes it slower, never faster.
struct Row {
  std::string problem, method;
  std::string status = {};
  bool success = false;
  double f = infinity;
  Certificate certificate = {};
  Index projections = 0;
  double seconds = infinity;
  std::optional<double> reference = {};  // the least value known
};

template <class Solve>
Row measure(const Subject& subject, std::string method, Index repeat, const Interrupt& interrupt,
            const Solve& solve_once) {
  Row row{.problem = subject.name, .method = std::move(method)};
  for (Index k = 0; k < repeat && !interrupt.requested(); ++k) {
    const Result result = solve_once(Hooks{.stop = interrupt.token()});
    row.status = to_string(result.status);
    row.success = result.success();
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
  return measure(subject, method, a.repeat, interrupt,
                 [&](const Hooks& hooks) { return solve(subject.problem, subject.start, options, hooks); });
}

bool is_union_of_convex_sets(const Set& D) {
  const auto* parts = D.as<UnionOf>();
  return parts &&
         std::all_of(parts->parts.begin(), parts->parts.end(), [](const Set& part) { return part.convex(); });
}

/// The global optimum of a union of parts, with its proof.
Row measure_certified(const Subject& subject, const BenchArguments& a, const Interrupt& interrupt) {
  return measure(subject, "disjunctive", a.repeat, interrupt,
                 [&](const Hooks& hooks) { return solve_disjunctive(subject.problem, subject.start, {}, hooks); });
}

#ifdef PENDEC_ENUMERATION

/// {x : A x ≤ b}?
bool has_rows_only(const Set& part) {
  const auto* polyhedron = part.as<Polyhedron>();
  if (!polyhedron) return false;
  const LinearConstraints& rows = polyhedron->constraints();
  return rows.b.size() > 0 && rows.d.size() == 0 && (rows.lower.array() == -infinity).all() &&
         (rows.upper.array() == infinity).all();
}

bool can_be_enumerated(const Problem& problem) {
  const auto* parts = problem.D.as<UnionOf>();
  if (!parts || !std::all_of(parts->parts.begin(), parts->parts.end(), has_rows_only)) return false;
  if (!problem.has_G()) return true;
  const auto* C = problem.C.as<Box>();
  return C && (C->lower.array() == -infinity).all() && (C->upper.array() == 0.0).all();
}

/// What the paper compares with: SLSQP on every part, by NLopt, where there are parts {x : A x ≤ b} and constraints
/// G(x) ≤ 0.
std::optional<Row> measure_enumeration(const Subject& subject, const BenchArguments& a, const Interrupt& interrupt) {
  if (!can_be_enumerated(subject.problem)) return std::nullopt;
  Row row{.problem = subject.name, .method = "slsqp"};
  for (Index k = 0; k < a.repeat && !interrupt.requested(); ++k) {
    const auto begin = std::chrono::steady_clock::now();
    const experiments::Enumeration found =
        experiments::enumerate_parts(subject.problem, subject.start, 0, [&] { return interrupt.requested(); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (found.x.size() == 0) return std::nullopt;
    row.status = fmt::format("{} of {} parts feasible", found.solved, subject.problem.D.as<UnionOf>()->parts.size());
    row.f = found.f;
    row.certificate = certify(subject.problem, found.x);
    row.seconds = std::min(row.seconds, seconds.count());
  }
  return row;
}

#else

std::optional<Row> measure_enumeration(const Subject&, const BenchArguments&, const Interrupt&) {
  return std::nullopt;
}

#endif

nlohmann::ordered_json record(const Row& row) {
  nlohmann::ordered_json out{{"problem", row.problem},
                             {"method", row.method},
                             {"status", row.status},
                             {"objective", row.f},
                             {"infeasibility", row.certificate.relative_infeasibility()},
                             {"stationarity", row.certificate.relative_stationarity()},
                             {"projections", row.projections},
                             {"seconds", row.seconds}};
  if (row.reference) out["reference"] = *row.reference;
  return out;
}

/// `compared` is the column that tells commands apart.
void print_bench_head(const char* compared) {
  show("{:<30} {:<11} {:>14} {:>14} {:>9} {:>9} {:>8} {:>10}  {}\n{:-<124}\n", "problem", "method", "objective",
       compared, "infeas.", "station.", "proj.", "seconds", "status", "");
}

void print_bench_row(const Row& row, const std::string& compared) {
  show("{:<30.30} {:<11} {:>14.8g} {:>14} {:>9.1e} {:>9.1e} {:>8} {:>10.6f}  {}\n", row.problem, row.method, row.f,
       compared, row.certificate.relative_infeasibility(), row.certificate.relative_stationarity(), row.projections,
       row.seconds, row.status);
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
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  std::vector<std::filesystem::path> read;
  const std::vector<Subject> problems = subjects(a.files, a.confine, read);
  require_outputs({{"--output", a.output}}, read);
  const Interrupt interrupt;
  if (!a.json) print_bench_head("ratio");
  for (const Subject& subject : problems) {
    const std::vector<Row> rows = measure_all(subject, a, interrupt);
    double fastest = infinity;
    for (const Row& row : rows) fastest = std::min(fastest, row.seconds);
    for (const Row& row : rows) {
      runs.push_back(record(row));
      if (!a.json) print_bench_row(row, fmt::format("{:.1f}", row.seconds / fastest));
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

/// Solves the showcase problems with PD, PDLM and ALM and prints a table (or one JSON object a line). Exit code 0 if
/// every run converged, 2 otherwise.
int demo(bool json) {
  const Interrupt interrupt;
  if (!json) print_bench_head("reference");
  BenchArguments once;
  once.repeat = 1;
  int runs = 0, converged = 0, global = 0;
  for (const experiments::Showcase& s : experiments::showcases())
    for (const char* method : {"pd", "pdlm", "alm"}) {
      Row row = measure_method(s, method, once, interrupt);
      if (interrupt.requested()) return interrupted;
      row.reference = s.reference;
      if (json)
        fmt::print("{}\n", record(row).dump());
      else
        print_bench_row(row, fmt::format("{:.8g}", s.reference));
      ++runs;
      converged += row.success;
      global += row.success && row.f <= s.reference + 1e-6 * std::max(1.0, std::abs(s.reference));
    }
  if (!json)
    show(
        "\n{} runs: {} converged (feasible and stationary, verified), {} of them at the global minimum.\n"
        "reference: the global minimum. infeas., station.: relative residuals of the certificate.\n",
        runs, converged, global);
  return converged == runs ? solved : not_solved;
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

void add_demo(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("demo", "Solve one problem of each class with PD, PDLM and ALM");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object per run instead of the table");
  command->callback([&job, json] { job.run = [json] { return demo(*json); }; });
}

}  // namespace pendec::cli
