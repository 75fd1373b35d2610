// Objectives of regression models: least squares and logistic loss.
#pragma once

#include "pendec/core/objective.hpp"
#include "pendec/core/shared_matrix.hpp"

namespace pendec {

/// f(x) = ½‖Ax − b‖². O(rows · n) a call; never copies A.
struct PENDEC_EXPORT LeastSquares {
  LeastSquares(SharedMatrix A, Vector b);

  Index dimension() const { return A->cols(); }
  bool convex() const { return true; }
  double value_and_gradient(In x, Out g) const;
  void hessian_times(In x, In d, Out out) const;
  Matrix hessian(In x) const;
  Matrix curvature_below(In at, In lower, In upper) const;  // AᵀA
  double magnitude(In x, Out gradient) const;

  SharedMatrix A;
  Vector b;
};

/// f(x) = Σ_k log(1 + exp(−label_k ⟨a_k, x⟩)), labels ±1, a_k the rows of A. O(rows · n) a call; never copies A.
struct PENDEC_EXPORT Logistic {
  Logistic(SharedMatrix A, Vector labels);

  Index dimension() const { return A->cols(); }
  bool convex() const { return true; }
  double value_and_gradient(In x, Out g) const;
  void hessian_times(In x, In d, Out out) const;
  Matrix hessian(In x) const;

  /// Aᵀ diag(κ) A: κ_k is the largest curvature of a parabola that touches the k-th term at its margin and stays
  /// below it wherever the margin can go in the box.
  Matrix curvature_below(In at, In lower, In upper) const;
  double magnitude(In x, Out gradient) const;

  SharedMatrix A;
  Vector labels;
};

}  // namespace pendec
