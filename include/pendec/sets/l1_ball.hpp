// The cross-polytope.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x : Σᵢ |xᵢ| ≤ radius}. The projection is that of the magnitudes onto the simplex, with the signs of z (Duchi et
/// al. 2008). Expected cost O(n).
struct PENDEC_EXPORT L1Ball {
  explicit L1Ball(Index n, double radius = 1.0);

  Index dimension() const { return n; }
  std::string name() const { return "L1Ball"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;

  /// Exact: inside, the cone is {0}; on the boundary {v : vᵢ = ν sign(xᵢ) where xᵢ ≠ 0, |vᵢ| ≤ ν elsewhere, ν ≥ 0}.
  /// Entries below 1e-12 · radius count as zero, and so does that distance to the boundary.
  double normal_residual(In x, In v) const;
  std::optional<Set> scaled(In row) const;  // if all entries of row are equal

  Index n;
  double radius;
};

/// {x : maxᵢ |xᵢ| ≤ radius}, a box.
PENDEC_EXPORT Set max_norm_ball(Index n, double radius = 1.0);

}  // namespace pendec
