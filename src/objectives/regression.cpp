#include "pendec/objectives/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/core/scratch.hpp"

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
void replace_by_logistic_curvature(Out t) {
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

/// The least and the greatest values of label · ⟨a_k, x⟩ in a box.
void range_of_margins(const Operator& A, In labels, In lower, In upper, Vector& least, Vector& greatest) {
  least = greatest = Vector::Zero(labels.size());
  const auto add = [&](Index k, Index j, double entry) {
    const double a = labels[k] * entry;
    if (a == 0.0) return;
    least[k] += a * (a > 0.0 ? lower[j] : upper[j]);
    greatest[k] += a * (a > 0.0 ? upper[j] : lower[j]);
  };
  if (const auto* dense = A.view()) {
    for (Index j = 0; j < dense->cols(); ++j)
      for (Index k = 0; k < dense->rows(); ++k) add(k, j, (*dense)(k, j));
    return;
  }
  const SparseMatrix entries = A.sparse();
  for (Index j = 0; j < entries.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(entries, j); entry; ++entry) add(entry.row(), j, entry.value());
}

}  // namespace

LeastSquares::LeastSquares(Operator A_, Vector b_) : A(std::move(A_)), b(std::move(b_)) {
  require_dimension("LeastSquares.b.size()", b.size(), A.rows());
  A.require_finite("LeastSquares.A");
  require_finite("LeastSquares.b", b);
}

double LeastSquares::value_and_gradient(In x, Out g) const {
  Scratch r(A.rows());
  A.times(x, *r);
  *r -= b;
  A.transpose_times(*r, g);
  return 0.5 * r->squaredNorm();
}

double LeastSquares::value(In x) const {
  Scratch r(A.rows());
  A.times(x, *r);
  *r -= b;
  return 0.5 * r->squaredNorm();
}

QuadraticForm LeastSquares::quadratic_form() const {
  Vector products(A.cols());
  A.transpose_times(b, products);
  return form_of_squares(A.gram().dense(), products, b.norm(), A.rows());
}

/// The residuals are wrong by rounding of |A||x| + |b|, however small they are.
double LeastSquares::magnitude(In x, Out gradient) const {
  Vector terms(A.rows()), residuals(A.rows());
  A.magnitude_times(x, terms);
  terms += b.cwiseAbs();
  A.times(x, residuals);
  residuals -= b;
  A.magnitude_transpose_times(terms, gradient);
  return 0.5 * residuals.squaredNorm() + residuals.cwiseAbs().dot(terms);
}

Logistic::Logistic(Operator A_, Vector labels_) : A(std::move(A_)), labels(std::move(labels_)) {
  require_dimension("Logistic.labels.size()", labels.size(), A.rows());
  A.require_finite("Logistic.A");
  for (Index k = 0; k < labels.size(); ++k)
    require(labels[k] == 1.0 || labels[k] == -1.0, fmt::format("Logistic.labels[{}]", k), labels[k], "-1 or 1");
}

double Logistic::value_and_gradient(In x, Out g) const {
  Scratch t(A.rows()), e(A.rows());
  A.times(x, *t);
  t->array() *= labels.array();  // margins m: log(1 + exp(−m)) = max(−m, 0) + log(1 + e)
  *e = (-t->array().abs()).exp().matrix();
  LogOfProduct logs;
  double value = 0.0;
  for (Index k = 0; k < t->size(); ++k) {
    const double margin = (*t)[k], small = (*e)[k];
    value += std::max(-margin, 0.0);
    logs.multiply(small);
    (*t)[k] = -labels[k] * (margin > 0.0 ? small : 1.0) / (1.0 + small);
  }
  if (std::isnan(value)) t->setConstant(value);  // Eigen's exp may lose it
  A.transpose_times(*t, g);
  return value + logs.sum();
}

void Logistic::hessian_times(In x, In d, Out out) const {
  Scratch t(A.rows()), w(A.rows());
  A.times(x, *t);
  A.times(d, *w);
  replace_by_logistic_curvature(*t);
  w->array() *= t->array();
  A.transpose_times(*w, out);
}

Operator Logistic::hessian(In x) const {
  Vector t(A.rows());
  A.times(x, t);
  replace_by_logistic_curvature(t);
  return A.gram(std::move(t));
}

Matrix Logistic::curvature_below(In at, In lower, In upper) const {
  Vector margins(A.rows()), least, greatest, curvature(A.rows());
  A.times(at, margins);
  margins.array() *= labels.array();
  range_of_margins(A, labels, lower, upper, least, greatest);
  for (Index begin = 0; begin < margins.size(); begin += most_terms) {
    const Index size = std::min(most_terms, margins.size() - begin);
    const Terms margin = margins.segment(begin, size).array();
    const Terms below = least.segment(begin, size).array(), above = greatest.segment(begin, size).array();
    const LogisticTerms at_margin(margin);
    curvature.segment(begin, size) = curvature_towards(margin, at_margin, below.min(margin))
                                         .min(curvature_towards(margin, at_margin, above.max(margin)))
                                         .matrix();
  }
  return A.gram(std::move(curvature)).dense();
}

/// The margins are wrong by rounding of |A||x|, and move each term by no more than that.
double Logistic::magnitude(In x, Out gradient) const {
  Vector margins(A.rows());
  A.magnitude_times(x, margins);
  const double value = value_and_gradient(x, gradient);
  A.magnitude_transpose_times(Vector::Ones(margins.size()) + margins, gradient);
  return value + margins.sum();
}

}  // namespace pendec
