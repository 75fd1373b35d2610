// Quadratic problems with few nonzeros, to the certified optimum.
#pragma once

#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/core/alternatives.hpp"
#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/operator.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// min ½xᵀQx + cᵀx + constant  s.t.  A x ≤ b,  E x = d,  and a choice of at most s variables (or groups of them) with
///     lowerᵢ ≤ xᵢ ≤ upperᵢ for the chosen ones,  xᵢ = 0 for all others.
///
/// Bounds that include 0 are an ordinary box; bounds that do not make a variable semicontinuous. Q is symmetric and
/// positive semidefinite.
struct PENDEC_EXPORT SparseQp {
  /// How far the numbers given may be from those meant, such as rounding in a Gram matrix; bounds hold for all of
  /// these.
  struct DataError {
    double Q = 0.0;         // of qᵢⱼ, relative to √(qᵢᵢqⱼⱼ)
    Vector c = {};          // of each cᵢ; left empty: none
    double constant = 0.0;  // of the constant
  };

  Operator Q;
  Vector c;
  Index s = 0;
  LinearConstraints constraints = {};  // left empty: none

  /// Disjoint; s then counts groups, and variables in no group are always chosen, at no cost. Left empty: every
  /// variable is its own group.
  std::vector<std::vector<Index>> groups = {};

  /// Besides s, at most so many of some variables (of groups of one variable each: those of `atoms`, places in
  /// `groups` if there are any); disjoint.
  std::vector<Budget> budgets = {};

  std::vector<Index> forced_in = {};   // chosen (and counted) in every solution, with their groups
  std::vector<Index> forced_out = {};  // never chosen
  double constant = 0.0;               // part of f: gaps are relative to it too
  DataError error = {};

  static constexpr auto fields() {
    using P = SparseQp;
    using detail::field;
    return std::tuple{field("s", &P::s, "variables chosen at most, or groups", 0),
                      field("groups", &P::groups, "disjoint: s then counts groups"),
                      field("forced_in", &P::forced_in, "variables that are always chosen, and count"),
                      field("forced_out", &P::forced_out, "variables that are never chosen")};
  }

  /// The portfolio problem: x ≥ 0, Σx = 1.
  static SparseQp on_simplex(Operator Q, Vector c, Index s);

  Index dimension() const { return c.size(); }

  /// The same problem in the form of the general methods and of the certificates.
  Problem problem() const;
};

/// What an observer sees while branch and bound runs.
struct SparseQpProgress {
  Index nodes = 0;
  double f = infinity;
  double bound = -infinity;
  double seconds = 0.0;
};

struct SparseQpOptions {
  double gap = 1e-9;          // stop when f − lower bound ≤ gap · |f|
  bool certify = true;        // off: heuristics and their local optimality only
  bool penalty_start = true;  // run PDLM for another support where the problem looks hard, or the tree grows large
  double seconds = infinity;
  Index nodes = std::numeric_limits<Index>::max();
  std::vector<Index> start = {};  // a support to begin with (variables), if one is known
  std::stop_token stop = {};
  std::function<bool(const SparseQpProgress&)> observer = {};  // false: stop

  static constexpr auto fields() {
    using O = SparseQpOptions;
    using detail::field;
    return std::tuple{
        field("gap", &O::gap, "stop when (f - bound)/|f| is below this", 0),
        field("certify", &O::certify, "prove the optimum; off: heuristics and their local optimality only"),
        field("penalty_start", &O::penalty_start, "run PDLM for another support where the problem looks hard"),
        field("seconds", &O::seconds, "give up after this many seconds", 0),
        field("nodes", &O::nodes, "nodes of branch and bound at most", 0)};
  }
};

/// Greedy and perspective roundings and, on hard problems, PDLM, each polished and improved by exchanges; best-first
/// branch and bound on the perspective relaxation. y is the point, the details are SparseDetails, and the bound holds
/// for every feasible point, rounding included. search.exchange_optimal: no exchange of one chosen group against
/// another, and no additional one, improves f, verified. The certificate is one of problem(), by lambda or, where it
/// says that none was given, by better multipliers. `optimal` needs a gap of 1e-9 · |f|, or rounding; where the gap
/// stays open and no limit was met, the status is `converged` if the certificate holds, else `stalled`. Misuse throws
/// InvalidArgument.
PENDEC_EXPORT Result solve_sparse_qp(const SparseQp& problem, const SparseQpOptions& options = {});

/// The same for several s, each started from the support before. The limit of time is one for all: each gets an equal
/// share of what is left. That of nodes holds for each.
PENDEC_EXPORT std::vector<Result> sparse_qp_path(SparseQp problem, const std::vector<Index>& sizes,
                                                 SparseQpOptions options = {});

}  // namespace pendec
