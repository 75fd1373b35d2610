// The ray of a cone made of coordinate axes and half-axes.
#pragma once

#include <optional>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// Of the unit vectors ±eᵢ with infinite bound on that side, the one with the largest ⟨z, u⟩, of equal ones the
/// first; nothing if there is none, or if a finite bound other than 0 says that the set is no cone.
inline std::optional<Vector> axis_ray(In z, In lower, In upper) {
  std::optional<Index> best;
  double sign = 1.0, most = -infinity;
  for (Index i = 0; i < z.size(); ++i) {
    if ((lower[i] != 0.0 && lower[i] != -infinity) || (upper[i] != 0.0 && upper[i] != infinity)) return std::nullopt;
    const bool falls = lower[i] != 0.0, rises = upper[i] != 0.0;
    for (const double side : {1.0, -1.0}) {
      if (!(side > 0.0 ? rises : falls) || (best && !(side * z[i] > most))) continue;
      best = i;
      sign = side;
      most = side * z[i];
    }
  }
  if (!best) return std::nullopt;
  return sign * Vector::Unit(z.size(), *best);
}

}  // namespace pendec::detail
