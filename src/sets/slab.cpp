#include "pendec/sets/slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "interval.hpp"
#include "pendec/core/error.hpp"
#include "squares.hpp"

namespace pendec {
namespace {

/// How far aᵀx is from [lower, upper], with sign.
double excess(const Slab& slab, In x) {
  const double value = slab.a.dot(x);
  return value - detail::clamp(value, slab.lower, slab.upper);
}

}  // namespace

Slab::Slab(Vector a_, double lower_, double upper_) : a(std::move(a_)), lower(lower_), upper(upper_) {
  require(a.size() >= 1, "Slab.a.size()", a.size(), "at least 1");
  require_finite("Slab.a", a);
  require(!a.isZero(0.0), "Slab.a", std::string("zero"), "a vector other than zero");
  require(lower < infinity, "Slab.lower", lower, "a number or -inf");
  require(upper > -infinity, "Slab.upper", upper, "a number or inf");
  require(lower <= upper, "Slab.lower", lower, fmt::format("at most upper = {}", upper));
  const double unit = detail::square_unit(a);
  require(unit * lower < infinity, "Slab.lower", lower, "a number that a'x can reach");
  require(unit * upper > -infinity, "Slab.upper", upper, "a number that a'x can reach");
  a *= unit;
  lower *= unit;
  upper *= unit;
}

std::string Slab::name() const {
  if (lower == upper) return "Hyperplane";
  return std::isinf(lower) || std::isinf(upper) ? "Halfspace" : "Slab";
}

void Slab::project(In z, Out y) const {
  const double nu = excess(*this, z) / a.squaredNorm();
  for (Index i = 0; i < z.size(); ++i) y[i] = detail::subtract(z[i], nu * a[i]);
}

double Slab::distance(In x) const { return std::abs(excess(*this, x)) / a.norm(); }

double Slab::normal_residual(In x, In v) const {
  const double value = a.dot(x), tolerance = 1e-12 * (a.cwiseAbs().dot(x.cwiseAbs()) + std::abs(value));
  const double along = a.dot(v) / a.norm();
  const double across = (v - (along / a.norm()) * a).norm();
  if (lower == upper) return across;
  const bool normal = along > 0.0 ? value >= upper - tolerance : value <= lower + tolerance;
  return normal ? across : v.norm();
}

std::optional<LinearConstraints> Slab::linear_constraints() const {
  LinearConstraints rows = LinearConstraints::none(dimension());
  if (lower == upper) {
    rows.E = a.transpose();
    rows.d = Vector::Constant(1, lower);
    return rows;
  }
  const bool above = std::isfinite(lower), below = std::isfinite(upper);
  Matrix A((above ? 1 : 0) + (below ? 1 : 0), dimension());
  rows.b.resize(A.rows());
  if (below) A.row(0) = a.transpose(), rows.b[0] = upper;
  if (above) A.bottomRows(1) = -a.transpose(), rows.b.tail(1)[0] = -lower;
  rows.A = std::move(A);
  return rows;
}

std::optional<Set> Slab::scaled(In row) const { return Set(Slab(a.cwiseProduct(row), lower, upper)); }

Slab halfspace(Vector a, double b) {
  require(std::isfinite(b), "halfspace.b", b, "a finite number");
  return {std::move(a), -infinity, b};
}

Slab hyperplane(Vector a, double b) {
  require(std::isfinite(b), "hyperplane.b", b, "a finite number");
  return {std::move(a), b, b};
}

}  // namespace pendec
