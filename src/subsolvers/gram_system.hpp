// Sparse normal equations, however many entries a column has.
#pragma once

#include <Eigen/SparseCholesky>
#include <vector>

#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// (M W Mᵀ + diag(shift)) v = r for a sparse M, or some of its rows, and a diagonal W ≥ 0. Columns with many entries,
/// which would fill M W Mᵀ, are unknowns of their own: a quasidefinite system (R. Vanderbei, "Symmetric quasidefinite
/// matrices", SIAM J. Optim. 5, 1995). Eigen's LDLᵀ without supernodes, with
/// CHOLMOD's ordering AMD: on the systems of transport polytopes and bands it was 2 to 8 times as fast as CHOLMOD
/// with supernodes, on a grid in the plane of 10⁵ points half as fast, on 5000 rows of random places a quarter.
class GramSystem {
 public:
  /// `places[i]`: which equation row i of M is, or −1; shift has an entry for each equation. False: singular.
  bool factorize(const SparseMatrix& M, const std::vector<int>& places, In weights, In shift);
  /// With all rows.
  bool factorize(const SparseMatrix& M, In weights, In shift);

  void solve(In r, Out v) const;

 private:
  Eigen::SimplicialLDLT<SparseMatrix> factors_;
};

}  // namespace pendec::detail
