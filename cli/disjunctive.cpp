// pendec disjunctive FILE: unions of convex sets with a certificate, and programs with pairs with their stationarity.
#include "pendec/solvers/disjunctive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/solvers/pair_program.hpp"

namespace pendec::cli {
namespace {

struct DisjunctiveArguments {
  std::string file, output, time_limit;
  std::optional<double> gap;
  bool no_certificate = false, confine = false, json = false, quiet = false;
};

/// What is rounding beside `scale` is shown as zero, unless the scale is out of all proportion; files have all
/// digits.
double shown(double value, double scale) { return std::abs(value) <= 1e-12 * std::min(scale, 1e3) ? 0.0 : value; }

void print_point(const Vector& x) {
  constexpr Index most = 20;
  const double scale = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
  for (Index i = 0; i < std::min(x.size(), most); ++i) show("  x[{}] = {:.10g}\n", i, shown(x[i], scale));
  if (x.size() > most) show("  ... {} more: --output or --json has them\n", x.size() - most);
}

void row(std::string_view name, const std::string& value) { show("{:<15}{}\n", name, value); }

void print_disjunctive_result(const io::ProblemFile& file, const Result& r) {
  if (!file.name.empty()) row("problem", file.name);
  row("status", fmt::format("{}: {}", to_string(r.status), r.message));
  row("method", r.method);
  row("objective", fmt::format("{:.12g}", r.f));
  if (r.bound > -infinity) row("bound", fmt::format("{:.12g} (proven)", r.bound));
  if (!r.search.branch.empty())
    row("branch", r.search.branch + (r.search.exchange_optimal
                                         ? fmt::format("; all {} branches one exchange away solved, none better",
                                                       r.search.neighbours)
                                         : ""));
  row("infeasibility", fmt::format("{:.1e} (relative)", r.certificate.relative_infeasibility()));
  row("stationarity", fmt::format("{:.1e} (relative)", r.certificate.relative_stationarity()));
  row("work", fmt::format("{:.3g} s", r.times.total));
}

void print_union(const io::ProblemFile& file, const DisjunctiveResult& d) {
  print_disjunctive_result(file, d.result);
  if (d.part >= 0) row("part", fmt::format("{}", d.part));
  print_point(d.result.y);
}

void print_pairs(const io::ProblemFile& file, const PairResult& p) {
  print_disjunctive_result(file, p.result);
  row("stationary",
      p.stationarity == PairStationarity::none ? "not verified" : fmt::format("{}", to_string(p.stationarity)));
  print_point(p.x);
  double scale = p.x.size() > 0 ? p.x.cwiseAbs().maxCoeff() : 0.0, nu_scale = p.result.certificate.gradient_scale;
  for (const PairReport& pair : p.pairs) {
    scale = std::max({scale, std::abs(pair.F), std::abs(pair.H)});
    nu_scale = std::max({nu_scale, std::abs(pair.nu_F), std::abs(pair.nu_H)});
  }
  const double feasible = p.result.options.driver.tolerance * std::max(p.result.certificate.feasibility_scale, scale);
  show("\n  pair   row            F            H         nu_F         nu_H\n");
  for (const PairReport& pair : p.pairs)
    show("{:>6}{:>6} {:>12.5g} {:>12.5g} {:>12.5g} {:>12.5g}{}{}\n", pair.constraint, pair.row, shown(pair.F, scale),
         shown(pair.H, scale), shown(pair.nu_F, nu_scale), shown(pair.nu_H, nu_scale),
         pair.biactive ? "  biactive" : "",
         pair.violation > feasible ? fmt::format("  violated by {:.2g}", pair.violation) : "");
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

int disjunctive_exit_code(const Result& r) {
  if (r.success()) return solved;
  return r.status == Status::interrupted ? interrupted : not_solved;
}

int solve_disjunctive_file(const DisjunctiveArguments& a) {
  require_output(a.output, {a.file});
  const io::ProblemFile file = io::read_problem(a.file, a.confine);
  if (file.pairs && (a.gap || a.no_certificate))
    throw InvalidArgument(a.gap ? "--gap" : "--no-certificate", "given for a problem with pairs",
                          "a problem whose D is a union: about pairs nothing global is proved");
  if (!file.pairs && file.problem.D) require_union(a.file, file.problem.D);
  io::OptionSettings chosen = file.options;
  if (!a.time_limit.empty()) chosen.settings.push_back({"limits.seconds", a.time_limit});
  const Options options = chosen.options();
  const Interrupt interrupt;
  const Hooks hooks{.stop = interrupt.token()};
  PairResult pairs;
  DisjunctiveResult parts;
  if (file.pairs)
    pairs = solve_pairs(*file.pairs, file.start.head(file.pairs->dimension()), options, hooks);
  else
    parts = solve_disjunctive(
        file.problem, file.start,
        {.certificate = !a.no_certificate, .gap = a.gap.value_or(DisjunctiveOptions{}.gap), .method = options},
        hooks);
  const Result& result = file.pairs ? pairs.result : parts.result;
  const bool as_json = a.json || !a.output.empty();
  const std::string record = !as_json ? "" : file.pairs ? to_json(pairs) : to_json(parts);
  if (!a.output.empty()) write_output(a.output, record);
  if (a.json)
    fmt::print("{}\n", record);
  else if (!a.quiet && file.pairs)
    print_pairs(file, pairs);
  else if (!a.quiet)
    print_union(file, parts);
  return disjunctive_exit_code(result);
}

}  // namespace

void add_disjunctive(CLI::App& app, Run& run) {
  const auto a = std::make_shared<DisjunctiveArguments>();
  auto* command = app.add_subcommand(
      "disjunctive", "Solve over a union of convex sets, with a proof, or with pairs of alternative constraints");
  command->add_option("FILE", a->file, "Problem file: D a union, or kind \"pairs\" (docs/disjunctive.md)")
      ->required();
  auto* gap = command->add_option("--gap", a->gap, "Unions: relative gap of the proof, 1e-6 if not given");
  command->add_flag("--no-certificate", a->no_certificate, "Unions: search only; prove nothing")->excludes(gap);
  add_output(*command, "-o,--output", a->output, "Write the result to this file, as a whole or not at all");
  add_confine(*command, a->confine);
  command->add_option("--time-limit", a->time_limit, "Give up after this many seconds")->type_name("SECONDS");
  auto* json = command->add_flag("--json", a->json, "Print the result as one JSON object instead of the table");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors")->excludes(json);
  command->callback([&run, a] { run = [a] { return solve_disjunctive_file(*a); }; });
}

}  // namespace pendec::cli
