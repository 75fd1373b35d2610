// pendec disjunctive FILE: unions of convex sets with a certificate, and programs with pairs with their stationarity.
#include "pendec/solvers/alternatives/disjunctive.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/pair_table.hpp"
#include "cli/report.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::cli {
namespace {

struct DisjunctiveArguments {
  std::string file, time_limit;
  std::optional<double> gap;
  bool no_certificate = false, confine = false;
  Outputs outputs;
};

void print_disjunctive_result(const io::ProblemFile& file, const Result& r) {
  if (!file.name.empty()) print_row("problem", file.name);
  print_status(r);
  print_row("method", r.method);
  print_row("objective", fmt::format("{:.12g}", r.f));
  if (r.bound > -infinity) print_row("bound", fmt::format("{:.12g} (proven)", r.bound));
  if (!r.search.branch.empty())
    print_row("branch",
              r.search.branch +
                  (r.search.exchange_optimal
                       ? fmt::format("; all {} branches one exchange away solved, none better", r.search.neighbours)
                       : ""));
  print_row("infeasibility", fmt::format("{:.1e} (relative)", r.certificate.relative_infeasibility()));
  print_row("stationarity", fmt::format("{:.1e} (relative)", r.certificate.relative_stationarity()));
  print_row("work", fmt::format("{:.3g} s", r.times.total));
}

void print_union(const io::ProblemFile& file, const Result& r) {
  print_disjunctive_result(file, r);
  if (r.parts().part >= 0) print_row("part", fmt::format("{}", r.parts().part));
  print_leading(r.y);
}

void print_pairs(const io::ProblemFile& file, const Result& r) {
  print_disjunctive_result(file, r);
  print_pair_table(r);
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

int solve_disjunctive_file(const DisjunctiveArguments& a, const ProblemRecord& record) {
  require_outputs({{"--output", a.outputs.output}, {"--csv", a.outputs.csv}}, {a.file});
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
  Result r = file.pairs ? solve_pairs(*file.pairs, file.start.head(file.pairs->dimension()), options, hooks)
                        : solve_disjunctive(file.problem, file.start,
                                            {.certificate = !a.no_certificate,
                                             .gap = a.gap.value_or(DisjunctiveOptions{}.gap),
                                             .method = options},
                                            hooks);
  return Report{a.outputs, record, [&] { return csv_of({}, file.pairs ? r.pairs().x : r.y); },
                [&] { file.pairs ? print_pairs(file, r) : print_union(file, r); }}(r);
}

}  // namespace

void add_disjunctive(CLI::App& app, Job& job) {
  const auto a = std::make_shared<DisjunctiveArguments>();
  auto* command = app.add_subcommand(
      "disjunctive", "Solve over a union of convex sets, with a proof, or with pairs of alternative constraints");
  command->add_option("FILE", a->file, "Problem file: D a union, or kind \"pairs\" (docs/disjunctive.md)")
      ->required();
  auto* gap = command->add_option("--gap", a->gap, "Unions: relative gap of the proof, 1e-6 if not given");
  command->add_flag("--no-certificate", a->no_certificate, "Unions: search only; prove nothing")->excludes(gap);
  add_confine(*command, a->confine);
  command->add_option("--seconds,--time-limit", a->time_limit, "Give up after this many seconds")
      ->type_name("SECONDS");
  add_outputs(*command, a->outputs, "the point");
  command->callback([&job, a, command] {
    job.run = [a, command] { return solve_disjunctive_file(*a, record_of(*command)); };
    job.verify = [a](const Result& claimed) { return verify_file(a->file, a->confine, claimed); };
  });
}

}  // namespace pendec::cli
