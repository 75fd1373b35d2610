#include "pendec/subsolvers/nlp.hpp"

#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/subsolvers/sqp.hpp"

namespace pendec {
namespace {

/// Dense SQP is for some hundreds of variables: on quadratic programs, one QP for it, it is faster up to about 400,
/// on curved ones with second derivatives up to about 80 (bench/nlp_bench.cpp). Without these Ipopt knows no more of
/// the curvature than SQP does.
bool is_small(const Problem& problem) {
  constexpr Index most_variables = 400, most_curved = 100, most_rows = 2000;
  const bool is_qp = problem.f.is_quadratic() && (!problem.has_G() || problem.G.is_affine());
  const bool has_hessian =
      problem.f.has_hessian() && (!problem.has_G() || problem.G.is_affine() || problem.G.has_hessian());
  const bool curved = has_ipopt() && !is_qp && has_hessian;
  if (problem.dimension() > (curved ? most_curved : most_variables)) return false;
  return !problem.has_G() || problem.G.output_dimension() <= most_rows;
}

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
  // what only has products would have to be multiplied with all unit vectors
  return !problem.has_G() || (problem.G.has_jacobian() && problem.G.jacobian(x).has_entries());
}

Nlp nlp_solver_for(const Problem& problem) { return is_small(problem) ? Nlp::sqp : Nlp::ipopt; }

NlpResult nlp(const Problem& problem, In x0, const NlpOptions& options) {
  const Nlp solver = options.solver == Nlp::automatic ? nlp_solver_for(problem) : options.solver;
  return solver == Nlp::sqp ? sqp(problem, x0, options) : ipopt(problem, x0, options);
}

}  // namespace pendec
