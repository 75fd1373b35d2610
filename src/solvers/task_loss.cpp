#include "task_loss.hpp"

#include <algorithm>
#include <cmath>

#include "../subsolvers/dense.hpp"

namespace pendec::detail {

double task_loss(const Task& task, In w, Vector* gradient, Matrix* hessian) {
  const double scale = 1.0 / static_cast<double>(task.labels.size());
  const Eigen::ArrayXd margin = task.labels.array() * (task.X * w).array();
  // log(1 + exp(−m)) = max(−m, 0) + log(1 + exp(−|m|)), 1/(1 + exp(m)) likewise without overflow.
  const Eigen::ArrayXd e = (-margin.abs()).exp();
  const double loss = scale * ((-margin).max(0.0) + (1.0 + e).log()).sum();
  if (!gradient && !hessian) return loss;
  const Eigen::ArrayXd p = (margin >= 0.0).select(e, 1.0) / (1.0 + e);
  if (gradient) gradient->noalias() = -scale * (task.X.transpose() * (task.labels.array() * p).matrix());
  if (hessian) {
    const Matrix weighted = (task.X.array().colwise() * (scale * p * (1.0 - p))).matrix();
    *hessian = transpose_times(task.X, weighted);
  }
  return loss;
}

Proximal proximal_step(const Task& task, const Matrix& R, In c, Vector& w) {
  constexpr int max_iterations = 100;
  const Index p = w.size();
  Vector gradient(p), step(p), trial(p);
  Proximal out;
  const auto quadratic = [&](const Vector& at) { return 0.5 * (at - c).dot(R * (at - c)); };
  for (int it = 0;; ++it) {
    out.loss = task_loss(task, w, &gradient, &out.hessian);
    const double size = gradient.norm() + (R * (w - c)).norm();
    gradient += R * (w - c);
    out.hessian += R;
    out.residual = gradient.norm();
    if (!(out.residual > 1e-14 * (1.0 + size)) || it == max_iterations) return out;
    // A tiny shift where separable data leave a direction without curvature.
    Cholesky factor;
    const double least = 1e-14 * (out.hessian.trace() + 1e-300);
    for (double shift = least; !factor.compute(out.hessian + shift * Matrix::Identity(p, p)); shift *= 100.0)
      if (!(shift < 1.0)) return out;
    step = -gradient;
    factor.solve_in_place(step);
    const double value = out.loss + quadratic(w), slope = gradient.dot(step);
    if (-slope <= 1e-18 * (1.0 + value)) {  // quadratic convergence: this step is the last that changes anything
      w += step;
      return out;
    }
    // Below this the decrease drowns in rounding, and Newton's method converges without a search.
    double alpha = 1.0;
    bool found = -slope <= 1e-11 * (1.0 + value);
    if (found) trial = w + step;
    for (int halving = 0; halving < 40 && !found; ++halving, alpha *= 0.5) {
      trial = w + alpha * step;
      found = task_loss(task, trial) + quadratic(trial) <= value + 1e-4 * alpha * slope;
    }
    if (!found) return out;
    w = trial;
  }
}

}  // namespace pendec::detail
