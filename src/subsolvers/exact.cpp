#include "exact.hpp"

#include <algorithm>
#include <numeric>

#include "verified.hpp"

namespace pendec::detail {

std::optional<double> distance_to_kernel(const Matrix& M, In y) {
  std::vector<Index> kept;
  Vector powers(M.rows());  // of two: to scale by them takes no rounding
  for (Index i = 0; i < M.rows(); ++i) {
    const double size = M.row(i).cwiseAbs().maxCoeff();
    const auto repeats = [&](Index k) { return M.row(k) == M.row(i); };
    if (size == 0.0 || std::any_of(kept.begin(), kept.end(), repeats)) continue;
    if (!std::isfinite(size) || size < 1e-250) return std::nullopt;
    powers[i] = std::ldexp(1.0, -std::ilogb(size));
    kept.push_back(i);
  }
  if (kept.empty()) return 0.0;
  if (std::ssize(kept) > M.cols()) return std::nullopt;
  const Matrix rows = powers(kept).asDiagonal() * M(kept, Eigen::all);
  const double unit = rounding_unit(M.cols()), error_of_gram = unit * rows.squaredNorm();
  const double least = verified_least_eigenvalue(rows * rows.transpose()) - error_of_gram;
  if (!(least > 0.0)) return std::nullopt;
  const Vector left = (rows * y).cwiseAbs() + unit * (rows.cwiseAbs() * y.cwiseAbs());
  return 1.01 * left.norm() / std::sqrt(least);
}

bool to_small_fractions(Vector& v) {
  constexpr double close = 1e-9, largest_denominator = 1000.0, largest = 1e9;
  const double unit = v.cwiseAbs().maxCoeff();
  if (!(unit > 0.0) || !std::isfinite(unit)) return false;
  double common = 1.0;
  for (double& entry : v) {
    entry /= unit;
    double denominator = 1.0;
    while (std::abs(entry * denominator - std::round(entry * denominator)) > close * denominator) {
      denominator += 1.0;
      if (denominator > largest_denominator) return false;
    }
    entry = std::round(entry * denominator) / denominator;
    common = static_cast<double>(std::lcm(static_cast<long>(common), static_cast<long>(denominator)));
    if (common > largest) return false;
  }
  for (double& entry : v) entry = std::round(entry * common);
  return true;
}

bool is_ray_of_descent(MatrixIn H, In c, const LinearConstraints& rows, In d) {
  const auto product = [&](const auto& row) {
    Expansion sum;
    for (Index j = 0; j < d.size(); ++j) sum.add_product(row[j], d[j]);
    return sum;
  };
  if (!product(c).is_negative()) return false;
  for (Index i = 0; i < H.rows(); ++i)
    if (!product(H.row(i)).is_zero()) return false;
  const DenseMatrix A(rows.A), E(rows.E);
  for (Index i = 0; i < rows.b.size(); ++i)
    if (const Expansion sum = product(A->row(i)); !sum.is_zero() && !sum.is_negative()) return false;
  for (Index i = 0; i < rows.d.size(); ++i)
    if (!product(E->row(i)).is_zero()) return false;
  for (Index j = 0; j < d.size(); ++j)
    if ((d[j] > 0.0 && rows.upper[j] < infinity) || (d[j] < 0.0 && rows.lower[j] > -infinity)) return false;
  return true;
}

}  // namespace pendec::detail
