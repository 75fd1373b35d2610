// Differences without dust.
#pragma once

#include <cmath>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// z − c, where a result within the rounding of z is 0: a point whose coordinates are meant to vanish should not be
/// left with coordinates that look like numbers.
inline double subtract(double z, double c) {
  const double difference = z - c;
  return std::abs(difference) <= 4.0 * epsilon * std::abs(z) ? 0.0 : difference;
}

}  // namespace pendec::detail
