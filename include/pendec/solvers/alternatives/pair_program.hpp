// Programs with pairs of constraints of which either holds: complementarity, switching, vanishing, either-or.
#pragma once

#include <string_view>
#include <vector>

#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/solvers/solve.hpp"

namespace pendec {

/// How the entries of a pair (F_i(x), H_i(x)) are bound to each other.
enum class PairKind {
  complementarity,  // 0 ≤ F ⊥ H ≥ 0
  switching,        // F H = 0
  vanishing,        // H ≥ 0 and F H ≤ 0: F ≤ 0 is asked for only where H > 0
  either            // F ≥ 0 or H ≥ 0
};
PENDEC_EXPORT std::string_view to_string(PairKind kind);

/// One pair for each row of F and H.
struct PairConstraint {
  PairKind kind = PairKind::complementarity;
  Map F, H;
};

/// Mixed complementarity lower ≤ H ≤ upper ⊥ F without further variables: F ≥ 0 where H is at its lower bound, F ≤ 0
/// at its upper, F = 0 between. A row with one finite bound is a complementarity pair; one with both is two vanishing
/// pairs, of F with H − lower and of −F with upper − H. Throws InvalidArgument where a row has no bound.
PENDEC_EXPORT std::vector<PairConstraint> mixed_complementarity(const Map& F, const Map& H, In lower, In upper);

/// min f(x) s.t. G(x) ∈ C, x ∈ X, and the pairs. G may be missing, and X, which is convex: all x then.
///
/// F and H become variables of their own: in z = (x, a₁, b₁, a₂, b₂, …) the rows F_k(x) − a_k = 0, H_k(x) − b_k = 0
/// are constraints, and (a_k, b_k) lies in a set of pairs that is projected onto in closed form.
struct PENDEC_EXPORT PairProgram {
  Objective f;
  Map G = {};
  Set C = {};
  Set X = {};
  std::vector<PairConstraint> pairs = {};

  Index dimension() const { return f.dimension(); }

  /// The problem in z. Throws InvalidArgument where dimensions do not fit or X is not convex.
  Problem with_slacks() const;

  /// z = (x, F₁(x), H₁(x), …).
  Vector with_slacks(In x) const;
};

/// A local solution by several ways down (`driver.pairs`): a penalty and a relaxation, each with the nonlinear
/// program on the sides that it ends at, and better sides as multipliers and linear programs tell; a search over
/// sides where the ways disagree; solve() on the problem with slacks where they do not suffice or do not apply. Then
/// the type of stationarity: PairsDetails. Observers see x without the slacks. Throws InvalidArgument on misuse.
PENDEC_EXPORT Result solve_pairs(const PairProgram& program, In x0, const Options& options = {},
                                 const Hooks& hooks = {});

}  // namespace pendec
