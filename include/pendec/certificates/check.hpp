// Do a user's set, objective and map keep their promises? Checks by random points, for users and for our own tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"
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

/// What every set must satisfy, at random points z with y = Π(z):
///   y does not depend on what was in the buffer before; y is finite; y ∈ D; Π(y) = y;
///   ‖z − y‖ ≤ ‖z − w‖ for the other points w of D seen so far and, in small dimension, for hundreds of points of D
///   around y; distance(z) = ‖z − y‖;
///   convex sets: ⟨z − y, w − y⟩ ≤ 0 and (y + w)/2 ∈ D;
///   projector() agrees with project() up to its error(), exactly as near and, where Π(z) is unique, the same point;
///   z − y and its multiples are normal at y; for convex sets w − y is as far from normal as it is long; in up to
///   three dimensions normal_residual(y, v) is the distance of v to the rays z − Π(z) for z around y; branch(y, z):
///   chart(t) = y, t ∈ domain, and charts of other t in the domain lie in D; branch_at() finds it again by its key;
///   neighbours() lists other branches of D, the nearest first; linear_constraints(), scaled() and free_ranges()
///   describe the same set.
PENDEC_EXPORT CheckReport check_set(const Set& set, const CheckOptions& options = {});

/// ∇f(x) and, where given, ∇²f(x) d against central differences with several step lengths (the best one counts);
/// value() against value_and_gradient(); symmetry of the Hessian.
PENDEC_EXPORT CheckReport check_gradient(const Objective& f, In x, const CheckOptions& options = {});

/// ⟨G'(x) d, w⟩ = ⟨d, G'(x)* w⟩, with G'(x) d from derivative() or finite differences; derivative(), jacobian(),
/// hessian_times() and constant_jacobian() where given.
PENDEC_EXPORT CheckReport check_adjoint(const Map& G, In x, const CheckOptions& options = {});

}  // namespace pendec
