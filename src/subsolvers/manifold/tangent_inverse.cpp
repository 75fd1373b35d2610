#include "tangent_inverse.hpp"

#include <algorithm>
#include <utility>

#include "../lapack.hpp"
#include "unit_rows.hpp"

namespace pendec::detail {
namespace {

constexpr Index max_groups = 4;

/// Where groups of nearly equal values begin, and the end: at most max_groups of them.
std::vector<Index> group_bounds(const Vector& s) {
  for (double width = 0.1;; width *= 2.0) {
    std::vector<Index> bounds{0};
    for (Index j = 1; j < s.size(); ++j)
      if (s[j] > (1.0 + width) * s[bounds.back()]) bounds.push_back(j);
    bounds.push_back(s.size());
    if (static_cast<Index>(bounds.size()) <= max_groups + 1) return bounds;
  }
}

}  // namespace

Index TangentInverse::groups(const Vector& s) {
  return s[0] > 0.0 ? static_cast<Index>(group_bounds(s).size()) - 1 : max_groups;
}

bool TangentInverse::build(MatrixIn A, const Matrix& V, const Matrix& S, const Vector& mu, const Deadline& deadline) {
  try {
    return make(A, V, S, mu, deadline);
  } catch (const OutOfTime&) {
    return false;
  }
}

bool TangentInverse::make(MatrixIn A, const Matrix& V, const Matrix& S, const Vector& mu, const Deadline& deadline) {
  const SymmetricEigen eigen = symmetric_eigen(S);
  if (!(eigen.values[0] > 0.0)) return false;
  rotation_ = eigen.vectors;
  V_ = times(V, rotation_);
  groups_.clear();
  Matrix schur = Matrix::Zero(A.rows(), A.cols());
  const std::vector<Index> bounds = group_bounds(eigen.values);
  for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
    const Index begin = bounds[g], size = bounds[g + 1] - begin;
    if (!add_group(A, V, mu, eigen.values, begin, size, deadline)) return false;
    const auto columns = V_.middleCols(begin, size);
    schur.array() += groups_.back().inverse.array() * times_transpose(columns, columns).array();
  }
  schur.diagonal() *= 1.0 + 1e-13;  // positive definite by Schur's theorem, but for rounding
  return schur_.compute(schur, deadline);
}

bool TangentInverse::add_group(MatrixIn A, const Matrix& V, const Vector& mu, const Vector& s, Index begin,
                               Index size, const Deadline& deadline) {
  const int n = blas_int(A.rows());
  Matrix M;
  double margin = begin == 0 ? std::max(0.25 * margin_, 1e-6) : 0.0, seconds = 0.0;
  for (bool definite = false; !definite; margin = std::max(4.0 * margin, 1e-6)) {
    if (margin > 1e3) return false;
    // The smallest of the first group is the critical one; others stand for their mean.
    const double sigma = begin == 0 ? (1.0 + margin) * s[0] : s.segment(begin, size).mean() + margin * s[0];
    M = -A;
    M.diagonal() -= mu;
    M.diagonal().array() += sigma;
    multiply('N', V, 'T', V, 1.0, M);
    const Deadline stopwatch;
    definite = cholesky_in_place(M, deadline);
    if (definite && begin == 0) margin_ = margin;
    seconds = stopwatch.seconds();
  }
  if (deadline.left() < 2.0 * seconds) return false;  // the inverse takes twice as many operations, in one piece
  int info = 0;
  dpotri_("L", &n, M.data(), &n, &info);
  if (info != 0) return false;
  M.triangularView<Eigen::StrictlyUpper>() = M.transpose();
  groups_.push_back({begin, size, std::move(M)});
  return true;
}

void TangentInverse::apply(Matrix& D) const {
  Matrix rotated = times(D, rotation_), out(D.rows(), D.cols());
  times_inverse(rotated, out);
  Vector xi = row_products(V_, out);
  schur_.solve_in_place(xi);
  subtract_rows(xi, V_, rotated);
  times_inverse(rotated, out);
  D = times_transpose(out, rotation_);
}

void TangentInverse::times_inverse(const Matrix& X, Matrix& out) const {
  for (const Group& g : groups_)
    multiply('N', g.inverse, 'N', X.middleCols(g.begin, g.size), 0.0, out.middleCols(g.begin, g.size));
}

}  // namespace pendec::detail
