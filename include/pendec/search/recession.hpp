// Directions along which a problem on one branch of D has no minimum.
#pragma once

#include <optional>

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// d in the coordinates of the branch, with ‖d‖ = 1, along which f falls from the branch's point t as fast as it does
/// there and no constraint is ever left: t + sd stays in the domain, G in C for all s ≥ 0, and ∇²f(t) d = 0. Of all
/// such directions the steepest. Nothing if there is none, or if the branch, C or G is not polyhedral and affine.
PENDEC_EXPORT std::optional<Vector> falling_direction(const Problem& problem, const Branch& branch);

/// Does a quadratic f fall for ever along the falling direction of the branch, without any rounding? One that curves
/// upwards, however little, has a minimum.
PENDEC_EXPORT bool is_bottomless(const Problem& problem, const Branch& branch);

}  // namespace pendec
