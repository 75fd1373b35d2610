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

/// Each entry becomes the second derivative of log(1 + exp(t)) at it.
void replace_by_logistic_curvature(Vector& t) {
  t.array() = (-t.array().abs()).exp();
  t.array() /= (1.0 + t.array()).square();
}

/// So many terms of a sum at a time, without memory from the heap.
constexpr Index most_terms = 64;
using Terms = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_terms, 1>;

/// φ(t) = log(1 + exp(−t)) with two derivatives, from one exponential, for every entry of t.
struct LogisticTerms {
  explicit LogisticTerms(const Terms& t) {
    const Terms e = (-t.abs()).exp();
    value = (-t).max(0.0) + (1.0 + e).log();  // to an absolute error: log1p would need a loop without vectors
    slope = (t > 0.0).select(-e, -1.0) / (1.0 + e);
    curvature = e / (1.0 + e).square();
  }
  Terms value, slope, curvature;
};

/// The largest κ with φ(t) ≥ φ(m) + φ'(m)(t − m) + ½κ(t − m)² for t between m and `end`, for every entry. Away from m
/// the ratio of the two sides first may rise and then falls: its least value is at m or at `end`.
Terms curvature_towards(const Terms& m, const LogisticTerms& at_m, const Terms& end) {
  const LogisticTerms at_end(end);
  const Terms d = end - m, linear = at_m.slope * d;
  const Terms rounding = 8.0 * epsilon * (1.0 + at_m.value + linear.abs() + at_end.value);
  const Terms ratio = 2.0 * (at_end.value - at_m.value - linear - rounding) / d.square();
  const Terms near = (d.abs() < 1e-3).select(at_end.curvature, ratio);  // φ'' itself is least at an end
  return d.isFinite().select(near.min(at_m.curvature).max(0.0), 0.0);
}

/// Aᵀ diag(w) A, w ≥ 0.
Matrix gram(const ConstMatrixView& A, const Vector& w) {
  constexpr Index few = 16;  // columns: arranging them for a matrix product would take longer than the dot products
  thread_local Matrix scaled;
  scaled = w.asDiagonal() * A;
  Matrix out(A.cols(), A.cols());
  if (A.cols() <= few)
    out.noalias() = scaled.transpose().lazyProduct(A);
  else
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

/// The residuals are wrong by rounding of |A||x| + |b|, however small they are.
double LeastSquares::magnitude(In x, Out gradient) const {
  const Vector terms = A->cwiseAbs() * x.cwiseAbs() + b.cwiseAbs(), residuals = *A * x - b;
  gradient.noalias() = A->cwiseAbs().transpose() * terms;
  return 0.5 * residuals.squaredNorm() + residuals.cwiseAbs().dot(terms);
}

Logistic::Logistic(SharedMatrix A_, Vector labels_) : A(std::move(A_)), labels(std::move(labels_)) {
  require_dimension("Logistic.labels.size()", labels.size(), A->rows());
  require_finite("Logistic.A", *A);
  for (Index k = 0; k < labels.size(); ++k)
    require(labels[k] == 1.0 || labels[k] == -1.0, fmt::format("Logistic.labels[{}]", k), labels[k], "-1 or 1");
}

double Logistic::value_and_gradient(In x, Out g) const {
  thread_local Vector t, e;
  t.noalias() = *A * x;
  t.array() *= labels.array();  // margins m: log(1 + exp(−m)) = max(−m, 0) + log(1 + e)
  e = (-t.array().abs()).exp().matrix();
  LogOfProduct logs;
  double value = 0.0;
  for (Index k = 0; k < t.size(); ++k) {
    value += std::max(-t[k], 0.0);
    logs.multiply(e[k]);
    t[k] = -labels[k] * (t[k] > 0.0 ? e[k] : 1.0) / (1.0 + e[k]);
  }
  if (std::isnan(value)) t.setConstant(value);  // Eigen's exp may lose it
  g.noalias() = A->transpose() * t;
  return value + logs.sum();
}

void Logistic::hessian_times(In x, In d, Out out) const {
  thread_local Vector t, w;
  t.noalias() = *A * x;
  w.noalias() = *A * d;
  replace_by_logistic_curvature(t);
  w.array() *= t.array();
  out.noalias() = A->transpose() * w;
}

Matrix Logistic::hessian(In x) const {
  thread_local Vector t;
  t.noalias() = *A * x;
  replace_by_logistic_curvature(t);
  return gram(*A, t);
}

Matrix Logistic::curvature_below(In at, In lower, In upper) const {
  const Vector margins = labels.cwiseProduct(*A * at);
  Vector curvature(margins.size());
  for (Index begin = 0; begin < margins.size(); begin += most_terms) {
    const Index size = std::min(most_terms, margins.size() - begin);
    const Terms margin = margins.segment(begin, size).array();
    Terms least = Terms::Zero(size), greatest = least;  // of the margins in the box
    for (Index j = 0; j < at.size(); ++j) {
      for (Index k = 0; k < size; ++k) {
        const double a = labels[begin + k] * (*A)(begin + k, j);
        if (a == 0.0) continue;
        least[k] += a * (a > 0.0 ? lower[j] : upper[j]);
        greatest[k] += a * (a > 0.0 ? upper[j] : lower[j]);
      }
    }
    const LogisticTerms at_margin(margin);
    curvature.segment(begin, size) = curvature_towards(margin, at_margin, least.min(margin))
                                         .min(curvature_towards(margin, at_margin, greatest.max(margin)))
                                         .matrix();
  }
  return gram(*A, curvature);
}

/// The margins are wrong by rounding of |A||x|, and move each term by no more than that.
double Logistic::magnitude(In x, Out gradient) const {
  const Vector margins = A->cwiseAbs() * x.cwiseAbs();
  const double value = value_and_gradient(x, gradient);
  gradient.noalias() = A->cwiseAbs().transpose() * (Vector::Ones(margins.size()) + margins);
  return value + margins.sum();
}

}  // namespace pendec
