// Smooth problems with polyhedral sets: the part solver of polish, branches and relaxations.
#pragma once

#include <functional>
#include <string_view>

#include "pendec/core/options.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

enum class NlpStatus {
  converged,              // x satisfies the KKT conditions with lambda and mu, to the tolerance
  infeasible_stationary,  // x is a stationary point of the violation of G(x) ∈ C, and violates it
  max_iterations,         // x is the last iterate
  not_finite,             // f, G or a derivative is not finite at the start, or wherever the run turned to
  stopped,                // NlpOptions::stop said so; x is the last iterate
  stalled,                // no further progress; x is the last iterate
  unavailable,            // too large for dense matrices, and Ipopt is not part of this build; x is the start
};
PENDEC_EXPORT std::string_view to_string(NlpStatus status);

struct NlpOptions {
  Nlp solver = Nlp::automatic;
  Index max_iterations = 200;       // ≥ 1
  double tolerance = 1e-10;         // > 0, relative: kkt_error ≤ tolerance
  double radius = infinity;         // > 0: largest change of a variable in one step, of SQP
  Vector lambda = {};               // a guess of the multipliers in the space of C; empty: zero
  Vector mu = {};                   // likewise of those of D, for Ipopt
  double barrier = 0.0;             // ≥ 0: where Ipopt begins, with the guesses; 0: not near a solution
  bool cross_over = true;           // Ipopt: from its interior point on to one on the bounds
  std::function<bool()> stop = {};  // asked before each iteration and in its parts; true ends the run
};

/// ∇f(x) + G'(x)* lambda + mu ≈ 0, lambda ∈ N_C(G(x)), mu ∈ N_D(x).
struct NlpResult {
  NlpStatus status = NlpStatus::not_finite;
  Vector x;
  double f = 0.0;
  Vector lambda = {};                    // in the space of C; empty without G
  Vector mu = {};                        // in the space of x
  double violation = 0.0;                // largest violation of a row or bound of C at G(x)
  double relative_violation = infinity;  // the same, each beside its terms, Σ_j |∂_j G_i(x)| max(|x_j|, 1) + |rhs|
  double stationarity = 0.0;             // ‖∇f(x) + G'(x)* lambda + mu‖_∞
  double kkt_error = infinity;  // the largest of stationarity, violation, complementarity, each beside its terms
  Index iterations = 0;
  Counts counts = {};  // f, gradient, G; adjoint: Jacobians of G that are not constant
};

/// A local solution of min f(x) s.t. G(x) ∈ C, x ∈ D with C and D polyhedral (Set::linear_constraints) and D convex:
/// by dense SQP where the problem is small, else by Ipopt with sparse derivatives. Throws InvalidArgument on misuse,
/// and whatever f and G throw.
PENDEC_EXPORT NlpResult nlp(const Problem& problem, In x0, const NlpOptions& options = {});

/// What nlp() would take.
PENDEC_EXPORT Nlp nlp_solver_for(const Problem& problem);

/// Are sets polyhedral and derivatives, as they are at x, of a size and a kind that one of the solvers can take?
PENDEC_EXPORT bool suits_nlp(const Problem& problem, In x);

/// Does the Lagrangian have a Hessian, at x, whose entries are worth their price?
PENDEC_EXPORT bool has_curvature(const Problem& problem, In x);

}  // namespace pendec
