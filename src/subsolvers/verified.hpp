// What bounds are made of: inequalities that hold for the exact numbers, although they are computed in floating
// point.
#pragma once

#include <optional>

#include "pendec/core/deadline.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// An orthonormal basis of the vectors that a positive semidefinite A maps to zero, as far as rounding can tell: of
/// the kernel of D⁻½ A D⁻½, whose diagonal is one, times D⁻½. What is small beside other rows only is not zero.
Matrix flat_directions(MatrixIn A);

/// If the Cholesky factorisation of A − margin·I runs to its end in floating point, A is positive semidefinite (Rump
/// 2006, "Verification of positive definiteness").
double rounding_margin(MatrixIn A);

/// Is A ⪰ 0, seen in that way? A is overwritten.
bool verified_semidefinite(Matrix& A, const Deadline& deadline = Deadline());

/// δ with A ⪰ diag(δ), verified: positive where A is safely positive definite, a little below zero where it is
/// singular up to rounding, zero on rows that are zero. Nothing if A is not positive semidefinite up to rounding.
std::optional<Vector> verified_diagonal(MatrixIn A);

/// A lower bound of the least eigenvalue of A, verified and as a rule close; 0 if none above that is found.
double verified_least_eigenvalue(MatrixIn A);

/// min {½δt² + gt : l ≤ t ≤ u}, and the size of what was added up.
struct LeastTerm {
  double value = 0.0;
  double size = 0.0;
};
LeastTerm least_term(double delta, double g, double l, double u);

/// The least of these for all slopes between g − error and g + error.
LeastTerm least_term(double delta, double g, double error, double l, double u);

}  // namespace pendec::detail
