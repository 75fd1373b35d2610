// pendec solve FILE, pendec disjunctive FILE: the problem in a problem file, by any method, or with a proof for
// unions.
#include "pendec/solvers/solve.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "cli/report.hpp"
#include "cli/show.hpp"
#include "cli/solver_command.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/nl.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::cli {
namespace {

struct SolveArguments {
  std::string file, method, preset;
  std::vector<std::string> settings;  // NAME=VALUE
  std::string time_limit;             // seconds
  bool trace = false, confine = false;
  DisjunctiveOptions disjunctive;
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

void print_point(const char* name, const Vector& y) {
  constexpr Index most = 20;
  const Index nonzeros = (y.array() != 0.0).count();
  show("\n{} has {} entries, {} of them nonzero\n", name, y.size(), nonzeros);
  Index shown = 0;
  for (Index i = 0; i < y.size() && shown < most; ++i) {
    if (y[i] == 0.0) continue;
    show("  {}[{}] = {:.10g}\n", name, i, y[i]);
    ++shown;
  }
  if (shown < nonzeros) show("  ... (all of them with --output FILE or --json)\n");
}

/// What is rounding beside `scale` is shown as zero, unless the scale is out of all proportion; files have all
/// digits.
double shown(double value, double scale) { return std::abs(value) <= 1e-12 * std::min(scale, 1e3) ? 0.0 : value; }

/// The type of stationarity, x, and a row for every pair.
void print_pair_table(const Result& r) {
  const PairsDetails& p = r.pairs();
  print_row("stationary",
            p.stationarity == PairStationarity::none ? "not verified" : std::string(to_string(p.stationarity)));
  double scale = p.x.size() > 0 ? p.x.cwiseAbs().maxCoeff() : 0.0, nu_scale = r.certificate.gradient_scale;
  print_point("x", p.x.unaryExpr([scale](double value) { return shown(value, scale); }));
  for (const PairReport& pair : p.table) {
    scale = std::max({scale, std::abs(pair.F), std::abs(pair.H)});
    nu_scale = std::max({nu_scale, std::abs(pair.nu_F), std::abs(pair.nu_H)});
  }
  const double feasible = r.options.driver.tolerance * std::max(r.certificate.feasibility_scale, scale);
  show("\n  pair   row            F            H         nu_F         nu_H\n");
  for (const PairReport& pair : p.table)
    show("{:>6}{:>6} {:>12.5g} {:>12.5g} {:>12.5g} {:>12.5g}{}{}\n", pair.constraint, pair.row, shown(pair.F, scale),
         shown(pair.H, scale), shown(pair.nu_F, nu_scale), shown(pair.nu_H, nu_scale),
         pair.biactive ? "  biactive" : "",
         pair.violation > feasible ? fmt::format("  violated by {:.2g}", pair.violation) : "");
}

void print_solution_table(const io::ProblemFile& file, const Result& r) {
  const Problem p = file.problem.completed();
  if (!file.name.empty()) print_row("problem", file.name);
  print_row("size", p.has_G() ? fmt::format("{} variables in {}, {} constraints in {}", p.dimension(), p.D.name(),
                                            p.C.dimension(), p.C.name())
                              : fmt::format("{} variables in {}", p.dimension(), p.D.name()));
  print_row("route", r.route);
  for (const RouteRefused& other : r.why_not)
    if (r.bound == -infinity) print_row("", fmt::format("not {}: {}", other.route, other.reason));
  print_result(r);
  if (file.pairs)
    print_pair_table(r);
  else if (r.status != Status::infeasible)
    print_point("y", r.y);
}

/// In the words of problem files.
void require_union(const std::string& path, const Set& D) {
  const auto* parts = D.as<UnionOf>();
  if (!parts && !D.convex())
    throw InvalidArgument(path + ": D", "of type " + D.name(),
                          "type \"union\" with convex parts, or a convex set; `pendec solve` takes any");
  for (std::size_t k = 0; parts && k < parts->parts.size(); ++k)
    if (!parts->parts[k].convex())
      throw InvalidArgument(fmt::format("{}: D.parts[{}]", path, k), "of type " + parts->parts[k].name(),
                            "a convex set; `pendec solve` takes any");
}

/// Options that say something about proofs.
void refuse_for_pairs(const CLI::App& command) {
  for (const char* option : {"--gap", "--feasible", "--no-certificate"})
    if (command.get_option(option)->count() > 0)
      throw InvalidArgument(option, "given for a problem with pairs",
                            "a problem whose D is a union; for pairs it is driver.gap");
}

Result solve_pairs_of(const io::ProblemFile& file, const Options& options, const Hooks& hooks) {
  return solve_pairs(*file.pairs, file.start.head(file.pairs->dimension()), options, hooks);
}

/// A problem, or that there is none to solve: its file contradicts itself.
struct Stated : io::ProblemFile {
  std::optional<Result> infeasible = {};
};

/// A problem file, or a model as AMPL and others write it: its objective is minimised, or what is maximised with the
/// other sign.
Stated read_file(const SolveArguments& a) {
  if (!a.file.ends_with(".nl")) return {io::read_problem(a.file, a.confine)};
  io::NlModel model = io::read_nl(a.file);
  if (!model.contradiction.empty()) return {{}, io::solve_nl(model)};
  return {std::move(model.file)};
}

std::vector<Claim> verify_file(const Stated& file, const Result& claimed) {
  if (file.infeasible)
    return {{"status", std::string(to_string(claimed.status)), "infeasible: " + file.infeasible->message,
             claimed.status == Status::infeasible}};
  if (file.pairs && std::holds_alternative<PairsDetails>(claimed.details)) return verify(*file.pairs, claimed);
  return verify(file.problem, claimed);
}

/// What all commands on a problem file have; solve_file(file, options, hooks) is their own.
template <class SolveFile>
void add_file_command(SolverCommand& command, const std::shared_ptr<SolveArguments>& a, Job& job,
                      SolveFile solve_file) {
  command->add_option("--seconds,--time-limit", a->time_limit, "Give up after this many seconds")
      ->type_name("SECONDS");
  add_confine(command.app(), a->confine);
  command.outputs("the point");
  command.solves(
      job, [a] { return read_file(*a); },
      [a, solve_file](const Stated& file, Run& run) {
        const Options options = options_of(file, *a);
        Result r = file.infeasible ? *file.infeasible : solve_file(file, options, run.hooks());
        if (file.infeasible) r.options = options;
        return run.report(
            r, [&] { return csv_of({}, file.pairs ? r.pairs().x : r.y); },
            [&] { file.infeasible ? print_result(r) : print_solution_table(file, r); });
      },
      verify_file);
}

}  // namespace

void add_solve(CLI::App& app, Job& job) {
  const auto a = std::make_shared<SolveArguments>();
  SolverCommand command(app, "solve", "Solve the problem in a problem file");
  command.input("FILE", a->file, "Problem file (JSON, docs/problem-files.md), or .nl model")->required();
  command->add_option("--method", a->method, "automatic, pd, pdlm or alm");
  command->add_option("--preset", a->preset, "default (ours) or paper (the settings of the paper)");
  command->add_option("--set", a->settings, "An option by name, such as penalty.alpha_tau=1.1; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--trace", a->trace, "Record one row per outer iteration in the result");
  add_file_command(command, a, job, [](const io::ProblemFile& file, const Options& options, const Hooks& hooks) {
    return file.pairs ? solve_pairs_of(file, options, hooks) : solve(file.problem, file.start, options, hooks);
  });
}

void add_disjunctive(CLI::App& app, Job& job) {
  const auto a = std::make_shared<SolveArguments>();
  SolverCommand command(app, "disjunctive",
                        "Solve over a union of convex sets, with a proof, or with pairs of alternative constraints");
  command.input("FILE", a->file, "Problem file: D a union, or kind \"pairs\" (docs/disjunctive.md)")->required();
  command.fields(a->disjunctive);
  add_file_command(
      command, a, job,
      [a, given = &command.app()](const io::ProblemFile& file, const Options& options, const Hooks& hooks) {
        if (file.pairs) return refuse_for_pairs(*given), solve_pairs_of(file, options, hooks);
        require(a->disjunctive.certificate || given->get_option("--gap")->count() == 0, "--gap", a->disjunctive.gap,
                "none with --no-certificate, which proves nothing");
        if (file.problem.D) require_union(a->file, file.problem.D);
        DisjunctiveOptions chosen = a->disjunctive;
        chosen.method = options;
        return solve_disjunctive(file.problem, file.start, chosen, hooks);
      });
}

}  // namespace pendec::cli
