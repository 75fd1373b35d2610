// A program whose pairs are in units in which sides have slopes of ordinary size, whatever the user's units are.
#pragma once

#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

struct PairUnits {
  PairProgram program;  // with F(x) / slope and H(x) / slope
  Vector slopes;        // of F₁, H₁, F₂, …, for each of their rows

  /// Multipliers of the given program's with_slacks() from those of this one's.
  Vector as_given(Vector lambda) const;
};

/// A side F_k or H_k is divided by the geometric mean of max_j |∂_j F_k,i(x)| over its rows i where that is not of
/// ordinary size: how rows compare with each other is the user's choice.
PairUnits in_ordinary_units(const PairProgram& program, In x);

}  // namespace pendec::detail
