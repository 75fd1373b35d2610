// Few nonzeros, each within its bounds: sparsity with a box or a sign, and semicontinuous variables.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ∈ ℝⁿ : ‖x‖₀ ≤ s, xᵢ ∈ {0} ∪ [lowerᵢ, upperᵢ]}. If the bounds include 0, this is the intersection of Sparse and
/// Box; if not, the variables are semicontinuous: nothing, or at least something. The projection keeps the s
/// components whose distance to zero would cost most (Lu, Zhang 2013, for boxes around 0), of equal ones those with
/// the lowest index. Expected cost O(n) by selection.
struct PENDEC_EXPORT SparseBox {
  SparseBox(Vector lower, Vector upper, Index s);

  static SparseBox nonnegative(Index n, Index s);               // x ≥ 0, ‖x‖₀ ≤ s
  static SparseBox semicontinuous(Vector lower, Vector upper);  // xᵢ ∈ {0} ∪ [lowerᵢ, upperᵢ]

  Index dimension() const { return lower.size(); }
  std::string name() const { return "SparseBox"; }
  bool convex() const;
  void project(In z, Out y) const;
  std::unique_ptr<Projector> projector() const;  // never allocates in project()

  /// Exact distance of v to the limiting normal cone. With S the support of x and M the zeros that can move (lower ≤
  /// 0 ≤ upper, not both 0), vᵢ ∈ N_[lower, upper](xᵢ) on S, anything elsewhere, and on M one of
  ///   regular normals:        vᵢ ∈ N_[lower, upper](0), if |S| < s or M is empty,
  ///   limits along supports:  vᵢ = 0 on some s − |S| indices of M,
  /// which extends the cone of Sparse (Bauschke, Luke, Phan, Wang 2014).
  double normal_residual(In x, In v) const;
  bool projection_is_unique(In z, double tol) const;

  /// The support of y, filled up to s indices by zeros that can move.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;

  /// One index for another; where fewer than s are used, one more; where an entry jumps to zero, one less.
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;
  std::optional<Set> scaled(In row) const;
  std::optional<Alternatives> alternatives() const;
  std::optional<Vector> ray(In z) const;  // if all bounds are zero or infinite

  Vector lower, upper;
  Index s;
};

/// The same set under the name that modelling languages give to s = n.
using SemiContinuous = SparseBox;

}  // namespace pendec
