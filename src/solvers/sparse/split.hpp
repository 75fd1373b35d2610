// Q = Q0 + diag(δ) with Q0 positive semidefinite: what the perspective bound rests on. All throw OutOfTime.
#pragma once

#include <optional>
#include <span>

#include "pendec/core/deadline.hpp"
#include "pendec/core/types.hpp"

namespace pendec::sparse {

/// Q0 ⪰ 0 holds for the exact difference Q − diag(delta), rounding included, on the variables it was verified for.
/// Where Q is singular, delta is a little below zero.
struct Split {
  Split(MatrixIn Q, Vector delta);

  Vector delta;
  Matrix Q0;
  Vector magnitude;  // max_j |Q0_ij|
};

/// Verified by a Cholesky factorisation with a margin for its own rounding (Rump 2006, "Verification of positive
/// definiteness"); nothing if that fails.
std::optional<Split> verified_split(MatrixIn Q, const Vector& delta, const Deadline& deadline);

/// A first split from Q alone, verified; δ is proportional to 1/(Q⁻¹)ᵢᵢ where Q is positive definite. Nothing if Q is
/// not positive semidefinite up to rounding.
std::optional<Split> first_split(MatrixIn Q, const Deadline& deadline);

/// The same for the submatrix on `variables`; only points that vanish elsewhere may be bounded with it.
std::optional<Split> first_split(MatrixIn Q, std::span<const Index> variables, const Deadline& deadline);

}  // namespace pendec::sparse
