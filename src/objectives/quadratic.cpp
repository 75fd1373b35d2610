#include "pendec/objectives/quadratic.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

namespace {

/// The largest |q_ij − q_ji| and the largest |q_ij|; of a matrix that is known by products, what one of them tells.
std::pair<double, double> asymmetry_and_size(const Operator& Q) {
  if (Q.rows() == 0 || Q.is_diagonal()) return {0.0, 1.0};
  if (const auto* dense = Q.view())
    return {(*dense - dense->transpose()).cwiseAbs().maxCoeff(), dense->cwiseAbs().maxCoeff()};
  const Vector x = Vector::LinSpaced(Q.cols(), -1.0, 2.0);
  Vector ahead(x.size()), back(x.size());
  Q.times(x, ahead);
  Q.transpose_times(x, back);
  return {(ahead - back).lpNorm<Eigen::Infinity>(), ahead.lpNorm<Eigen::Infinity>()};
}

}  // namespace

Quadratic::Quadratic(Operator Q_, Vector c_) : Q(std::move(Q_)), c(std::move(c_)) {
  require_dimension("Quadratic.Q.rows()", Q.rows(), c.size());
  require_dimension("Quadratic.Q.cols()", Q.cols(), c.size());
  Q.require_finite("Quadratic.Q");
  require_finite("Quadratic.c", c);
  const auto [asymmetry, size] = asymmetry_and_size(Q);
  require(asymmetry <= 1e-10 * size, "Quadratic.Q", fmt::format("asymmetric by {:.3g}", asymmetry),
          "a symmetric matrix");
}

double Quadratic::value_and_gradient(In x, Out g) const {
  Q.times(x, g);
  const double value = x.dot(0.5 * g + c);
  g += c;
  return value;
}

double Quadratic::magnitude(In x, Out gradient) const {
  const Vector size = x.cwiseAbs();
  Q.magnitude_times(size, gradient);
  const double value = size.dot(0.5 * gradient + c.cwiseAbs());
  gradient += c.cwiseAbs();
  return value;
}

std::optional<QuadraticForm> Quadratic::quadratic_form() const { return form_of(Q, c); }

SquaredDistance::SquaredDistance(Vector a_, Vector weights_)
    : a(std::move(a_)), weights(std::move(weights_)), unit_weights(weights.size() == 0) {
  if (unit_weights) weights = Vector::Ones(a.size());
  require_dimension("SquaredDistance.weights.size()", weights.size(), a.size());
  require_finite("SquaredDistance.a", a);
  require_finite("SquaredDistance.weights", weights);
  if (a.size() > 0)
    require(weights.minCoeff() >= 0.0, "SquaredDistance.weights", weights.minCoeff(), "nonnegative weights");
}

double SquaredDistance::value(In x) const {
  return unit_weights ? 0.5 * (x - a).squaredNorm() : 0.5 * weights.dot((x - a).cwiseAbs2());
}

double SquaredDistance::value_and_gradient(In x, Out g) const {
  g = x - a;
  if (unit_weights) return 0.5 * g.squaredNorm();
  const double value = 0.5 * weights.dot(g.cwiseAbs2());
  g.array() *= weights.array();
  return value;
}

double SquaredDistance::magnitude(In x, Out gradient) const {
  gradient = weights.cwiseProduct(x.cwiseAbs() + a.cwiseAbs());
  return gradient.dot((x - a).cwiseAbs());
}

}  // namespace pendec
