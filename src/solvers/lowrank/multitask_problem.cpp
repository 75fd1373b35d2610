// Multitask logistic regression for the general methods: the problem, the paper's settings, the structured x-update.
#include <cmath>

#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/solvers/lowrank/multitask.hpp"
#include "task_loss.hpp"

namespace pendec {
namespace {

/// x = [vec W; vec U; vec V] ↦ Σ_t loss_t(W_t) + η/2 ‖U‖².
struct SplitLoss {
  Index dimension() const { return 3 * block(); }
  Index block() const { return static_cast<Index>(problem.tasks.size()) * problem.features(); }

  double value_and_gradient(In x, Out g) const {
    const Index m = static_cast<Index>(problem.tasks.size()), p = problem.features();
    const ConstMatrixView W(x.data(), m, p);
    MatrixView gradient(g.data(), m, p);
    const auto U = x.segment(block(), block());
    double sum = 0.5 * problem.eta * U.squaredNorm();
    Vector row(p);
    for (Index t = 0; t < m; ++t) {
      sum += detail::task_loss(problem.tasks[static_cast<std::size_t>(t)], W.row(t).transpose(), &row);
      gradient.row(t) = row;
    }
    g.segment(block(), block()) = problem.eta * U;
    g.tail(block()).setZero();
    return sum;
  }

  MultitaskProblem problem;
};

/// x ↦ W − U − V.
struct SplitMap {
  Index input_dimension() const { return 3 * block; }
  Index output_dimension() const { return block; }
  void evaluate(In x, Out out) const { out = x.head(block) - x.segment(block, block) - x.tail(block); }
  void adjoint(In, In w, Out out) const { out << w, -w, -w; }
  void derivative(In, In d, Out out) const { evaluate(d, out); }

  Index block;
};

}  // namespace

Options multitask_options(MultitaskAlgorithm algorithm) {
  using enum MultitaskAlgorithm;
  require(algorithm != subspace, "algorithm", to_string(algorithm), "one of the paper's");
  const bool alm = algorithm == alm_fast || algorithm == alm_accurate;
  Options o = paper_preset(alm ? Method::alm : Method::pdlm);
  o.penalty.tau0 = alm ? 1.0 : 1e-3;
  o.penalty.alpha_tau = 1.3;
  o.x_update.step = XStep::cg;
  o.x_update.sigma = 0.4;  // scipy's
  o.x_update.steps = algorithm == pd_inaccurate ? 5 : algorithm == pd_mid ? 8 : 20;
  o.x_update.eps_solv = algorithm == pd_inaccurate ? 0.1 : algorithm == pd_mid ? 0.05 : 1e-3;
  if (alm) {
    o.inner.eps_in = algorithm == alm_fast ? 1e-1 : 1e-3;
    o.spectral.memory = algorithm == alm_fast ? 1 : 4;
    o.spectral.gamma_max = algorithm == alm_fast ? 1e6 : 1e9;
    o.spectral.sigma = algorithm == alm_fast ? 0.05 : 5e-4;
  }
  return o;
}

Problem MultitaskProblem::problem() const {
  validate();
  const Index m = static_cast<Index>(tasks.size()), p = features();
  return {.f = SplitLoss{*this},
          .G = SplitMap{m * p},
          .C = Singleton(Vector::Zero(m * p)),
          .D = Product({Free(2 * m * p), LowRank(m, p, kappa)})};
}

ExactXUpdate MultitaskProblem::x_update() const {
  return [*this](const Penalty& q, In v, Out x) {
    const Index m = static_cast<Index>(tasks.size()), p = features(), block = m * p;
    const double tau = q.tau, rho = 1.0 / (1.0 / eta + 2.0 / tau);
    Vector pull = v.tail(block);  // Y − μ/τ
    if (q.use_mu) pull -= q.mu.tail(block) / tau;
    const Vector centre = pull - q.lambda / tau;
    const ConstMatrixView C(centre.data(), m, p);
    MatrixView W(x.data(), m, p);
    for (Index t = 0; t < m; ++t) {
      Vector w = W.row(t);  // the last weights
      detail::proximal_step(tasks[static_cast<std::size_t>(t)], rho * Matrix::Identity(p, p), C.row(t).transpose(),
                            w);
      W.row(t) = w;
    }
    const Vector away = x.head(block) - centre;
    x.segment(block, block) = (rho / eta) * away;
    x.tail(block) = pull + (rho / tau) * away;
  };
}

}  // namespace pendec
