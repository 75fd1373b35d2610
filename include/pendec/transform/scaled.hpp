// The same problem in other units.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Units of a problem: x = point · x̂, f = objective · f̂, G_i = rows_i · Ĝ_i. All positive.
struct Scaling {
  double point = 1.0;
  double objective = 1.0;
  Vector rows;
};

/// The problem in the variables x̂, with all abilities of f, G, C and D. Rows of C that cannot be scaled one by one
/// are scaled by a common factor: the rows must then be equal.
PENDEC_EXPORT Problem scaled(const Problem& problem, const Scaling& scaling);

/// x ↦ G_i(x) / rows_i.
PENDEC_EXPORT Map scaled(const Map& G, Vector rows);

}  // namespace pendec
