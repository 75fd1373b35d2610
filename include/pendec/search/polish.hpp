// Polish: the smooth problem on the branch of D that a method has found.
#pragma once

#include <optional>

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/methods/run.hpp"
#include "pendec/penalty/monitor.hpp"

namespace pendec {

/// The end of a solve on one branch.
struct BranchSolution {
  Candidate point;         // of D, with x = y
  bool converged = false;  // stationary on the branch: of f where feasible, of the infeasibility otherwise
};

/// Solves min f(x) s.t. G(x) ∈ C on a branch of D from its point t: by nlp() where everything is polyhedral,
/// otherwise, and where that fails on a curved branch, by an augmented Lagrangian with L-BFGS in the branch's
/// coordinates, from the multiplier `lambda` if its size fits. Nothing if no finite point was found.
PENDEC_EXPORT std::optional<BranchSolution> solve_on_branch(const Problem& problem, const Branch& branch, In lambda,
                                                            Monitor& monitor, Counts& counts,
                                                            Nlp solver = Nlp::automatic);

/// Solves min f(x) s.t. G(x) ∈ C on the branch of D at `from.y` (ties broken by from.x), as solve_on_branch().
/// Nothing if D has no branches. The point returned may be better or worse than `from`: compare.
PENDEC_EXPORT std::optional<Candidate> polish(const Problem& problem, const Candidate& from, Monitor& monitor,
                                              Counts& counts, Nlp solver = Nlp::automatic);

}  // namespace pendec
