// The pure rules of the outer loop: penalty parameter, tolerances, multipliers. No state, tested without a solver.
#pragma once

#include "pendec/core/options.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// τ_{k+1}: grows by α_τ when asked to always, or when the infeasibility V did not fall below progress · V_old;
/// never beyond its bound.
PENDEC_EXPORT double next_tau(double tau, double V, double V_old, const PenaltyOptions& options);

/// δ_{k+1} = max(factor · δ_k, δ_min).
PENDEC_EXPORT double next_delta(double delta, const InnerOptions& options);

/// Safeguard: every component into [−bound, bound].
PENDEC_EXPORT void clip(Vector& multiplier, double bound);

}  // namespace pendec
