// Affine maps.
#pragma once

#include "pendec/core/map.hpp"

namespace pendec {

/// G(x) = A x + b. O(rows · n) a call.
struct PENDEC_EXPORT Affine {
  explicit Affine(Matrix A, Vector b = {});

  Index input_dimension() const { return A.cols(); }
  Index output_dimension() const { return A.rows(); }
  void evaluate(In x, Out out) const { out.noalias() = A * x, out += b; }
  void adjoint(In, In w, Out out) const { out.noalias() = A.transpose() * w; }
  void derivative(In, In d, Out out) const { out.noalias() = A * d; }
  Matrix jacobian(In) const { return A; }
  ConstantJacobian constant_jacobian() const { return {.dense = &A}; }

  Matrix A;
  Vector b;
};

}  // namespace pendec
