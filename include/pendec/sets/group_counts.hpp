// Few nonzeros in each group, and few in all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pendec/core/set.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// {x ∈ ℝⁿ : xᵢ ∈ {0} ∪ [lowerᵢ, upperᵢ], at most counts[g] nonzeros in groups[g], at most s in all}, the groups
/// disjoint; coordinates in no group count for s alone. The supports are the independent sets of a laminar matroid:
/// the projection takes the components whose distance to zero would cost most, one by one, as long as there is room
/// (Edmonds 1971), of equal ones those with the lowest index. Cost O(n log n).
struct PENDEC_EXPORT GroupCounts {
  GroupCounts(Vector lower, Vector upper, std::vector<std::vector<Index>> groups, std::vector<Index> counts, Index s);

  /// Without bounds.
  GroupCounts(Index n, std::vector<std::vector<Index>> groups, std::vector<Index> counts, Index s);

  Index dimension() const { return lower.size(); }
  std::string name() const { return "GroupCounts"; }
  bool convex() const;
  void project(In z, Out y) const;

  /// Exact distance of v to the limiting normal cone. With S the support of x and M the zeros that can move (lower ≤
  /// 0 ≤ upper, not both 0) and for which there is room, vᵢ ∈ N_[lower, upper](xᵢ) on S, and on M for some groups
  /// that M can fill up
  ///   vᵢ = 0 on so many indices as fill the group, anything on its others,
  ///   vᵢ ∈ N_[lower, upper](0) on the groups that are not filled up,
  /// or, if M can fill up everything, vᵢ = 0 on indices that do: normals at x, and limits of those at larger
  /// supports.
  double normal_residual(In x, In v) const;
  bool projection_is_unique(In z, double tol) const;

  /// The support of y, filled up by zeros that can move as long as there is room.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;

  /// One index for another, one more where there is room; where an entry jumps to zero, one less.
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;
  std::optional<Set> scaled(In row) const;
  std::optional<Alternatives> alternatives() const;

  Vector lower, upper;
  std::vector<std::vector<Index>> groups;
  std::vector<Index> counts;
  Index s;
  std::vector<Index> owner;  // group of each coordinate; −1: none
};

}  // namespace pendec
