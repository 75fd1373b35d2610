// What can be said about the pairs of a program from a result alone, without solving anything.
#pragma once

#include <vector>

#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

/// One row for each pair, from the y and lambda of a result of the problem with slacks; y must be finite.
std::vector<PairReport> pair_table(const PairProgram& program, const Result& result);

/// The strongest type that lambda shows at y; none where the certificate does not hold.
PairStationarity shown_by_multipliers(const PairProgram& program, const Result& result);

}  // namespace pendec::detail
