// Decompositions by Eigen, against which those of the library (by LAPACK) are tested. Compiled once: their templates
// are slow to compile.
#pragma once

#include "pendec/core/random.hpp"
#include "pendec/core/types.hpp"

namespace pendec::reference {

Vector singular_values(MatrixIn A);  // descending, by Jacobi rotations
Matrix pseudo_inverse(MatrixIn A);
Matrix random_orthogonal(Index n, Random& random);

struct SymmetricEigen {
  Vector values;  // ascending
  Matrix vectors;
};

SymmetricEigen symmetric_eigen(MatrixIn A);

}  // namespace pendec::reference
