// Minimisation over matrices with unit rows, the factors V of correlation matrices V Vᵀ.
#pragma once

#include <functional>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// A smooth function F of V ∈ ℝ^{n × k}, minimised over {V : every row has length one}.
class RowFunction {
 public:
  virtual ~RowFunction() = default;

  /// F(V) and its gradient in ℝ^{n × k}.
  virtual double evaluate(const Matrix& V, Matrix& gradient) = 0;

  /// V, evaluated last, is the new iterate; `radial` are the inner products of its rows with those of the gradient,
  /// `reduction` is the norm of the Riemannian gradient relative to the tolerance: 1 at the end.
  virtual void accept(const Matrix& /*V*/, const Vector& /*radial*/, double /*reduction*/) {}

  /// D ← H₀ D, an approximate inverse of the Hessian on the tangent space at the iterate. False: there is none, a
  /// multiple of the identity has to do.
  virtual bool precondition(const Matrix& /*V*/, Matrix& /*D*/) { return false; }
};

struct UnitRowsOptions {
  double tolerance = 0.0;  // of the norm of the Riemannian gradient, absolute
  Index max_iterations = 10000;
  std::function<bool()> stop = {};  // asked once an evaluation
};

enum class UnitRowsStatus { converged, stalled, limit, stopped };

struct UnitRowsEnd {
  UnitRowsStatus status = UnitRowsStatus::stalled;
  double value = 0.0;
  Matrix gradient;  // Riemannian: the Euclidean one minus radial times V
  Vector radial;    // ⟨rows of the Euclidean gradient, rows of V⟩
  Index iterations = 0, evaluations = 0;
};

/// Limited memory BFGS on the product of spheres: steps are retracted by normalising rows, differences are taken in
/// the surrounding space, directions projected onto the tangent space. Armijo's rule; where rounding hides the
/// decrease, that of Hager and Zhang (LineSearch::sufficient). V is moved in place.
UnitRowsEnd minimise_on_unit_rows(RowFunction& F, Matrix& V, const UnitRowsOptions& options);

void normalise_rows(Matrix& V);                                   // a row of zeros becomes the first unit vector
Vector row_products(const Matrix& A, const Matrix& B);            // ⟨rows of A, rows of B⟩
void subtract_rows(const Vector& c, const Matrix& V, Matrix& D);  // D ← D − Diag(c) V

}  // namespace pendec::detail
