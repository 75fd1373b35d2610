// Matrices with orthonormal columns.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {X ∈ ℝ^{rows × cols} : XᵀX = I}, rows ≥ cols, on column-major coordinates. The projection is the orthogonal factor
/// U Vᵀ of Z = U Σ Vᵀ (Higham 1986). Cost O(rows · cols²).
struct PENDEC_EXPORT Stiefel {
  Stiefel(Index rows, Index cols);

  Index dimension() const { return rows * cols; }
  std::string name() const { return "Stiefel"; }
  void project(In z, Out y) const;

  /// Exact: the normal space is {X S : S = Sᵀ} (Absil, Mahony, Sepulchre 2008).
  double normal_residual(In x, In v) const;
  bool projection_is_unique(In z, double tol) const;  // rank Z = cols: the smallest singular value exceeds tol

  Index rows, cols;
};

}  // namespace pendec
