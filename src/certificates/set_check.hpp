// What the parts of check_set share: the set, the points of it seen so far, and the size tolerances are relative to.
#pragma once

#include <cmath>
#include <vector>

#include "checker.hpp"
#include "pendec/core/random.hpp"

namespace pendec::detail {

struct SetCheck {
  SetCheck(const Set& set_, const CheckOptions& options_) : set(set_), options(options_), random(options_.seed) {}

  const Set& set;
  const CheckOptions& options;
  Random random;
  Checker checker;
  std::vector<Vector> seen;  // the projections of earlier points: rivals of every later one
  Index sample = 0;
  double size = 0.0;  // of the points compared

  double tolerance() const { return options.tolerance * size; }

  /// A step that leaves no smooth or flat piece y lies on, unless y is by chance that near to its end.
  double small_step(In y) const {
    const double length = y.norm();
    return 1e-6 * (length > 0.0 ? length : options.scale);
  }

  /// Zero up to rounding errors: numbers that say nothing about the pieces of a set near its zero.
  bool is_dust(In y) const {
    const double largest = y.cwiseAbs().maxCoeff();  // the norm may underflow
    return largest > 0.0 && largest <= 1e-9 * options.scale;
  }

  Vector direction() { return random.normal_vector(set.dimension()).normalized(); }

  void expect(std::string_view property, double error, double allowed, Checker::Counterexample found) {
    checker.expect(property, error, allowed, sample, found);
  }
  void expect(std::string_view property, bool holds, Checker::Counterexample found) {
    checker.expect(property, holds, sample, found);
  }
};

/// ‖z − Π(z)‖ is the smallest distance, searched for among the projections of points near z and y and where Π jumps;
/// and a NaN in z shows in Π(z).
void check_nearest(SetCheck& check, In z, In y);

/// Bisects [a, b] for a point where Π jumps: there the points on both sides are equally near, and Π is not unique.
void check_jump(SetCheck& check, In a, In b);

/// normal_residual(y, ·) is the distance to a cone, which contains z − y and what is normal near y, and at a point
/// `z` in general position nothing tangent; for convex sets it is the derivative of the projection.
void check_normals(SetCheck& check, In z, In y, bool general_position);

}  // namespace pendec::detail
