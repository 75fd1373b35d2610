#include "sparse_equations.hpp"

#include <utility>

namespace pendec::detail {
namespace {

LinearConstraints equations(const Operator& E, const Vector& d) {
  LinearConstraints c = LinearConstraints::none(E.cols());
  c.E = E;
  c.d = d;
  return c;
}

}  // namespace

SparseEquations::SparseEquations(const Operator& E, const Vector& d) : rows_(equations(E, d)) {
  constexpr double regularisation = 1e-13;
  gram_.factorize(rows_.matrix, Vector::Ones(rows_.dimension()), Vector::Constant(rows_.count(), regularisation));
}

/// y = z − Eᵀv with E Eᵀv = E z − right, refined while that helps.
void SparseEquations::project_onto(In right, In z, Out y) const {
  constexpr int most = 30;
  const SparseMatrix& E = rows_.matrix;
  y = z;
  Vector off = E * y - right, v(right.size()), refined, off_refined;
  for (int round = 0; round < most; ++round) {
    gram_.solve(off, v);
    refined = y - E.transpose() * v;
    off_refined = E * refined - right;
    const double before = off.norm(), after = off_refined.norm();
    if (!(after < before)) return;
    y = refined;
    std::swap(off, off_refined);
    if (after > 0.5 * before || after <= epsilon * y.norm()) return;
  }
}

}  // namespace pendec::detail
