// The correlation experiments of Tables 6.4–6.6 in paper mode.
#pragma once

#include "experiments/instances.hpp"

namespace pendec::testing_support {

inline Options correlation_options(Method method) {
  Options o = paper_preset(method);
  o.penalty.alpha_tau = 1.2;
  o.penalty.tau_max = 1e12;
  return o;
}

inline Options exact_lower_level() {
  Options o = correlation_options(Method::pd);
  o.penalty.lower_level = true;
  o.x_update.step = XStep::exact;
  return o;
}

inline Options exact() {
  Options o = correlation_options(Method::pdlm);
  o.penalty.multipliers = Multipliers::constraints;
  o.x_update.step = XStep::exact;
  return o;
}

inline Options true_alm() {
  Options o = correlation_options(Method::alm);
  o.spectral.barzilai_borwein = true;
  o.penalty.project_start = true;
  return o;
}

inline Result run_correlation(int which, Index n, Index kappa, const Options& options) {
  return solve(experiments::nearest_correlation(experiments::correlation_matrix(which, n), kappa),
               Matrix(Matrix::Identity(n, n)).reshaped(), options);
}

}  // namespace pendec::testing_support
