#include "pendec/maps/quartic.hpp"

#include <algorithm>
#include <cmath>
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

Operator Quartic::hessian(In x, In w) const {
  Vector diagonal = Vector::Zero(x.size());
  for (Index j = 0; j < c.cols(); ++j)
    if (w[j] != 0.0) diagonal.array() += 12.0 * w[j] * c.col(j).array() * (x - p.col(j)).array().square();
  return Operator::diagonal(std::move(diagonal));
}

/// (b⁴ − a⁴ − 4a³(b − a))/(b − a)² = b² + 2ab + 3a² ≥ 2a².
std::optional<Operator> Quartic::curvature_below(In at, In w) const {
  if (!convex()) return std::nullopt;
  constexpr double factor = 4.0 * (1.0 - 16.0 * epsilon);  // rounded downwards
  Vector diagonal = Vector::Zero(at.size());
  for (Index j = 0; j < w.size(); ++j)
    diagonal.array() += factor * w[j] * c.col(j).array() * (at - p.col(j)).array().square();
  return Operator::diagonal(std::move(diagonal));
}

/// |x_i − p_ij| ≤ ((upper_j + t_j)/c_ij)^¼ for each i and j.
void Quartic::tighten(In, In upper, Out least, Out greatest) const {
  constexpr double outward = 1.0 + 1e-9;
  if (!convex()) return;
  for (Index j = 0; j < c.cols(); ++j) {
    const double level = upper[j] + t[j];
    if (!(level >= 0.0) || !std::isfinite(level)) continue;
    for (Index i = 0; i < c.rows(); ++i) {
      if (!(c(i, j) > 0.0)) continue;
      const double reach = std::sqrt(std::sqrt(level / c(i, j))) * outward;
      least[i] = std::max(least[i], p(i, j) - reach);
      greatest[i] = std::min(greatest[i], p(i, j) + reach);
    }
  }
}

void Quartic::magnitude(In x, Out values, Out slopes) const {
  for (Index j = 0; j < c.cols(); ++j) {
    const Vector distance = (x - p.col(j)).cwiseAbs(), factor = c.col(j).cwiseAbs();
    values[j] = factor.dot(distance.array().square().square().matrix()) + std::abs(t[j]);
    slopes[j] = 4.0 * (factor.array() * distance.array().cube()).maxCoeff();
  }
}

}  // namespace pendec
