#include "verified.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dense.hpp"

namespace pendec::detail {

double rounding_margin(MatrixIn A) {
  constexpr double least = 1e-200;  // what underflows
  return std::max(4.0 * static_cast<double>(A.rows() + 4) * epsilon * A.diagonal().cwiseAbs().sum(), least);
}

bool verified_semidefinite(Matrix& A, const Deadline& deadline) {
  A.diagonal().array() -= rounding_margin(A);
  return A.allFinite() && cholesky_in_place(A, deadline);
}

std::optional<Vector> verified_diagonal(MatrixIn A) {
  if (!A.allFinite()) return std::nullopt;
  Vector delta = Vector::Zero(A.rows());
  std::vector<Index> rows;
  for (Index i = 0; i < A.rows(); ++i)
    if ((A.col(i).array() != 0.0).any()) rows.push_back(i);
  if (rows.empty()) return delta;
  const double largest = A.diagonal().maxCoeff();
  if (!(largest > 0.0)) return std::nullopt;
  // D⁻½ A D⁻½ has ones on its diagonal: the least eigenvalue of that, whatever the units of the rows.
  const Index size = static_cast<Index>(rows.size());
  const Vector D = A.diagonal()(rows).cwiseMax(epsilon * largest), root = D.cwiseSqrt();
  Matrix C = A(rows, rows), shifted;
  C.array().colwise() /= root.array();
  C.array().rowwise() /= root.transpose().array();
  const double margin = 8.0 * static_cast<double>(size * (size + 8)) * epsilon;
  const auto holds = [&](double share) {
    shifted = C;
    shifted.diagonal().array() -= share;
    if (!verified_semidefinite(shifted)) return false;
    delta(rows) = share * (share > 0.0 ? 1.0 - 4.0 * epsilon : 1.0 + 4.0 * epsilon) * D;
    return true;
  };
  for (double share = 0.5; share > margin; share /= 16.0)
    if (holds(share)) return delta;
  for (double share = margin; share < 100.0 * margin; share *= 4.0)
    if (holds(-share)) return delta;
  return std::nullopt;
}

Matrix flat_directions(MatrixIn A) {
  const Vector root = A.diagonal().cwiseMax(0.0).cwiseSqrt();
  const Vector inverse = (root.array() > 0.0).select(root.cwiseInverse(), 1.0);
  const Matrix scaled = inverse.asDiagonal() * A * inverse.asDiagonal();
  if (!scaled.allFinite()) return Matrix(A.rows(), 0);
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  std::vector<Index> flat;
  for (Index j = 0; j < A.cols(); ++j)
    if (std::abs(eigen.values[j]) <= rounding_unit(A.rows())) flat.push_back(j);
  Matrix basis = inverse.asDiagonal() * eigen.vectors(Eigen::all, flat);
  for (Index j = 0; j < basis.cols(); ++j) {  // Gram-Schmidt, twice
    for (int again = 0; again < 2; ++again)
      for (Index k = 0; k < j; ++k) basis.col(j) -= basis.col(k).dot(basis.col(j)) * basis.col(k);
    basis.col(j).normalize();
  }
  return basis;
}

double verified_least_eigenvalue(MatrixIn A) {
  const double estimate = A.allFinite() ? symmetric_eigenvalues(A)[0] : 0.0;
  for (const double share : {1.0 - 1e-6, 0.9, 0.5}) {
    Matrix shifted = A;
    shifted.diagonal().array() -= share * estimate;
    if (estimate > 0.0 && verified_semidefinite(shifted)) return share * estimate * (1.0 - 4.0 * epsilon);
  }
  return 0.0;
}

LeastTerm least_term(double delta, double g, double l, double u) {
  if (l > u) return {infinity, 0.0};
  const auto at = [&](double t) {
    if (t == 0.0) return LeastTerm{};
    if (std::isinf(t)) {
      const bool falls = delta != 0.0 || g * t < 0.0;  // δ > 0: −g/δ has overflowed
      return LeastTerm{falls ? -infinity : infinity, 0.0};
    }
    const double quadratic = 0.5 * delta * t * t, linear = g * t;
    return LeastTerm{quadratic + linear, std::abs(quadratic) + std::abs(linear)};
  };
  if (delta > 0.0) return at(std::clamp(-g / delta, l, u));
  // the least up to rounding, and that is zero only if the others are clearly more
  const auto below = [](const LeastTerm& term) { return term.value - 4.0 * epsilon * term.size; };
  const LeastTerm low = at(l), high = at(u);
  LeastTerm best = below(low) <= below(high) ? low : high;
  if (l <= 0.0 && u >= 0.0 && best.value > 0.0) best = below(best) > 0.0 ? LeastTerm{} : LeastTerm{0.0, best.size};
  return best;
}

/// The minimum is concave in g.
LeastTerm least_term(double delta, double g, double error, double l, double u) {
  const LeastTerm a = least_term(delta, g - error, l, u), b = least_term(delta, g + error, l, u);
  return {std::min(a.value, b.value), std::max(a.size, b.size)};
}

}  // namespace pendec::detail
