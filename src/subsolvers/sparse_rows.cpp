#include "sparse_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pendec::detail {

SparseRows::SparseRows(LinearConstraints constraints)
    : data(std::move(constraints)), right(data.b.size() + data.d.size()) {
  std::vector<Operator> parts;
  if (data.b.size() > 0) parts.push_back(data.A);
  if (data.d.size() > 0) parts.push_back(data.E);
  matrix = parts.empty() ? SparseMatrix(0, dimension()) : Operator::stacked(std::move(parts)).sparse();
  right << data.b, data.d;
  const auto for_entries = [this](const auto& visit) {
    for (Index j = 0; j < matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) visit(entry.row(), entry.valueRef());
  };
  const auto or_one = [](double v) { return v > 0.0 ? v : 1.0; };
  Vector largest = Vector::Zero(count()), squares = largest;  // squares of shares neither vanish nor overflow
  for_entries([&](Index i, double v) { largest[i] = std::max(largest[i], std::abs(v)); });
  largest = largest.unaryExpr(or_one).eval();
  for_entries([&](Index i, double v) { squares[i] += (v / largest[i]) * (v / largest[i]); });
  lengths = squares.cwiseSqrt().unaryExpr(or_one).cwiseProduct(largest);
  for_entries([&](Index i, double& v) { v /= lengths[i]; });
  right = right.cwiseQuotient(lengths).eval();
}

bool excludes_all_points(const SparseRows& rows, In y) {
  constexpr double clear = 1e-9, rounding = 16.0 * epsilon;
  const double size = y.size() > 0 ? y.lpNorm<Eigen::Infinity>() : 0.0;
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  const Vector unit = y / size;
  double least = -rows.right.dot(unit), terms = rows.right.cwiseAbs().dot(unit.cwiseAbs());
  for (Index j = 0; j < rows.dimension(); ++j) {
    double v = 0.0, added = 0.0;  // vⱼ, and what it is the sum of
    for (SparseMatrix::InnerIterator entry(rows.matrix, j); entry; ++entry) {
      v += entry.value() * unit[entry.row()];
      added += std::abs(entry.value() * unit[entry.row()]);
    }
    const double bound = v > 0.0 ? rows.data.lower[j] : rows.data.upper[j];
    if (!std::isfinite(bound)) {
      if (std::abs(v) > rounding * added) return false;
      continue;  // cancelled: it may be zero
    }
    least += v * bound;
    terms += std::abs(v * bound);
  }
  return least > clear * terms && std::isfinite(terms);
}

}  // namespace pendec::detail
