// Polyhedra and subspaces with many variables and sparse rows, against the dense methods and against their own
// optimality conditions.
#include <gtest/gtest.h>
#include <Eigen/QR>

#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/sets/affine_subspace.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/subsolvers/qp.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

SparseMatrix matrix(Index rows, Index cols, const Triplets& entries) {
  SparseMatrix out(rows, cols);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// Plans x ≥ 0 on a k × k grid with given sums of rows and columns.
LinearConstraints transport(Index k) {
  Random random(k);
  Triplets entries;
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) {
      entries.emplace_back(i, i * k + j, 1.0);
      entries.emplace_back(k + j, i * k + j, 1.0);
    }
  LinearConstraints c = LinearConstraints::none(k * k);
  c.E = matrix(2 * k, k * k, entries);
  c.d = random.uniform_vector(2 * k, 0.5, 1.5);
  c.d.tail(k) *= c.d.head(k).sum() / c.d.tail(k).sum();  // dependent rows
  c.lower.setZero();
  return c;
}

/// x₁ ≤ x₂ ≤ … ≤ x_n
LinearConstraints rising(Index n) {
  Triplets entries;
  for (Index i = 0; i + 1 < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    entries.emplace_back(i, i + 1, -1.0);
  }
  LinearConstraints c = LinearConstraints::none(n);
  c.A = matrix(n - 1, n, entries);
  c.b = Vector::Zero(n - 1);
  return c;
}

/// x_i ≤ x_n for all i: a column that is full.
LinearConstraints below_the_last(Index n) {
  Triplets entries;
  for (Index i = 0; i + 1 < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    entries.emplace_back(i, n - 1, -1.0);
  }
  LinearConstraints c = LinearConstraints::none(n);
  c.A = matrix(n - 1, n, entries);
  c.b = Vector::Zero(n - 1);
  return c;
}

/// Rows of four entries near each other, of very different lengths, half of them repeated, some zero, and equations,
/// through a point on many of them.
LinearConstraints degenerate(Index n, std::uint64_t seed) {
  Random random(seed);
  const Index m = n / 2;
  Triplets of_A, of_E;
  const Vector inside = random.normal_vector(n).cwiseMax(0.0);
  LinearConstraints c = LinearConstraints::none(n);
  c.b.resize(m);
  for (Index i = 0; i < m; ++i) {
    if (i % 10 == 9) {
      c.b[i] = 0.0;
      continue;
    }
    const Index from = i % 2 == 1 ? i - 1 : i;
    Random row(seed + static_cast<std::uint64_t>(from));
    const double length = std::pow(10.0, row.uniform(-4.0, 4.0));
    double value = 0.0;
    for (int e = 0; e < 4; ++e) {
      const Index j = (2 * from + 5 * e) % n;
      const double entry = length * row.normal();
      of_A.emplace_back(i, j, entry);
      value += entry * inside[j];
    }
    c.b[i] = value + (i % 3 == 0 ? 0.1 * length : 0.0);
  }
  c.A = matrix(m, n, of_A);
  c.d.resize(n / 10);
  for (Index i = 0; i < c.d.size(); ++i) {
    const double entry = random.normal();
    of_E.emplace_back(i, 7 * i, 1.0);
    of_E.emplace_back(i, 7 * i + 1, entry);
    c.d[i] = inside[7 * i] + entry * inside[7 * i + 1];
  }
  c.E = matrix(c.d.size(), n, of_E);
  c.lower.setZero();
  c.lower.head(5) = c.upper.head(5) = inside.head(5);
  return c;
}

/// Equations between two finite bounds, which both matter far away.
LinearConstraints between(Index n, std::uint64_t seed) {
  Random random(seed);
  Triplets entries;
  for (Index i = 0; i < n / 3; ++i)
    for (int e = 0; e < 4; ++e) entries.emplace_back(i, random.below(n), random.normal());
  LinearConstraints c = LinearConstraints::none(n);
  c.E = matrix(n / 3, n, entries);
  c.d = c.E.times(random.uniform_vector(n, 1.0, 9.0));
  c.lower.setZero();
  c.upper.setConstant(10.0);
  return c;
}

TEST(SparsePolyhedron, ProjectsAsTheActiveSetMethodDoes) {
  Random random(1);
  for (const LinearConstraints& c : {transport(20), rising(350), below_the_last(350), degenerate(320, 1),
                                     degenerate(400, 2), degenerate(400, 3), between(400, 4), between(330, 5)}) {
    const Polyhedron P(c);
    ASSERT_TRUE(P.sparse);
    const auto projector = Set(P).projector();
    DualActiveSet dense(c);
    Vector z = random.normal_vector(c.dimension());
    for (const double scale : {1.0, 30.0, 1e-3, 1e4}) {
      z = scale * (z + 0.1 * random.normal_vector(z.size()));
      Vector exact(z.size()), warm(z.size());
      ASSERT_EQ(dense.project(z, exact), QpStatus::optimal);
      projector->project(z, warm);
      const double size = exact.norm() + 1e-4 * z.norm();
      EXPECT_LE((Set(P).projection(z) - exact).norm(), 1e-10 * size) << c.dimension() << " " << scale;
      EXPECT_LE((warm - exact).norm(), 1e-10 * size) << c.dimension() << " " << scale;
      z /= scale;
    }
  }
}

TEST(SparsePolyhedron, LargeProjectionsSatisfyTheirOptimalityConditions) {
  const Index n = testing::patience > 1.0 ? 2'500 : 90'000;
  const auto k = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  Random random(2);
  for (const LinearConstraints& c : {transport(k), rising(n), below_the_last(n), degenerate(n, 4)}) {
    const Polyhedron P(c);
    const Vector z = 3.0 * random.normal_vector(c.dimension()), y = Set(P).projection(z);
    EXPECT_LE(c.relative_violation(y, Vector::Constant(y.size(), y.lpNorm<Eigen::Infinity>())), 1e-10);
    EXPECT_LE(P.normal_residual(y, z - y), 1e-7 * z.norm());
    EXPECT_TRUE(Set(P).contains(y, 1e-9 * y.norm()));
    EXPECT_FALSE(Set(P).contains(z, 1e-9 * z.norm()));
  }
}

TEST(SparsePolyhedron, AgreesWithTheClosedFormOfTheSimplex) {
  const Index n = 20'000;
  LinearConstraints c = LinearConstraints::none(n);
  c.E = Matrix::Ones(1, n);
  c.d = Vector::Ones(1);
  c.lower.setZero();
  Random random(3);
  for (const double scale : {1e-3, 1.0, 1e3}) {
    const Vector z = scale * random.normal_vector(n);
    EXPECT_LE((Set(Polyhedron(c)).projection(z) - Set(Simplex(n)).projection(z)).norm(), 1e-9 * (1.0 + 1e-3 * scale));
  }
}

TEST(SparsePolyhedron, RefusesEmptySetsAndBadNumbersByName) {
  LinearConstraints c = transport(20);
  c.d[3] = -1.0;
  EXPECT_THROW(Polyhedron{c}, InvalidArgument);
  c = rising(400);
  c.lower[0] = 1.0;
  c.upper[399] = 0.5;
  EXPECT_THROW(Polyhedron{c}, InvalidArgument);
  c = rising(400);
  c.b[7] = std::nan("");
  EXPECT_THROW(Polyhedron{c}, InvalidArgument);
  c = rising(400);
  c.b.conservativeResize(5);
  EXPECT_THROW(Polyhedron{c}, InvalidArgument);
}

TEST(SparsePolyhedron, RefusesEquationsThatContradictEachOther) {
  const Index n = 400, around = 21;
  for (const double off : {1.0, 1e-3, 1e-6}) {
    LinearConstraints twice = LinearConstraints::none(n);
    Triplets same;
    for (Index j = 0; j < 5; ++j) {
      same.emplace_back(0, j, static_cast<double>(j) + 1.0);
      same.emplace_back(1, j, 2.0 * static_cast<double>(j) + 2.0);
    }
    twice.E = matrix(2, n, same);
    twice.d = Vector{{1.0, 2.0 + off}};
    EXPECT_THROW(Polyhedron{twice}, InvalidArgument) << off;
    twice.d[1] = 2.0;
    EXPECT_NO_THROW(Polyhedron{twice});

    LinearConstraints sum = LinearConstraints::none(n);
    Triplets summed;
    for (Index i = 0; i + 1 < around; ++i)
      for (const Index j : {i, (i + 1) % around}) {
        summed.emplace_back(i, j, 1.0);
        summed.emplace_back(around - 1, j, 1.0);
      }
    sum.E = matrix(around, n, summed);
    sum.d = Vector::Ones(around);
    sum.d[around - 1] = static_cast<double>(around - 1) + off;
    EXPECT_THROW(Polyhedron{sum}, InvalidArgument) << off;
  }
}

TEST(SparsePolyhedron, HoldsProjectionsOfPointsFarAway) {
  Random random(9);
  for (const LinearConstraints& c : {transport(32), rising(1000), below_the_last(1000)}) {
    const Set set = Polyhedron(c);
    DualActiveSet dense(c);
    for (const double far : {1e3, 1e6, 1e9, 1e12}) {
      const Vector z = far * random.normal_vector(c.dimension());
      Vector y(z.size()), exact(z.size());
      const auto projector = set.projector();
      projector->project(z, y);
      EXPECT_LE(c.relative_violation(y, Vector::Constant(y.size(), y.lpNorm<Eigen::Infinity>())), 1e-12) << far;
      if (projector->error() > 0.0) continue;  // then it need not be the nearest point
      ASSERT_EQ(dense.project(z, exact), QpStatus::optimal);
      EXPECT_LE((y - exact).norm(), 1e-12 * exact.norm() + 1e-14 * z.norm()) << far;
    }
  }
}

TEST(SparsePolyhedron, IsNotCalledEmptyBecauseRowsAreNearlyDependent) {
  const Index n = 3'000;
  Triplets entries;
  for (Index i = 0; i + 5 < n; ++i) {
    const double binomial[] = {-1.0, 5.0, -10.0, 10.0, -5.0, 1.0};
    for (Index k = 0; k < 6; ++k) entries.emplace_back(i, i + k, binomial[k]);
  }
  LinearConstraints c = LinearConstraints::none(n);
  c.E = matrix(n - 5, n, entries);
  c.d = c.E.times(Vector::LinSpaced(n, 0.0, 3.0).array().sin().matrix());
  EXPECT_NO_THROW(Polyhedron{c});
}

TEST(SparsePolyhedron, KeepsTheNumbersThatAreNone) {
  const Set set = Polyhedron(rising(400));
  Vector z = Vector::Ones(400);
  z[17] = std::nan("");
  EXPECT_TRUE(std::isnan(set.projection(z)[17]));
  EXPECT_TRUE(std::isnan(set.distance(z)));
}

TEST(SparsePolyhedron, ScaledIsThePreimage) {
  Random random(5);
  const Set set = Polyhedron(degenerate(320, 6));
  const Vector row = random.uniform_vector(320, 0.1, 10.0);
  const Set preimage = *set.scaled(row);
  const Vector z = random.normal_vector(320);
  EXPECT_TRUE(set.contains(row.cwiseProduct(preimage.projection(z)), 1e-9));
  EXPECT_TRUE(preimage.contains(set.projection(z).cwiseQuotient(row), 1e-8));
}

/// Rows of three entries, the last one the sum of the first two.
SparseMatrix dependent_rows(Index m, Index n) {
  Random random(7);
  Triplets entries;
  for (Index i = 0; i + 1 < m; ++i)
    for (Index e = 0; e < 3; ++e) entries.emplace_back(i, (3 * i + 2 * e) % n, random.normal());
  SparseMatrix E = matrix(m, n, entries);
  const Matrix sum = Matrix(E.row(0)) + Matrix(E.row(1));
  for (Index j = 0; j < n; ++j)
    if (sum(0, j) != 0.0) entries.emplace_back(m - 1, j, sum(0, j));
  return matrix(m, n, entries);
}

TEST(SparseSubspace, ProjectsAsTheDecompositionDoes) {
  Random random(8);
  const Index n = 700;
  const SparseMatrix E = dependent_rows(200, n);
  const Vector d = E * random.normal_vector(n);
  const AffineSubspace sparse(E, d);
  ASSERT_TRUE(sparse.sparse);
  const Matrix dense = E;
  const Eigen::CompleteOrthogonalDecomposition<Matrix> pseudo_inverse(dense);
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const Vector z = scale * random.normal_vector(n), v = random.normal_vector(n);
    const Vector exact = z - pseudo_inverse.solve(dense * z - d);
    EXPECT_LE((Set(sparse).projection(z) - exact).norm(), 1e-10 * (exact.norm() + 1e-3 * z.norm()));
    EXPECT_NEAR(sparse.distance(z), (z - exact).norm(), 1e-10 * (1.0 + z.norm()));
    EXPECT_NEAR(sparse.normal_residual(exact, v), (v - pseudo_inverse.solve(dense * v)).norm(), 1e-10 * v.norm());
    EXPECT_LE(sparse.normal_residual(exact, E.transpose() * random.normal_vector(200)), 1e-10);
  }
}

TEST(SparseSubspace, OfNearlyDependentEquationsHasItsPoints) {
  for (const Index n : {330, 2'000}) {
    const LinearConstraints once = rising(n);
    SparseMatrix E = once.A.sparse();
    for (const int order : {2, 3}) {
      E = SparseMatrix(rising(n - order + 1).A.sparse() * E);  // differences of differences
      const Vector x = Vector::LinSpaced(n, 0.0, 3.0).array().sin(), d = E * x;
      const AffineSubspace set(E, d);
      const Vector z = Random(3).normal_vector(n), y = Set(set).projection(z);
      EXPECT_LE((E * y - d).norm(), 1e-9 * (1.0 + y.norm())) << n << " " << order;
      EXPECT_LE((Set(set).projection(y) - y).norm(), 1e-6 * y.norm()) << n << " " << order;
    }
  }
}

TEST(SparseSubspace, RefusesContradictions) {
  const SparseMatrix E = dependent_rows(200, 700);
  Vector d = E * Vector::Ones(700);
  EXPECT_NO_THROW(AffineSubspace(E, d));
  d[199] += 1e-3;
  EXPECT_THROW(AffineSubspace(E, d), InvalidArgument);
}

TEST(SparseSubspace, OfOneHundredThousandVariablesIsFactoredOnce) {
  const Index n = testing::patience > 1.0 ? 5'000 : 100'000;
  const LinearConstraints c = rising(n);
  const AffineSubspace constant_vectors(c.A, c.b);
  const auto projector = Set(constant_vectors).projector();
  const Vector z = Random(9).normal_vector(n);
  Vector y(n);
  projector->project(z, y);
  EXPECT_LE((y - Vector::Constant(n, z.mean())).lpNorm<Eigen::Infinity>(), 1e-6);
}

}  // namespace
}  // namespace pendec
