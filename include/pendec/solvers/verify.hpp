// Does a result keep what it claims? What it says about its points is recomputed from the problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pendec/core/operator.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"
#include "pendec/solvers/lowrank/completion.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/solvers/lowrank/maxcut.hpp"
#include "pendec/solvers/lowrank/multitask.hpp"
#include "pendec/solvers/sparse/portfolio.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"
#include "pendec/solvers/sparse/sparse_regression.hpp"

namespace pendec {

/// One claim of a result, and what was found instead of it.
struct Claim {
  std::string name;  // "f", "certificate.epsilon", "status"
  std::string claimed, found;
  bool holds = true;
};

/// Checks, for a problem that solve() has solved:
///   sizes and finiteness of x, y, lambda, mu; f = f(y) and f_x = f(x); every residual of the certificates, with the
///   multipliers of the result; that the tuple's lambda and z are those residuals'; mu where x = y; and the status:
///   converged: the certificate is below driver.tolerance; stationary_infeasible: Prop. 3.2 holds at y;
///   stalled, penalty_limit, tests_met_uncertified: neither of them; max_iterations, max_time: the limit was reached.
/// `unbounded`, `not_finite` and `interrupted` claim nothing about y. Numbers are compared up to rounding: 1e-9
/// relative to themselves, and residuals also to 1e-10 of their scale. Scales are those at y, recomputed: where the
/// solve began does not matter. Where the details are those of a union: y lies in the part that is named, the parts
/// were all counted and have a bound each, and the least of these bounds is taken again. How the points were found
/// (message, method, search, counts, times, tau, trace), and the proof behind any other bound, cannot be checked
/// without solving again.
PENDEC_EXPORT std::vector<Claim> verify(const Problem& problem, const Result& result);

/// The same for the problem with slacks, and: x; F, H, the multipliers and what follows from them, for each pair;
/// that the multipliers show the type of stationarity.
PENDEC_EXPORT std::vector<Claim> verify(const PairProgram& program, const Result& result);

/// The same for results of the ready solvers; bounds are taken on trust. Also checked: the support; what a model, a
/// portfolio, a factor or a cut says about itself; ranks, and fixed entries and boxes. The s of a sparse result and
/// the target of a portfolio are taken from its details: it may be one of a path. Stationarity is left out where its
/// multipliers are not written down: correlations with fixed entries, completion with a box. Throws
/// std::bad_variant_access for details of another class.
PENDEC_EXPORT std::vector<Claim> verify(SparseQp problem, const Result& result);
PENDEC_EXPORT std::vector<Claim> verify(const Moments& moments, PortfolioOptions options, const Result& result);
PENDEC_EXPORT std::vector<Claim> verify(const Operator& A, const Vector& b, const SparseRegressionOptions& options,
                                        const Result& result);
PENDEC_EXPORT std::vector<Claim> verify(MatrixIn A, std::optional<Index> rank, const CorrelationOptions& options,
                                        const Result& result);
PENDEC_EXPORT std::vector<Claim> verify(const CompletionProblem& problem, const Result& result);
PENDEC_EXPORT std::vector<Claim> verify(const MultitaskProblem& problem, const Result& result);
PENDEC_EXPORT std::vector<Claim> verify(const Graph& graph, const Result& result);

}  // namespace pendec
