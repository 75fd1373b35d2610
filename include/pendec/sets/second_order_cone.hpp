// The ice-cream cone.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {(t, x) ∈ ℝ × ℝⁿ⁻¹ : ‖x‖ ≤ t}, the first coordinate being t. Cost O(n) (Alizadeh, Goldfarb 2003).
struct PENDEC_EXPORT SecondOrderCone {
  explicit SecondOrderCone(Index n);

  Index dimension() const { return n; }
  std::string name() const { return "SecondOrderCone"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;

  /// Exact: {0} inside, the ray through (−‖x‖, x) on the boundary, the polar cone at 0. The boundary is reached
  /// within 1e-12 relative.
  double normal_residual(In x, In v) const;
  std::optional<Set> scaled(In row) const;  // itself, if all entries of row are equal
  std::optional<Vector> ray(In z) const;

  Index n;
};

}  // namespace pendec
