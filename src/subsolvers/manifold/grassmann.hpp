// Minimisation over subspaces: Newton's method in a trust region of the Grassmann manifold.
#pragma once

#include <memory>

#include "pendec/core/deadline.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// A smooth function of span B, B ∈ ℝ^{p × κ} orthonormal. Gradients and Hessians are those on the manifold: matrices
/// D with BᵀD = 0. All refer to the B evaluated last.
class SubspaceFunction {
 public:
  virtual ~SubspaceFunction() = default;
  virtual std::unique_ptr<SubspaceFunction> copy() const = 0;

  virtual double evaluate(const Matrix& B) = 0;  // may throw OutOfTime
  virtual Matrix gradient(const Matrix& B) const = 0;
  virtual Matrix hessian_times(const Matrix& B, const Matrix& D) const = 0;

  /// The next B will be about B + D: what is known about it may be used as a start.
  virtual void predict(const Matrix& /*B*/, const Matrix& /*D*/) {}
};

struct SubspaceEnd {
  double value = infinity;
  Matrix B;
  double gradient = infinity;  // its norm
  double radius = 0.0;         // of the trust region
  Index iterations = 0;
  std::unique_ptr<SubspaceFunction> at;  // evaluated at B
};

/// Stops at ‖gradient‖ ≤ tolerance (absolute), after max_iterations or when the deadline has passed. `radius`: the
/// first one. Throws OutOfTime if that was before φ was known at B.
SubspaceEnd minimise_over_subspaces(const SubspaceFunction& phi, const Matrix& B, double tolerance,
                                    Index max_iterations, const Deadline& deadline, double radius = 0.5);

Matrix orthonormal_columns(const Matrix& A);       // that span those of A
Matrix without(const Matrix& B, const Matrix& X);  // (I − BBᵀ) X

}  // namespace pendec::detail
