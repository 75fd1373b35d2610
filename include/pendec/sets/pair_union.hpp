// Pairs of variables that obey an either-or rule.
#pragma once

#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

/// {(a, b) : lower_a ≤ a ≤ upper_a, lower_b ≤ b ≤ upper_b}, infinite bounds meaning none.
struct Rectangle {
  double lower_a = -infinity, upper_a = infinity;
  double lower_b = -infinity, upper_b = infinity;
};

/// {[a; b] ∈ ℝ²ⁿ : every pair (aᵢ, bᵢ) lies in one of the rectangles}. The projection takes the nearest rectangle,
/// the first of equally near ones. Cost O(n · rectangles).
struct PENDEC_EXPORT PairUnion {
  PairUnion(Index pairs, std::vector<Rectangle> rectangles);

  /// bᵢ ≥ 0, aᵢ bᵢ ≤ 0: the constraint aᵢ ≤ 0 vanishes where bᵢ = 0 (Achtziger, Kanzow 2008).
  static PairUnion vanishing(Index pairs);

  /// aᵢ ≥ 0 or bᵢ ≥ 0 (Mehlitz 2020, there with ≤).
  static PairUnion either(Index pairs);

  Index dimension() const { return 2 * pairs; }
  std::string name() const { return "PairUnion"; }
  bool convex() const { return rectangles.size() == 1; }
  void project(In z, Out w) const;

  /// Exact distance of v to the limiting normal cone, pair by pair. Near a pair, the rectangles are unions of cells
  /// {sign(a' − a), sign(b' − b) given}; in each of the nine cells the regular normals of the union are the
  /// intersection of those of its rectangles, and the limiting normal cone is the union over the cells.
  double normal_residual(In w, In v) const;

  /// In each pair the nearest rectangle is nearer by more than tol than all that give another point.
  bool projection_is_unique(In z, double tol) const;

  /// key[i] = rectangle of pair i: of those that contain it the nearest to z, of equally near ones the first.
  std::optional<Branch> branch(In w, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // one pair on another side
  std::optional<Set> scaled(In row) const;  // itself, if all bounds are zero or infinite
  std::optional<Vector> ray(In z) const;    // if all bounds are zero or infinite
  std::optional<Alternatives> alternatives() const;

  Index pairs;
  std::vector<Rectangle> rectangles;
};

}  // namespace pendec
