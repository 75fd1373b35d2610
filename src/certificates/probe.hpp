// Evaluations that nobody asked for, at points where a user's function need not be defined.
#pragma once

#include <cmath>

#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"

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

}  // namespace pendec::detail
