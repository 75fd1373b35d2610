#include "pendec/sets/singleton.hpp"

#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;

const Vector v3 = Vector::LinSpaced(3, 1.0, 3.0);

TEST(Singleton, SatisfiesTheAxioms) {
  expect_axioms(Singleton(v3));
  expect_axioms(Singleton(Vector::Constant(1, -7.0)));
  expect_axioms(Singleton(1e100 * v3), {.scale = 1e100});
}

TEST(Singleton, EveryVectorIsNormal) { EXPECT_EQ(Singleton(v3).normal_residual(v3, -5.0 * v3), 0.0); }

TEST(Singleton, ScalesToTheScaledPoint) {
  const Set scaled = Singleton(v3).scaled(Vector::Constant(3, 2.0)).value();
  EXPECT_EQ(scaled.projection(Vector::Zero(3)), Vector(0.5 * v3));
}

TEST(Singleton, RefusesPointsThatAreNotFinite) {
  expect_invalid("Singleton.point[1]", [] { Singleton(Vector{{0.0, infinity}}); });
  expect_invalid("Singleton.point.size()", [] { Singleton(Vector(0)); });
}

}  // namespace
}  // namespace pendec
