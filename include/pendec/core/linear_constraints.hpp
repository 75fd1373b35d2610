// The one description of a polyhedron that sets hand out and the QP and SQP solvers read.
#pragma once

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// {x ∈ ℝⁿ : A x ≤ b, E x = d, lower ≤ x ≤ upper}. Infinite bounds mean none.
struct PENDEC_EXPORT LinearConstraints {
  Matrix A;
  Vector b;
  Matrix E;
  Vector d;
  Vector lower, upper;

  static LinearConstraints none(Index n);
  Index dimension() const { return lower.size(); }

  /// Adds the constraints of `other` on the coordinates begin, begin + 1, …
  void append(const LinearConstraints& other, Index begin = 0);

  /// Largest violation of a single row or bound; 0 inside.
  double violation(In x) const;
};

}  // namespace pendec
