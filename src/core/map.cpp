#include "pendec/core/map.hpp"

#include <algorithm>
#include <cmath>

namespace pendec {
namespace {

/// lower ≤ a x_i + shift ≤ upper, for each row of an affine map that has a single entry a; rounded outwards.
void tighten_by_single_entries(const Map& G, In lower, In upper, Out least, Out greatest) {
  constexpr double margin = 1e-10;
  const Vector zero = Vector::Zero(G.input_dimension());
  const Eigen::SparseMatrix<double, Eigen::RowMajor> J = G.jacobian(zero).sparse();
  Vector shift(G.output_dimension());
  G.evaluate(zero, shift);
  for (Index row = 0; row < J.rows(); ++row) {
    Index entries = 0, i = 0;
    double a = 0.0;
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(J, row); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      ++entries;
      i = entry.col();
      a = entry.value();
    }
    if (entries != 1) continue;
    const auto solved_for = [&](double bound, double sign) {  // a plain bound stays what it is
      const double exact = (bound - shift[row]) / a;
      return a == 1.0 && shift[row] == 0.0 ? bound
                                           : exact + sign * margin * (std::abs(exact) + std::abs(shift[row] / a));
    };
    const double below = a > 0.0 ? lower[row] : upper[row], above = a > 0.0 ? upper[row] : lower[row];
    if (std::isfinite(below)) least[i] = std::max(least[i], solved_for(below, -1.0));
    if (std::isfinite(above)) greatest[i] = std::min(greatest[i], solved_for(above, 1.0));
  }
}

}  // namespace

Operator Map::jacobian(In x) const {
  if (auto own = self_->jacobian(x)) return *std::move(own);
  const Index m = output_dimension(), n = input_dimension();
  if (self_->has_derivative())
    return Operator::functions(
        m, n, [G = *this, at = Vector(x)](In d, Out out) { G.derivative(at, d, out); },
        [G = *this, at = Vector(x)](In w, Out out) { G.adjoint(at, w, out); });
  Matrix transposed(n, m);
  Vector e = Vector::Zero(m);
  for (Index i = 0; i < m; ++i) {
    e[i] = 1.0;
    adjoint(x, e, transposed.col(i));
    e[i] = 0.0;
  }
  return Matrix(transposed.transpose());
}

void Map::derivative(In x, In d, Out out) const {
  if (self_->has_derivative()) return self_->derivative(x, d, out);
  jacobian(x).times(d, out);
}

void Map::hessian_times(In x, In w, In d, Out out) const {
  if (self_->has_hessian()) return self_->hessian_times(x, w, d, out);
  out.setZero();
}

Operator Map::hessian(In x, In w) const {
  const Index n = input_dimension();
  if (is_affine()) return Operator::zero(n, n);
  if (auto own = self_->hessian(x, w)) return *std::move(own);
  const auto times = [G = *this, at = Vector(x), weights = Vector(w)](In d, Out out) {
    G.hessian_times(at, weights, d, out);
  };
  return Operator::functions(n, n, times, times);
}

std::optional<Operator> Map::curvature_below(In at, In w) const {
  if (auto own = self_->curvature_below(at, w)) return own;
  if (!convex()) return std::nullopt;
  return Operator::zero(input_dimension(), input_dimension());
}

void Map::tighten(In lower, In upper, Out least, Out greatest) const {
  if (is_affine()) return tighten_by_single_entries(*this, lower, upper, least, greatest);
  self_->tighten(lower, upper, least, greatest);
}

void Map::magnitude(In x, Out values, Out slopes) const {
  if (self_->magnitude(x, values, slopes)) return;
  const Matrix J = jacobian(x).dense().cwiseAbs();
  evaluate(x, values);
  values = (values.cwiseAbs() + J * x.cwiseAbs()).eval();
  slopes.setZero();
  if (J.cols() > 0) slopes = J.rowwise().maxCoeff();
}

}  // namespace pendec
