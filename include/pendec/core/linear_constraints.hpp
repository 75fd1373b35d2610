// The one description of a polyhedron that sets hand out and solvers read.
#pragma once

#include <vector>

#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// {x ∈ ℝⁿ : A x ≤ b, E x = d, lower ≤ x ≤ upper}. Infinite bounds mean none.
struct PENDEC_EXPORT LinearConstraints {
  Operator A;
  Vector b;
  Operator E;
  Vector d;
  Vector lower, upper;

  static LinearConstraints none(Index n);
  static LinearConstraints product(const std::vector<LinearConstraints>& blocks);  // each of its own coordinates
  Index dimension() const { return lower.size(); }

  void append(const LinearConstraints& other);  // which holds as well

  /// {x : J x + shift ∈ this set} as rows on x: after those of A and E finite upper, then lower bounds, and equal
  /// ones.
  LinearConstraints preimage(const Operator& J, In shift) const;

  /// {d : d leads from x into the set}, for an x of the set whose entries have these sizes: a bound or row counts as
  /// met with equality within `active` of its terms.
  LinearConstraints tangent_cone(In x, In sizes, double active) const;

  /// Largest violation of a single row or bound; 0 inside.
  double violation(In x) const;
  /// The same, each relative to its terms where the entries of x are of the given sizes.
  double relative_violation(In x, In sizes) const;
};

}  // namespace pendec
