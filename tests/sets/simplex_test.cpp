#include "pendec/sets/simplex.hpp"

#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;

/// The textbook formula: sort, then find the last index whose entry stays positive (Duchi et al. 2008).
Vector simplex_by_sorting(const Vector& z, double radius) {
  Vector sorted = z;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0.0, rho = 0.0;
  for (Index k = 0; k < z.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - radius) / static_cast<double>(k + 1);
    if (sorted[k] > candidate) rho = candidate;
  }
  return (z.array() - rho).max(0.0);
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
  for (const Index n : {1, 2, 3, 10, 1000}) {
    for (const double spread : {0.0, 1e-3, 1.0, 100.0}) {
      const Vector z = spread * random.normal_vector(n);
      EXPECT_NEAR((Set(Simplex(n, 2.0)).projection(z) - simplex_by_sorting(z, 2.0)).norm(), 0.0, 1e-12);
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
