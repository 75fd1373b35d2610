// Evaluations that nobody asked for, at points where a user's function need not be defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"
#include "pendec/core/random.hpp"

namespace pendec::detail {

/// f(x) and ∇f(x); false where f throws, or is not finite, to say that it is not defined.
inline bool probe(const Objective& f, In x, double& value, Vector& gradient) {
  try {
    value = f.value_and_gradient(x, gradient);
  } catch (...) {
    return false;
  }
  return std::isfinite(value) && gradient.allFinite();
}

inline bool probe(const Map& G, In x, Vector& value) {
  try {
    G.evaluate(x, value);
  } catch (...) {
    return false;
  }
  return value.allFinite();
}

/// Points to compare: x, some around it, near and far, since far from x little shows of what a function is near it,
/// and a few others.
inline std::vector<Vector> points_around(In x, const std::vector<Vector>& others) {
  constexpr std::ptrdiff_t few = 3;
  std::vector<Vector> points{x};
  Random random(1);
  double size = std::max(1.0, x.norm() / std::sqrt(static_cast<double>(x.size())));
  for (int k = 0; k < few; ++k, size *= 0.3) points.emplace_back(x + size * random.normal_vector(x.size()));
  points.insert(points.end(), others.begin(), others.begin() + std::min(std::ssize(others), few));
  return points;
}

}  // namespace pendec::detail
