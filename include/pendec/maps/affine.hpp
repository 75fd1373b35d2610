// Affine maps.
#pragma once

#include "pendec/core/map.hpp"

namespace pendec {

/// G(x) = A x + b. One product with A a call; never copies A.
struct PENDEC_EXPORT Affine {
  explicit Affine(Operator A, Vector b = {});

  Index input_dimension() const { return A.cols(); }
  Index output_dimension() const { return A.rows(); }
  void evaluate(In x, Out out) const { A.times(x, out), out += b; }
  void adjoint(In, In w, Out out) const { A.transpose_times(w, out); }
  const Operator& constant_jacobian() const { return A; }

  Operator A;
  Vector b;
};

}  // namespace pendec
