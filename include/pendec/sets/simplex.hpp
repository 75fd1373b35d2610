// The simplex of nonnegative weights with a given sum.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ≥ 0 : Σᵢ xᵢ = radius}. A projection makes a few passes over z, O(n), without sorting or allocating
/// (Newton's method on Σ max(zᵢ − τ, 0) = radius; Michelot 1986, Condat 2016). From n = 400 000 on several threads
/// share them, as many as threads() allows, each with room for 4096 entries; the sums are the same.
struct PENDEC_EXPORT Simplex {
  explicit Simplex(Index n, double radius = 1.0);

  Index dimension() const { return n; }
  std::string name() const { return "Simplex"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;

  /// Exact distance of v to {v : vᵢ = ν where xᵢ > 0, vᵢ ≤ ν elsewhere, ν ∈ ℝ}; xᵢ ≤ 1e-12 · radius counts as zero.
  double normal_residual(In x, In v) const;
  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;  // a simplex again only if all entries of row are equal

  Index n;
  double radius;
};

}  // namespace pendec
