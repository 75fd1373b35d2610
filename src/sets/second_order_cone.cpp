#include "pendec/sets/second_order_cone.hpp"

#include <algorithm>
#include <cmath>

#include "pendec/core/error.hpp"
#include "squares.hpp"

namespace pendec {

SecondOrderCone::SecondOrderCone(Index n_) : n(n_) { require(n >= 1, "SecondOrderCone.n", n, "at least 1"); }

void SecondOrderCone::project(In z, Out y) const {
  const double t = z[0], size = detail::norm(z.tail(n - 1));
  if (size <= t) {
    y = z;
  } else if (size <= -t) {
    y.setZero();
  } else {
    const double half = 0.5 * t + 0.5 * size;
    y[0] = half;
    y.tail(n - 1) = size > 0.0 ? Vector((half / size) * z.tail(n - 1)) : Vector(z.tail(n - 1));
  }
}

double SecondOrderCone::normal_residual(In x, In v) const {
  const double t = x[0], size = detail::norm(x.tail(n - 1));
  if (t == 0.0 && size == 0.0) {  // N = −K, and dist(v, −K) = ‖Π_K(v)‖
    Vector inside(n);
    project(v, inside);
    return inside.norm();
  }
  if (size < t * (1.0 - 1e-12)) return v.norm();
  Vector d = x / size;
  d[0] = -1.0;
  d /= std::sqrt(2.0);
  return (v - std::max(v.dot(d), 0.0) * d).norm();
}

std::optional<Set> SecondOrderCone::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  return Set(*this);
}

/// For z in the polar cone the boundary ray towards its second part: ⟨z, (√(1 − ρ²), ρ ẑ)⟩ grows with ρ ≤ √½.
std::optional<Vector> SecondOrderCone::ray(In z) const {
  Vector u = Vector::Unit(n, 0);
  if (n == 1) return u;
  const double size = detail::norm(z.tail(n - 1));
  u.tail(n - 1) = size > 0.0 ? Vector(z.tail(n - 1) / size) : Vector(Vector::Unit(n - 1, 0));
  return Vector(u / std::sqrt(2.0));
}

}  // namespace pendec
