#include "pendec/objectives/quadratic.hpp"

#include <fmt/format.h>

#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Quadratic::Quadratic(SharedMatrix Q_, Vector c_) : Q(std::move(Q_)), c(std::move(c_)) {
  require_dimension("Quadratic.Q.rows()", Q->rows(), c.size());
  require_dimension("Quadratic.Q.cols()", Q->cols(), c.size());
  require_finite("Quadratic.Q", *Q);
  require_finite("Quadratic.c", c);
  const double asymmetry = c.size() > 0 ? (*Q - Q->transpose()).cwiseAbs().maxCoeff() : 0.0;
  const double size = c.size() > 0 ? Q->cwiseAbs().maxCoeff() : 0.0;
  require(asymmetry <= 1e-10 * size, "Quadratic.Q", fmt::format("asymmetric by {:.3g}", asymmetry),
          "a symmetric matrix");
}

double Quadratic::value_and_gradient(In x, Out g) const {
  g.noalias() = *Q * x;
  const double value = x.dot(0.5 * g + c);
  g += c;
  return value;
}

void Quadratic::hessian_times(In, In d, Out out) const { out.noalias() = *Q * d; }

double Quadratic::magnitude(In x, Out gradient) const {
  const Vector size = x.cwiseAbs();
  gradient.noalias() = Q->cwiseAbs() * size;
  const double value = size.dot(0.5 * gradient + c.cwiseAbs());
  gradient += c.cwiseAbs();
  return value;
}

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

void SquaredDistance::hessian_times(In, In d, Out out) const { out = weights.cwiseProduct(d); }

}  // namespace pendec
