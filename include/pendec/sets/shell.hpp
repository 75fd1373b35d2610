// Parts of cones between two spheres: balls, spheres, annuli, and sparse, low-rank or nonnegative points of given
// size.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ∈ cone : inner ≤ ‖x‖ ≤ outer}, the cone closed but not necessarily convex (any set with `ray`): Free, Sparse,
/// SparseBox::nonnegative, GroupSparse, LowRank, PsdLowRank, Box::nonnegative, SecondOrderCone, … The projection is
/// that onto the cone, made as long as it must be (Bauschke, Bui, Wang 2018, for convex cones; the argument needs no
/// convexity). Cost: that of the cone and O(n).
struct PENDEC_EXPORT Shell {
  Shell(Set cone, double inner, double outer);

  Index dimension() const { return cone.dimension(); }
  std::string name() const;
  bool convex() const { return inner == 0.0 && cone.convex(); }
  void project(In z, Out y) const;
  std::unique_ptr<Projector> projector() const;

  /// Exact where the cone's is: N_cone(x), which is orthogonal to x, plus the multiples of x that point out of the
  /// shell. The boundary is reached within 1e-12 relative.
  std::optional<double> normal_residual(In x, In v) const;

  /// The cone's answer. Where its projection is zero and inner is not: false if another ray is as near up to tol, and
  /// nothing otherwise.
  std::optional<bool> projection_is_unique(In z, double tol) const;
  std::optional<Branch> branch(In y, In z) const;  // with inner = 0, for charts that embed coordinates
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // the cone's
  std::optional<Set> scaled(In row) const;                                      // if all entries of row are equal

  Set cone;
  double inner, outer;
};

PENDEC_EXPORT Set ball(Index n, double radius = 1.0);                 // {‖x‖ ≤ radius}
PENDEC_EXPORT Set sphere(Index n, double radius = 1.0);               // {‖x‖ = radius}
PENDEC_EXPORT Set annulus(Index n, double inner, double outer);       // {inner ≤ ‖x‖ ≤ outer}
PENDEC_EXPORT Set inside_ball(const Set& cone, double radius = 1.0);  // {x ∈ cone : ‖x‖ ≤ radius}
PENDEC_EXPORT Set on_sphere(const Set& cone, double radius = 1.0);    // {x ∈ cone : ‖x‖ = radius}

}  // namespace pendec
