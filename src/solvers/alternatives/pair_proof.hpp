// The optimum of programs with few pairs, by bounds for every choice of sides.
#pragma once

#include "pendec/core/deadline.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

/// Where f is a convex quadratic, F, H and G are affine and bounds follow for all variables and sides of points that
/// are no worse than r: adds a bound, and `optimal` where that is as good as f. A better point that the bounds come
/// upon is where the pairs are solved again.
void prove_pairs(const PairProgram& program, const Problem& with_slacks, const Options& options, const Hooks& hooks,
                 const Deadline& deadline, Result& r);

}  // namespace pendec::detail
