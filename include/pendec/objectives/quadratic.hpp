// Quadratic objectives.
#pragma once

#include "pendec/core/objective.hpp"

namespace pendec {

/// f(x) = ½xᵀQx + cᵀx with Q symmetric. One product with Q a call; never copies Q.
struct PENDEC_EXPORT Quadratic {
  Quadratic(Operator Q, Vector c);

  Index dimension() const { return c.size(); }
  double value_and_gradient(In x, Out g) const;
  const Operator& constant_hessian() const { return Q; }
  Matrix curvature_below(In, In, In) const { return Q.dense(); }
  std::optional<QuadraticForm> quadratic_form() const;
  double magnitude(In x, Out gradient) const;  // ½|x|ᵀ|Q||x| + |c|ᵀ|x|
  Index summands() const { return Q.summands(); }

  Operator Q;
  Vector c;
};

/// f(x) = ½ Σ wᵢ (xᵢ − aᵢ)²; without weights ½‖x − a‖², for matrices the Frobenius distance. O(n) a call.
struct PENDEC_EXPORT SquaredDistance {
  explicit SquaredDistance(Vector a, Vector weights = {});

  Index dimension() const { return a.size(); }
  double value(In x) const;
  double value_and_gradient(In x, Out g) const;
  /// Each difference is wrong by rounding of |xᵢ| + |aᵢ|, however small it is.
  double magnitude(In x, Out gradient) const;
  double lower_bound() const { return 0.0; }
  bool convex() const { return true; }
  Operator constant_hessian() const { return Operator::diagonal(weights); }
  Matrix curvature_below(In, In, In) const { return weights.asDiagonal(); }

  Vector a, weights;
  bool unit_weights;
};

}  // namespace pendec
