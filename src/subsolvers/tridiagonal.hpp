// Symmetric matrices as tridiagonal ones: what decompositions of large matrices spend most of their time on, and in
// pieces, so that a deadline can end it.
#pragma once

#include "pendec/core/deadline.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// Up to this order LAPACK's drivers take less than a tenth of a second: there is nothing to cut into pieces.
constexpr Index order_in_one_piece = 512;

/// A = Q T Qᵀ for a symmetric and finite A of a larger order, from its lower triangle. Throws OutOfTime.
class Tridiagonal {
 public:
  Tridiagonal(MatrixIn A, const Deadline& deadline);

  /// All of them, ascending; NaN where LAPACK fails.
  Vector eigenvalues() &&;

  /// The same with the eigenvectors of A.
  bool eigenpairs(Vector& values, Matrix& vectors) &&;

  /// The k largest, ascending, with their eigenvectors.
  bool largest(Index k, Vector& values, Matrix& vectors) &&;

 private:
  bool back_transform(Matrix& Z) const;  // Z ← Q Z
  Vector scaled(Vector values) const;

  const Deadline& deadline_;
  Matrix reflectors_;  // and a column more: OpenBLAS's dsymv reads past the end of its arguments
  Vector diagonal_, off_, tau_;
  int exponent_ = 0;      // A was divided by this power of two
  double seconds_ = 0.0;  // the reduction took
};

}  // namespace pendec::detail
