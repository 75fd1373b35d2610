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
template <class V>
double square_unit(const Eigen::MatrixBase<V>& v) {
  if (v.size() == 0) return 1.0;
  double largest = v.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
  if (!std::isfinite(largest)) {
    largest = 0.0;
    for (Index i = 0; i < v.size(); ++i)
      if (const double size = std::abs(v[i]); std::isfinite(size)) largest = std::max(largest, size);
  }
  return square_unit(largest);
}

/// ‖v‖
template <class V>
double norm(const Eigen::MatrixBase<V>& v) {
  const double length = v.norm();
  if (length > 1e-150 && length < 1e150) return length;
  const double unit = square_unit(v);
  return (unit * v).norm() / unit;
}

/// z² − (z − c)² without cancellation, times unit²: what it costs to set an entry to zero that could be c, z clamped.
inline double gain(double z, double c, double unit) {
  const double in = unit * c, product = in * (2.0 * (unit * z) - in);
  return product == product ? product : in * in;  // z is infinite, and c too or zero; or not a number
}

}  // namespace pendec::detail
