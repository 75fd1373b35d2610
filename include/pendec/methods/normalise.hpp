// Units in which the defaults fit, found from the problem itself.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/penalty/monitor.hpp"
#include "pendec/transform/scaled.hpp"

namespace pendec {

struct Normalisation {
  Scaling scaling;
  Vector feasible;  // x_f: a point near D with G(x_f) near C, in the user's units
  Counts counts;    // what finding x_f took
};

/// Row i of G is measured by the largest ‖∇Gᵢ‖ at x0 and Π_D(x0); x by the size of x0, of a feasible point and of the
/// way there; f by the gradient and secant curvature between those points. Multiplying f, or measuring x in other
/// units, changes the scaling and nothing else.
PENDEC_EXPORT Normalisation normalise(const Problem& problem, In x0, Monitor& monitor);

/// The point that minimises ½dist²_D(x) + ½dist²_C(G(x)) locally, from x0, by L-BFGS.
PENDEC_EXPORT Vector feasibility_point(const Problem& problem, In x0, Monitor& monitor, Counts& counts);

}  // namespace pendec
