// Convex quadratic programs by trying every set of active bounds and rows, in quadruple precision: the truth that
// bounds and proofs are held against. For a handful of variables.
#pragma once

#include <vector>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/types.hpp"

namespace pendec::reference {

__extension__ typedef __float128 Quad;

/// ½xᵀQx + cᵀx + constant, with the numbers as they are given.
struct ExactQuadratic {
  Index n = 0;
  std::vector<Quad> Q, c;  // Q by columns
  Quad constant = 0;

  explicit ExactQuadratic(Index dimension);
  ExactQuadratic(const Matrix& Q, const Vector& c, double constant = 0.0);
  static ExactQuadratic least_squares(const Matrix& A, const Vector& b);  // ½‖Ax − b‖²

  Quad& q(Index i, Index j) { return Q[static_cast<std::size_t>(i + n * j)]; }
  Quad q(Index i, Index j) const { return Q[static_cast<std::size_t>(i + n * j)]; }
  long double value(const Vector& x) const;
  long double size(const Vector& x) const;  // of what value() adds up
};

enum class Precision { extended, quadruple };  // 18 digits in hardware, 34 in software

/// The least f found over the constraints, x being zero outside of `columns`; infinity if no point is feasible. Every
/// value comes from a point that is feasible to 25 digits (14 in extended precision), so no lower bound may exceed
/// it.
long double least_on(const ExactQuadratic& f, const LinearConstraints& constraints, const std::vector<Index>& columns,
                     Precision precision = Precision::quadruple);
long double least_on(const ExactQuadratic& f, const LinearConstraints& constraints);

}  // namespace pendec::reference
