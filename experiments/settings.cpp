#include "experiments/settings.hpp"

#include "pendec/solvers/lowrank/correlation.hpp"

namespace pendec::experiments {
namespace {

Options paper_with_schedule(Method method, double tau0, double alpha_tau) {
  Options o = paper_preset(method);
  o.penalty.tau0 = tau0;
  o.penalty.alpha_tau = alpha_tau;
  return o;
}

Options disjunctive_options(Method method, double alpha_tau, double pd_eps_in, double alm_eps_in, double alm_sigma) {
  const bool alm = method == Method::alm;
  Options o = paper_with_schedule(method, alm ? 1.0 : 0.1, alpha_tau);
  o.inner.eps_in = alm ? alm_eps_in : pd_eps_in;
  o.penalty.tau_max = 1e12;  // this and the accuracy of CG: of the authors' program
  o.x_update.step = XStep::cg;
  o.x_update.sigma = 0.4;  // scipy's
  o.x_update.steps = 20;
  o.x_update.eps_solv = 1e-3;
  o.spectral.memory = 4;
  o.spectral.sigma = alm_sigma;
  return o;
}

}  // namespace

Options pd_with(XStep step) {
  Options o = paper_preset(Method::pd);
  o.x_update.step = step;
  if (step == XStep::gradient) {
    o.x_update.line_search = LineSearchKind::armijo;
    o.x_update.gamma = 1e-5;
    o.x_update.norm = GradientNorm::euclidean;
  }
  return o;
}

Options figure_6_1_options(Method method) { return paper_with_schedule(method, 1.0, 1.1); }

Options table_6_3_options(Method method) {
  return paper_with_schedule(method, method == Method::alm ? 1.0 : 0.01, 1.01);
}

Options true_alm_options() {
  Options o = correlation_options(CorrelationAlgorithm::alm);
  o.spectral.barzilai_borwein = true;
  o.penalty.project_start = true;
  return o;
}

Options table_6_7_options(Method method) { return disjunctive_options(method, 1.2, 0.01, 0.01, 0.01); }

Options figure_6_3_options(Method method) { return disjunctive_options(method, 1.5, 0.02, 0.1, 0.05); }

}  // namespace pendec::experiments
