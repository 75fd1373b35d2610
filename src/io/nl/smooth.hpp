// Functions of a model as objectives and maps of the library.
#pragma once

#include <memory>
#include <vector>

#include "function.hpp"
#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"

namespace pendec::io::nl {

/// A quadratic as what it is; else one with sparse second derivatives.
Objective objective_of(Function f, Index n);

/// Rows: affine ones by one sparse matrix; else with sparse first and second derivatives.
Map map_of(std::vector<Function> rows, Index n);

}  // namespace pendec::io::nl
