// Sets that are pairs of coordinates, as programs with pairs.
#pragma once

#include <string>

#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

/// The problem with what its D says about pairs of coordinates as pairs, the rest of D as bounds in X. Returns why D
/// is not made of pairs and bounds; empty: it is.
std::string pairs_of_set(const Problem& problem, PairProgram& program);

}  // namespace pendec::detail
