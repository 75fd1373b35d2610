// A preconditioner for functions of V with unit rows whose Hessian is about D ↦ D VᵀV.
#pragma once

#include "../dense.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// The inverse of S = VᵀV on the tangent spaces of the rows, small eigenvalues raised.
class GramInverse {
 public:
  void update(const Matrix& V, const SymmetricEigen& S);

  /// d ← S⁻¹d − S⁻¹v ⟨v, S⁻¹d⟩/⟨v, S⁻¹v⟩ for every row: the solution of S x = d + const · v with ⟨v, x⟩ = 0.
  void apply(const Matrix& V, Matrix& D) const;

  /// V was of lower rank, up to 1e-6, in the last iterations: towards such a point all methods on V are slow.
  bool deficient() const { return deficient_updates_ >= 30; }

 private:
  Matrix inverse_, V_inverse_;
  Vector lengths_;  // ⟨v, S⁻¹v⟩ of each row
  Index deficient_updates_ = 0;
};

}  // namespace pendec::detail
