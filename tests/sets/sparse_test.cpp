#include "pendec/sets/sparse.hpp"

#include <bit>
#include <initializer_list>
#include <limits>
#include <numeric>

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

/// The first s entries by magnitude, then index.
Vector sparse_by_sorting(const Vector& z, Index s) {
  std::vector<Index> order(static_cast<std::size_t>(z.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return std::abs(z[i]) > std::abs(z[j]); });
  Vector y = Vector::Zero(z.size());
  for (Index k = 0; k < s; ++k) y[order[static_cast<std::size_t>(k)]] = z[order[static_cast<std::size_t>(k)]];
  return y;
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

TEST(Sparse, AgreesWithSortingWhateverTheEntries) {
  Random random(2);
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const Index n : {2, 60, 200, 5000, 40000}) {
    const Vector normal = random.normal_vector(n);
    const Vector sorted = Vector::LinSpaced(n, -1.0, 2.0);
    const auto periodic = [](Index i) {
      return static_cast<double>(i % 34 * 7 % 34);
    };  // 4 · 34: the stride of the sample for n = 40000, s = n/2
    for (const Vector& z : std::initializer_list<Vector>{
             normal, normal.array().round(), normal.array().sign(), normal.array().cube().exp(), 1e300 * normal,
             tiny * (1000.0 * normal).array().round(), sorted, sorted.reverse(), Vector::Zero(n), -Vector::Ones(n),
             (normal.array() > 1.0).select(normal, -0.0), (normal.array() > 2.0).select(-infinity, normal),
             Vector::NullaryExpr(n, periodic)}) {
      for (const Index s : {Index{1}, n / 100, n / 10, n / 2, n - 1}) {
        const Set set = Sparse(n, s);
        const auto projector = set.projector();
        Vector y(n);
        for (int again = 0; again < 2; ++again) {
          projector->project(z, y);
          ASSERT_EQ(y, sparse_by_sorting(z, s)) << "n = " << n << ", s = " << s << ", z = " << z.head(2).transpose();
        }
      }
    }
  }
}

TEST(Sparse, AgreesWithSortingWhereThreadsShareTheWork) {
  const Index n = 400'001;
  const Vector z = Random(6).normal_vector(n);
  for (const Index s : {Index{1}, Index{1000}, n / 10, n / 2, n - 1})
    EXPECT_TRUE(Set(Sparse(n, s)).projection(z) == sparse_by_sorting(z, s)) << "s = " << s;
  const Vector rounded = z.array().round();
  EXPECT_TRUE(Set(Sparse(n, n / 10)).projection(rounded) == sparse_by_sorting(rounded, n / 10));
}

/// As large as they come where the sample looks, and small elsewhere, or the other way round: the bracket must miss.
TEST(Sparse, IsExactWhereASampleMisleads) {
  const Index n = 30000, s = 3000;
  Random random(4);
  const Vector small = 1e-3 * random.normal_vector(n), large = random.normal_vector(n);
  Vector z = small;
  z.head(s / 2) = large.head(s / 2);
  for (Index i = 0; i < s; ++i) z[random.below(n)] = large[i];
  EXPECT_EQ(Set(Sparse(n, s)).projection(z), sparse_by_sorting(z, s));
  for (const Index distinct : {2, 3, 10}) {  // s is where two values meet
    for (Index i = 0; i < n; ++i) z[i] = static_cast<double>(i % distinct);
    const Index meet = n / distinct;
    for (const Index k : {meet - 1, meet, meet + 1})
      EXPECT_EQ(Set(Sparse(n, k)).projection(z), sparse_by_sorting(z, k)) << distinct << " values, s = " << k;
  }
}

TEST(Sparse, WhatIsNotANumberStaysVisibleAndTakesNoPlace) {
  EXPECT_FALSE(Set(Sparse(4, 1)).projection(Vector{{1.0, std::nan(""), 3.0, 2.0}}).allFinite());
  Random random(8);
  const Index n = 20000, s = 2000;
  for (const bool tied : {false, true}) {
    for (const Index period : {Index{1}, Index{2}, Index{7}, n}) {
      Vector z = tied ? Vector(random.normal_vector(n).array().round()) : random.normal_vector(n);
      Vector numbers = z;
      for (Index i = 0; i < n; i += period) z[i] = std::nan(""), numbers[i] = 0.0;
      const Vector y = Set(Sparse(n, s)).projection(z), expected = sparse_by_sorting(numbers, s);
      for (Index i = 0; i < n; ++i) {
        if (std::isnan(z[i])) {
          ASSERT_TRUE(std::isnan(y[i]));
        } else {
          ASSERT_EQ(y[i], expected[i]);
        }
      }
    }
  }
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
