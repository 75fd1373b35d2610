// Dense decompositions by LAPACK. One place for them keeps their templates out of every other file: Eigen's own cost
// minutes of compilation. What is not finite, or does not converge, comes back as NaN.
#pragma once

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// A = V diag(values) Vᵀ, values ascending.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};

/// Of a symmetric A; only its lower triangle is read.
SymmetricEigen symmetric_eigen(MatrixIn A);
Vector symmetric_eigenvalues(MatrixIn A);

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
