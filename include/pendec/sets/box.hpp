// Bounds on every coordinate.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x : lower ≤ x ≤ upper}, infinite bounds meaning none. Cost O(n).
struct PENDEC_EXPORT Box {
  Box(Vector lower, Vector upper);

  static Box nonnegative(Index n);
  static Box nonpositive(Index n);

  Index dimension() const { return lower.size(); }
  std::string name() const { return "Box"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;
  double normal_residual(In x, In v) const;  // exact: ℝ, [0, ∞), (−∞, 0] or {0} in each coordinate
  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;
  std::vector<Range> free_ranges() const;
  std::optional<Vector> ray(In z) const;  // if all bounds are zero or infinite

  Vector lower, upper;
};

}  // namespace pendec
