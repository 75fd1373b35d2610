// One point.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {point}: equality constraints G(x) = point. Cost O(n).
struct PENDEC_EXPORT Singleton {
  explicit Singleton(Vector point);

  Index dimension() const { return point.size(); }
  std::string name() const { return "Singleton"; }
  bool convex() const { return true; }
  void project(In, Out y) const { y = point; }
  double distance(In x) const { return (x - point).norm(); }
  double normal_residual(In, In) const { return 0.0; }  // every vector is normal
  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;

  Vector point;
};

}  // namespace pendec
