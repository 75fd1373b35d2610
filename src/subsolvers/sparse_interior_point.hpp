// The primal-dual interior-point method for projections onto polyhedra with sparse rows.
#pragma once

#include "gram_system.hpp"
#include "sparse_rows.hpp"

namespace pendec::detail {

/// Multipliers y of the projection of z onto the polyhedron, near the right ones: about 1e-9 of the distances
/// involved. Some dozens of factorisations (S. Mehrotra, "On the implementation of a primal-dual interior point
/// method", SIAM J. Optim. 2, 1992).
/// Throws OutOfTime.
ProjectionEnd sparse_interior_point(const SparseRows& rows, GramSystem& system, In z, Vector& y);

}  // namespace pendec::detail
