#include "pendec/sets/box_switching.hpp"

#include "pendec/sets/box.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;
using testing::expect_limiting_normals;

BoxSwitching one_pair(double lower_x, double upper_x, double lower_y, double upper_y) {
  return {Vector{{lower_x}}, Vector{{upper_x}}, Vector{{lower_y}}, Vector{{upper_y}}};
}

const BoxSwitching mixed_bounds(Vector{{-1.0, 0.0, 0.0, -infinity}}, Vector{{2.0, 0.0, 1.0, infinity}},
                                Vector{{0.0, -3.0, 0.0, -1.0}}, Vector{{1.0, 0.5, 0.0, 0.0}});

/// Over all patterns of which variable of each pair is zero.
double distance_by_enumeration(const BoxSwitching& set, const Vector& z) {
  const Index n = set.pairs();
  double best = infinity;
  for (unsigned pattern = 0; pattern < 1U << n; ++pattern) {
    Vector w(2 * n);
    for (Index i = 0; i < n; ++i) {
      const bool x_is_zero = pattern >> i & 1U;
      w[i] = x_is_zero ? 0.0 : std::clamp(z[i], set.lower_x[i], set.upper_x[i]);
      w[n + i] = x_is_zero ? std::clamp(z[n + i], set.lower_y[i], set.upper_y[i]) : 0.0;
    }
    best = std::min(best, (z - w).norm());
  }
  return best;
}

TEST(BoxSwitching, SatisfiesTheAxioms) {
  for (const Index n : {1, 4}) {
    expect_axioms(BoxSwitching::switching(n));
    expect_axioms(BoxSwitching::complementarity(n));
    expect_axioms(BoxSwitching::relaxed_sparsity(n));
  }
  expect_axioms(mixed_bounds);
  expect_axioms(BoxSwitching::complementarity(3), {.scale = 1e150});
  expect_axioms(BoxSwitching::complementarity(3), {.scale = 1e-150});
}

TEST(BoxSwitching, IsAsNearAsTheBestOfAllZeroPatterns) {
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector z = 2.0 * random.normal_vector(8);
    EXPECT_NEAR(Set(mixed_bounds).distance(z), distance_by_enumeration(mixed_bounds, z), 1e-14);
  }
}

TEST(BoxSwitching, TiesKeepX) {
  EXPECT_EQ(Set(BoxSwitching::switching(1)).projection(Vector{{2.0, -2.0}}), (Vector{{2.0, 0.0}}));
  EXPECT_EQ(Set(BoxSwitching::complementarity(1)).projection(Vector{{-1.0, -1.0}}), (Vector{{0.0, 0.0}}));
}

TEST(BoxSwitching, BiactiveNormalsOfSwitchingAreTheAxes) {
  const BoxSwitching set = BoxSwitching::switching(1);
  EXPECT_EQ(set.normal_residual(Vector::Zero(2), Vector{{3.0, -0.5}}), 0.5);
  EXPECT_EQ(set.normal_residual(Vector::Zero(2), Vector{{0.0, -0.5}}), 0.0);
}

TEST(BoxSwitching, BiactiveNormalsOfComplementarityAreMStationarity) {
  const BoxSwitching set = BoxSwitching::complementarity(1);
  EXPECT_EQ(set.normal_residual(Vector::Zero(2), Vector{{-3.0, -0.5}}), 0.0);
  EXPECT_EQ(set.normal_residual(Vector::Zero(2), Vector{{3.0, 0.0}}), 0.0);
  EXPECT_EQ(set.normal_residual(Vector::Zero(2), Vector{{3.0, -0.5}}), 0.5);
  EXPECT_EQ(set.normal_residual(Vector::Zero(2), Vector{{3.0, 0.5}}), 0.5);
}

TEST(BoxSwitching, NormalsAreLimitsOfProximalNormals) {
  const double bounds[] = {-infinity, -1.0, 0.0};
  for (const double lower_x : bounds)
    for (const double upper_x : bounds)
      for (const double lower_y : bounds)
        for (const double upper_y : bounds)
          expect_limiting_normals(one_pair(lower_x, -upper_x, lower_y, -upper_y), Vector::Zero(2), 0.02, 2000);
  expect_limiting_normals(one_pair(-1.0, 1.0, 0.0, 1.0), Vector{{1.0, 0.0}}, 0.02, 2000);
  expect_limiting_normals(one_pair(-1.0, 1.0, 0.0, 1.0), Vector{{-0.5, 0.0}}, 0.02, 2000);
  expect_limiting_normals(one_pair(-1.0, 1.0, -2.0, 1.0), Vector{{0.0, -2.0}}, 0.02, 2000);
}

TEST(BoxSwitching, ProjectionIsUniqueUnlessBothBranchesAreEquallyNear) {
  const BoxSwitching set = BoxSwitching::switching(1);
  EXPECT_FALSE(set.projection_is_unique(Vector{{1.0, -1.0}}, 1e-12));
  EXPECT_TRUE(set.projection_is_unique(Vector{{1.0, -1.1}}, 1e-12));
  EXPECT_TRUE(set.projection_is_unique(Vector{{0.0, 0.0}}, 1e-12));
  EXPECT_TRUE(BoxSwitching::complementarity(1).projection_is_unique(Vector{{-1.0, -1.0}}, 1e-12));
}

TEST(BoxSwitching, BranchIsTheZeroPattern) {
  const Vector w{{1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0}};  // pairs (1, 0), (0, 2), (0, 0), (0, 0)
  const Vector z{{0.0, 0.0, 1.0, 1.0, 9.0, 0.0, 1.0, 2.0}};  // biactive pairs: a tie, and y
  const Branch branch = BoxSwitching::relaxed_sparsity(4).branch(w, z).value();
  EXPECT_EQ(branch.key, (std::vector<Index>{0, 1, 0, 1}));
  EXPECT_EQ(branch.label, "free xyxy");
  EXPECT_EQ(branch.t, (Vector{{1.0, 2.0, 0.0, 0.0}}));
  EXPECT_EQ(branch.domain.as<Box>()->upper[1], 1.0);
}

TEST(BoxSwitching, BoundsThatExcludeZeroDecideTheBranch) {
  const BoxSwitching set = one_pair(1.0, 2.0, -1.0, 1.0);
  EXPECT_EQ(Set(set).projection(Vector{{0.0, 9.0}}), (Vector{{1.0, 0.0}}));
  EXPECT_EQ(set.normal_residual(Vector{{1.0, 0.0}}, Vector{{-1.0, 5.0}}), 0.0);
  EXPECT_EQ(set.normal_residual(Vector{{1.0, 0.0}}, Vector{{3.0, 5.0}}), 3.0);
  EXPECT_TRUE(set.projection_is_unique(Vector{{0.0, 9.0}}, 1e-3));
  expect_axioms(set);
  expect_axioms(one_pair(-1.0, infinity, -3.0, -2.0));
}

TEST(BoxSwitching, RefusesBoundsWithoutAPoint) {
  expect_invalid("BoxSwitching.lower_x[0]", [] { one_pair(1.0, 2.0, 3.0, 4.0); });
  expect_invalid("BoxSwitching.lower_x[0]", [] { one_pair(2.0, 1.0, 0.0, 1.0); });
  expect_invalid("BoxSwitching.lower_y[0]", [] { one_pair(0.0, 1.0, std::nan(""), 1.0); });
  expect_invalid("BoxSwitching.lower_y[0]", [] { one_pair(0.0, 1.0, 0.0, -1.0); });
  expect_invalid("BoxSwitching.upper_y.size()",
                 [] { BoxSwitching(Vector::Zero(2), Vector::Zero(2), Vector::Zero(2), Vector::Zero(1)); });
  expect_invalid("BoxSwitching.n", [] { BoxSwitching::switching(0); });
}

}  // namespace
}  // namespace pendec
