#include "pendec/sets/sparse.hpp"

#include <bit>

#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;
using testing::expect_limiting_normals;

/// The nearest of the points that agree with z on a support of s indices, the first in lexicographic order.
double distance_by_enumeration(const Vector& z, Index s) {
  double best = infinity;
  for (unsigned support = 0; support < 1U << z.size(); ++support) {
    if (std::popcount(support) != s) continue;
    double dropped = 0.0;
    for (Index i = 0; i < z.size(); ++i)
      if (!(support >> i & 1U)) dropped += z[i] * z[i];
    best = std::min(best, std::sqrt(dropped));
  }
  return best;
}

TEST(Sparse, SatisfiesTheAxioms) {
  for (const auto& [n, s] : {std::pair{1, 0}, {1, 1}, {5, 0}, {5, 2}, {5, 5}, {40, 7}}) expect_axioms(Sparse(n, s));
  expect_axioms(Sparse(6, 2), {.scale = 1e150});
  expect_axioms(Sparse(6, 2), {.scale = 1e-150});
}

TEST(Sparse, IsAsNearAsTheBestOfAllSupports) {
  Random random(11);
  for (Index n = 1; n <= 7; ++n) {
    for (Index s = 0; s <= n; ++s) {
      const Vector z = random.normal_vector(n);
      EXPECT_NEAR(Set(Sparse(n, s)).distance(z), distance_by_enumeration(z, s), 1e-14);
    }
  }
}

TEST(Sparse, TiesGoToTheLowestIndex) {
  const Set set = Sparse(5, 2);
  EXPECT_EQ(set.projection(Vector{{1.0, -1.0, 1.0, -1.0, 1.0}}), (Vector{{1.0, -1.0, 0.0, 0.0, 0.0}}));
  EXPECT_EQ(set.projection(Vector{{0.0, 1.0, -1.0, 5.0, 1.0}}), (Vector{{0.0, 1.0, 0.0, 5.0, 0.0}}));
  EXPECT_EQ(set.projection(Vector::Zero(5)), Vector::Zero(5));
}

TEST(Sparse, ProjectorRemembersNothingThatChangesTheResult) {
  const Set set = Sparse(60, 9);
  const auto projector = set.projector();
  Random random(2);
  Vector y(60);
  for (const double scale : {1.0, 1e-3, 1e3, 1.0, 0.0, 1.0, 1.0}) {
    const Vector z = scale * random.normal_vector(60).array().round().matrix();  // with many ties
    projector->project(z, y);
    EXPECT_EQ(y, set.projection(z));
  }
}

TEST(Sparse, WhatIsNotANumberStaysVisible) {
  const Vector y = Set(Sparse(4, 1)).projection(Vector{{1.0, std::nan(""), 3.0, 2.0}});
  EXPECT_FALSE(y.allFinite());
}

TEST(Sparse, NormalResidualWithFullSupportIsTheNormOnIt) {
  EXPECT_DOUBLE_EQ(Sparse(4, 2).normal_residual(Vector{{1.0, 0.0, -2.0, 0.0}}, Vector{{3.0, 9.0, 4.0, 9.0}}), 5.0);
}

TEST(Sparse, NormalResidualWithSmallSupportAddsTheSmallestEntriesOffIt) {
  EXPECT_DOUBLE_EQ(Sparse(4, 2).normal_residual(Vector{{1.0, 0.0, 0.0, 0.0}}, Vector{{3.0, 9.0, -4.0, 9.0}}), 5.0);
}

TEST(Sparse, NormalsAreLimitsOfProximalNormals) {
  expect_limiting_normals(Sparse(3, 1), Vector::Zero(3));
  expect_limiting_normals(Sparse(3, 2), Vector::Zero(3));
  expect_limiting_normals(Sparse(3, 2), Vector{{0.0, 1.0, 0.0}});
  expect_limiting_normals(Sparse(3, 2), Vector{{0.0, 1.0, -2.0}});
  expect_limiting_normals(Sparse(4, 2), Vector{{0.0, 1.0, 0.0, 0.0}});
}

TEST(Sparse, ProjectionIsUniqueUnlessMagnitudesTie) {
  const Sparse set(3, 1);
  EXPECT_TRUE(set.projection_is_unique(Vector{{3.0, 1.0, 1.0}}, 0.5));
  EXPECT_FALSE(set.projection_is_unique(Vector{{3.0, -2.9, 1.0}}, 0.5));
  EXPECT_TRUE(set.projection_is_unique(Vector::Zero(3), 0.0));
  EXPECT_TRUE(Sparse(3, 3).projection_is_unique(Vector::Ones(3), 0.5));
}

TEST(Sparse, BranchFillsTheSupportByTheLargestEntriesOfZ) {
  const Branch branch =
      Sparse(5, 3).branch(Vector{{0.0, 0.0, 0.0, 7.0, 0.0}}, Vector{{1.0, -2.0, 2.0, 0.1, 2.0}}).value();
  EXPECT_EQ(branch.key, (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(branch.label, "support {1, 2, 3}");
  EXPECT_EQ(branch.t, (Vector{{0.0, 0.0, 7.0}}));
  EXPECT_FALSE(Sparse(5, 0).branch(Vector::Zero(5), Vector::Ones(5)).has_value());
}

TEST(Sparse, RefusesImpossibleSizes) {
  expect_invalid("Sparse.n", [] { Sparse(0, 0); });
  expect_invalid("Sparse.s", [] { Sparse(3, 4); });
  expect_invalid("Sparse.s", [] { Sparse(3, -1); });
}

}  // namespace
}  // namespace pendec
