#include "pendec/sets/singleton.hpp"

#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;

const Vector one_two_three = Vector::LinSpaced(3, 1.0, 3.0);

TEST(Singleton, SatisfiesTheAxioms) {
  expect_axioms(Singleton(one_two_three));
  expect_axioms(Singleton(Vector::Constant(1, -7.0)));
  expect_axioms(Singleton(1e100 * one_two_three), {.scale = 1e100});
}

TEST(Singleton, EveryVectorIsNormal) {
  EXPECT_EQ(Singleton(one_two_three).normal_residual(one_two_three, -5.0 * one_two_three), 0.0);
}

TEST(Singleton, ScalesToTheScaledPoint) {
  const Set scaled = Singleton(one_two_three).scaled(Vector::Constant(3, 2.0)).value();
  EXPECT_EQ(scaled.projection(Vector::Zero(3)), Vector(0.5 * one_two_three));
}

TEST(Singleton, RefusesPointsThatAreNotFinite) {
  expect_invalid("Singleton.point[1]", [] { Singleton(Vector{{0.0, infinity}}); });
  expect_invalid("Singleton.point.size()", [] { Singleton(Vector(0)); });
}

}  // namespace
}  // namespace pendec
