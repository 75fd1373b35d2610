// Is a point of a program with pairs B-stationary? The linear program with pairs (LPEC) in a box around it.
#pragma once

#include <functional>
#include <vector>

#include "placed_pairs.hpp"

namespace pendec::detail {

struct Lpec {
  bool proved = false;           // no direction promises more than 1e-8 of what the gradient could: B-stationary
  std::vector<int> choice = {};  // of sides, with a direction that falls; empty: none was found
  Index programs = 0;            // linear programs solved
};

/// min ∇f(z)ᵀd over directions of the linearised program, |d_j| ≤ max(1, |z_j|): pairs with a side that is not zero
/// stay on theirs, the others branch. Slacks up to 1e-7 are none; what z violates already, d may. Ends after `most`
/// linear programs.
Lpec lpec(const PlacedPairs& program, In z, Index most, const std::function<bool()>& stop);

}  // namespace pendec::detail
