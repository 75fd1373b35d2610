// Projection onto the solutions of sparse linear equations.
#pragma once

#include "gram_system.hpp"
#include "sparse_rows.hpp"

namespace pendec::detail {

/// {x : E x = d} with one factorisation of E Eᵀ, slightly regularised as rows may depend on each other, in front of
/// conjugate gradients. May be shared between threads.
class SparseEquations {
 public:
  SparseEquations(const Operator& E, const Vector& d);

  const SparseRows& rows() const { return rows_; }

  void project(In z, Out y) const { project_onto(rows_.right, z, y); }
  void project_along(In v, Out y) const { project_onto(Vector::Zero(rows_.count()), v, y); }  // onto {v : E v = 0}

 private:
  void project_onto(In right, In z, Out y) const;

  SparseRows rows_;
  GramSystem gram_;
};

}  // namespace pendec::detail
