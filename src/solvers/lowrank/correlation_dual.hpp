// Projection onto correlation matrices, by Newton's method on the dual.
// H. Qi, D. Sun: A quadratically convergent Newton method for computing the nearest correlation matrix, 2006.
#pragma once

#include "../../subsolvers/dense.hpp"
#include "correlation_parts.hpp"

namespace pendec::detail {

/// min ½‖X − A‖² s.t. X ⪰ 0, x_e = b_e for the entries e (the diagonal and the fixed ones) has the dual
///   min θ(y) = ½‖(A + E*(y))₊‖² − ⟨b, y⟩,   ∇θ(y) = E((A + E*(y))₊) − b,   X = (A + E*(y))₊,
/// with E*(y) the symmetric matrix that has y_e at diagonal entries and y_e/2 at both places of the others.
class CorrelationDual {
 public:
  /// b is `diagonal` and, at fixed entries, `values`.
  CorrelationDual(const Vector& diagonal, const FixedEntries& fixed, const Vector& values);

  Index size() const { return b_.size(); }
  Matrix plus_adjoint(Matrix A, In y) const;  // A + E*(y)

  /// Newton's method from y until ‖∇θ‖ ≤ tolerance · ‖b‖, as far as rounding and the deadline allow. Returns θ(y).
  /// Throws OutOfTime if not even the first decomposition came to its end.
  double minimise(MatrixIn A, double tolerance, const Deadline& deadline, Vector& y);

  const Matrix& factor() const { return factor_; }  // X = factor · factorᵀ, of the y decomposed last
  Index iterations() const { return iterations_; }

 private:
  double evaluate(MatrixIn A, In y, const Deadline& deadline);
  void descend(MatrixIn A, double tolerance, const Deadline& deadline, Vector& y, double& theta);
  Vector hessian_times(In h, const Deadline& deadline) const;
  Vector newton_direction(const Deadline& deadline) const;

  Index n_;
  FixedEntries entries_;
  Vector b_, gradient_;
  SymmetricEigen eigen_;  // of A + E*(y), for the y evaluated last
  Index positive_ = 0, iterations_ = 0;
  Matrix factor_;
};

}  // namespace pendec::detail
