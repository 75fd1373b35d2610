// Matrices of low rank.
#pragma once

#include <algorithm>

#include "pendec/core/set.hpp"

namespace pendec {

/// {X ∈ ℝ^{rows × cols} : rank X ≤ kappa}, on column-major coordinates. The projection keeps the kappa largest
/// singular values. Cost O(rows · cols · min(rows, cols)); along a solve, a few products with kappa columns.
struct PENDEC_EXPORT LowRank {
  LowRank(Index rows, Index cols, Index kappa);

  Index dimension() const { return rows * cols; }
  std::string name() const { return "LowRank"; }
  bool convex() const { return kappa == std::min(rows, cols); }
  void project(In z, Out y) const;
  std::unique_ptr<Projector> projector() const;

  /// Exact distance of v to the limiting normal cone (Luke 2013; Hosseini, Luke, Uschmajew 2019), with r = rank X and
  /// X = U Σ Wᵀ: {V : Uᵀ V = 0, V W = 0, rank V ≤ min(rows, cols) − kappa}; the last is implied if r = kappa.
  /// Singular values below 1e-11 of the largest count as zero.
  double normal_residual(In x, In v) const;

  /// σ_kappa − σ_{kappa+1} > tol, or nothing of size tol is dropped.
  bool projection_is_unique(In z, double tol) const;

  /// σ_kappa − σ_{kappa+1}: 0 is a tie, ∞ if nothing is dropped.
  double spectral_gap(In z) const;

  /// X = U Vᵀ with balanced factors, t = [vec U; vec V].
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // one branch only
  std::optional<Set> scaled(In row) const;  // itself, if all entries of row are equal
  RankBound rank_bound() const { return {rows, cols, kappa}; }
  std::optional<Vector> ray(In) const { return Vector(Vector::Unit(rows * cols, 0)); }

  Index rows, cols, kappa;
};

}  // namespace pendec
