// Table 6.7 and Figure 6.3: unions of polyhedra. The authors' instances were drawn from seeds that are not published.
#include <fmt/format.h>

#include "experiments/instances.hpp"
#include "experiments/reproduce/measure.hpp"
#include "experiments/reproduce/plan.hpp"
#include "experiments/reproduce/printed.hpp"
#include "experiments/settings.hpp"
#include "experiments/showcase.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"

namespace pendec::experiments {
namespace {

struct DisjunctiveSize {
  Index n, parts, rows, m;
};

void add_disjunctive(Row names, const DisjunctiveSize& size, Options (*options_of)(Method), std::uint64_t seed,
                     const Setting& setting, Plan& plan) {
  names.same_instance = false;
  const auto instance = made_once<Disjunctive>([=] {
    Random random(seed);
    return feasible_disjunctive(size.n, size.parts, size.rows, size.m, random);
  });
  const auto add = [&](std::string algorithm, std::string_view mode, std::string_view printed_as, double seconds,
                       std::function<void(Row&, std::stop_token)> measure) {
    Row row = names;
    row.algorithm = std::move(algorithm);
    row.mode = mode;
    row.paper = printed(row.experiment, row.instance, printed_as);
    plan.runs.push_back({row, seconds, std::move(measure)});
  };
  const double parts = static_cast<double>(size.parts);
  add("solve_disjunctive", default_mode, "", 0.05, [=](Row& row, std::stop_token stop) {
    const Disjunctive& d = instance();
    Result result;
    timed(row, [&] { result = solve_disjunctive(d.problem, d.start, {}, {.stop = stop}); });
    take_over(row, d.problem, result);
  });
  // The paper's reference with our SQP in the place of SLSQP.
  add("Enumeration + SQP", paper_mode, "Enumeration + SLSQP", 0.01 * parts, [=](Row& row, std::stop_token) {
    const Disjunctive& d = instance();
    timed(row, [&] {
      std::vector<Branch> branches;
      for (const Set& part : d.problem.D.as<UnionOf>()->parts) branches.push_back(*part.branch(d.start, d.start));
      row.f = least_over(d.problem, branches);
    });
    row.infeasibility = row.explained = 0.0;
    row.status = row.f < infinity ? "enumerated" : "infeasible";
    row.outer = size.parts;
  });
  const auto method = [&](const char* name, Options options) {
    options.limits.seconds = setting.limit();
    add(name, paper_mode, name, 0.01 * parts, [=](Row& row, std::stop_token stop) {
      const Disjunctive& d = instance();
      run_method(row, d.problem, d.start, options, stop, names.experiment == "table-6.7");
    });
  };
  method("PD", options_of(Method::pdlm));
  method("ALM", options_of(Method::alm));
}

}  // namespace

void table_6_7(const Setting& setting, Plan& plan) {
  for (const Index parts : {2, 5, 10, 20, 50, 100}) {
    add_disjunctive({.experiment = "table-6.7", .instance = fmt::format("N={}", parts)}, {10, parts, 12, 1},
                    table_6_7_options, static_cast<std::uint64_t>(parts), setting, plan);
  }
}

void figure_6_3(const Setting& setting, Plan& plan) {
  for (int seed = 1; seed <= 20; ++seed)
    add_disjunctive({.experiment = "figure-6.3", .instance = fmt::format("seed {}", seed)}, {5, 50, 7, 80},
                    figure_6_3_options, static_cast<std::uint64_t>(seed), setting, plan);
}

}  // namespace pendec::experiments
