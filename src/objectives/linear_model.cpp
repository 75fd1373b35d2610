#include "pendec/objectives/linear_model.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// ℓ and its first two derivatives in t.
struct LossTerm {
  double value, slope, curvature;
};

LossTerm logistic_term(double t, double b) {
  const double e = std::exp(-std::abs(t)), small = e / (1.0 + e);  // 1/(1 + exp(|t|))
  const double against = b * t >= 0.0 ? small : 1.0 - small;       // probability of the other label
  return {std::max(-b * t, 0.0) + std::log1p(e), -b * against, small * (1.0 - small)};
}

LossTerm huber_term(double t, double b, double m) {
  const double r = t - b;
  if (std::abs(r) <= m) return {0.5 * r * r, r, 1.0};
  return {m * (std::abs(r) - 0.5 * m), std::copysign(m, r), 0.0};
}

LossTerm loss_term(Loss loss, double t, double b, double m) {
  switch (loss) {
    case Loss::squared:
      return {0.5 * (t - b) * (t - b), t - b, 1.0};
    case Loss::logistic:
      return logistic_term(t, b);
    case Loss::huber:
      return huber_term(t, b, m);
    case Loss::poisson: {
      const double rate = std::exp(t);
      return {rate - b * t, rate - b, rate};
    }
  }
  return {};
}

}  // namespace

LinearModel::LinearModel(Operator A_, Vector b_, Loss loss_, LinearModelOptions options_)
    : A(std::move(A_)), b(std::move(b_)), loss(loss_), options(std::move(options_)) {
  require_dimension("LinearModel.b.size()", b.size(), A.rows());
  A.require_finite("LinearModel.A");
  require_finite("LinearModel.b", b);
  require(options.ridge >= 0.0, "LinearModel.ridge", options.ridge, "ridge >= 0");
  require(options.huber > 0.0, "LinearModel.huber", options.huber, "huber > 0");
  if (options.scale.size() > 0) require_dimension("LinearModel.scale.size()", options.scale.size(), A.cols());
  if (options.centre.size() > 0) require_dimension("LinearModel.centre.size()", options.centre.size(), A.cols());
  for (Index k = 0; k < b.size(); ++k) {
    if (loss == Loss::logistic)
      require(b[k] == 1.0 || b[k] == -1.0, fmt::format("LinearModel.b[{}]", k), b[k],
              "-1 or 1 for the logistic loss");
    if (loss == Loss::poisson)
      require(b[k] >= 0.0, fmt::format("LinearModel.b[{}]", k), b[k], "counts >= 0 for the Poisson loss");
  }
}

void LinearModel::predict(In x, Vector& t) const {
  thread_local Vector scaled;
  const Index n = A.cols();
  t.resize(A.rows());
  scaled = x.head(n);
  if (options.scale.size() > 0) scaled.array() *= options.scale.array();
  A.times(scaled, t);
  if (options.centre.size() > 0) t.array() -= options.centre.dot(scaled);
  if (options.intercept) t.array() += x[n];
}

void LinearModel::pull_back(const Vector& w, Out g) const {
  const Index n = A.cols();
  A.transpose_times(w, g.head(n));
  if (options.centre.size() > 0) g.head(n) -= w.sum() * options.centre;
  if (options.scale.size() > 0) g.head(n).array() *= options.scale.array();
  if (options.intercept) g[n] = w.sum();
}

double LinearModel::value_and_gradient(In x, Out g) const {
  thread_local Vector t;  // kept so that inner loops do not allocate
  predict(x, t);
  double value = 0.0;
  for (Index k = 0; k < t.size(); ++k) {
    const LossTerm at = loss_term(loss, t[k], b[k], options.huber);
    value += at.value;
    t[k] = at.slope;
  }
  pull_back(t, g);
  const Index n = A.cols();
  g.head(n) += options.ridge * x.head(n);
  return value + 0.5 * options.ridge * x.head(n).squaredNorm();
}

void LinearModel::hessian_times(In x, In d, Out out) const {
  thread_local Vector t, w;
  predict(x, t);
  predict(d, w);
  for (Index k = 0; k < t.size(); ++k) w[k] *= loss_term(loss, t[k], b[k], options.huber).curvature;
  pull_back(w, out);
  const Index n = A.cols();
  out.head(n) += options.ridge * d.head(n);
}

bool LinearModel::has_quadratic_form() const {
  return loss == Loss::squared && options.scale.size() == 0 && options.centre.size() == 0;
}

std::optional<QuadraticForm> LinearModel::quadratic_form() const {
  if (!has_quadratic_form()) return std::nullopt;
  const Index n = A.cols(), all = dimension();
  Matrix gram(all, all);
  Vector products(all);
  gram.topLeftCorner(n, n) = A.gram().dense();
  A.transpose_times(b, products.head(n));
  if (options.intercept) {
    Vector sums(n);
    A.transpose_times(Vector::Ones(A.rows()), sums);
    gram.bottomRows(1).leftCols(n) = sums.transpose();
    gram(n, n) = static_cast<double>(A.rows());
    products[n] = b.sum();
  }
  QuadraticForm form = form_of_squares(std::move(gram), products, b.norm(), A.rows());
  if (options.ridge == 0.0) return form;
  Matrix with_ridge = form.Q.dense();
  with_ridge.diagonal().head(n).array() += options.ridge;
  form.Q = std::move(with_ridge);
  return form;
}

double LinearModel::loss_at(In x) const {
  Vector t;
  predict(x, t);
  double value = 0.0;
  for (Index k = 0; k < t.size(); ++k) value += loss_term(loss, t[k], b[k], options.huber).value;
  return value;
}

}  // namespace pendec
