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

  /// The smallest residual of v among the parts that contain x up to 1e-10 (1 + ‖x‖). With one such part this is
  /// the distance to the limiting normal cone N_D(x) itself. With several it is a lower bound: N_D(x) is contained in
  /// ∪ N_{Dᵢ}(x) over the active i (regular normals of D at points of Dᵢ are regular normals of Dᵢ), and may be
  /// smaller, where a part is covered by another. Nothing if an active part has no formula.
  std::optional<double> normal_residual(In x, In v) const;

  /// The nearest part is nearer by more than tol than every other that gives a different point.
  std::optional<bool> projection_is_unique(In z, double tol) const;

  /// Of the parts that contain y the nearest to z, of equally near ones the first. A nonconvex part hands on its own
  /// branch. key = {part, …}.
  std::optional<Branch> branch(In y, In z) const;
  std::optional<LinearConstraints> linear_constraints() const;  // only with a single part
  std::optional<Set> scaled(In row) const;

  std::vector<Set> parts;
};

}  // namespace pendec
