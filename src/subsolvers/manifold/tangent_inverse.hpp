// The inverse Hessian of the distance to a matrix, on the tangent space of matrices with unit rows.
#pragma once

#include <vector>

#include "../dense.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// Half the Hessian of ½‖VVᵀ − A‖² over unit rows is, with S = VᵀV, μᵢ = ⟨vᵢ, ((VVᵀ − A)V)ᵢ⟩ and the tangent
/// projection P,
///   D ↦ P(D S − B D + V DᵀV),   B = A + Diag(μ) − VVᵀ.
/// In the basis where S = Diag(s), and without the last term, which only doubles some eigenvalues, it acts on column
/// j as M_j = s_j I − B. Its inverse on the tangent space is
///   D = M⁻¹(G − Diag(ξ)V),   ξ so that rows of D are orthogonal to those of V:   (Σ_j M_j⁻¹ ∘ v_j v_jᵀ) ξ = ⟨V,
///   M⁻¹G⟩.
/// Columns with similar s_j share one M; s is raised where M would not be positive definite. To make it costs a few
/// n³, to apply it three products of A with V.
class TangentInverse {
 public:
  /// Number of matrices M_j needed for these eigenvalues of S (increasing): what a build costs.
  static Index groups(const Vector& s);

  /// False if it cannot be made, in floating point or in time; then it must not be applied.
  bool build(MatrixIn A, const Matrix& V, const Matrix& S, const Vector& mu, const Deadline& deadline);

  /// D ← inverse · D.
  void apply(Matrix& D) const;

 private:
  struct Group {
    Index begin, size;  // columns
    Matrix inverse;     // M⁻¹
  };

  bool make(MatrixIn A, const Matrix& V, const Matrix& S, const Vector& mu, const Deadline& deadline);
  bool add_group(MatrixIn A, const Matrix& V, const Vector& mu, const Vector& s, Index begin, Index size,
                 const Deadline& deadline);
  void times_inverse(const Matrix& X, Matrix& out) const;

  Matrix rotation_, V_;  // S = rotation Diag(s) rotationᵀ; V rotated
  std::vector<Group> groups_;
  Cholesky schur_;
  double margin_ = 1e-5;  // by which s_1 was raised last, relative
};

}  // namespace pendec::detail
