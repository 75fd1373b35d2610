// Intervals of the real line, with infinite ends allowed.
#pragma once

#include <algorithm>
#include <cmath>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// x, as near as [lower, upper] allows. What is not a number stays so.
inline double clamp(double x, double lower, double upper) { return std::min(std::max(x, lower), upper); }

/// Distance of v to the normal cone of [lower, upper] at x. An end is reached up to rounding.
inline double interval_normal_residual(double lower, double upper, double x, double v) {
  const auto reaches = [x](double bound) {
    return std::isfinite(bound) && std::abs(x - bound) <= 4.0 * epsilon * std::abs(bound);
  };
  const bool normal = v > 0.0 ? x > upper || reaches(upper) : x < lower || reaches(lower);
  return normal ? 0.0 : std::abs(v);
}

/// z − c, where a result within the rounding of z is 0: a coordinate that is meant to vanish should not be left with
/// dust that looks like a number.
inline double subtract(double z, double c) {
  const double difference = z - c;
  return std::abs(difference) <= 4.0 * epsilon * std::abs(z) ? 0.0 : difference;
}

}  // namespace pendec::detail
