// One linear function between two bounds: slabs, half-spaces and hyperplanes.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x : lower ≤ aᵀx ≤ upper}, a ≠ 0, infinite bounds meaning none. The projection is z − νa, with ν = 0 inside and
/// aᵀx on the nearer bound otherwise (Bauschke, Combettes 2017, chapter 29). Cost O(n).
///
/// A vector a whose squares would overflow or underflow is kept times a power of two, and so are the bounds.
struct PENDEC_EXPORT Slab {
  Slab(Vector a, double lower, double upper);

  Index dimension() const { return a.size(); }
  std::string name() const;
  bool convex() const { return true; }
  void project(In z, Out y) const;
  double distance(In x) const;

  /// Exact: the part of v across a, and along a where it points into the slab. A bound is reached within 1e-12
  /// relative.
  double normal_residual(In x, In v) const;
  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;

  Vector a;
  double lower, upper;
};

PENDEC_EXPORT Slab halfspace(Vector a, double b);   // {aᵀx ≤ b}
PENDEC_EXPORT Slab hyperplane(Vector a, double b);  // {aᵀx = b}

}  // namespace pendec
