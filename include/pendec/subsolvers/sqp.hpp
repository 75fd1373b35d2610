// Sequential quadratic programming for small smooth problems: the part solver of polish, nodes and branches.
#pragma once

#include <functional>
#include <string_view>

#include "pendec/core/problem.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

enum class SqpStatus {
  converged,              // x satisfies the KKT conditions with lambda and mu, to the tolerance
  infeasible_stationary,  // x ∈ D is a stationary point of ½ dist(violated rows of C)², and violates G(x) ∈ C
  max_iterations,         // x is the last iterate
  not_finite,             // f, G or a derivative is not finite at the start
  stopped,                // SqpOptions::stop said so; x is the last iterate
  stalled,                // no further decrease of the merit function; x is the last iterate
};
PENDEC_EXPORT std::string_view to_string(SqpStatus status);

struct SqpOptions {
  Index max_iterations = 200;  // ≥ 1
  double tolerance = 1e-10;    // > 0, relative: kkt_error ≤ tolerance
  double radius = infinity;    // > 0: largest change of a variable in one step
  Vector lambda = {};          // a guess of the multipliers in the space of C, for the first Hessian; empty: zero
  std::function<bool()> stop = {};  // asked before each iteration and in its QPs; true ends the run
};

/// ∇f(x) + G'(x)* lambda + mu ≈ 0, lambda ∈ N_C(G(x)), mu ∈ N_D(x).
struct SqpResult {
  SqpStatus status = SqpStatus::not_finite;
  Vector x;
  double f = 0.0;
  Vector lambda;                         // in the space of C; empty without G
  Vector mu;                             // in the space of x
  double violation = 0.0;                // largest violation of a row or bound of C at G(x)
  double relative_violation = infinity;  // the same, each relative to the terms of its row, ‖G_i'(x)‖₁ ‖x‖_∞ + |rhs|
  double stationarity = 0.0;             // ‖∇f(x) + G'(x)* lambda + mu‖_∞
  double kkt_error = 0.0;  // the largest of stationarity, violation and complementarity, each relative to its terms
  Index iterations = 0;    // QPs solved for a step (without second-order corrections)
};

/// A local solution of min f(x) s.t. G(x) ∈ C, x ∈ D with C and D polyhedral (Set::linear_constraints) and D convex,
/// from the point of D nearest to x0. All iterates lie in D; f and G are not evaluated elsewhere. Uses the exact
/// Hessian of the Lagrangian where f and G have one, damped BFGS otherwise. Throws InvalidArgument on misuse.
PENDEC_EXPORT SqpResult sqp(const Problem& problem, In x0, const SqpOptions& options = {});

}  // namespace pendec
