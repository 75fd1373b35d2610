#include "pendec/subsolvers/eigen.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/linear_algebra.hpp"

namespace pendec {
namespace {

Matrix symmetric(const Matrix& M) { return 0.5 * (M + M.transpose()); }

Matrix with_spectrum(const Matrix& Q, const Vector& values) {
  return symmetric(Q * values.asDiagonal() * Q.transpose());
}

/// Values and the matrix they stand for are those of a full decomposition.
void expect_largest(const Matrix& Z, const EigenPairs& pairs, Index k, double tolerance) {
  const reference::SymmetricEigen full = reference::symmetric_eigen(Z);
  const Index n = Z.rows();
  ASSERT_EQ(pairs.values.size(), k);
  EXPECT_LE((pairs.values - full.values.tail(k).reverse()).norm(), tolerance * Z.norm());
  EXPECT_LE((Z * pairs.vectors - pairs.vectors * pairs.values.asDiagonal()).norm(), tolerance * Z.norm());
  EXPECT_LE((pairs.vectors.transpose() * pairs.vectors - Matrix::Identity(k, k)).norm(),
            1e-13 * static_cast<double>(n));
}

TEST(LargestEigenpairs, AreThoseOfTheFullDecomposition) {
  Random random(1);
  for (const auto& [n, k] : {std::pair{1, 1}, {5, 1}, {5, 5}, {40, 7}}) {
    const Matrix Z = symmetric(random.normal_matrix(n, n));
    expect_largest(Z, largest_eigenpairs(Z, k), k, 1e-13);
  }
}

TEST(LargestEigenpairs, OfLargeMatricesAreTheSameInAnyUnit) {
  constexpr Index n = 600, k = 5;
  Random random(2);
  Matrix Z = symmetric(random.normal_matrix(n, n));
  Z.topLeftCorner(n / 2, n / 2).setIdentity();  // a multiple eigenvalue
  const EigenPairs unit = largest_eigenpairs(Z, k);
  expect_largest(Z, unit, k, 1e-13);
  for (const double scale : {0x1p-900, 0x1p900})
    EXPECT_LE((largest_eigenpairs(scale * Z, k).values / scale - unit.values).norm(), 1e-13 * Z.norm());
}

TEST(LargestEigenpairs, OfLargeMatricesEndWithTheDeadline) {
  const Matrix Z = symmetric(Random(2).normal_matrix(600, 600));
  EXPECT_THROW(largest_eigenpairs(Z, 5, Deadline(0.0)), OutOfTime);
}

TEST(LargestEigenpairs, ReadTheLowerTriangleOnly) {
  Matrix Z{{2.0, 99.0}, {1.0, 2.0}};
  EXPECT_NEAR(largest_eigenpairs(Z, 1).values[0], 3.0, 1e-14);
}

TEST(LargestEigenpairs, OfSomethingNotFiniteAreNotNumbers) {
  EXPECT_TRUE(std::isnan(largest_eigenpairs(Matrix::Constant(3, 3, infinity), 1).values[0]));
}

TEST(EigenTracker, FollowsASlowlyChangingMatrixWithFewProducts) {
  Random random(2);
  const Index n = 80, k = 4;
  const Matrix Q = reference::random_orthogonal(n, random), drift = symmetric(random.normal_matrix(n, n));
  Vector values = Vector::LinSpaced(n, 1.0, 0.0);
  values.head(k) = Vector::LinSpaced(k, 40.0, 10.0);
  EigenTracker tracker(n, k);
  const Matrix start = with_spectrum(Q, values);
  for (int step = 0; step < 40; ++step) {
    const Matrix Z = start + std::pow(0.9, step) * 0.05 * drift;
    expect_largest(Z, tracker.compute(Z), k, 1e-11);
    EXPECT_LE(tracker.error(), std::sqrt(2.0) * 1e-12 * Z.norm());
  }
  EXPECT_EQ(tracker.counts().matrices, 40);
  EXPECT_EQ(tracker.counts().fallbacks, 1) << "only the first";
  EXPECT_LE(tracker.counts().products, 40 * 5);
}

TEST(EigenTracker, ErrorBoundsTheResidual) {
  Random random(3);
  const Index n = 60, k = 3;
  EigenTracker tracker(n, k, {.tolerance = 1e-7});
  Matrix Z =
      symmetric(random.normal_matrix(n, n)) + 50.0 * Matrix(Vector::Unit(n, 0) * Vector::Unit(n, 0).transpose());
  Z(1, 1) += 40.0;
  Z(2, 2) += 30.0;
  for (int step = 0; step < 5; ++step) {
    Z += 1e-2 * symmetric(random.normal_matrix(n, n));
    const EigenPairs& pairs = tracker.compute(Z);
    const double residual = (Z * pairs.vectors - pairs.vectors * pairs.values.asDiagonal()).norm();
    EXPECT_LE(residual, 1e-7 * Z.norm());
    if (step > 0) {
      EXPECT_NEAR(tracker.error(), std::sqrt(2.0) * residual, 1e-12 * Z.norm());
    }
  }
}

TEST(EigenTracker, NoticesAnEigenvalueThatOvertakesUnseen) {
  // The tracked space stays invariant while an eigenvalue orthogonal to it grows past: residuals alone see nothing.
  Random random(4);
  const Index n = 50, k = 2;
  const Matrix Q = reference::random_orthogonal(n, random);
  Vector values = Vector::Zero(n);
  values.head(2) << 10.0, 9.0;
  EigenTracker tracker(n, k);
  for (const double hidden : {0.0, 5.0, 8.0, 9.5, 20.0, 3.0}) {
    values[17] = hidden;
    const Matrix Z = with_spectrum(Q, values);
    expect_largest(Z, tracker.compute(Z), k, 1e-11);
  }
}

TEST(EigenTracker, ProvesByCholeskyWhatTheNormCannot) {
  // The remainder is larger than θ_k in norm, but not in its eigenvalues.
  Random random(5);
  const Index n = 60, k = 2;
  const Matrix Q = reference::random_orthogonal(n, random);
  Vector values = Vector::LinSpaced(n, 1.0, 0.5);
  values.head(2) << 4.0, 3.0;
  EigenTracker tracker(n, k);
  for (int step = 0; step < 4; ++step) {
    const Matrix Z = with_spectrum(Q, values) + 1e-4 * step * symmetric(random.normal_matrix(n, n));
    expect_largest(Z, tracker.compute(Z), k, 1e-11);
  }
  EXPECT_EQ(tracker.counts().factorizations, 3);
  EXPECT_EQ(tracker.counts().fallbacks, 1);
}

TEST(EigenTracker, FindsNegativeLargestEigenvalues) {
  Random random(6);
  const Index n = 40, k = 2;
  const Matrix Q = reference::random_orthogonal(n, random);
  Vector values = Vector::LinSpaced(n, -5.0, -6.0);
  values.head(2) << -1.0, -2.0;
  EigenTracker tracker(n, k);
  for (int step = 0; step < 3; ++step) {
    const Matrix Z = with_spectrum(Q, values) + 1e-5 * step * symmetric(random.normal_matrix(n, n));
    expect_largest(Z, tracker.compute(Z), k, 1e-11);
  }
}

TEST(EigenTracker, TiesAndJumpsAreLeftToTheFullDecomposition) {
  Random random(7);
  const Index n = 40, k = 3;
  EigenTracker tracker(n, k);
  for (int step = 0; step < 6; ++step) {
    const Matrix Z = step % 2 == 0 ? Matrix(Matrix::Identity(n, n)) : symmetric(random.normal_matrix(n, n));
    expect_largest(Z, tracker.compute(Z), k, 1e-11);
  }
}

TEST(EigenTracker, ZeroHugeAndTinyMatricesAreNoDifficulty) {
  Random random(8);
  const Index n = 24, k = 2;
  const Matrix M = symmetric(random.normal_matrix(n, n));
  for (const double scale : {0.0, 1e150, 1e-150, 1e-170}) {
    EigenTracker tracker(n, k);
    for (int step = 0; step < 3; ++step) {
      const EigenPairs& pairs = tracker.compute(scale * M);
      EXPECT_TRUE(pairs.values.allFinite());
      EXPECT_NEAR(pairs.values[0], scale * largest_eigenpairs(M, 1).values[0], 1e-12 * scale);
    }
  }
}

TEST(EigenTracker, RecoversAfterAMatrixThatIsNotFinite) {
  Random random(9);
  const Index n = 30, k = 2;
  const Matrix Z = symmetric(random.normal_matrix(n, n));
  EigenTracker tracker(n, k);
  tracker.compute(Z);
  EXPECT_TRUE(std::isnan(tracker.compute(Matrix::Constant(n, n, std::nan(""))).values[0]));
  expect_largest(Z, tracker.compute(Z), k, 1e-11);
}

TEST(EigenTracker, CountsOfProjectionsStayExactOnTheCorrelationProblem) {
  // Penalty decomposition on P1(40, 3), by tracked and by full decompositions: the same number of projections.
  const Index n = 40, k = 3;
  Matrix A(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) A(i, j) = 0.5 + 0.5 * std::exp(-0.05 * std::abs(static_cast<double>(i - j)));
  const auto projections = [&](bool tracked) {
    EigenTracker tracker(n, k, {.positive_part = true});
    Matrix X = Matrix::Identity(n, n), Y = X;
    int count = 0;
    for (double tau = 1.0; (X - Y).norm() >= 1e-4 || tau == 1.0; tau *= 1.2) {
      const auto q = [&] { return 0.5 * (X - A).squaredNorm() + 0.5 * tau * (X - Y).squaredNorm(); };
      for (double before = q(), after = 0.0;; before = after) {
        X = (A + tau * Y) / (1.0 + tau);
        X.diagonal().setOnes();
        const EigenPairs pairs = tracked ? tracker.compute(X) : largest_eigenpairs(X, k);
        Y = pairs.vectors * pairs.values.cwiseMax(0.0).asDiagonal() * pairs.vectors.transpose();
        ++count;
        after = q();
        if (before - after < 1e-5) break;
      }
    }
    return count;
  };
  EXPECT_NEAR(projections(true), projections(false), 1);
}

}  // namespace
}  // namespace pendec
