// Disjunctive programs: min f(x) s.t. G(x) ∈ C, x ∈ D₁ ∪ … ∪ D_N with convex parts.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/report/result.hpp"
#include "pendec/solvers/solve.hpp"

namespace pendec {

struct DisjunctiveOptions {
  bool certificate = true;  // prove the optimum by bounds for all parts, where f and G are convex
  double gap = 1e-6;        // > 0: enough is proved where f(y) − bound ≤ gap · max(1, |f(y)|)
  double feasible = 1e-7;   // > 0: dist_C(G(y)) up to this counts as feasible, for a proof also relative to the rows
  Options method = {};      // of solve(), for what cannot be certified: its starts, polish and branch search

  /// Throws InvalidArgument.
  PENDEC_EXPORT void validate() const;
};

/// How the parts were dealt with; the five add up to their number.
struct PartCounts {
  Index screened = 0;    // not opened: a bound by their distance was enough
  Index bounded = 0;     // opened and excluded by a quadratic program that bounds f below on the part
  Index infeasible = 0;  // proved to have no point with G(x) ∈ C
  Index solved = 0;      // solved to the end
  Index unresolved = 0;  // neither: the reason why a status is not `optimal`
};

struct DisjunctiveResult {
  Result result;     // bound: no feasible point of the union has a smaller f; −∞ without certificate
  Index part = -1;   // of y; −1 if no feasible point was found
  PartCounts parts;  // all zero without certificate
  Vector bounds;  // for each part: no feasible point of it that is better than f(y) has a smaller f; ∞ if infeasible
};

/// Can the parts be bounded: is f convex, and {x : G(x) ∈ C} seen to be convex (affine G with polyhedral C, or convex
/// G below upper bounds), and are all parts polyhedra?
PENDEC_EXPORT bool can_certify(const Problem& problem);

/// Solves the program; D must be a UnionOf (or convex: one part). With a certificate no start matters: the problem
/// without D is solved first, f is minorised there by a quadratic with curvature valid on a box around all points
/// that can still be better, and the distance to a part in that metric bounds f on it. Parts are opened in the order
/// of their bounds, and few are. Where that does not decide (f or G not convex, no bounded region, unbounded
/// problems), solve() goes on from x0: PDLM → polish → neighbouring parts. Status `optimal`, `gap_limit` (a gap above
/// 1e-6 was asked for and reached, no more) and `infeasible` are proved. Throws InvalidArgument on misuse.
PENDEC_EXPORT DisjunctiveResult solve_disjunctive(const Problem& problem, In x0,
                                                  const DisjunctiveOptions& options = {}, const Hooks& hooks = {});

/// to_json(Result) with an entry `disjunctive`: part, counts and bounds (null: infinite).
PENDEC_EXPORT std::string to_json(const DisjunctiveResult& result);

}  // namespace pendec
