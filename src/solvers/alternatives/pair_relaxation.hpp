// Smooth programs in place of one with pairs: Scholtes' relaxation, the ℓ1 penalty, and a branch.
#pragma once

#include <vector>

#include "placed_pairs.hpp"

namespace pendec::detail {

/// a b ≤ σ, or |a b| ≤ σ for switching pairs, in place of a b ≤ 0 and a b = 0 (S. Scholtes, SIAM J. Optim. 11, 2001);
/// of either-or pairs a smooth maximum that lies above by up to √σ.
Problem relaxed(const PlacedPairs& program, double sigma);

/// f + ρ Σ a b with a, b ≥ 0 (S. Leyffer, G. López-Calva and J. Nocedal, SIAM J. Optim. 17, 2006), for
/// complementarity pairs alone.
Problem penalised(const PlacedPairs& program, double rho);

/// Pair i on side choice[i].
Problem on_sides(const PlacedPairs& program, const std::vector<int>& choice);

}  // namespace pendec::detail
