// Ways down for pairs by nonlinear programming: Scholtes' relaxation and the ℓ1 penalty, then the branch found.
#pragma once

#include <functional>

#include "pendec/subsolvers/nlp.hpp"
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

/// A local solution of a pair program with placed sides.
struct PairDescent {
  NlpResult end;            // on the branch
  std::vector<int> choice;  // side of each pair
  bool found = false;       // feasible, and stationary on its branch
  Index solves = 0, iterations = 0;
  Counts counts = {};
};

/// From z: one of the relaxations until the pairs nearly hold, the nonlinear program on the branch found, and others
/// that multipliers at pairs on both sides point to.
PairDescent descend(const PlacedPairs& program, In z, Nlp solver, const std::function<bool()>& stop);

}  // namespace pendec::detail
