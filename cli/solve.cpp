// pendec solve FILE: reads a problem file, solves it, shows and writes the result.
#include "pendec/solvers/solve.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/pair_table.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"

namespace pendec::cli {
namespace {

struct SolveArguments {
  std::string file, method, preset;
  std::vector<std::string> settings;  // NAME=VALUE
  std::string time_limit;             // seconds
  bool trace = false, confine = false;
  Outputs outputs;
};

/// The file's options, then what the command line says, in this order.
Options options_of(const io::ProblemFile& file, const SolveArguments& a) {
  io::OptionSettings chosen = file.options;
  if (!a.preset.empty()) chosen.preset = a.preset;
  if (!a.method.empty()) chosen.settings.push_back({"method", a.method});
  for (const std::string& setting : a.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) throw InvalidArgument("--set", setting, "NAME=VALUE, such as penalty.tau0=1");
    chosen.settings.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
  }
  if (!a.time_limit.empty()) chosen.settings.push_back({"limits.seconds", a.time_limit});
  if (a.trace) chosen.settings.push_back({"trace", "true"});
  return chosen.options();
}

void print_point(const Vector& y) {
  constexpr Index most = 20;
  const Index nonzeros = (y.array() != 0.0).count();
  show("\ny has {} entries, {} of them nonzero\n", y.size(), nonzeros);
  Index shown = 0;
  for (Index i = 0; i < y.size() && shown < most; ++i) {
    if (y[i] == 0.0) continue;
    show("  y[{}] = {:.10g}\n", i, y[i]);
    ++shown;
  }
  if (shown < nonzeros) show("  ... (all of them with --output FILE or --json)\n");
}

void print_solution_table(const io::ProblemFile& file, const Result& r) {
  const Problem p = file.problem.completed();
  const Certificate& c = r.certificate;
  if (!file.name.empty()) print_row("problem", file.name);
  print_row("size", p.has_G() ? fmt::format("{} variables in {}, {} constraints in {}", p.dimension(), p.D.name(),
                                            p.C.dimension(), p.C.name())
                              : fmt::format("{} variables in {}", p.dimension(), p.D.name()));
  print_status(r);
  print_row("method", r.method);
  if (r.route != "general") print_row("route", r.route);
  print_row("objective", fmt::format("{:.12g}", r.f));
  if (r.bound > -infinity) print_row("bound", fmt::format("{:.12g} (proven)", r.bound));
  print_row("infeasibility", fmt::format("{:.1e} (relative)", c.relative_infeasibility()));
  print_row("stationarity", fmt::format("{:.1e} (relative{}{})", c.relative_stationarity(),
                                        c.lambda_given ? "" : "; multiplier estimated",
                                        c.exact_normals ? "" : "; normals of D sampled"));
  print_row("work", fmt::format("{} outer, {} inner iterations, {} projections onto D, {:.3g} s", r.counts.outer,
                                r.counts.inner, r.counts.project_D, r.times.total));
  if (file.pairs)
    print_pair_table(r);
  else
    print_point(r.y);
}

int solve_file(const SolveArguments& a, const ProblemRecord& record) {
  // hours of work should not end at a misspelt folder
  require_outputs({{"--output", a.outputs.output}, {"--csv", a.outputs.csv}}, {a.file});
  const io::ProblemFile file = io::read_problem(a.file, a.confine);
  const Options options = options_of(file, a);
  const Interrupt interrupt;
  Result result;
  {
    ProgressLine line(!a.outputs.quiet);
    const Hooks hooks{.observer = line.observer(), .stop = interrupt.token()};
    result = file.pairs ? solve_pairs(*file.pairs, file.start.head(file.pairs->dimension()), options, hooks)
                        : solve(file.problem, file.start, options, hooks);
  }
  return Report{a.outputs, record, [&] { return csv_of({}, file.pairs ? result.pairs().x : result.y); },
                [&] { print_solution_table(file, result); }}(result);
}

}  // namespace

std::vector<Claim> verify_file(const std::string& path, bool confine, const Result& claimed) {
  const io::ProblemFile file = io::read_problem(path, confine);
  if (file.pairs && std::holds_alternative<PairsDetails>(claimed.details)) return verify(*file.pairs, claimed);
  return verify(file.problem, claimed);
}

void add_solve(CLI::App& app, Job& job) {
  const auto a = std::make_shared<SolveArguments>();
  auto* command = app.add_subcommand("solve", "Solve the problem in a problem file");
  command->add_option("FILE", a->file, "Problem file (JSON, docs/problem-files.md)")->required();
  command->add_option("--method", a->method, "automatic, pd, pdlm or alm");
  command->add_option("--preset", a->preset, "default (ours) or paper (the settings of the paper)");
  command->add_option("--set", a->settings, "An option by name, such as penalty.alpha_tau=1.1; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--seconds,--time-limit", a->time_limit, "Give up after this many seconds")
      ->type_name("SECONDS");
  add_confine(*command, a->confine);
  command->add_flag("--trace", a->trace, "Record one row per outer iteration in the result");
  add_outputs(*command, a->outputs, "the point");
  command->callback([&job, a, command] {
    job.run = [a, command] { return solve_file(*a, record_of(*command)); };
    job.verify = [a](const Result& claimed) { return verify_file(a->file, a->confine, claimed); };
  });
}

}  // namespace pendec::cli
