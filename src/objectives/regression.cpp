#include "pendec/objectives/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// Σ log(1 + eᵢ) for 0 ≤ eᵢ ≤ 1 with few logarithms: of products, but for small eᵢ, of which 1 + eᵢ would keep too
/// little.
class LogOfProduct {
 public:
  void multiply(double e) {
    if (!(e >= 0x1p-10)) {
      sum_ += std::log1p(e);  // NaN as well
      return;
    }
    product_ *= 1.0 + e;
    if (product_ < 0x1p500) return;
    sum_ += std::log(product_);
    product_ = 1.0;
  }
  double sum() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0.0, product_ = 1.0;
};

/// 1/(1 + exp(t)).
double falling_sigmoid(double t) {
  if (t > 0.0) {
    const double e = std::exp(-t);
    return e / (1.0 + e);
  }
  return 1.0 / (1.0 + std::exp(t));
}

/// φ(t) = log(1 + exp(−t)) with two derivatives, from one exponential.
struct LogisticTerm {
  explicit LogisticTerm(double t) {
    const double e = std::exp(-std::abs(t)), sum = 1.0 + e;
    value = std::max(-t, 0.0) + std::log1p(e);
    slope = -(t > 0.0 ? e : 1.0) / sum;
    curvature = e / (sum * sum);
  }
  double value, slope, curvature;
};

/// The largest κ with φ(t) ≥ φ(m) + φ'(m)(t − m) + ½κ(t − m)² for t between m and `end`. Away from m the ratio of the
/// two sides first may rise and then falls: its least value is at m or at `end`.
double curvature_towards(double m, const LogisticTerm& at_m, double end) {
  const double d = end - m;
  if (!std::isfinite(d)) return 0.0;
  const LogisticTerm at_end(end);
  if (std::abs(d) < 1e-3) return std::min(at_m.curvature, at_end.curvature);  // φ'' itself is least at an end
  const double rounding = 8.0 * epsilon * (at_m.value + std::abs(at_m.slope * d) + at_end.value);
  const double ratio = 2.0 * (at_end.value - at_m.value - at_m.slope * d - rounding) / (d * d);
  return std::max(0.0, std::min(at_m.curvature, ratio));
}

/// Aᵀ diag(w) A, w ≥ 0.
Matrix gram(const ConstMatrixView& A, const Vector& w) {
  thread_local Matrix scaled;
  scaled = w.asDiagonal() * A;
  Matrix out(A.cols(), A.cols());
  out.noalias() = scaled.transpose() * A;
  return out;
}

}  // namespace

LeastSquares::LeastSquares(SharedMatrix A_, Vector b_) : A(std::move(A_)), b(std::move(b_)) {
  require_dimension("LeastSquares.b.size()", b.size(), A->rows());
  require_finite("LeastSquares.A", *A);
  require_finite("LeastSquares.b", b);
}

double LeastSquares::value_and_gradient(In x, Out g) const {
  thread_local Vector r;  // rows of A; kept so that inner loops do not allocate
  r.noalias() = *A * x;
  r -= b;
  g.noalias() = A->transpose() * r;
  return 0.5 * r.squaredNorm();
}

void LeastSquares::hessian_times(In, In d, Out out) const {
  thread_local Vector Ad;
  Ad.noalias() = *A * d;
  out.noalias() = A->transpose() * Ad;
}

Matrix LeastSquares::hessian(In) const { return A->transpose() * *A; }

Matrix LeastSquares::curvature_below(In at, In, In) const { return hessian(at); }

Logistic::Logistic(SharedMatrix A_, Vector labels_) : A(std::move(A_)), labels(std::move(labels_)) {
  require_dimension("Logistic.labels.size()", labels.size(), A->rows());
  require_finite("Logistic.A", *A);
  for (Index k = 0; k < labels.size(); ++k)
    require(labels[k] == 1.0 || labels[k] == -1.0, fmt::format("Logistic.labels[{}]", k), labels[k], "-1 or 1");
}

double Logistic::value_and_gradient(In x, Out g) const {
  thread_local Vector t;
  t.noalias() = *A * x;
  LogOfProduct logs;
  double value = 0.0;
  for (Index k = 0; k < t.size(); ++k) {
    const double margin = labels[k] * t[k];
    const double e = std::exp(-std::abs(margin));  // log(1 + exp(−m)) = max(−m, 0) + log(1 + e)
    value += std::max(-margin, 0.0);
    logs.multiply(e);
    t[k] = -labels[k] * (margin > 0.0 ? e : 1.0) / (1.0 + e);
  }
  g.noalias() = A->transpose() * t;
  return value + logs.sum();
}

void Logistic::hessian_times(In x, In d, Out out) const {
  thread_local Vector t, w;
  t.noalias() = *A * x;
  w.noalias() = *A * d;
  for (Index k = 0; k < t.size(); ++k) {
    const double p = falling_sigmoid(t[k]);
    w[k] *= p * (1.0 - p);
  }
  out.noalias() = A->transpose() * w;
}

Matrix Logistic::hessian(In x) const {
  thread_local Vector t;
  t.noalias() = *A * x;
  for (double& entry : t) {
    const double p = falling_sigmoid(entry);
    entry = p * (1.0 - p);
  }
  return gram(*A, t);
}

Matrix Logistic::curvature_below(In at, In lower, In upper) const {
  const Vector t = *A * at;
  Vector kappa(t.size());
  for (Index k = 0; k < t.size(); ++k) {
    double low = 0.0, high = 0.0;  // of ⟨a_k, x⟩ in the box
    for (Index j = 0; j < at.size(); ++j) {
      const double a = (*A)(k, j);
      if (a == 0.0) continue;
      low += a * (a > 0.0 ? lower[j] : upper[j]);
      high += a * (a > 0.0 ? upper[j] : lower[j]);
    }
    const double margin = labels[k] * t[k];
    const double from = labels[k] > 0.0 ? low : -high, to = labels[k] > 0.0 ? high : -low;
    const LogisticTerm at_margin(margin);
    kappa[k] = std::min(curvature_towards(margin, at_margin, std::min(from, margin)),
                        curvature_towards(margin, at_margin, std::max(to, margin)));
  }
  return gram(*A, kappa);
}

}  // namespace pendec
