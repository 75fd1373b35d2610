// Does a result keep what it claims? Everything is recomputed from the problem and the points.
#pragma once

#include <string>
#include <vector>

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"
#include "pendec/report/result.hpp"

namespace pendec {

/// One claim of a result, and what was found instead of it.
struct Claim {
  std::string name;  // "f", "certificate.epsilon", "status"
  std::string claimed, found;
  bool holds = true;
};

/// Checks, for the problem solved from `start`:
///   sizes and finiteness of x, y, lambda, mu; f = f(y) and f_x = f(x); every residual of the certificates, with the
///   multipliers of the result; that the tuple's lambda and z are those residuals'; mu where x = y; and the status:
///   converged: the certificate is below driver.tolerance; stationary_infeasible: Prop. 3.2 holds at y;
///   stalled, penalty_limit, tests_met_uncertified: neither of them; max_iterations, max_time: the limit was reached.
/// `unbounded`, `not_finite` and `interrupted` claim nothing about y. Numbers are compared up to rounding: 1e-9
/// relative to themselves, and residuals also to 1e-10 of their scale. Scales are recomputed where the status rests
/// on them, else taken as recorded.
PENDEC_EXPORT std::vector<Claim> verify(const Problem& problem, In start, const Result& result);

}  // namespace pendec
