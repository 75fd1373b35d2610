// What can be said about a point of a program with pairs: multipliers, type of stationarity, a row for each pair.
#pragma once

#include <vector>

#include "pendec/core/deadline.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

/// The result with other multipliers at the same point: certificate, and status where it rests on it.
Result with_multipliers(const Problem& problem, Result r, Vector lambda);

/// Fills in the details of a result of the problem with slacks. Multipliers that show more than those it has become
/// its own: what is said about the point can be checked with the numbers that are written down.
void certify_pairs(const PairProgram& program, const Problem& problem, const Deadline& deadline, Result& r);

/// One row for each pair, from the y and lambda of a result of the problem with slacks; y must be finite.
std::vector<PairReport> pair_table(const PairProgram& program, const Result& result);

/// Is every pair on one of its sides, up to the tolerance of its own terms?
bool pairs_hold(const PairProgram& program, const Result& result);

/// The strongest type that lambda shows at y, or B where that is claimed and linear programs show it.
PairStationarity shown_type(const PairProgram& program, const Result& result, PairStationarity claimed);

}  // namespace pendec::detail
