// Sets whose coordinates are zero or between bounds: what one coordinate can do.
#pragma once

#include "interval.hpp"
#include "squares.hpp"

namespace pendec::detail {

/// What entry i of z becomes where it need not be zero.
template <class S>
double clamped(const S& set, In z, Index i) {
  return clamp(z[i], set.lower[i], set.upper[i]);
}

/// What setting entry i to zero would cost, times unit².
template <class S>
double gain(const S& set, In z, Index i, double unit = 1.0) {
  return gain(z[i], clamped(set, z, i), unit);
}

/// A zero that can become a small nonzero.
template <class S>
bool can_move(const S& set, Index i) {
  return set.lower[i] <= 0.0 && set.upper[i] >= 0.0 && set.lower[i] < set.upper[i];
}

}  // namespace pendec::detail
