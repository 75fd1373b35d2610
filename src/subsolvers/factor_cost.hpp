// What a factorisation would cost, from the places of a sparse matrix alone.
#pragma once

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// Multiplications of a Cholesky or LDLᵀ factorisation of a symmetric matrix, given by its lower triangle with a full
/// diagonal, in a fill-reducing order (approximate minimum degree). Beyond `enough` it may be any number above that.
double factor_cost(const SparseMatrix& lower, double enough);

}  // namespace pendec::detail
