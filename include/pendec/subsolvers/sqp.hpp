// Sequential quadratic programming for small smooth problems, with dense matrices.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/subsolvers/nlp.hpp"

namespace pendec {

/// nlp() by SQP, from the point of D nearest to x0. All iterates lie in D; f and G are not evaluated elsewhere. Uses
/// the exact Hessian of the Lagrangian where f and G have one, damped BFGS otherwise. NlpResult::iterations counts
/// QPs solved for a step (without second-order corrections).
PENDEC_EXPORT NlpResult sqp(const Problem& problem, In x0, const NlpOptions& options = {});

}  // namespace pendec
