#include "pendec/sets/l1_ball.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/simplex.hpp"

namespace pendec {

L1Ball::L1Ball(Index n_, double radius_) : n(n_), radius(radius_) {
  require(n >= 1, "L1Ball.n", n, "at least 1");
  require(radius > 0.0 && radius < infinity, "L1Ball.radius", radius, "a positive finite number");
}

void L1Ball::project(In z, Out y) const {
  if (z.lpNorm<1>() <= radius) {
    y = z;
    return;
  }
  Simplex(n, radius).project(z.cwiseAbs(), y);
  for (Index i = 0; i < n; ++i) y[i] = std::copysign(y[i], z[i]);
}

double L1Ball::normal_residual(In x, In v) const {
  const double zero = 1e-12 * radius;
  if (x.lpNorm<1>() < radius - zero * static_cast<double>(n)) return v.norm();
  // min over ν ≥ 0 of Σ_support (vᵢ sign(xᵢ) − ν)² + Σ_others max(|vᵢ| − ν, 0)²
  std::vector<double> others;
  double sum = 0.0, count = 0.0;
  for (Index i = 0; i < n; ++i) {
    if (std::abs(x[i]) > zero) {
      sum += std::copysign(1.0, x[i]) * v[i];
      ++count;
    } else {
      others.push_back(std::abs(v[i]));
    }
  }
  std::sort(others.begin(), others.end(), std::greater<>());
  for (auto it = others.begin(); it != others.end() && *it * count > sum; ++it) {
    sum += *it;
    ++count;
  }
  const double nu = std::max(sum / count, 0.0);
  double squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double r =
        std::abs(x[i]) > zero ? std::copysign(1.0, x[i]) * v[i] - nu : std::max(std::abs(v[i]) - nu, 0.0);
    squares += r * r;
  }
  return std::sqrt(squares);
}

std::optional<Set> L1Ball::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  return Set(L1Ball(n, radius / row[0]));
}

Set max_norm_ball(Index n, double radius) {
  require(n >= 1, "max_norm_ball.n", n, "at least 1");
  require(radius > 0.0, "max_norm_ball.radius", radius, "a positive number");
  return Box(Vector::Constant(n, -radius), Vector::Constant(n, radius));
}

}  // namespace pendec
