#include "pendec/sets/psd_low_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../subsolvers/dense.hpp"
#include "../subsolvers/lapack.hpp"
#include "numerical_rank.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/maps/factors.hpp"
#include "pendec/subsolvers/eigen.hpp"

namespace pendec {
namespace {

constexpr int cache_line = 8;  // of doubles

ConstMatrixView as_square(In x, Index n) { return {x.data(), n, n}; }
MatrixView as_square(Out& x, Index n) { return {x.data(), n, n}; }

/// V diag(√max(λ, 0)): Π(Z) = V Vᵀ.
Matrix square_root_factor(const EigenPairs& pairs) {
  return pairs.vectors * pairs.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

/// Calls visit(i, j, size) for the tiles of the lower triangle: `size` is a compile-time constant for whole tiles,
/// and 1 × 1 tiles make up the rest.
template <class Visit>
void for_lower_tiles(Index n, const Visit& visit) {
  const Index whole = n - n % cache_line;
  for (Index j = 0; j < whole; j += cache_line)
    for (Index i = j; i < whole; i += cache_line) visit(i, j, Eigen::fix<cache_line>);
  for (Index i = whole; i < n; ++i)
    for (Index j = 0; j <= i; ++j) visit(i, j, Eigen::fix<1>);
}

/// Y = V Vᵀ: one triangle by BLAS, the other copied, so that Y is exactly symmetric.
void write_square(const Matrix& V, MatrixView Y) {
  const int n = detail::blas_int(V.rows()), k = detail::blas_int(V.cols());
  const double one = 1.0, zero = 0.0;
  dsyrk_("L", "N", &n, &k, &one, V.data(), &n, &zero, Y.data(), &n);
  for_lower_tiles(Y.rows(), [&](Index i, Index j, auto size) {
    auto lower = Y.block(i, j, size, size);
    if (i == j) {
      lower.template triangularView<Eigen::StrictlyUpper>() = lower.transpose();
    } else {
      Y.block(j, i, size, size) = lower.transpose();
    }
  });
}

/// ‖Z‖²_F if Z is exactly symmetric, else nothing; one pass over both triangles.
std::optional<double> symmetric_squared_norm(ConstMatrixView Z) {
  double squares = 0.0, asymmetry = 0.0;
  for_lower_tiles(Z.rows(), [&](Index i, Index j, auto size) {
    const auto lower = Z.block(i, j, size, size);
    const Eigen::Matrix<double, size.value, size.value> upper = Z.block(j, i, size, size).transpose();
    squares += (i == j ? 1.0 : 2.0) * lower.squaredNorm();
    asymmetry += (lower - upper).cwiseAbs().sum();
  });
  if (asymmetry > 0.0) return std::nullopt;
  return squares;
}

class PsdLowRankProjector final : public Projector {
 public:
  PsdLowRankProjector(Index n, Index kappa) : n_(n), tracker_(n, kappa, {.positive_part = true}) {}

  void project(In z, Out y) override {
    const auto Z = as_square(z, n_);
    const auto squared_norm = symmetric_squared_norm(Z);
    if (!squared_norm) symmetric_part_ = 0.5 * (Z + Z.transpose());
    const EigenPairs& pairs = squared_norm ? tracker_.compute(Z, *squared_norm) : tracker_.compute(symmetric_part_);
    write_square(square_root_factor(pairs), as_square(y, n_));
  }

  std::optional<Factors> project(const LinearOperator& z) override {
    const EigenPairs& pairs = tracker_.compute(z);
    return Factors{pairs.vectors, pairs.values.cwiseMax(0.0), pairs.vectors};
  }

  double error() const override { return tracker_.error(); }

 private:
  Index n_;
  EigenTracker tracker_;
  Matrix symmetric_part_;
};

}  // namespace

PsdLowRank::PsdLowRank(Index n_, Index kappa_) : n(n_), kappa(kappa_) {
  require(n >= 1, "PsdLowRank.n", n, "at least 1");
  require(kappa >= 1 && kappa <= n, "PsdLowRank.kappa", kappa, fmt::format("1 <= kappa <= n = {}", n));
}

void PsdLowRank::project(In z, Out y) const {
  const auto Z = as_square(z, n);
  const Matrix symmetric_part = 0.5 * (Z + Z.transpose());
  write_square(square_root_factor(largest_eigenpairs(symmetric_part, kappa)), as_square(y, n));
}

std::unique_ptr<Projector> PsdLowRank::projector() const { return std::make_unique<PsdLowRankProjector>(n, kappa); }

double PsdLowRank::normal_residual(In x, In v) const {
  const auto X = as_square(x, n), V = as_square(v, n);
  const Matrix symmetric_v = 0.5 * (V + V.transpose());
  const detail::SymmetricEigen eigen = detail::symmetric_eigen(0.5 * (X + X.transpose()));
  const Vector& lambda = eigen.values;
  const Index rank = detail::numerical_rank(lambda);

  // W = P V P with P the projection onto the kernel of X; what is not in W violates V X = 0.
  const Matrix kernel = eigen.vectors.leftCols(n - rank);
  const Matrix inner = detail::transpose_times(kernel, detail::times(symmetric_v, kernel));
  const Matrix W = detail::times_transpose(detail::times(kernel, inner), kernel);
  const double outside = (symmetric_v - W).norm();
  if (rank >= kappa) return outside;

  const Vector inside = detail::symmetric_eigenvalues(W);
  const double to_negative = inside.cwiseMax(0.0).norm();
  Vector magnitudes = inside.cwiseAbs();
  std::sort(magnitudes.begin(), magnitudes.end());
  const double to_low_rank = magnitudes.head(kappa).norm();  // rank V ≤ n − kappa
  return std::hypot(outside, std::min(to_negative, to_low_rank));
}

bool PsdLowRank::projection_is_unique(In z, double tol) const {
  if (kappa == n) return true;
  const auto Z = as_square(z, n);
  const Vector values = largest_eigenpairs(0.5 * (Z + Z.transpose()), kappa + 1).values;
  return values[kappa] <= tol || values[kappa - 1] - values[kappa] > tol;
}

double PsdLowRank::spectral_gap(In z) const {
  if (kappa == n) return infinity;
  const auto Z = as_square(z, n);
  const Vector values = largest_eigenpairs(0.5 * (Z + Z.transpose()), kappa + 1).values;
  return values[kappa] <= 0.0 ? infinity : values[kappa - 1] - values[kappa];
}

std::optional<Set> PsdLowRank::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  return Set(*this);
}

std::optional<Vector> PsdLowRank::ray(In z) const {
  const auto Z = as_square(z, n);
  const Vector q = largest_eigenpairs(0.5 * (Z + Z.transpose()), 1).vectors.col(0);
  return Vector((q * q.transpose()).reshaped());
}

PsdLowRank psd_cone(Index n) { return {n, n}; }

std::optional<Branch> PsdLowRank::branch(In y, In) const {
  if (convex()) return std::nullopt;
  const auto Y = as_square(y, n);
  const Matrix factor = square_root_factor(largest_eigenpairs(0.5 * (Y + Y.transpose()), kappa));
  return Branch{fmt::format("rank {}", kappa), {kappa}, FactorSquare{n, kappa}, Free(n * kappa), factor.reshaped()};
}

std::optional<Branch> PsdLowRank::branch_at(BranchKey, In near) const {
  return branch(Set(*this).projection(near), near);
}

std::optional<Neighbours> PsdLowRank::neighbours(BranchKey, In, Index) const { return Neighbours{}; }

}  // namespace pendec
