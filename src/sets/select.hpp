// The largest of many numbers, without sorting them.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// The count largest of `gains`, ties going to the lowest index: those above `threshold`, and the first `ties` of
/// those equal to it.
struct Selected {
  double threshold = infinity;
  Index ties = 0;

  /// To be asked in ascending order of the indices.
  bool takes(double gain) { return gain > threshold || (gain == threshold && ties-- > 0); }
};

/// `scratch` has room for all gains. Gains that are no numbers are left out: they have no order.
template <class Gain>
Selected select_largest(Index n, Index count, const Gain& gain, std::vector<double>& scratch) {
  if (count <= 0) return {};
  scratch.clear();
  for (Index i = 0; i < n; ++i)
    if (const double g = gain(i); g == g) scratch.push_back(g);
  if (static_cast<Index>(scratch.size()) < count) return {-infinity, n};
  const auto kth = scratch.begin() + (count - 1);
  std::nth_element(scratch.begin(), kth, scratch.end(), std::greater<>());
  const double threshold = *kth;
  const auto above = std::count_if(scratch.begin(), kth, [&](double g) { return g > threshold; });
  return {threshold, count - static_cast<Index>(above)};
}

/// The difference between the count-th and the next largest, infinity if there is no next.
template <class Gain>
double selection_gap(Index n, Index count, const Gain& gain) {
  if (count <= 0 || count >= n) return infinity;
  std::vector<double> scratch;
  const double kept = select_largest(n, count, gain, scratch).threshold;
  return kept - select_largest(n, count + 1, gain, scratch).threshold;
}

}  // namespace pendec::detail
