// Intersections of convex sets.
#pragma once

#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

/// C₁ ∩ … ∩ C_N of convex sets, not empty, by alternating projections: up to 100 rounds of Dykstra's (Boyle, Dykstra
/// 1986), then ADMM (Boyd, Parikh, Chu, Peleato, Eckstein 2011). They end when a round changes corrections or points,
/// and the points of the parts differ, by no more than `tolerance` relative to their size. After max_rounds y may be
/// farther from the projection, also inside the set: error() of the projector is infinite then, and project() cannot
/// tell. Cost: rounds · N projections; rounds may be many where boundaries touch or meet at small angles. Prefer
/// intersection(), which knows closed forms.
struct PENDEC_EXPORT Intersection {
  explicit Intersection(std::vector<Set> parts, double tolerance = 1e-14, Index max_rounds = 20000);

  Index dimension() const { return parts.front().dimension(); }
  std::string name() const { return "Intersection"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;
  std::unique_ptr<Projector> projector() const;
  bool contains(In x, double tol) const;  // within tol of every part

  /// The largest distance to a part, or more.
  double distance(In x) const;

  /// Distance of v to the sum of the parts' normal cones, which is the normal cone if the parts' interiors meet. By
  /// steps of 1e-5 relative to x in each part.
  double normal_residual(In x, In v) const;

  std::vector<Set> parts;
  double tolerance;
  Index max_rounds;
};

/// The same set in the best form there is: a BoxSlab for a box and one linear function, a Polyhedron for polyhedra, a
/// Shell for a cone and a ball around 0, an Intersection otherwise.
PENDEC_EXPORT Set intersection(std::vector<Set> parts);

}  // namespace pendec
