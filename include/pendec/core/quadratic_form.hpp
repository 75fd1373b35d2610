// The numbers of a quadratic objective.
#pragma once

#include <optional>

#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// ½xᵀQx + cᵀx + constant, with Q symmetric. Where the numbers had to be computed, as in a Gram matrix, they may be
/// off by the errors given.
struct QuadraticForm {
  Operator Q;  // dense
  Vector c;
  double constant = 0.0;
  double Q_error = 0.0;         // of qᵢⱼ, relative to √(qᵢᵢqⱼⱼ)
  Vector c_error = {};          // of each cᵢ; empty: none
  double constant_error = 0.0;  // of the constant
};

/// ½xᵀQx + cᵀx, Q symmetric up to rounding. Nothing where Q has to be computed and rounding may be all there is in an
/// entry, or cannot be told.
PENDEC_EXPORT std::optional<QuadraticForm> form_of(const Operator& Q, Vector c);

/// ½‖Ax − b‖² from AᵀA, Aᵀb and ‖b‖², sums over as many rows.
PENDEC_EXPORT QuadraticForm form_of_squares(Matrix gram, const Vector& A_times_b, double b_norm, Index rows);

}  // namespace pendec
