// Functions of a model as objectives and maps of the library.
#pragma once

#include <memory>
#include <vector>

#include "function.hpp"
#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"

namespace pendec::io::nl {

/// A quadratic as what it is; else one with sparse second derivatives. Of x; `commons` say what else it is made of.
Objective objective_of(Function f, const Commons& commons);

/// Rows: affine ones by one sparse matrix; else with sparse first and second derivatives.
Map map_of(std::vector<Function> rows, const Commons& commons);

}  // namespace pendec::io::nl
