#include "pendec/core/linear_constraints.hpp"

#include <algorithm>

namespace pendec {

LinearConstraints LinearConstraints::none(Index n) {
  return {Matrix(0, n),
          Vector(0),
          Matrix(0, n),
          Vector(0),
          Vector::Constant(n, -infinity),
          Vector::Constant(n, infinity)};
}

void LinearConstraints::append(const LinearConstraints& other, Index begin) {
  const Index n = dimension(), size = other.dimension();
  const auto add = [&](Matrix& rows, Vector& right, const Matrix& more, const Vector& more_right) {
    const Index old = rows.rows();
    rows.conservativeResize(old + more.rows(), n);
    rows.bottomRows(more.rows()).setZero();
    rows.block(old, begin, more.rows(), size) = more;
    right.conservativeResize(old + more.rows());
    right.tail(more.rows()) = more_right;
  };
  add(A, b, other.A, other.b);
  add(E, d, other.E, other.d);
  lower.segment(begin, size) = lower.segment(begin, size).cwiseMax(other.lower);
  upper.segment(begin, size) = upper.segment(begin, size).cwiseMin(other.upper);
}

double LinearConstraints::violation(In x) const {
  double worst = 0.0;
  if (b.size() > 0) worst = std::max(worst, (A * x - b).maxCoeff());
  if (d.size() > 0) worst = std::max(worst, (E * x - d).cwiseAbs().maxCoeff());
  if (x.size() > 0) worst = std::max({worst, (lower - x).maxCoeff(), (x - upper).maxCoeff()});
  return worst;
}

}  // namespace pendec
