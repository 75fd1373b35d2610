// Squares of numbers beyond 1e±154 overflow or underflow: lengths and comparisons that do not.
#pragma once

#include <algorithm>
#include <cmath>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// A power of two: numbers of magnitude `largest` times it have squares that are numbers. One if theirs are.
inline double square_unit(double largest) {
  if ((largest > 1e-100 && largest < 1e100) || largest == 0.0) return 1.0;
  return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
}

/// That of the largest finite entry. Multiplication by it is exact, so ties remain ties.
inline double square_unit(In z) {
  double largest = z.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  if (!std::isfinite(largest)) {
    largest = 0.0;
    for (const double entry : z)
      if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
  }
  return square_unit(largest);
}

/// ‖v‖
template <class V>
double norm(const Eigen::MatrixBase<V>& v) {
  const double length = v.norm();
  return length > 1e-150 && length < 1e150 ? length : v.blueNorm();
}

/// z² − (z − c)² without cancellation, times unit²: what setting an entry to zero costs that could be c, z clamped.
inline double gain(double z, double c, double unit) {
  if (c == 0.0 || c == z) return (unit * c) * (unit * c);  // z may be infinite
  return (unit * c) * (2.0 * (unit * z) - unit * c);
}

}  // namespace pendec::detail
