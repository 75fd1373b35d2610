// The correlation experiments of Tables 6.4–6.6 in paper mode.
#pragma once

#include "experiments/instances.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"

namespace pendec::testing_support {

inline Options exact_lower_level() { return correlation_options(CorrelationAlgorithm::pd_exact_lower_level); }

inline Options exact() { return correlation_options(CorrelationAlgorithm::pd_exact); }

inline Result run_correlation(int which, Index n, Index kappa, const Options& options) {
  return solve(correlation_problem(experiments::correlation_matrix(which, n), kappa),
               Matrix(Matrix::Identity(n, n)).reshaped(), options);
}

}  // namespace pendec::testing_support
