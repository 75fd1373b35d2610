#include "pendec/core/linear_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pendec {
namespace {

/// [rows; more], right-hand sides alike; dense where both are.
void stack(Operator& rows, Vector& right, const Operator& more, const Vector& more_right) {
  const Index old = right.size(), added = more_right.size();
  if (added == 0) return;
  right.conservativeResize(old + added);
  right.tail(added) = more_right;
  if (old == 0) {
    rows = more;
  } else if (rows.view() && more.view()) {
    Matrix both(old + added, rows.cols());
    both << *rows.view(), *more.view();
    rows = std::move(both);
  } else {
    rows = Operator::stacked({rows, more});
  }
}

}  // namespace

LinearConstraints LinearConstraints::none(Index n) {
  return {Operator(Matrix(0, n)),       Vector(0), Operator(Matrix(0, n)), Vector(0), Vector::Constant(n, -infinity),
          Vector::Constant(n, infinity)};
}

LinearConstraints LinearConstraints::product(const std::vector<LinearConstraints>& blocks) {
  const auto joined = [&](Vector LinearConstraints::*part) {
    Index size = 0, begin = 0;
    for (const LinearConstraints& block : blocks) size += (block.*part).size();
    Vector out(size);
    for (const LinearConstraints& block : blocks) {
      out.segment(begin, (block.*part).size()) = block.*part;
      begin += (block.*part).size();
    }
    return out;
  };
  LinearConstraints all;
  all.lower = joined(&LinearConstraints::lower);
  all.upper = joined(&LinearConstraints::upper);
  const auto blockwise = [&](Operator LinearConstraints::*rows, Index count) {
    if (count == 0) return Operator(Matrix(0, all.dimension()));
    std::vector<Operator> of_blocks;
    for (const LinearConstraints& block : blocks) of_blocks.push_back(block.*rows);
    return Operator::block_diagonal(std::move(of_blocks));
  };
  all.b = joined(&LinearConstraints::b);
  all.d = joined(&LinearConstraints::d);
  all.A = blockwise(&LinearConstraints::A, all.b.size());
  all.E = blockwise(&LinearConstraints::E, all.d.size());
  return all;
}

void LinearConstraints::append(const LinearConstraints& other) {
  stack(A, b, other.A, other.b);
  stack(E, d, other.E, other.d);
  lower = lower.cwiseMax(other.lower).eval();
  upper = upper.cwiseMin(other.upper).eval();
}

LinearConstraints LinearConstraints::preimage(const Operator& J, In shift) const {
  std::vector<Index> above, below, fixed;
  for (Index j = 0; j < dimension(); ++j) {
    if (lower[j] == upper[j]) {
      fixed.push_back(j);
      continue;
    }
    if (upper[j] < infinity) above.push_back(j);
    if (lower[j] > -infinity) below.push_back(j);
  }
  LinearConstraints out = none(J.cols());
  if (b.size() > 0) stack(out.A, out.b, A * J, b - A.times(shift));
  if (d.size() > 0) stack(out.E, out.d, E * J, d - E.times(shift));
  if (!above.empty()) stack(out.A, out.b, J.rows_at(above), upper(above) - shift(above));
  if (!below.empty()) stack(out.A, out.b, J.rows_at(below).scaled(-1.0), shift(below) - lower(below));
  if (!fixed.empty()) stack(out.E, out.d, J.rows_at(fixed), upper(fixed) - shift(fixed));
  return out;
}

LinearConstraints LinearConstraints::tangent_cone(In x, In sizes, double active) const {
  LinearConstraints cone = none(dimension());
  for (Index j = 0; j < dimension(); ++j) {
    if (x[j] - lower[j] <= active * sizes[j]) cone.lower[j] = 0.0;
    if (upper[j] - x[j] <= active * sizes[j]) cone.upper[j] = 0.0;
  }
  if (b.size() > 0) {
    const Vector slack = b - A.times(x);
    Vector terms(b.size());
    A.magnitude_times(sizes, terms);
    std::vector<Index> rows;
    for (Index i = 0; i < b.size(); ++i)
      if (slack[i] <= active * std::max(terms[i], std::abs(b[i]))) rows.push_back(i);
    if (!rows.empty()) cone.A = A.rows_at(rows);
    cone.b.setZero(std::ssize(rows));
  }
  cone.E = E;
  cone.d.setZero(d.size());
  return cone;
}

double LinearConstraints::violation(In x) const {
  double worst = 0.0;
  if (b.size() > 0) worst = std::max(worst, (A.times(x) - b).maxCoeff());
  if (d.size() > 0) worst = std::max(worst, (E.times(x) - d).cwiseAbs().maxCoeff());
  if (x.size() > 0) worst = std::max({worst, (lower - x).maxCoeff(), (x - upper).maxCoeff()});
  return worst;
}

double LinearConstraints::relative_violation(In x, In sizes) const {
  double worst = 0.0;
  const auto note = [&](double off, double size) {
    if (off > 0.0) worst = std::max(worst, off / size);
  };
  for (Index j = 0; j < x.size(); ++j) note(std::max(lower[j] - x[j], x[j] - upper[j]), sizes[j]);
  const auto note_rows = [&](const Operator& rows, const Vector& sides, bool equal) {
    if (sides.size() == 0) return;
    const Vector off = rows.times(x) - sides;
    Vector terms(sides.size());
    rows.magnitude_times(sizes, terms);
    for (Index i = 0; i < sides.size(); ++i)
      note(equal ? std::abs(off[i]) : off[i], std::max(terms[i], std::abs(sides[i])));
  };
  note_rows(A, b, false);
  note_rows(E, d, true);
  return worst;
}

}  // namespace pendec
