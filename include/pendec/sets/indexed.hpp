// A set that acts on chosen coordinates.
#pragma once

#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ∈ ℝⁿ : x[indices] ∈ set}, distinct indices in any order; the other coordinates are free. With all n indices it
/// is the set with its coordinates permuted. Cost: that of the set and O(n).
struct PENDEC_EXPORT Indexed {
  Indexed(Index n, std::vector<Index> indices, const Set& set);

  Index dimension() const { return static_cast<Index>(order.size()); }
  std::string name() const { return arranged.name(); }
  bool convex() const { return arranged.convex(); }
  void project(In z, Out y) const;
  std::unique_ptr<Projector> projector() const;
  bool contains(In x, double tol) const;
  double distance(In x) const;
  std::optional<double> normal_residual(In x, In v) const;  // exact where the set's is
  std::optional<bool> projection_is_unique(In z, double tol) const;
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;
  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;
  std::optional<Alternatives> alternatives() const;
  std::vector<Range> free_ranges() const;
  double relative_size(In v, In sizes) const { return arranged.relative_size(v(order), sizes(order)); }
  std::optional<Vector> ray(In z) const;

  std::vector<Index> order;  // the indices, then the others in ascending order
  Set arranged;              // what x[order] lies in: set × free

 private:
  Indexed(std::vector<Index> order, Set arranged);
};

}  // namespace pendec
