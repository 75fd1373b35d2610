// Proof that approximate eigenpairs are the leading ones.
#pragma once

#include "pendec/core/deadline.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// Z symmetric, Q orthonormal, values = diag of QᵀZQ, which is diagonal, residual = ‖ZQ − Q Diag(values)‖_F, norm =
/// ‖Z‖_F. Does the remainder (I − QQᵀ) Z (I − QQᵀ) have no eigenvalue above `bound`? Proved by one Cholesky
/// factorisation, with allowance for the residual and for rounding; false if that fails. Overwrites `work`.
bool remainder_is_below(MatrixIn Z, double norm, const Matrix& Q, const Vector& values, double residual, double bound,
                        Matrix& work, const Deadline& deadline = Deadline());

}  // namespace pendec::detail
