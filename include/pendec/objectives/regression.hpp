// Objectives of regression models: least squares and logistic loss.
#pragma once

#include "pendec/core/objective.hpp"

namespace pendec {

/// f(x) = ½‖Ax − b‖². One product with A and one with Aᵀ a call; never copies A.
struct PENDEC_EXPORT LeastSquares {
  LeastSquares(Operator A, Vector b);

  Index dimension() const { return A.cols(); }
  bool convex() const { return true; }
  double value_and_gradient(In x, Out g) const;
  double value(In x) const;
  Operator constant_hessian() const { return A.gram(); }
  Matrix curvature_below(In, In, In) const { return A.gram().dense(); }
  QuadraticForm quadratic_form() const;
  double magnitude(In x, Out gradient) const;

  Operator A;
  Vector b;
};

/// f(x) = Σ_k log(1 + exp(−label_k ⟨a_k, x⟩)), labels ±1, a_k the rows of A. One product with A and one with Aᵀ a
/// call; never copies A.
struct PENDEC_EXPORT Logistic {
  Logistic(Operator A, Vector labels);

  Index dimension() const { return A.cols(); }
  bool convex() const { return true; }
  double value_and_gradient(In x, Out g) const;
  void hessian_times(In x, In d, Out out) const;
  Operator hessian(In x) const;

  /// Aᵀ diag(κ) A: κ_k is the largest curvature of a parabola that touches the k-th term at its margin and stays
  /// below it wherever the margin can go in the box.
  Matrix curvature_below(In at, In lower, In upper) const;
  double magnitude(In x, Out gradient) const;

  Operator A;
  Vector labels;
};

}  // namespace pendec
