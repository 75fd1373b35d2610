#include "pendec/sets/simplex.hpp"

#include <initializer_list>

#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;

/// The textbook formula: sort, then find the last index whose entry stays positive (Duchi et al. 2008).
Vector simplex_by_sorting(const Vector& z, double radius) {
  Vector sorted = z;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  long double sum = 0.0L, rho = 0.0L;
  for (Index k = 0; k < z.size(); ++k) {
    sum += sorted[k];
    const long double candidate = (sum - radius) / static_cast<long double>(k + 1);
    if (sorted[k] > candidate) rho = candidate;
  }
  return z.unaryExpr([rho](double entry) { return static_cast<double>(std::max(entry - rho, 0.0L)); });
}

TEST(Simplex, SatisfiesTheAxioms) {
  expect_axioms(Simplex(1));
  expect_axioms(Simplex(2, 0.5));
  expect_axioms(Simplex(30, 7.0));
  expect_axioms(Simplex(5, 1e150), {.scale = 1e150});
  expect_axioms(Simplex(5, 1e-150), {.scale = 1e-150});
}

TEST(Simplex, AgreesWithTheSortingFormula) {
  Random random(3);
  for (const Index n : {1, 2, 3, 10, 1000, 50000}) {
    for (const double spread : {0.0, 1e-5, 1e-3, 1.0, 100.0}) {
      const Vector z = spread * random.normal_vector(n);
      for (const Vector& x : std::initializer_list<Vector>{z, z.array().round(), z.array().cube()}) {
        for (const double radius : {2.0, 0.1 * static_cast<double>(n)})
          EXPECT_NEAR((Set(Simplex(n, radius)).projection(x) - simplex_by_sorting(x, radius)).norm(), 0.0,
                      1e-12 * std::max(1.0, radius))
              << "n = " << n << ", spread " << spread << ", radius " << radius;
      }
    }
  }
}

TEST(Simplex, KeepsTheSumToRounding) {
  Random random(6);
  const Index n = 100000;
  const Vector normal = random.normal_vector(n);
  Vector spike = 1e-9 * normal;  // all of the others share what one leaves them
  spike[n / 3] = 0.9;
  const Vector geometric =
      Vector::NullaryExpr(n, [](Index i) { return -std::exp2(0.01 * static_cast<double>(i % 9999)); });
  for (const Vector& z : std::initializer_list<Vector>{normal, 1e-7 * normal, 1e7 * normal, 1e150 * normal, spike,
                                                       Vector::Constant(n, -3.7), 1e9 + normal.array(), geometric,
                                                       normal.array().round(), normal.array().cube().exp()}) {
    for (const double radius : {1e-3, 1.0, 1e5, 1e12}) {
      const Vector y = Set(Simplex(n, radius)).projection(z);
      long double sum = 0.0L;
      for (const double entry : y) sum += entry;
      EXPECT_NEAR(static_cast<double>(sum / radius), 1.0, 1e-14)
          << "radius " << radius << ", z " << z.head(2).transpose();
      EXPECT_GE(y.minCoeff(), 0.0);
    }
  }
}

/// The threshold is nearer to the largest entry than two numbers of its size are to each other.
TEST(Simplex, GivesAllToAnEntryFarAboveTheOthers) {
  Random random(9);
  for (const Index n : {3, 5000, 20000}) {
    Vector z = random.normal_vector(n);
    for (int trial = 0; trial < 100; ++trial) {
      z[n / 3] = 1e15 * (1.0 + random.uniform());
      const Vector y = Set(Simplex(n, 1e-3)).projection(z);
      ASSERT_EQ(y[n / 3], 1e-3) << n << ", " << z[n / 3];
      ASSERT_EQ(y.sum(), 1e-3);
    }
  }
}

TEST(Simplex, WhatIsNotANumberStaysVisible) {
  for (const Index n : {1, 3, 20000}) {
    for (const double spread : {1e-9, 1.0}) {
      Random random(1);
      Vector z = spread * random.normal_vector(n);
      z[n / 2] = std::nan("");
      const Vector y = Set(Simplex(n)).projection(z);
      EXPECT_TRUE(std::isnan(y[n / 2])) << n;
      z[n / 2] = infinity;
      EXPECT_FALSE(Set(Simplex(n)).projection(z).allFinite()) << n;
    }
  }
}

TEST(Simplex, KeepsTheSumWhereTheEntriesAreHuge) {
  const Vector y = Set(Simplex(3)).projection(Vector{{1e15, 1e15 + 0.5, -1e15}});
  EXPECT_DOUBLE_EQ(y.sum(), 1.0);
  EXPECT_DOUBLE_EQ(y[1], 0.75);
}

TEST(Simplex, SharesTheRadiusAmongEqualEntries) {
  EXPECT_TRUE(Set(Simplex(4, 2.0)).projection(Vector::Zero(4)).isApprox(Vector::Constant(4, 0.5)));
}

TEST(Simplex, NormalResidualIsTheDistanceToTheNormalCone) {
  const Simplex simplex(4);
  const Vector x{{0.5, 0.5, 0.0, 0.0}};
  EXPECT_EQ(simplex.normal_residual(x, Vector{{3.0, 3.0, 3.0, -8.0}}), 0.0);
  EXPECT_DOUBLE_EQ(simplex.normal_residual(x, Vector{{2.0, 4.0, 0.0, 0.0}}), std::sqrt(2.0));  // ν = 3
  // Distance by brute force over ν.
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Vector v = random.normal_vector(4);
    double best = infinity;
    for (double nu = -4.0; nu < 4.0; nu += 1e-4) {
      const double off = std::hypot(std::max(v[2] - nu, 0.0), std::max(v[3] - nu, 0.0));
      best = std::min(best, std::hypot((v.head(2).array() - nu).matrix().norm(), off));
    }
    EXPECT_NEAR(simplex.normal_residual(x, v), best, 1e-6);
  }
}

TEST(Simplex, ScalesOnlyByACommonFactor) {
  EXPECT_FALSE(Simplex(2).scaled(Vector{{1.0, 2.0}}).has_value());
  EXPECT_EQ(Simplex(2).scaled(Vector::Constant(2, 4.0))->as<Simplex>()->radius, 0.25);
}

TEST(Simplex, RefusesEmptyAndDegenerateSimplices) {
  expect_invalid("Simplex.n", [] { Simplex(0); });
  expect_invalid("Simplex.radius", [] { Simplex(3, 0.0); });
  expect_invalid("Simplex.radius", [] { Simplex(3, std::nan("")); });
}

}  // namespace
}  // namespace pendec
