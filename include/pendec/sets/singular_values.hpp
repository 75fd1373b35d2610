// Matrices whose singular values obey a constraint.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {X ∈ ℝ^{rows × cols} : σ(X) ∈ set}, on column-major coordinates, with a set in ℝ^min(rows, cols) that does not
/// change when coordinates are permuted or change sign. The projection of U diag(σ) Vᵀ is U diag(Π(σ)) Vᵀ (Lewis,
/// Malick 2008). Cost O(rows · cols · min(rows, cols)).
struct PENDEC_EXPORT SingularValues {
  SingularValues(Index rows, Index cols, Set set);

  Index dimension() const { return rows * cols; }
  std::string name() const { return "SingularValues in " + set.name(); }
  bool convex() const { return set.convex(); }
  void project(In z, Out y) const;
  double distance(In x) const;
  bool contains(In x, double tol) const;
  std::optional<Set> scaled(In row) const;  // if all entries of row are equal and the set can be scaled

  Index rows, cols;
  Set set;
};

PENDEC_EXPORT Set nuclear_ball(Index rows, Index cols, double radius);   // {Σ σᵢ ≤ radius}
PENDEC_EXPORT Set spectral_ball(Index rows, Index cols, double radius);  // {σ₁ ≤ radius}

}  // namespace pendec
