// Linear objectives.
#pragma once

#include "pendec/core/objective.hpp"

namespace pendec {

/// f(x) = cᵀx. O(n) a call.
struct PENDEC_EXPORT Linear {
  explicit Linear(Vector c);

  Index dimension() const { return c.size(); }
  bool convex() const { return true; }
  double value(In x) const { return c.dot(x); }
  double value_and_gradient(In x, Out g) const { return g = c, c.dot(x); }
  Operator constant_hessian() const { return Operator::diagonal(Vector::Zero(c.size())); }

  Vector c;
};

}  // namespace pendec
