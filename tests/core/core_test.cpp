// Spaces, random numbers, handles.
#include <gtest/gtest.h>

#include "pendec/core/printable.hpp"
#include "pendec/pendec.hpp"

namespace pendec {
namespace {

TEST(Space, BlocksAreConcatenatedAndFoundByName) {
  const Space space({{"X", 2, 3}, {"u", 4, 1}});
  EXPECT_EQ(space.dimension(), 10);
  EXPECT_EQ(space.range("u"), (Range{6, 4}));
  const Vector x = Vector::LinSpaced(10, 0.0, 9.0);
  EXPECT_EQ(space.as_matrix(x, "X")(1, 2), 5.0);
  EXPECT_EQ(space(x, "u")[0], 6.0);
}

TEST(Space, UnknownAndRepeatedNamesAreRefused) {
  const Space space({{"X", 2, 3}});
  EXPECT_THROW(space.range("Y"), InvalidArgument);
  EXPECT_THROW(Space({{"a", 1, 1}, {"a", 1, 1}}), InvalidArgument);
  EXPECT_THROW(Space({{"a", 0, 1}}), InvalidArgument);
}

TEST(Random, IsTheDocumentedGenerator) {
  // xoshiro256++ after splitmix64(42): the same on every machine
  Random a(42), b(42);
  EXPECT_EQ(a.bits(), 15021278609987233951U);
  EXPECT_EQ(a.bits(), 5881210131331364753U);
  b.bits();
  EXPECT_EQ(b.bits(), 5881210131331364753U);
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(1);
  const Vector u = random.uniform_vector(100000, -1.0, 3.0);
  EXPECT_GE(u.minCoeff(), -1.0);
  EXPECT_LT(u.maxCoeff(), 3.0);
  EXPECT_NEAR(u.mean(), 1.0, 0.02);
  const Vector z = random.normal_vector(100000);
  EXPECT_NEAR(z.mean(), 0.0, 0.02);
  EXPECT_NEAR(z.squaredNorm() / 100000.0, 1.0, 0.02);
}

TEST(Random, BelowIsUniform) {
  Random random(2);
  Vector counts = Vector::Zero(6);
  for (int i = 0; i < 60000; ++i) counts[random.below(6)] += 1.0;
  EXPECT_LE((counts.array() - 10000.0).abs().maxCoeff(), 500.0);
}

TEST(Handles, AUsersObjectiveAndSetAreFoundAgain) {
  const Set set = Sparse(4, 2);
  ASSERT_NE(set.as<Sparse>(), nullptr);
  EXPECT_EQ(set.as<Sparse>()->s, 2);
  EXPECT_EQ(set.as<Box>(), nullptr);
  EXPECT_FALSE(static_cast<bool>(Set{}));
}

TEST(Handles, DefaultsFollowFromTheProjection) {
  const Set circle = make_set(2, [](In z, Out y) { y = z.normalized(); });
  const Vector x = (Vector(2) << 3.0, 4.0).finished();
  EXPECT_NEAR(circle.distance(x), 4.0, 1e-15);
  EXPECT_FALSE(circle.contains(x, 1.0));
  EXPECT_FALSE(circle.normal_residual(x, x).has_value());
  EXPECT_FALSE(circle.branch(x, x).has_value());
}

TEST(Handles, ARememberingObjectiveEvaluatesTheLastPointsOnce) {
  int calls = 0;
  const Objective plain = make_objective(2, [&calls](In x, Out g) {
    ++calls;
    g = x;
    return 0.5 * x.squaredNorm();
  });
  const Objective f = plain.remembering();
  Vector g(2);
  for (int round = 0; round < 3; ++round)
    for (const double t : {1.0, 2.0, 3.0, 5.0, 6.0}) {
      EXPECT_EQ(f.value_and_gradient(Vector::Constant(2, t), g), t * t);
      EXPECT_EQ(g, Vector(Vector::Constant(2, t)));
      EXPECT_EQ(f.value(Vector::Constant(2, t)), t * t);
    }
  EXPECT_EQ(calls, 5);
  f.value_and_gradient(Vector::Constant(2, 4.0), g);  // takes the place of the first
  f.value_and_gradient(Vector::Constant(2, 1.0), g);
  EXPECT_EQ(calls, 7);
  plain.value_and_gradient(Vector::Constant(2, 1.0), g);
  EXPECT_EQ(calls, 8) << "the original remembers nothing";
}

TEST(Error, SaysFieldValueAndExpectation) {
  const InvalidArgument e("Sparse.s", "12", "0 <= s <= n = 10");
  EXPECT_STREQ(e.what(), "Sparse.s is 12; expected 0 <= s <= n = 10");
}

TEST(Handles, RefusesPointsOfAnotherDimension) {
  const Set set = Simplex(3);
  const Vector two{{0.5, 0.5}}, three{{0.5, 0.5, 0.0}};
  Vector y(2);
  EXPECT_THROW(set.project(three, y), InvalidArgument);
  EXPECT_THROW(set.projection(two), InvalidArgument);
  EXPECT_THROW(set.contains(two, 1e-9), InvalidArgument);
  EXPECT_THROW(set.distance(two), InvalidArgument);
  EXPECT_THROW(set.normal_residual(three, two), InvalidArgument);
  EXPECT_THROW(set.projection_is_unique(two, 1e-9), InvalidArgument);
  try {
    set.projection(two);
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "Simplex: point.size() is 2; expected 3");
  }
}

TEST(Handles, WithoutASetSaysSo) {
  EXPECT_THROW(Set().dimension(), InvalidArgument);
  EXPECT_THROW(Set().projection(Vector::Ones(2)), InvalidArgument);
  EXPECT_THROW(make_set(-1, [](In z, Out y) { y = z; }), InvalidArgument);
}

TEST(Handles, WhatIsNoNumberIsNowhere) {
  const Vector x{{1.0, std::nan("")}};
  for (const Set& set :
       {Set(Free(2)), Set(UnionOf({Sparse(2, 1), ball(2)})), intersection({ball(2), L1Ball(2, 1.2)})}) {
    EXPECT_FALSE(set.contains(x, infinity)) << set.name();
    EXPECT_TRUE(std::isnan(set.distance(x))) << set.name();
  }
}

TEST(Printable, ShowsWhatTerminalsWouldObey) {
  EXPECT_EQ(printable("Größe ≤ 1 €, 𝔻"), "Größe ≤ 1 €, 𝔻");
  EXPECT_EQ(printable("a\x1b[2J\r\n\tb\x7f"), R"(a\x1b[2J\r\n\tb\x7f)");
  EXPECT_EQ(printable("a\nb\r", true), "a\nb\\r");
  EXPECT_EQ(printable("\u009b\u202e\u2066"), R"(\x9b\u202e\u2066)");
  EXPECT_EQ(printable("\x9b\xff\xe9t\xc3"), R"(\x9b\xff\xe9t\xc3)");        // no UTF-8
  EXPECT_EQ(printable("\xc0\x9b\xed\xa0\x80"), R"(\xc0\x9b\xed\xa0\x80)");  // nor these
  EXPECT_STREQ(InvalidArgument("a\x1b", "b\n", "c").what(), R"(a\x1b is b\n; expected c)");
}

}  // namespace
}  // namespace pendec
