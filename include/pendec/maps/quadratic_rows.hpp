// Quadratic constraints.
#pragma once

#include <vector>

#include "pendec/core/map.hpp"

namespace pendec {

/// G_j(x) = ½xᵀQ_jx + a_jᵀx + b_j with Q_j symmetric and a_j the rows of A. O(rows · n²) a call.
struct PENDEC_EXPORT QuadraticRows {
  QuadraticRows(std::vector<Matrix> Q, Matrix A, Vector b);

  Index input_dimension() const { return A.cols(); }
  Index output_dimension() const { return A.rows(); }
  void evaluate(In x, Out out) const;
  void adjoint(In x, In w, Out out) const;
  Matrix jacobian(In x) const;
  void derivative(In x, In d, Out out) const { out = jacobian(x) * d; }
  void hessian_times(In x, In w, In d, Out out) const { out = hessian(x, w) * d; }
  Matrix hessian(In x, In w) const;
  std::optional<Operator> constant_jacobian() const;  // if all Q_j are zero
  void magnitude(In x, Out values, Out slopes) const;

  std::vector<Matrix> Q;
  Matrix A;
  Vector b;
};

}  // namespace pendec
