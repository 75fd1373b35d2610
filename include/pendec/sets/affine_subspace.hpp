// Solutions of linear equations.
#pragma once

#include <memory>

#include "pendec/core/set.hpp"

namespace pendec {
namespace detail {
class SparseEquations;  // of src/subsolvers/sparse_equations.hpp
}

/// {x : E x = d}, not empty; dependent rows are allowed. One singular value decomposition at the start, which
/// tells the rank (Golub, Van Loan 2013, section 5.5), then O(rank · n) a projection; where E is large and sparse,
/// one sparse factorisation of E Eᵀ, and two solves with it a projection.
struct PENDEC_EXPORT AffineSubspace {
  AffineSubspace(Operator E, Vector d);

  Index dimension() const { return E.cols(); }
  std::string name() const { return "AffineSubspace"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;
  double distance(In x) const;
  double normal_residual(In x, In v) const;  // exact: the part of v across the row space of E
  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;

  Operator E;
  Vector d;
  Matrix basis;  // orthonormal, of the row space of E: the set is {x : basisᵀ x = offset}; empty where E is sparse
  Vector offset;
  std::shared_ptr<const detail::SparseEquations> sparse;
};

}  // namespace pendec
