// Sparse QPs by trying everything: every choice of groups, every set of active bounds and rows.
#pragma once

#include <vector>

#include "pendec/solvers/sparse/sparse_qp.hpp"
#include "tests/reference/exact_qp.hpp"

namespace pendec::reference {

/// What may be chosen, each as a polyhedron in all variables.
std::vector<LinearConstraints> pieces_of(const SparseQp& problem);

/// The least f; infinity if nothing is feasible. For a handful of variables, and f bounded below.
long double enumerate(const SparseQp& problem, Precision precision);

}  // namespace pendec::reference
