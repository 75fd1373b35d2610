// Is an objective convex, as far as its own declaration or a constant Hessian tells?
#pragma once

#include "pendec/core/objective.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// By its convex(), or by the eigenvalues of a constant Hessian, of which rounding may make some a little negative.
/// False: not known.
PENDEC_EXPORT bool is_convex(const Objective& f);

}  // namespace pendec
