#include "pendec/maps/affine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pendec/core/random.hpp"

namespace pendec {
namespace {

TEST(Affine, RowsBoundEachVariableByWhatTheOthersLeave) {
  // x₀ + 2 x₁ − x₂ ≤ 3 and x₁ + x₃ = 1
  const Map G = Affine(Matrix{{1.0, 2.0, -1.0, 0.0}, {0.0, 1.0, 0.0, 1.0}}, Vector{{0.0, -1.0}});
  Vector least{{0.0, -infinity, 0.0, 0.5}}, greatest{{infinity, infinity, 4.0, 2.0}};
  const Vector lower{{-infinity, 0.0}}, upper{{3.0, 0.0}};
  G.tighten(lower, upper, least, greatest);
  EXPECT_NEAR(greatest[1], 0.5, 1e-8) << "by x₃ ≥ 0.5";
  EXPECT_NEAR(least[1], -1.0, 1e-8);
  EXPECT_EQ(greatest[0], infinity) << "x₁ had no lower bound yet";
  G.tighten(lower, upper, least, greatest);
  EXPECT_NEAR(greatest[0], 9.0, 1e-7);
  EXPECT_EQ(least[0], 0.0);
}

/// The point is on all rows, and often on bounds: rounding could lose it.
TEST(Affine, NoPointIsLost) {
  Random random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const Index n = 2 + trial % 5, m = 1 + trial % 3;
    const double size = std::pow(10.0, random.uniform(-6.0, 6.0));
    const Vector x = size * random.normal_vector(n);
    const Matrix A = random.normal_matrix(m, n);
    const Map G = Affine(A);
    Vector value(m);
    G.evaluate(x, value);
    Vector least = x - size * random.normal_vector(n).cwiseAbs(),
           greatest = x + size * random.normal_vector(n).cwiseAbs();
    for (Index i = 0; i < n; ++i) {
      if (random.uniform(0.0, 1.0) < 0.2) least[i] = x[i];
      if (random.uniform(0.0, 1.0) < 0.2) greatest[i] = trial % 2 == 0 ? x[i] : infinity;
    }
    for (int round = 0; round < 4; ++round) G.tighten(value, value, least, greatest);
    EXPECT_TRUE((least.array() <= x.array()).all() && (x.array() <= greatest.array()).all()) << trial;
  }
}

}  // namespace
}  // namespace pendec
