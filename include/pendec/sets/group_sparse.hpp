// Few nonzero groups.
#pragma once

#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ∈ ℝⁿ : at most s of the groups are not all zero}, the groups disjoint; coordinates in no group are free. The
/// projection keeps the s groups of largest norm, of equal ones those listed first (Baldassarre, Bhan, Cevher,
/// Kyrillidis, Satpathi 2016: with overlaps the problem is NP-hard, so overlaps are refused). Expected cost O(n).
struct PENDEC_EXPORT GroupSparse {
  GroupSparse(Index n, std::vector<std::vector<Index>> groups, Index s);

  static GroupSparse blocks(Index count, Index size, Index s);  // consecutive groups of equal size

  Index dimension() const { return n; }
  std::string name() const { return "GroupSparse"; }
  bool convex() const;
  void project(In z, Out y) const;

  /// Exact distance of v to the limiting normal cone: v vanishes on the groups where x does not and on the free
  /// coordinates, and besides on all but n_groups − s of the others if x has fewer than s nonzero groups. (Sparse,
  /// with groups for entries.)
  double normal_residual(In x, In v) const;

  /// The s-th and the next largest group norms differ by more than tol, or nothing of size tol is dropped.
  bool projection_is_unique(In z, double tol) const;

  /// The groups where y is not zero, filled up to s by those with the largest norm of z; key = the groups kept.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // one group for another
  std::optional<Set> scaled(In) const { return Set(*this); }
  std::optional<Alternatives> alternatives() const;
  std::vector<Range> free_ranges() const;
  std::optional<Vector> ray(In z) const;

  Index n;
  std::vector<std::vector<Index>> groups;
  Index s;
  std::vector<Index> ungrouped;  // ascending
};

}  // namespace pendec
