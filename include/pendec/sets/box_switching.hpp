// Pairs of bounded variables of which at least one is zero.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {[x; y] ∈ ℝ²ⁿ : xᵢ yᵢ = 0, l_x ≤ x ≤ u_x, l_y ≤ y ≤ u_y}, not empty: in each pair one of the two may be zero.
/// Cost O(n).
struct PENDEC_EXPORT BoxSwitching {
  BoxSwitching(Vector lower_x, Vector upper_x, Vector lower_y, Vector upper_y);

  static BoxSwitching switching(Index n);         // x, y free (Mehlitz 2020)
  static BoxSwitching complementarity(Index n);   // x, y ≥ 0 (Ye 1999)
  static BoxSwitching relaxed_sparsity(Index n);  // x free, 0 ≤ y ≤ 1 (Burdakov, Kanzow, Schwartz 2016)

  Index pairs() const { return lower_x.size(); }
  Index dimension() const { return 2 * pairs(); }
  std::string name() const { return "BoxSwitching"; }
  void project(In z, Out w) const;  // of two equally near branches, y = 0 (the paper's rule)

  /// Exact distance of v = [a; b] to the limiting normal cone, pair by pair.
  ///   x ≠ 0:   N_[l_x, u_x](x) × ℝ,   y ≠ 0:   ℝ × N_[l_y, u_y](y).
  ///   x = y = 0:   the regular normals N_[l_x, u_x](0) × N_[l_y, u_y](0), and the limits of normals from along each
  ///   axis on which the pair can move: {0} × ℝ unless l_x = u_x = 0, ℝ × {0} unless l_y = u_y = 0.
  ///   Where only one of the two may be zero, it is, and the other has the normals of its interval.
  /// For switching that is a b = 0; for complementarity a b = 0 or a, b ≤ 0: M-stationarity (Mehlitz 2020; Ye 1999).
  double normal_residual(In w, In v) const;

  /// In each pair one branch is nearer by more than tol, or both give the same point up to tol.
  bool projection_is_unique(In z, double tol) const;

  /// The zero pattern of w: key[i] = 0 where yᵢ is fixed to zero, 1 where xᵢ is. Pairs (0, 0) are decided as in the
  /// projection of z.
  std::optional<Branch> branch(In w, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // one pair on another side
  std::optional<Set> scaled(In row) const;
  std::optional<Vector> ray(In z) const;  // if all bounds are zero or infinite
  std::optional<Alternatives> alternatives() const;

  Vector lower_x, upper_x, lower_y, upper_y;
};

}  // namespace pendec
