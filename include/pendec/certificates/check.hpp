// Do a user's set, objective and map keep their promises? Checks by random points, for users and for our own tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/set.hpp"
#include "pendec/export.hpp"

namespace pendec {

struct CheckOptions {
  std::uint64_t seed = 1;
  Index samples = 20;
  double scale = 1.0;                  // typical size of a coordinate
  double tolerance = 1e-9;             // of identities, relative to the quantities compared
  double difference_tolerance = 1e-5;  // of derivatives against finite differences
};

struct CheckReport {
  bool ok = true;
  std::vector<std::string> failures;  // one for each property that failed, with the first counterexample
  Index checks = 0;                   // comparisons made
  double worst = 0.0;                 // largest relative error against finite differences (gradients and maps)
};

/// What every set must satisfy, at z = 0, at a z with equal entries and at random points z, with y = Π(z):
///   y does not depend on chance or on what was in the buffer before; y is finite; y ∈ D; Π(y) = y;
///   a NaN in an entry of z that y depends on shows in the projection, or project() throws;
///   ‖z − y‖ ≤ ‖z − w‖ for the other points w of D seen so far, for the projections of points near z and y (where few
///   entries or all are changed, or between z and y), which take the place of z in turn, on both sides of a jump of Π
///   and, in small dimension, for hundreds of points of D around y and those with entries of z, y or 0 that
///   contains() knows; distance(z) = ‖z − y‖; projection_is_unique() is not true where Π jumps, nor false at y and (z
///   + y)/2; convex sets: ⟨z − y, w − y⟩ ≤ 0 and (y + w)/2 ∈ D; projector() agrees with project() up to its error(),
///   exactly as near and, where Π(z) is unique, the same point; normal_residual(y, ·) is the distance to a cone
///   (between 0 and ‖v‖, positively homogeneous, 1-Lipschitz) that contains z − y and nearly what is normal near y;
///   for random z it is ‖u‖ for tangents ±u at y; for convex sets it is the limit of ‖Π(y + sv) − y‖/s, and ‖w − y‖
///   for w − y; in up to three dimensions it is the distance of v to the rays z − Π(z) for z around y; branch(y, z):
///   chart(t) = y, t ∈ domain, and charts of other t in the domain lie in D; branch_at() finds it again by its key;
///   neighbours() lists other branches of D, the nearest first; linear_constraints(), scaled() and free_ranges()
///   describe the same set.
/// Sets must have dimension 1 or more. Tangents are tested as for a D made of finitely many smooth pieces.
PENDEC_EXPORT CheckReport check_set(const Set& set, const CheckOptions& options = {});

/// ∇f(x) and, where given, ∇²f(x) d against central differences with several step lengths (the best one counts);
/// value() against value_and_gradient(); symmetry of the Hessian; hessian() against hessian_times(). What f declares,
/// at random points around x: a constant_hessian() is the change of the gradient, a convex() f lies above its
/// tangents, curvature_below() is below f in boxes, magnitude() is no less than |f| and |∇f|.
PENDEC_EXPORT CheckReport check_objective(const Objective& f, In x, const CheckOptions& options = {});

/// ⟨G'(x) d, w⟩ = ⟨d, G'(x)* w⟩, with G'(x) d from derivative() or finite differences; derivative(), jacobian(),
/// hessian_times(), hessian() and constant_jacobian() where given. What G declares, at random points around x: the
/// rows of a convex() map lie above their tangents, curvature_below() is below, tighten() keeps points that satisfy
/// the bounds it is given.
PENDEC_EXPORT CheckReport check_map(const Map& G, In x, const CheckOptions& options = {});

/// What proofs rest on, tried at a few points: throws InvalidArgument where f contradicts its convex(),
/// curvature_below(), constant_hessian() or quadratic_form(), G its convex() or constant_jacobian(), a set its
/// convex(), linear_constraints() or alternatives(). A few evaluations around x, at points of D, and for a few of its
/// pieces. The types of the library need no test, and get none as parts of a problem.
PENDEC_EXPORT void require_declared(const Objective& f, In x, const std::vector<Vector>& others = {});
PENDEC_EXPORT void require_declared(const Map& G, In x, const std::vector<Vector>& others = {});
PENDEC_EXPORT void require_declared(const Set& set, In x);
PENDEC_EXPORT void require_declared(const Problem& problem, In x);

/// What speaks against the derivatives of f and G at x: difference quotients that do not fit. Empty: nothing does. A
/// few evaluations near x; the types of the library need no test, and get none.
PENDEC_EXPORT std::string doubt_about_derivatives(const Problem& problem, In x);

}  // namespace pendec
