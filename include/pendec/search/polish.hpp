// Polish: the smooth problem on the branch of D that a method has found.
#pragma once

#include <optional>

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/methods/run.hpp"
#include "pendec/penalty/monitor.hpp"

namespace pendec {

/// Solves min f(x) s.t. G(x) ∈ C on the branch of D at `from.y` (ties broken by from.x): by SQP where everything is
/// polyhedral and of moderate size, otherwise by an augmented Lagrangian with L-BFGS in the branch's coordinates.
/// Nothing if D has no branches. The point returned may be better or worse than `from`: compare.
PENDEC_EXPORT std::optional<Candidate> polish(const Problem& problem, const Candidate& from, Monitor& monitor,
                                              Counts& counts);

}  // namespace pendec
