// Positive semidefinite matrices of low rank.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {X ∈ ℝ^{n × n} : X = Xᵀ ⪰ 0, rank X ≤ kappa}, on column-major coordinates, symmetric matrices stored full. The
/// projection of Z keeps the kappa largest eigenvalues of (Z + Zᵀ)/2 as far as they are positive.
/// Cost O(n³) by a partial eigendecomposition; along a solve, a few products with kappa columns.
struct PENDEC_EXPORT PsdLowRank {
  PsdLowRank(Index n, Index kappa);

  Index dimension() const { return n * n; }
  std::string name() const { return "PsdLowRank"; }
  bool convex() const { return kappa == n; }
  void project(In z, Out y) const;

  /// Follows the eigenspace from one projection to the next (subsolvers/eigen.hpp).
  std::unique_ptr<Projector> projector() const;

  /// Exact distance of v to the limiting normal cone. Skew matrices are normal; of the symmetric ones, with r = rank
  /// X,
  ///   r = kappa:   {V : V X = 0}, since D is a manifold around X,
  ///   r < kappa:   {V : V X = 0, V ⪯ 0} ∪ {V : V X = 0, rank V ≤ n − kappa},
  /// the regular normals at X and the limits of normals at nearby points of rank kappa (as Tam 2017 for the vector of
  /// eigenvalues). Eigenvalues below 1e-11 of the largest count as zero.
  double normal_residual(In x, In v) const;

  /// λ_kappa − λ_{kappa+1} > tol, or no eigenvalue above tol is dropped.
  bool projection_is_unique(In z, double tol) const;

  /// λ_kappa − λ_{kappa+1}: 0 is a tie, ∞ if nothing positive is dropped.
  double spectral_gap(In z) const;

  /// X = V Vᵀ, t = vec V.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // one branch only
  std::optional<Set> scaled(In row) const;  // itself, if all entries of row are equal
  RankBound rank_bound() const { return {n, n, kappa, true}; }
  std::optional<Vector> ray(In z) const;  // q qᵀ, q an eigenvector of the largest eigenvalue

  Index n, kappa;
};

/// {X = Xᵀ ⪰ 0}, the case kappa = n.
PENDEC_EXPORT PsdLowRank psd_cone(Index n);

}  // namespace pendec
