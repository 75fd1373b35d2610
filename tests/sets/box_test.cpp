#include "pendec/sets/box.hpp"

#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;

const Vector v3 = Vector::LinSpaced(3, 1.0, 3.0);

TEST(Box, SatisfiesTheAxioms) {
  expect_axioms(Box(-v3, v3));
  expect_axioms(Box::nonnegative(4));
  expect_axioms(Box::nonpositive(1));
  expect_axioms(Box(Vector{{-infinity, 0.0, 2.0}}, Vector{{infinity, infinity, 2.0}}));
  expect_axioms(Box(-1e150 * v3, 1e150 * v3), {.scale = 1e150});
  expect_axioms(Box(-1e-150 * v3, 1e-150 * v3), {.scale = 1e-150});
}

TEST(Box, ProjectsComponentwise) {
  const Box box(Vector{{0.0, -1.0, -infinity}}, Vector{{1.0, -1.0, 2.0}});
  EXPECT_EQ(Set(box).projection(Vector{{-3.0, 5.0, -9.0}}), (Vector{{0.0, -1.0, -9.0}}));
}

TEST(Box, NormalsPointOutOfActiveBoundsOnly) {
  const Box box(Vector{{0.0, 0.0, 0.0, 1.0}}, Vector{{1.0, 1.0, 1.0, 1.0}});
  const Vector x{{0.0, 1.0, 0.5, 1.0}};  // at the lower bound, at the upper one, inside, fixed
  EXPECT_EQ(box.normal_residual(x, Vector{{-2.0, 3.0, 0.0, -4.0}}), 0.0);
  EXPECT_DOUBLE_EQ(box.normal_residual(x, Vector{{2.0, -3.0, 6.0, 4.0}}), 7.0);
}

TEST(Box, MergesFreeCoordinatesIntoRanges) {
  const Vector lower{{-infinity, -infinity, 0.0, -infinity}}, upper{{infinity, infinity, infinity, infinity}};
  EXPECT_EQ(Box(lower, upper).free_ranges(), (std::vector<Range>{{0, 2}, {3, 1}}));
}

TEST(Box, RefusesBoundsThatCross) {
  const double nan = std::nan("");
  expect_invalid("Box.lower[0]", [] { Box(Vector{{1.0}}, Vector{{0.0}}); });
  expect_invalid("Box.lower[1]", [&] { Box(Vector{{0.0, nan}}, Vector{{0.0, 0.0}}); });
  expect_invalid("Box.upper[0]", [&] { Box(Vector{{0.0}}, Vector{{nan}}); });
  expect_invalid("Box.lower[0]", [] { Box(Vector{{infinity}}, Vector{{infinity}}); });
  expect_invalid("Box.upper.size()", [] { Box(v3, Vector{{9.0}}); });
}

}  // namespace
}  // namespace pendec
