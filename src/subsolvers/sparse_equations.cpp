#include "sparse_equations.hpp"

#include <cmath>
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
  constexpr double regularisation = 1e-13;  // rows may depend on each other
  gram_.factorize(rows_.matrix, Vector::Ones(rows_.dimension()), Vector::Constant(rows_.count(), regularisation));
}

/// y = z − Eᵀv with E Eᵀv = E z − right, by conjugate gradients with the regularised factors: as many steps as there
/// are singular values so small that these do not see them. Anew from what rounding left, while that helps.
void SparseEquations::project_onto(In right, In z, Out y) const {
  constexpr int most_steps = 300, most_rounds = 5;
  constexpr double rounding = epsilon, lost = 1e3;
  const SparseMatrix& E = rows_.matrix;
  y = z;
  Vector off = E * y - right, preconditioned(off.size()), p, back, moved;
  for (int round = 0; round < most_rounds; ++round) {
    const double before = off.norm();
    if (!(before > 0.0)) return;
    moved = y;
    gram_.solve(off, preconditioned);
    p = preconditioned;
    double product = off.dot(preconditioned), least = before;
    for (int step = 0; step < most_steps && least > rounding * (y.norm() + right.norm()); ++step) {
      back = E.transpose() * p;
      const double length = product / back.squaredNorm();
      if (!std::isfinite(length)) break;
      moved -= length * back;
      off -= length * (E * back);
      const double now = off.norm();
      if (!(now <= lost * least)) break;  // what is left lies along rows that depend on others
      if (now < least) {
        least = now;
        y = moved;
      }
      gram_.solve(off, preconditioned);
      const double next = off.dot(preconditioned);
      p = preconditioned + (next / product) * p;
      product = next;
    }
    off = E * y - right;
    if (off.norm() > 0.5 * before) return;
  }
}

}  // namespace pendec::detail
