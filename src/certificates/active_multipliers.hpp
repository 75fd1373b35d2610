// Multipliers at a point of polyhedra, by sparse least squares on what is active there.
#pragma once

#include <optional>

#include "pendec/core/problem.hpp"

namespace pendec::detail {

/// λ ∈ N_C(G) with the least ‖gradient + Jᵀλ + ν‖ over ν ∈ N_D(t), for polyhedra C and D: the multipliers of the
/// projection of −gradient onto {d ∈ T_D(t) : J d ∈ T_C(G)}. `rows` are the sizes beside which a row of G counts as
/// zero. Nothing where one of the sets is no polyhedron, J has no entries, or no answer is found.
std::optional<Vector> active_multiplier(const Set& C, const Set& D, In G, In rows, In t, const Operator& J,
                                        In gradient);

}  // namespace pendec::detail
