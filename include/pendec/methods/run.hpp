// Algorithm 3.1 and the augmented Lagrangian method: the only outer loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/methods/inner_solver.hpp"
#include "pendec/penalty/monitor.hpp"
#include "pendec/transform/scaled.hpp"

namespace pendec {

/// Where a run starts: x alone, or everything a previous run ended with.
struct RunStart {
  Vector x;
  std::optional<Vector> y = {}, lambda = {}, mu = {};
  std::optional<double> tau = {};
};

/// A point in D with the point it was projected from and the multipliers of that moment.
struct PENDEC_EXPORT Candidate {
  Vector x, y, lambda, mu;      // x = y and no μ where these are missing
  double f = infinity;          // f(y)
  double violation = infinity;  // dist_C(G(y))

  const Vector& origin() const { return x.size() > 0 ? x : y; }

  /// Feasible before infeasible; among feasible ones the smaller f, with 2‖λ‖ times the violation added so that
  /// nothing is gained by leaving C a little; among infeasible ones the smaller violation.
  bool better_than(const Candidate& other, double feasible) const;
};

/// How a run ended. `tests_met_uncertified` is the most that a run claims; certificates are the caller's.
struct RunOutcome {
  Status status = Status::stalled;
  std::string message;
  Candidate last;                  // where the run stopped
  Candidate best;                  // the best point seen
  std::vector<Candidate> visited;  // one point of each branch of D seen near feasibility, the latest ones; for polish
  Vector escape;                   // where the subproblems ran, if they ran away however large tau; in D
  double tau = 0.0;
  Counts counts;
  Times times;
  std::vector<Progress> trace;
};

/// What the user may plug in. A preconditioner makes x_update.step = preconditioner; an exact x-update replaces it.
struct Hooks {
  Observer observer = {};
  std::stop_token stop = {};
  Preconditioner preconditioner = {};
  ExactXUpdate exact_x_update = {};
};

/// Runs PD, PDLM or ALM as `options` say on a completed problem. `radius` is the size of the region that a single
/// subproblem may cross before it counts as unbounded; `scaling` is that of the problem, and undone in what observers
/// see. The outcome is filled also when a callback throws.
PENDEC_EXPORT void run(const Problem& problem, RunStart start, const Options& options, const Hooks& hooks,
                       Monitor& monitor, double radius, const Scaling& scaling, RunOutcome& outcome);

}  // namespace pendec
