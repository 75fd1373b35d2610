// Slacks: coordinates of their own for values of a map.
#pragma once

#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// z ↦ f(x), x the first coordinates of z ∈ ℝᵗᵒᵗᵃˡ, with all abilities of f.
PENDEC_EXPORT Objective lifted(const Objective& f, Index total);

/// z ↦ F(x), likewise.
PENDEC_EXPORT Map lifted(const Map& F, Index total);

/// z ↦ F(x) − s, x the first coordinates of z and s those from `begin` on.
PENDEC_EXPORT Map with_slacks(const Map& F, Index total, Index begin);

}  // namespace pendec
