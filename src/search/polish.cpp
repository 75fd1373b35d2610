#include "pendec/search/polish.hpp"

#include <cmath>
#include <utility>

#include "pendec/subsolvers/nlp.hpp"
#include "pendec/transform/restricted.hpp"

namespace pendec {
namespace {

double violation(const Problem& problem, In x) {
  if (!problem.has_G()) return 0.0;
  Vector G(problem.G.output_dimension());
  problem.G.evaluate(x, G);
  return problem.C.distance(G);
}

BranchSolution by_run(const Problem& on_branch, RunStart start, Options options, Monitor& monitor, Counts& counts) {
  options.driver.polish = false;
  RunOutcome outcome;
  monitor.mute(true);
  run(on_branch, std::move(start), options, {}, monitor, infinity, {}, outcome);
  monitor.mute(false);
  outcome.counts.outer = 0;  // those of the methods are counted, which limits.outer limits
  counts += outcome.counts;
  return {std::move(outcome.last), outcome.status == Status::tests_met_uncertified};
}

BranchSolution by_nlp(const Problem& on_branch, In t, Nlp solver, Monitor& monitor, Counts& counts) {
  constexpr double good_enough = 1e-8;  // where rounding ends it
  NlpResult found = nlp(on_branch, t, {.solver = solver, .stop = [&] { return monitor.expired(0); }});
  counts += found.counts;
  BranchSolution out;
  out.point.y = std::move(found.x);
  out.point.lambda = std::move(found.lambda);
  out.converged = found.status == NlpStatus::converged || found.status == NlpStatus::infeasible_stationary ||
                  found.kkt_error <= good_enough;
  return out;
}

/// Would Ipopt have to learn the curvature of f from its gradients? L-BFGS on the domain itself does so with less.
bool suits_lbfgs(const Problem& on_branch, In t) {
  if (on_branch.has_G() || nlp_solver_for(on_branch) == Nlp::sqp) return false;
  return !on_branch.f.has_hessian() || !on_branch.f.hessian(t).has_entries();
}

BranchSolution by_lbfgs(const Problem& on_branch, In t, Monitor& monitor, Counts& counts) {
  Options options = default_preset(Method::alm);
  options.inner.method = Inner::projected;
  options.inner.delta0 = options.inner.delta_min = 1e-8;
  options.inner.max_iterations = 20'000;
  return by_run(on_branch, {.x = t}, options, monitor, counts);
}

/// Augmented Lagrangian with L-BFGS in the coordinates t; t ∈ domain is coupled only where the domain is not free.
BranchSolution by_augmented_lagrangian(const Problem& on_branch, In t, In lambda, Monitor& monitor, Counts& counts) {
  Options options = default_preset(Method::pdlm);
  options.penalty.tau0 = 1.0;
  options.penalty.alpha_tau = 5.0;
  options.penalty.progress = 0.5;
  options.penalty.eps_out = 1e-9;
  options.inner.delta0 = 1e-3;
  options.inner.delta_factor = 0.1;
  options.inner.delta_min = 1e-8;
  options.limits.outer = 60;
  RunStart start{.x = t};
  if (on_branch.has_G() && lambda.size() == on_branch.G.output_dimension()) start.lambda = lambda;
  return by_run(on_branch, std::move(start), options, monitor, counts);
}

}  // namespace

std::optional<BranchSolution> solve_on_branch(const Problem& problem, const Branch& branch, In lambda,
                                              Monitor& monitor, Counts& counts, Nlp solver) {
  if (branch.t.size() == 0) return std::nullopt;
  const Problem on_branch = restricted(problem, branch);
  const bool suits = suits_nlp(on_branch, branch.t);
  BranchSolution out;
  if (suits && solver == Nlp::automatic && suits_lbfgs(on_branch, branch.t))
    out = by_lbfgs(on_branch, branch.t, monitor, counts);
  else if (suits)
    out = by_nlp(on_branch, branch.t, solver, monitor, counts);
  else
    out = by_augmented_lagrangian(on_branch, branch.t, lambda, monitor, counts);
  // Rows that outnumber the dimensions of a curved branch contradict each other once linearised, and SQP stalls; a
  // penalty copes with them.
  if (suits && !out.converged && !branch.chart.is_affine() && !monitor.expired(0)) {
    BranchSolution other = by_augmented_lagrangian(on_branch, branch.t, lambda, monitor, counts);
    if (other.converged) out = std::move(other);
  }
  Candidate& point = out.point;
  if (point.y.size() == 0 || !point.y.allFinite()) return std::nullopt;
  Vector y(problem.dimension());
  branch.chart.evaluate(point.y, y);
  point.y = std::move(y);
  point.x = {};
  point.mu = {};
  point.f = problem.f.value(point.y);
  point.violation = violation(problem, point.y);
  return out;
}

std::optional<Candidate> polish(const Problem& problem, const Candidate& from, Monitor& monitor, Counts& counts,
                                Nlp solver) {
  const auto branch = problem.D.branch(from.y, from.origin());
  if (!branch) return std::nullopt;
  auto found = solve_on_branch(problem, *branch, from.lambda, monitor, counts, solver);
  if (!found) return std::nullopt;
  return std::move(found->point);
}

}  // namespace pendec
