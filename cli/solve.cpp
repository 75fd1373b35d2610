// pendec solve FILE: reads a problem file, solves it, shows and writes the result.
#include "pendec/solvers/solve.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"

namespace pendec::cli {
namespace {

struct SolveArguments {
  std::string file, method, preset, output;
  std::vector<std::string> settings;  // NAME=VALUE
  std::string time_limit;             // seconds
  bool trace = false, confine = false, json = false, quiet = false;
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
  const auto row = [](std::string_view name, const std::string& value) { show("{:<15}{}\n", name, value); };
  if (!file.name.empty()) row("problem", file.name);
  row("size", p.has_G() ? fmt::format("{} variables in {}, {} constraints in {}", p.dimension(), p.D.name(),
                                      p.C.dimension(), p.C.name())
                        : fmt::format("{} variables in {}", p.dimension(), p.D.name()));
  row("status", fmt::format("{}: {}", to_string(r.status), r.message));
  row("method", r.method);
  row("objective", fmt::format("{:.12g}", r.f));
  row("infeasibility", fmt::format("{:.1e} (relative)", c.relative_infeasibility()));
  row("stationarity",
      fmt::format("{:.1e} (relative{}{})", c.relative_stationarity(), c.lambda_given ? "" : "; multiplier estimated",
                  c.exact_normals ? "" : "; normals of D sampled"));
  row("work", fmt::format("{} outer, {} inner iterations, {} projections onto D, {:.3g} s", r.counts.outer,
                          r.counts.inner, r.counts.project_D, r.times.total));
  print_point(r.y);
}

int solve_exit_code(const Result& r) {
  if (r.success()) return solved;
  return r.status == Status::interrupted ? interrupted : not_solved;
}

int solve_file(const SolveArguments& a) {
  require_output(a.output, {a.file});  // hours of work should not end at a misspelt folder
  const io::ProblemFile file = io::read_problem(a.file, a.confine);
  const Options options = options_of(file, a);
  const Interrupt interrupt;
  Result result;
  {
    ProgressLine line(!a.quiet);
    result = solve(file.problem, file.start, options, {.observer = line.observer(), .stop = interrupt.token()});
  }
  std::exception_ptr unwritten;
  try {
    if (!a.output.empty()) write_output(a.output, to_json(result));
  } catch (const io::FileError&) {  // a full disk: what was found is shown nevertheless
    unwritten = std::current_exception();
  }
  if (a.json)
    fmt::print("{}\n", to_json(result));
  else if (!a.quiet)
    print_solution_table(file, result);
  if (unwritten) std::rethrow_exception(unwritten);
  return solve_exit_code(result);
}

}  // namespace

void add_solve(CLI::App& app, Run& run) {
  const auto a = std::make_shared<SolveArguments>();
  auto* command = app.add_subcommand("solve", "Solve the problem in a problem file");
  command->add_option("FILE", a->file, "Problem file (JSON, docs/problem-files.md)")->required();
  command->add_option("--method", a->method, "automatic, pd, pdlm or alm");
  command->add_option("--preset", a->preset, "default (ours) or paper (the settings of the paper)");
  command->add_option("--set", a->settings, "An option by name, such as penalty.alpha_tau=1.1; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_output(*command, "-o,--output", a->output, "Write the result to this file, as a whole or not at all");
  command->add_option("--time-limit", a->time_limit, "Give up after this many seconds")->type_name("SECONDS");
  add_confine(*command, a->confine);
  command->add_flag("--trace", a->trace, "Record one row per outer iteration in the result");
  auto* json = command->add_flag("--json", a->json, "Print the result as one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors")->excludes(json);
  command->callback([&run, a] { run = [a] { return solve_file(*a); }; });
}

}  // namespace pendec::cli
