// Quadratic problems with few nonzeros, to the certified optimum.
#pragma once

#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/operator.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/report/global_status.hpp"

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

  std::vector<Index> forced_in = {};   // chosen (and counted) in every solution, with their groups
  std::vector<Index> forced_out = {};  // never chosen
  double constant = 0.0;               // part of f: gaps are relative to it too
  DataError error = {};

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
  double lower_bound = -infinity;
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
};

struct PENDEC_EXPORT SparseQpResult {
  GlobalStatus status = GlobalStatus::uncertified;
  std::string message;  // one sentence for people
  Vector x;             // empty if no feasible point is known
  double f = infinity;
  double lower_bound = -infinity;  // holds for every feasible point, rounding included
  std::vector<Index> support;      // indices of the nonzeros
  Index nodes = 0;                 // of branch and bound
  Index supports = 0;              // supports on which the convex problem was solved
  double seconds = 0.0;
  double rounding = 0.0;           // what rounding may do to f and to the bound
  double stationarity = infinity;  // relative M-stationarity residual at x, with the best multipliers found
  Vector lambda;                   // multipliers of A x ≤ b, then E x = d, on the support (filled up to s)

  /// No exchange of one chosen group against another, and no additional one, improves f: verified.
  bool swap_optimal = false;

  double gap() const;  // (f − lower bound) / |f|; 0 if rounding explains the difference
  bool has_point() const { return x.size() > 0; }
  bool success() const { return status == GlobalStatus::optimal || status == GlobalStatus::gap_limit; }
};

/// Greedy and perspective roundings and, on hard problems, PDLM, each polished and improved by exchanges; best-first
/// branch and bound on the perspective relaxation. Misuse throws InvalidArgument.
PENDEC_EXPORT SparseQpResult solve_sparse_qp(const SparseQp& problem, const SparseQpOptions& options = {});

/// The same for several s, each started from the support before. The limit of time is one for all: each gets an equal
/// share of what is left. That of nodes holds for each.
PENDEC_EXPORT std::vector<SparseQpResult> sparse_qp_path(SparseQp problem, const std::vector<Index>& sizes,
                                                         SparseQpOptions options = {});

}  // namespace pendec
