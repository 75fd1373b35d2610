// The smooth problem on one branch of D.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// min f(chart(t)) s.t. G(chart(t)) ∈ C, t ∈ domain, with all abilities of f and G that the chart leaves: values and
/// derivatives always; convexity, constant derivatives and bounds of curvature where it is affine.
PENDEC_EXPORT Problem restricted(const Problem& problem, const Branch& branch);

}  // namespace pendec
