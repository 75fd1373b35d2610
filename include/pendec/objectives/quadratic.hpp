// Quadratic objectives.
#pragma once

#include "pendec/core/objective.hpp"
#include "pendec/core/shared_matrix.hpp"

namespace pendec {

/// f(x) = ½xᵀQx + cᵀx with Q symmetric, dense. O(n²) a call; never copies Q.
struct PENDEC_EXPORT Quadratic {
  Quadratic(SharedMatrix Q, Vector c);

  Index dimension() const { return c.size(); }
  double value_and_gradient(In x, Out g) const;
  void hessian_times(In x, In d, Out out) const;
  ConstantHessian constant_hessian() const { return {.dense = &*Q}; }
  Matrix hessian(In) const { return *Q; }
  Matrix curvature_below(In, In, In) const { return *Q; }
  double magnitude(In x, Out gradient) const;  // ½|x|ᵀ|Q||x| + |c|ᵀ|x|

  SharedMatrix Q;
  Vector c;
};

/// f(x) = ½ Σ wᵢ (xᵢ − aᵢ)²; without weights ½‖x − a‖², for matrices the Frobenius distance. O(n) a call.
struct PENDEC_EXPORT SquaredDistance {
  explicit SquaredDistance(Vector a, Vector weights = {});

  Index dimension() const { return a.size(); }
  double value(In x) const;
  double value_and_gradient(In x, Out g) const;
  void hessian_times(In x, In d, Out out) const;
  ConstantHessian constant_hessian() const { return {.diagonal = &weights}; }
  Matrix hessian(In) const { return weights.asDiagonal(); }
  Matrix curvature_below(In, In, In) const { return weights.asDiagonal(); }

  Vector a, weights;
  bool unit_weights;
};

}  // namespace pendec
