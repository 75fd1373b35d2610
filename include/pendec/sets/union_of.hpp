// Finitely many alternatives.
#pragma once

#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

/// D = D₁ ∪ … ∪ D_N: the nearest of the parts' projections, the lowest index of equally near ones.
/// Cost: N projections; along a solve only of those parts that may have become the nearest.
struct PENDEC_EXPORT UnionOf {
  explicit UnionOf(std::vector<Set> parts);

  Index dimension() const { return parts.front().dimension(); }
  std::string name() const { return "UnionOf"; }
  bool convex() const { return parts.size() == 1 && parts.front().convex(); }
  void project(In z, Out y) const;

  /// Starts from the last winner, and passes over every part whose distance cannot have sunk below the best one
  /// (distances are 1-Lipschitz). Same result as project(), up to the rounding of the parts' own projectors.
  std::unique_ptr<Projector> projector() const;
  double distance(In x) const;
  bool contains(In x, double tol) const;

  /// With one part that contains x (up to 1e-10 (1 + ‖x‖)), the distance of v to its limiting normal cone. With
  /// several, the least over x and sampled points nearby of the largest residual among the parts there: zero only for
  /// regular normals at a point within about 1e-6 of x, hence for limiting normals of the union; one that the samples
  /// miss is not recognised. Nothing if an active part has no formula.
  std::optional<double> normal_residual(In x, In v) const;

  /// The nearest part is nearer by more than tol than every other that gives a different point.
  std::optional<bool> projection_is_unique(In z, double tol) const;

  /// Of the parts that contain y the nearest to z, of equally near ones the first. A nonconvex part hands on its own
  /// branch. key = {part, …}.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<Branch> branch_at(BranchKey key, In near) const;
  std::optional<Neighbours> neighbours(BranchKey key, In z, Index most) const;  // the other parts
  std::optional<LinearConstraints> linear_constraints() const;                  // only with a single part
  std::optional<Set> scaled(In row) const;

  std::vector<Set> parts;
};

}  // namespace pendec
