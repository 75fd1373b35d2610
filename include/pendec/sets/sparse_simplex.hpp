// Few nonnegative weights with a given sum.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ≥ 0 : Σᵢ xᵢ = radius, ‖x‖₀ ≤ s}, s ≥ 1. The projection is that of the s largest entries (not magnitudes) onto
/// their simplex (Kyrillidis, Becker, Cevher, Koch 2013), of equal entries those with the lowest index. Expected cost
/// O(n).
struct PENDEC_EXPORT SparseSimplex {
  SparseSimplex(Index n, Index s, double radius = 1.0);

  Index dimension() const { return n; }
  std::string name() const { return "SparseSimplex"; }
  bool convex() const { return s == n; }
  void project(In z, Out y) const;

  /// Exact distance of v to the limiting normal cone, with S the support of x:
  ///   |S| = s:   v constant on S,
  ///   |S| < s:   v constant on S and nowhere larger (the regular normals), or
  ///              v constant on S and s − |S| other indices (limits along larger supports).
  /// xᵢ ≤ 1e-12 · radius counts as zero.
  double normal_residual(In x, In v) const;

  /// z₍s₎ − z₍s+1₎ > tol, or the s-th largest entry gets no weight above tol.
  bool projection_is_unique(In z, double tol) const;

  /// The support of y, filled up to s indices by the largest entries of z.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // one index for another
  std::optional<Set> scaled(In row) const;                                      // if all entries of row are equal
  std::optional<Alternatives> alternatives() const;

  Index n, s;
  double radius;
};

}  // namespace pendec
