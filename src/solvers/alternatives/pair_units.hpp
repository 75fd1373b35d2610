// A program whose pairs have sides of like slopes: nothing that compares two of them depends on the user's units.
#pragma once

#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

struct PairUnits {
  PairProgram program;  // with F_i(x) / slope_i and H_i(x) / slope_i
  Vector slopes;        // of F₁, H₁, F₂, …

  /// Multipliers of the given program's with_slacks() from those of this one's.
  Vector as_given(Vector lambda) const;
};

/// The largest |∂_j F_i| of each side, near x where it is not constant: at x alone it may happen to be small.
PairUnits in_like_slopes(const PairProgram& program, In x);

}  // namespace pendec::detail
