#include "pendec/core/map.hpp"

#include <algorithm>
#include <cmath>

namespace pendec {
namespace {

/// lower ≤ Σ_j a_j x_j + shift ≤ upper, for each row of an affine map: what the other terms leave of a_i x_i; rounded
/// outwards.
void tighten_by_rows(const Map& G, In lower, In upper, Out least, Out greatest) {
  constexpr double margin = 1e-10;
  if (!G.constant_jacobian()->has_entries()) return;
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  const Rows J = G.constant_jacobian()->sparse();
  Vector shifts(G.output_dimension());
  G.evaluate(Vector::Zero(G.input_dimension()), shifts);
  struct Sum {  // of terms that may be infinite
    double finite = 0.0;
    Index infinite = 0;
    void add(double term) {
      if (std::isfinite(term))
        finite += term;
      else
        ++infinite;
    }
    double without(double term) const {
      if (infinite > (std::isfinite(term) ? 0 : 1)) return infinity;
      return std::isfinite(term) ? finite - term : finite;
    }
  };
  for (Index row = 0; row < J.rows(); ++row) {
    Sum low, high;
    double size = std::abs(shifts[row]);
    Index entries = 0;
    const auto smallest = [&](double a, Index j) { return a > 0.0 ? a * least[j] : a * greatest[j]; };
    const auto largest = [&](double a, Index j) { return a > 0.0 ? a * greatest[j] : a * least[j]; };
    for (Rows::InnerIterator entry(J, row); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      ++entries;
      const double l = smallest(entry.value(), entry.col()), h = largest(entry.value(), entry.col());
      low.add(l), high.add(h);
      for (const double term : {l, h})
        if (std::isfinite(term)) size += std::abs(term);
    }
    if (low.infinite > 1 && high.infinite > 1) continue;
    for (Rows::InnerIterator entry(J, row); entry; ++entry) {
      const double a = entry.value();
      const Index i = entry.col();
      if (a == 0.0) continue;
      const auto solved_for = [&](double bound, double others, double sign) {
        if (entries == 1 && a == 1.0 && shifts[row] == 0.0) return bound;  // a plain bound stays what it is
        return (bound - shifts[row] - others) / a + sign * margin * (std::abs(bound) + size) / std::abs(a);
      };
      const double above = low.without(smallest(a, i)), below = high.without(largest(a, i));  // of the other terms
      if (std::isfinite(upper[row]) && std::isfinite(above)) {
        if (a > 0.0) greatest[i] = std::min(greatest[i], solved_for(upper[row], above, 1.0));
        if (a < 0.0) least[i] = std::max(least[i], solved_for(upper[row], above, -1.0));
      }
      if (std::isfinite(lower[row]) && std::isfinite(below)) {
        if (a > 0.0) least[i] = std::max(least[i], solved_for(lower[row], below, -1.0));
        if (a < 0.0) greatest[i] = std::min(greatest[i], solved_for(lower[row], below, 1.0));
      }
    }
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
  if (is_affine()) return tighten_by_rows(*this, lower, upper, least, greatest);
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
