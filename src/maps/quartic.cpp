#include "pendec/maps/quartic.hpp"

#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Quartic::Quartic(Matrix c_, Matrix p_, Vector t_) : c(std::move(c_)), p(std::move(p_)), t(std::move(t_)) {
  require_dimension("Quartic.p.rows()", p.rows(), c.rows());
  require_dimension("Quartic.p.cols()", p.cols(), c.cols());
  require_dimension("Quartic.t.size()", t.size(), c.cols());
  require_finite("Quartic.c", c);
  require_finite("Quartic.p", p);
  require_finite("Quartic.t", t);
}

void Quartic::evaluate(In x, Out out) const {
  for (Index j = 0; j < c.cols(); ++j)
    out[j] = c.col(j).dot((x - p.col(j)).array().square().square().matrix()) - t[j];
}

void Quartic::adjoint(In x, In w, Out out) const {
  out.setZero();
  for (Index j = 0; j < c.cols(); ++j)
    if (w[j] != 0.0) out.array() += 4.0 * w[j] * c.col(j).array() * (x - p.col(j)).array().cube();
}

void Quartic::hessian_times(In x, In w, In d, Out out) const {
  out.setZero();
  for (Index j = 0; j < c.cols(); ++j)
    out.array() += 12.0 * w[j] * c.col(j).array() * (x - p.col(j)).array().square() * d.array();
}

Matrix Quartic::jacobian(In x) const {
  const auto distance = x.replicate(1, c.cols()).array() - p.array();
  return (4.0 * c.array() * distance * distance * distance).transpose();
}

Matrix Quartic::hessian(In x, In w) const {
  Vector diagonal = Vector::Zero(x.size());
  for (Index j = 0; j < c.cols(); ++j)
    if (w[j] != 0.0) diagonal.array() += 12.0 * w[j] * c.col(j).array() * (x - p.col(j)).array().square();
  return diagonal.asDiagonal();
}

}  // namespace pendec
