// Disjunctive programs: min f(x) s.t. G(x) ∈ C, x ∈ D₁ ∪ … ∪ D_N with convex parts.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/solvers/solve.hpp"

namespace pendec {

struct DisjunctiveOptions {
  bool certificate = true;  // prove the optimum by bounds for all parts, where f and G are convex
  double gap = 1e-6;        // > 0: enough is proved where f(y) − bound ≤ gap · |f(y)|
  double feasible = 1e-7;   // > 0: dist_C(G(y)) up to this counts as feasible, for a proof also relative to the rows
  Options method = {};      // of solve(), for what cannot be certified: its starts, polish and branch search

  /// Throws InvalidArgument.
  PENDEC_EXPORT void validate() const;

  static constexpr auto fields() {
    using O = DisjunctiveOptions;
    using detail::field;
    return std::tuple{
        field("certificate", &O::certificate, "prove the optimum by bounds for all parts, where f and G are convex"),
        field("gap", &O::gap, "enough is proved where f(y) - bound <= gap |f(y)|", 0, 1e300, true),
        field("feasible", &O::feasible, "dist_C(G(y)) up to this counts as feasible", 0, 1e300, true)};
  }
};

/// Why the parts cannot be bounded; empty: they can. f has to be convex, {x : G(x) ∈ C} to be seen to be convex
/// (affine G with polyhedral C, or convex G below upper bounds), and all parts must be polyhedra.
PENDEC_EXPORT std::string obstacle_to_proof(const Problem& problem);

/// Solves the program; D must be a union of convex sets by its alternatives(): a UnionOf, one convex set, or a set
/// that leaves up to 64 choices among polyhedra. With a certificate no start matters: the problem without D is solved
/// first, f is minorised there by a quadratic with curvature valid on a box around all points that can still be
/// better, and the distance to a part in that metric bounds f on it. Parts are opened in the order of their bounds,
/// and few are. Where that does not decide (f or G not convex, no bounded region, unbounded problems), solve() goes
/// on from x0: PDLM → polish → neighbouring parts. Status `optimal`, `gap_limit` (a gap above 1e-6 was asked for and
/// reached, no more) and `infeasible` are proved. The bound holds for every feasible point of the union, −∞ without
/// certificate; PartsDetails. Throws InvalidArgument on misuse.
PENDEC_EXPORT Result solve_disjunctive(const Problem& problem, In x0, const DisjunctiveOptions& options = {},
                                       const Hooks& hooks = {});

}  // namespace pendec
