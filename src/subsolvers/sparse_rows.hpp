// Linear constraints with sparse rows, in the form in which their solvers read them.
#pragma once

#include "pendec/core/linear_constraints.hpp"

namespace pendec::detail {

/// The rows of A, then of E, as one sparse matrix: each of length one, but for those of zeros.
struct SparseRows {
  explicit SparseRows(LinearConstraints constraints);

  Index count() const { return right.size(); }
  Index inequalities() const { return data.b.size(); }  // they come first
  Index dimension() const { return data.dimension(); }

  LinearConstraints data;  // as given
  SparseMatrix matrix;
  Vector right;
  Vector lengths;  // of the rows as given; of zeros: 1
};

/// Farkas: (Mᵀy)ᵀx ≤ rᵀy for every point, if y ≥ 0 at inequalities; do the bounds allow only more? Up to rounding.
bool excludes_all_points(const SparseRows& rows, In y);

enum class ProjectionEnd {
  optimal,     // to rounding
  infeasible,  // there is no point, as the multipliers prove up to rounding
  inaccurate   // no further progress
};

}  // namespace pendec::detail
