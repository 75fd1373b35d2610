// When a step is long enough, and not too long.
#pragma once

#include <cmath>

#include "pendec/core/types.hpp"

namespace pendec {

/// q(next) ≤ q(at) + γ α slope, or, where rounding hides that decrease, the approximate condition of
/// Hager & Zhang (2005): no visible increase and a slope that has come up from −1 to at most 1 − 2γ of it. `digits`:
/// how many units of rounding values are off by.
inline bool decreases_enough(double q_at, double slope, double step, double q_next, double slope_next, double gamma,
                             double digits = 10.0) {
  if (q_next <= q_at + gamma * step * slope) return true;
  const double noise = digits * epsilon * std::abs(q_at);
  return q_next <= q_at + noise && -step * slope <= 1e3 * noise && slope_next <= (2.0 * gamma - 1.0) * slope;
}

}  // namespace pendec
