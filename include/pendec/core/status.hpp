// Why a solve ended, and what its result then is.
#pragma once

#include <string_view>

#include "pendec/core/deadline.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// In every case y ∈ D if there is one, and x is the point it was projected from (y itself after a polish). When the
/// tests of a single method are met, y is its last point; otherwise the best one found: feasible before infeasible,
/// then the smaller f. No status claims more than was verified.
enum class Status {
  optimal,  // y is feasible, and f(y) exceeds the proven Result::bound by no more than 1e-6 · |f(y)| (of class
            // solvers: 1e-9), or 1e-9 of what f adds up at y
  converged,  // the certificate at y is below the tolerance: feasible and AM-stationary, relative to scale; nothing
              // is said about other points, unless there is a bound
  tests_met_uncertified,  // the method's own stopping tests hold, the certificate does not
  infeasible,             // proved: no point of D satisfies G(x) ∈ C
  stationary_infeasible,  // y is infeasible and (x, y) is stationary for the infeasibility (Prop. 3.2)
  penalty_limit,          // tau reached its bound with the tests unmet
  max_iterations,         // limits.outer, or limits.projections
  max_time,               // limits.seconds
  stalled,      // x, or the branch of D it lies on, does not change any more, and the certificate does not hold
  unbounded,    // y is feasible up to rounding, f(y) below -1e12 times the size of f at the start and, for quadratic
                // f, there is a direction along which f falls for ever without any rounding
  not_finite,   // a callback returned NaN or infinity; x, y are the last good points
  interrupted,  // stopped by the observer or the stop token
  gap_limit,    // as optimal, but with the gap asked for, which is wider
  node_limit    // of branch and bound; as for max_time, point and bound hold
};

PENDEC_EXPORT std::string_view to_string(Status status);

/// True for `optimal`, `gap_limit` and `converged` alone.
inline bool succeeded(Status status) {
  return status == Status::optimal || status == Status::gap_limit || status == Status::converged;
}

/// Why a solve ended: `interrupted` or `max_time` where the deadline has passed, else `otherwise`.
PENDEC_EXPORT Status status_at(const Deadline& deadline, Status otherwise);

}  // namespace pendec
