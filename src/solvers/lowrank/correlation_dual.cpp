#include "correlation_dual.hpp"

#include <algorithm>
#include <cmath>

namespace pendec::detail {

CorrelationDual::CorrelationDual(const Vector& diagonal, const FixedEntries& fixed, const Vector& values)
    : n_(diagonal.size()), b_(diagonal.size() + values.size()) {
  for (Index i = 0; i < n_; ++i) entries_.emplace_back(i, i);
  entries_.insert(entries_.end(), fixed.begin(), fixed.end());
  b_ << diagonal, values;
}

Matrix CorrelationDual::plus_adjoint(Matrix A, In y) const {
  for (Index e = 0; e < size(); ++e) {
    const auto [i, j] = entries_[static_cast<std::size_t>(e)];
    A(i, j) += (i == j ? 1.0 : 0.5) * y[e];
    if (i != j) A(j, i) += 0.5 * y[e];
  }
  return A;
}

double CorrelationDual::evaluate(MatrixIn A, In y, const Deadline& deadline) {
  deadline.check();
  eigen_ = symmetric_eigen(plus_adjoint(A, y), deadline);
  positive_ = (eigen_.values.array() > 0.0).count();
  const Vector kept = eigen_.values.tail(positive_);
  factor_ = positive_ == 0 ? Matrix(Matrix::Zero(n_, 1))
                           : Matrix(eigen_.vectors.rightCols(positive_) * kept.cwiseSqrt().asDiagonal());
  gradient_ = -b_;
  for (Index e = 0; e < size(); ++e) {
    const auto [i, j] = entries_[static_cast<std::size_t>(e)];
    gradient_[e] += factor_.row(i).dot(factor_.row(j));
  }
  return 0.5 * kept.squaredNorm() - b_.dot(y);
}

/// One element of the generalised Hessian: h ↦ E(P (Ω ∘ (Pᵀ E*(h) P)) Pᵀ) with all eigenvectors P, Ω = 1 for two
/// positive eigenvalues, λ₊/(λ₊ − λ₋) for a positive and another one, 0 for the rest.
Vector CorrelationDual::hessian_times(In h, const Deadline& deadline) const {
  const Index q = n_ - positive_;
  const auto P = eigen_.vectors.rightCols(positive_), N = eigen_.vectors.leftCols(q);
  Matrix HP = h.head(n_).asDiagonal() * P;
  for (Index e = n_; e < size(); ++e) {
    const auto [i, j] = entries_[static_cast<std::size_t>(e)];
    HP.row(i) += 0.5 * h[e] * P.row(j);
    HP.row(j) += 0.5 * h[e] * P.row(i);
  }
  Matrix inside = times_transpose(transpose_times(P, HP, deadline), P, deadline);
  if (q > 0) {
    Matrix mixed = transpose_times(HP, N, deadline);
    for (Index c = 0; c < q; ++c)
      mixed.col(c).array() *= eigen_.values.tail(positive_).array() /
                              (eigen_.values.tail(positive_).array() - std::min(eigen_.values[c], 0.0));
    inside += 2.0 * times_transpose(mixed, N, deadline);
  }
  Vector out(size());
  for (Index e = 0; e < size(); ++e) {
    const auto [i, j] = entries_[static_cast<std::size_t>(e)];
    out[e] = 0.5 * (P.row(i).dot(inside.col(j)) + P.row(j).dot(inside.col(i)));
  }
  return out;
}

/// Conjugate gradients for (Hessian + δI) d = −gradient.
Vector CorrelationDual::newton_direction(const Deadline& deadline) const {
  const double norm = gradient_.norm();
  double delta = std::min(1e-3, 1e-2 * norm);
  Vector d = Vector::Zero(size()), r = -gradient_, p = r;
  double rr = r.squaredNorm();
  const double target = std::min(1e-2, norm) * norm;
  for (int it = 0; it < 200 && std::sqrt(rr) > target; ++it) {
    Vector Hp = hessian_times(p, deadline);
    if (it == 0) delta *= std::min(p.dot(Hp) / rr, 1.0);  // where A is large the Hessian is small
    Hp += delta * p;
    const double step = rr / p.dot(Hp);
    d += step * p;
    r -= step * Hp;
    const double next = r.squaredNorm();
    p = r + (next / rr) * p;
    rr = next;
  }
  return d;
}

double CorrelationDual::minimise(MatrixIn A, double tolerance, const Deadline& deadline, Vector& y) {
  double theta = evaluate(A, y, deadline);
  try {
    descend(A, tolerance, deadline, y, theta);
  } catch (const OutOfTime&) {  // y and θ(y) are those of the last step that came to its end
  }
  return theta;
}

void CorrelationDual::descend(MatrixIn A, double tolerance, const Deadline& deadline, Vector& y, double& theta) {
  for (iterations_ = 0; iterations_ < 200; ++iterations_) {
    if (!(gradient_.norm() > tolerance * b_.norm())) break;
    deadline.check();
    const Vector d = newton_direction(deadline);
    const double slope = gradient_.dot(d), before = gradient_.norm();
    const double noise = 1e-14 * (std::abs(theta) + A.squaredNorm());
    double step = 1.0;
    Vector trial = y + d;
    double next = evaluate(A, trial, deadline);
    // Where rounding hides the decrease of θ, that of its gradient decides.
    const auto acceptable = [&] {
      return next <= theta + 1e-4 * step * slope || (next <= theta + noise && gradient_.norm() < before);
    };
    while (!acceptable() && step > 1e-10) {
      step *= 0.5;
      trial = y + step * d;
      next = evaluate(A, trial, deadline);
    }
    if (!acceptable()) {
      evaluate(A, y, deadline);  // its factor
      return;
    }
    y = trial;
    theta = next;
  }
}

}  // namespace pendec::detail
