// Sets moved, magnified and mirrored.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {factor · w + shift : w ∈ set}, factor ≠ 0. Projections stay exact, since a similarity multiplies all distances by
/// |factor|. Cost: that of the set.
struct PENDEC_EXPORT Similarity {
  Similarity(Set set, double factor, Vector shift);

  Index dimension() const { return set.dimension(); }
  std::string name() const { return set.name(); }
  bool convex() const { return set.convex(); }
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
  std::optional<Alternatives> alternatives() const;  // without a shift, where atoms may vanish
  double relative_size(In v, In sizes) const { return set.relative_size(v, sizes); }
  std::vector<Range> free_ranges() const { return set.free_ranges(); }
  std::optional<Vector> ray(In z) const;  // a cone without a shift is a cone

  Set set;
  double factor;
  Vector shift;
};

/// {w + shift : w ∈ set}.
PENDEC_EXPORT Set translated(const Set& set, Vector shift);

/// {factor · w : w ∈ set}; cones stay themselves.
PENDEC_EXPORT Set magnified(const Set& set, double factor);

}  // namespace pendec
