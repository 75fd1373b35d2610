// Dense products and decompositions by BLAS and LAPACK. One place for them keeps their templates out of every other
// file: Eigen's own cost minutes of compilation. What is not finite, or does not converge, comes back as NaN.
// What takes long for large matrices is done in pieces: once the deadline has passed, it throws OutOfTime.
#pragma once

#include "pendec/core/deadline.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

Matrix times(MatrixIn A, MatrixIn B, const Deadline& deadline = Deadline());            // A B
Matrix transpose_times(MatrixIn A, MatrixIn B, const Deadline& deadline = Deadline());  // Aᵀ B
Matrix times_transpose(MatrixIn A, MatrixIn B, const Deadline& deadline = Deadline());  // A Bᵀ

double inner(const Matrix& A, const Matrix& B);  // Σ aᵢⱼ bᵢⱼ

bool all_finite(MatrixIn A);  // faster than A.allFinite()

/// The lower triangle of A becomes L with A = L Lᵀ. False if A is not positive definite, up to rounding, or not
/// finite.
bool cholesky_in_place(Matrix& A, const Deadline& deadline = Deadline());

/// A = L Lᵀ, from the lower triangle of A.
class Cholesky {
 public:
  bool compute(MatrixIn A, const Deadline& deadline = Deadline());  // false as above
  void solve_in_place(Out b) const;
  void divide_from_right(MatrixOut B, const Deadline& deadline = Deadline())
      const;                              // B ← B L⁻ᵀ: makes the columns of B orthonormal if A = BᵀB
  const Matrix& L() const { return L_; }  // its upper triangle is not meant

 private:
  Matrix L_;
};

/// A = Q [R; 0] with Q square; A has at least as many rows as columns.
struct FullQr {
  Matrix Q, R;
};

FullQr full_qr(MatrixIn A);

/// A = V diag(values) Vᵀ, values ascending.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};

/// Of a symmetric A; only its lower triangle is read.
SymmetricEigen symmetric_eigen(MatrixIn A, const Deadline& deadline = Deadline());
Vector symmetric_eigenvalues(MatrixIn A, const Deadline& deadline = Deadline());

/// A v = value · B v with B positive definite, Vᵀ B V = I.
SymmetricEigen generalised_eigen(MatrixIn A, MatrixIn B);

/// A = U diag(sigma) Vᵀ with min(rows, cols) columns in U and V, sigma descending.
struct ThinSvd {
  Matrix U;
  Vector sigma;
  Matrix V;
};

ThinSvd thin_svd(MatrixIn A);
Vector singular_values(MatrixIn A);

}  // namespace pendec::detail
