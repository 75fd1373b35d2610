#include "task_loss.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../objectives/losses.hpp"
#include "../../subsolvers/dense.hpp"

namespace pendec::detail {
namespace {

/// Σ log fᵢ of factors between 1 and 2: one logarithm for as many of them as cannot overflow.
double sum_of_logarithms(const Eigen::ArrayXd& factors) {
  constexpr Index chunk = 512;
  double sum = 0.0;
  for (Index i = 0; i < factors.size(); i += chunk)
    sum += std::log(factors.segment(i, std::min(chunk, factors.size() - i)).prod());
  return sum;
}

}  // namespace

double task_loss(const Task& task, In w, Vector* gradient, Matrix* hessian) {
  const double scale = 1.0 / static_cast<double>(task.labels.size());
  const Vector t = task.X * w;
  Eigen::ArrayXd hinge(t.size()), factors(t.size());
  Vector slope(t.size());
  for_blocks(t.size(), [&](Index begin, Index size) {
    const LogisticTerms terms(terms_of(t, begin, size), terms_of(task.labels, begin, size), 0.0);
    hinge.segment(begin, size) = (-terms.m).max(0.0);
    factors.segment(begin, size) = 1.0 + terms.e;
    if (gradient || hessian) slope.segment(begin, size) = terms.slope().matrix();
  });
  // To the last digit as ever, the Hessian too: where the methods of the paper end on these tasks depends on it.
  const double loss = scale * (hinge.sum() + sum_of_logarithms(factors));
  if (gradient) gradient->noalias() = scale * (task.X.transpose() * slope);
  if (hessian) {
    const Eigen::ArrayXd p = slope.array().abs();  // ℓ'' = p(1 − p)
    const Matrix weighted = (task.X.array().colwise() * (scale * p * (1.0 - p))).matrix();
    *hessian = transpose_times(task.X, weighted);
  }
  return loss;
}

Vector gradient_terms(const Task& task, In w) {
  Vector slope = task.X * w;
  sum_of_losses(Loss::logistic, 0.0, slope, task.labels, slope.data());
  return task.X.cwiseAbs().transpose() * slope.cwiseAbs() / static_cast<double>(task.labels.size());
}

bool separates(const Task& task, In w) {
  const Eigen::ArrayXd margin = task.labels.array() * (task.X * w).array();
  const Vector size = task.X.cwiseAbs() * w.cwiseAbs();
  return (margin > 2.0 * static_cast<double>(w.size()) * epsilon * size.array()).all();
}

Proximal proximal_step(const Task& task, const Matrix& R, In c, Vector& w) {
  constexpr int max_iterations = 100;
  const Index p = w.size();
  Vector step(p), trial(p);
  Proximal out, next;
  const auto quadratic = [&](const Vector& at) { return 0.5 * (at - c).dot(R * (at - c)); };
  const auto evaluate = [&](const Vector& at, Proximal& result) {
    result.loss = task_loss(task, at, &result.gradient, &result.hessian);
  };
  out.gradient.resize(p);
  next.gradient.resize(p);
  evaluate(w, out);
  for (int it = 0; it < max_iterations; ++it) {
    const Vector pull = R * (w - c), gradient = out.gradient + pull;
    const double rounding = epsilon * R.norm() * (w - c).norm();
    if (!(gradient.norm() > 1e-14 * (out.gradient.norm() + pull.norm()) + rounding)) return out;
    // A tiny shift where separable data leave a direction without curvature.
    Cholesky factor;
    const Matrix hessian = out.hessian + R;
    const double trace = hessian.trace();
    for (double shift = 1e-14 * trace; !factor.compute(hessian + shift * Matrix::Identity(p, p)); shift *= 100.0)
      if (!(shift < trace)) return out;
    step = -gradient;
    factor.solve_in_place(step);
    const double value = out.loss + quadratic(w), slope = gradient.dot(step);
    // Below this the decrease drowns in rounding, and Newton's method converges without a search.
    bool found = -slope <= 1e-11 * (1.0 + value) + rounding * (w - c).norm();
    if (found) {
      // |d log p(1 − p)/dm| ≤ 1 for the probability p of margin m: a step that changes no margin by more than `sway`
      // leaves at most sway² of −slope, and what that predicts for the loss needs no evaluation.
      const double sway = (task.X * step).cwiseAbs().maxCoeff();
      if (-slope * sway * sway <= 1e-20 * (1.0 + value)) {
        w += step;
        out.loss = value + 0.5 * slope - quadratic(w);
        out.gradient += out.hessian * step;
        return out;
      }
      trial = w + step;
      evaluate(trial, next);
    }
    double alpha = 1.0;
    for (int halving = 0; halving < 40 && !found; ++halving, alpha *= 0.5) {
      trial = w + alpha * step;
      evaluate(trial, next);
      found = next.loss + quadratic(trial) <= value + 1e-4 * alpha * slope;
    }
    if (!found) return out;
    std::swap(w, trial);
    std::swap(out, next);
  }
  return out;
}

}  // namespace pendec::detail
