// Local solutions of programs with pairs by nonlinear programming, for all that begin with one.
#pragma once

#include <optional>

#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

struct FoundByPairs {
  Result result;         // of program.with_slacks(), certified, with PairsDetails
  bool settled = false;  // stopped, or its type of stationarity is known and f is bounded below: why look further?
};

/// Nothing where the program or the options do not suit nonlinear programming.
std::optional<FoundByPairs> pairs_by_nonlinear_programs(const PairProgram& program, In x0, const Options& options,
                                                        const Hooks& hooks);

}  // namespace pendec::detail
