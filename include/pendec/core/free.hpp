// The whole space.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// ℝⁿ. Cost O(n).
struct PENDEC_EXPORT Free {
  explicit Free(Index n);

  Index dimension() const { return n; }
  std::string name() const { return "Free"; }
  bool convex() const { return true; }
  void project(In z, Out y) const { y = z; }
  double distance(In) const { return 0.0; }
  double normal_residual(In, In v) const { return v.norm(); }  // the normal cone is {0}
  std::optional<LinearConstraints> linear_constraints() const { return LinearConstraints::none(n); }
  std::optional<Set> scaled(In) const { return Set(*this); }
  std::vector<Range> free_ranges() const { return {{0, n}}; }
  std::optional<Vector> ray(In) const { return Vector(Vector::Unit(n, 0)); }

  Index n;
};

}  // namespace pendec
