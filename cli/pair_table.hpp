// What the commands show of points and of pairs.
#pragma once

#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::cli {

/// The first entries of x.
void print_leading(const Vector& x);

/// The type of stationarity, x, and a row for every pair.
void print_pair_table(const Result& r);

}  // namespace pendec::cli
