#include "pendec/search/polish.hpp"

#include <cmath>
#include <utility>

#include "pendec/core/transform.hpp"
#include "pendec/subsolvers/sqp.hpp"

namespace pendec {
namespace {

double violation(const Problem& problem, In x) {
  if (!problem.has_G()) return 0.0;
  Vector G(problem.G.output_dimension());
  problem.G.evaluate(x, G);
  return problem.C.distance(G);
}

/// Dense SQP is for polyhedra and some hundreds of variables.
bool suits_sqp(const Problem& on_branch) {
  constexpr Index most_variables = 400, most_rows = 2000;
  if (on_branch.dimension() > most_variables || !on_branch.D.linear_constraints()) return false;
  if (!on_branch.has_G()) return true;
  return on_branch.G.output_dimension() <= most_rows && on_branch.C.linear_constraints().has_value();
}

Candidate by_sqp(const Problem& on_branch, In t, Monitor& monitor) {
  SqpResult found = sqp(on_branch, t, {.stop = [&] { return monitor.expired(0); }});
  Candidate out;
  out.y = std::move(found.x);
  out.lambda = std::move(found.lambda);
  return out;
}

/// Augmented Lagrangian with L-BFGS in the coordinates t; t ∈ domain is coupled only where the domain is not free.
Candidate by_augmented_lagrangian(const Problem& on_branch, In t, const Candidate& from, Monitor& monitor,
                                  Counts& counts) {
  Options options = default_preset(Method::pdlm);
  options.driver.polish = false;
  options.penalty.tau0 = 1.0;
  options.penalty.alpha_tau = 5.0;
  options.penalty.progress = 0.5;
  options.penalty.eps_out = 1e-9;
  options.inner.delta0 = 1e-3;
  options.inner.delta_factor = 0.1;
  options.inner.delta_min = 1e-8;
  options.limits.outer = 60;
  RunOutcome outcome;
  RunStart start{.x = t};
  if (on_branch.has_G() && from.lambda.size() == on_branch.G.output_dimension()) start.lambda = from.lambda;
  monitor.mute(true);
  run(on_branch, start, options, {}, monitor, infinity, 1.0, outcome);
  monitor.mute(false);
  counts += outcome.counts;
  return outcome.last;
}

}  // namespace

std::optional<Candidate> polish(const Problem& problem, const Candidate& from, Monitor& monitor, Counts& counts) {
  const auto branch = problem.D.branch(from.y, from.x);
  if (!branch || branch->t.size() == 0) return std::nullopt;
  const Problem on_branch = restricted(problem, *branch);
  const Candidate found = suits_sqp(on_branch) ? by_sqp(on_branch, branch->t, monitor)
                                               : by_augmented_lagrangian(on_branch, branch->t, from, monitor, counts);
  if (found.y.size() == 0 || !found.y.allFinite()) return std::nullopt;
  Candidate out;
  out.y.resize(problem.dimension());
  branch->chart.evaluate(found.y, out.y);
  out.x = out.y;
  out.lambda = found.lambda;
  out.f = problem.f.value(out.y);
  out.violation = violation(problem, out.y);
  return out;
}

}  // namespace pendec
