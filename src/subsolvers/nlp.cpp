#include "pendec/subsolvers/nlp.hpp"

#include "factor_cost.hpp"
#include "nlp_rows.hpp"
#include "pendec/subsolvers/convexity.hpp"
#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/subsolvers/sqp.hpp"

namespace pendec {
namespace {

/// Dense SQP is for some hundreds of variables: on convex quadratic programs, one QP for it, it is faster up to about
/// 400, on others with second derivatives up to about 80 (bench/nlp_bench.cpp). Without these Ipopt knows no more of
/// the curvature than SQP does.
bool is_small(const Problem& problem) {
  constexpr Index most_variables = 400, most_curved = 100, most_rows = 2000;
  if (problem.dimension() > most_variables) return false;
  const bool is_linear = !problem.has_G() || problem.G.is_affine();
  const bool is_qp =
      problem.f.is_quadratic() && is_linear && (problem.dimension() <= most_curved || is_convex(problem.f));
  const bool has_hessian =
      problem.f.has_hessian() && (!problem.has_G() || problem.G.is_affine() || problem.G.has_hessian());
  const bool curved = has_ipopt() && !is_qp && has_hessian;
  if (curved && problem.dimension() > most_curved) return false;
  return !problem.has_G() || problem.G.output_dimension() <= most_rows;
}

/// A Hessian beyond this many entries a variable, and beyond any small matrix, costs more than it helps; one that
/// only has products is multiplied with all unit vectors, at every point.
constexpr Index most_entries_a_variable = 200, small_hessian = 1000 * 1000, few_products = 400 * 400;

bool affordable(const Operator& H) {
  const Index entries = H.formed_entries();
  if (!H.has_entries()) return entries <= few_products;
  return entries <= std::max(small_hessian, most_entries_a_variable * H.rows());
}

/// [H ·; J I], the lower triangle of what an interior-point method factorises, I where the Hessian is not known.
SparseMatrix kkt_places(const Problem& problem, In x) {
  const detail::NlpRows rows(problem);
  const SparseMatrix J = rows.jacobian(problem, x);
  const Index n = x.size(), m = J.rows();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n + m; ++i) entries.emplace_back(i, i, 1.0);
  const auto add = [&](const SparseMatrix& matrix, Index below) {
    for (Index j = 0; j < matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
        if (below + entry.row() > j) entries.emplace_back(below + entry.row(), j, 1.0);
  };
  add(J, n);
  if (has_curvature(problem, x)) {
    add(problem.f.hessian(x).sparse(), 0);
    if (problem.has_G() && !problem.G.is_affine())
      add(problem.G.hessian(x, Vector::Ones(problem.G.output_dimension())).sparse(), 0);
  }
  SparseMatrix places(n + m, n + m);
  places.setFromTriplets(entries.begin(), entries.end());
  return places;
}

/// A factorisation cannot be cut short: this many multiplications take some seconds.
constexpr double most_multiplications = 1e10;

}  // namespace

std::string_view to_string(NlpStatus status) {
  switch (status) {
    case NlpStatus::converged:
      return "converged";
    case NlpStatus::infeasible_stationary:
      return "infeasible_stationary";
    case NlpStatus::max_iterations:
      return "max_iterations";
    case NlpStatus::not_finite:
      return "not_finite";
    case NlpStatus::stopped:
      return "stopped";
    case NlpStatus::stalled:
      return "stalled";
    case NlpStatus::unavailable:
      return "unavailable";
  }
  return "unknown";
}

bool suits_nlp(const Problem& problem, In x) {
  if (!problem.D.linear_constraints()) return false;
  if (problem.has_G() && !problem.C.linear_constraints()) return false;
  if (is_small(problem)) return true;
  if (!has_ipopt()) return false;
  // what only has products has to be multiplied with all unit vectors
  constexpr Index few = 1'000'000;
  const auto entries = [&] { return problem.G.has_jacobian() && problem.G.jacobian(x).has_entries(); };
  if (problem.has_G() && problem.G.input_dimension() * problem.G.output_dimension() > few && !entries()) return false;
  return detail::factor_cost(kkt_places(problem, x), most_multiplications) <= most_multiplications;
}

bool has_curvature(const Problem& problem, In x) {
  if (!problem.f.has_hessian() || !affordable(problem.f.hessian(x))) return false;
  if (!problem.has_G() || problem.G.is_affine()) return true;
  return problem.G.has_hessian() && affordable(problem.G.hessian(x, Vector::Ones(problem.G.output_dimension())));
}

Nlp nlp_solver_for(const Problem& problem) { return is_small(problem) ? Nlp::sqp : Nlp::ipopt; }

NlpResult nlp(const Problem& problem, In x0, const NlpOptions& options) {
  const Nlp solver = options.solver == Nlp::automatic ? nlp_solver_for(problem) : options.solver;
  return solver == Nlp::sqp ? sqp(problem, x0, options) : ipopt(problem, x0, options);
}

}  // namespace pendec
