// Numbers whose squares overflow or underflow, and infinite ones.
#include "pendec/core/free.hpp"
#include "pendec/sets/box_slab.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/group_sparse.hpp"
#include "pendec/sets/second_order_cone.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/sets/slab.hpp"
#include "pendec/sets/sparse_box.hpp"
#include "pendec/sets/union_of.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_invalid;

constexpr double extreme_sizes[] = {1e-320, 1e-300, 1e-163, 1.0, 1e155, 1e300};

Vector by_projector(const Set& set, const Vector& z) {
  Vector y(z.size());
  set.projector()->project(z, y);
  return y;
}

TEST(ExtremeSizes, TheLargerOfTwoIsKept) {
  for (const double size : extreme_sizes) {
    const Vector z = size * Vector{{1.0, 3.0}}, y = size * Vector{{0.0, 3.0}};
    EXPECT_EQ(Set(GroupSparse::blocks(2, 1, 1)).projection(z), y) << size;
    EXPECT_EQ(Set(SparseBox::nonnegative(2, 1)).projection(z), y) << size;
    EXPECT_EQ(by_projector(SparseBox::nonnegative(2, 1), z), y) << size;
    EXPECT_EQ(Set(BoxSwitching::switching(1)).projection(z), y) << size;
    EXPECT_EQ(Set(BoxSwitching::complementarity(1)).projection(z), y) << size;
  }
}

TEST(ExtremeSizes, TheFirstOfTwoEqualOnesIsKeptAndTheTieReported) {
  for (const double size : {1e-163, 1.0, 1e155}) {
    const Vector z = size * Vector{{3.0, 3.0}}, y = size * Vector{{3.0, 0.0}};
    for (const Set& set :
         {Set(GroupSparse::blocks(2, 1, 1)), Set(SparseBox::nonnegative(2, 1)), Set(BoxSwitching::switching(1))}) {
      EXPECT_EQ(set.projection(z), y) << set.name() << ", " << size;
      EXPECT_EQ(set.projection_is_unique(z, 1e-9 * size), false) << set.name() << ", " << size;
      EXPECT_EQ(set.projection_is_unique(size * Vector{{3.0, 2.0}}, 1e-9 * size), true) << set.name() << ", " << size;
    }
  }
}

TEST(ExtremeSizes, BoundsCountAsTheyAre) {
  // x² + (ỹ − y)² against (x̃ − x)² + y²: 3 cut to 1 is worth 5, less than 2.5² = 6.25 and more than 2² = 4
  for (const double size : extreme_sizes) {
    const Vector lower = Vector::Zero(2), upper{{size, infinity}};
    const Set sparse = SparseBox(lower, upper, 1);
    const Set pair = BoxSwitching(lower.head(1), upper.head(1), lower.tail(1), upper.tail(1));
    for (const Set& set : {sparse, pair}) {
      EXPECT_EQ(set.projection(Vector{{3.0 * size, 2.5 * size}}), (Vector{{0.0, 2.5 * size}})) << size;
      EXPECT_EQ(set.projection(Vector{{3.0 * size, 2.0 * size}}), (Vector{{size, 0.0}})) << size;
    }
  }
}

TEST(ExtremeSizes, TheGroupsOfTinyPointsAreSeen) {
  const GroupSparse set = GroupSparse::blocks(2, 1, 1);
  const Vector x{{0.0, 1e-200}};
  EXPECT_EQ(set.branch(x, x)->label, "groups {1}");
  EXPECT_EQ(set.normal_residual(x, Vector{{1.0, 0.0}}), 0.0);
  EXPECT_EQ(set.normal_residual(x, Vector{{0.0, 1.0}}), 1.0);
}

TEST(ExtremeSizes, TheNearestPartIsFound) {
  for (const double size : {1e-163, 1.0, 1e155}) {
    const Vector near = size * Vector{{1.0, 0.0}}, far = size * Vector{{-5.0, 0.0}}, z = size * Vector{{2.0, 0.5}};
    const Set set = UnionOf({Singleton(far), Singleton(near)});
    EXPECT_EQ(set.projection(z), near) << size;
    EXPECT_EQ(by_projector(set, z), near) << size;
    EXPECT_EQ(set.projection_is_unique(z, 1e-9 * size), true) << size;
  }
}

TEST(ExtremeSizes, OfASlabDoNotMoveIt) {
  for (const double size : extreme_sizes) {
    const Vector a = size * Vector{{1.0, 2.0}}, z{{0.8, 0.6}}, expected{{0.4, -0.2}};
    if (size < 1e-307) continue;  // too few digits for such an a
    EXPECT_LE((Set(hyperplane(a, 0.0)).projection(z) - expected).norm(), 1e-15) << size;
    EXPECT_LE((Set(halfspace(a, size)).projection(Vector{{1.2, 1.4}}) - Vector{{0.6, 0.2}}).norm(), 1e-15) << size;
    EXPECT_NEAR(Slab(a, -size, size).distance(Vector{{2.0, 2.0}}), std::sqrt(5.0), 1e-14) << size;
    EXPECT_LE(Slab(a, -size, size).normal_residual(Vector{{1.0, 0.0}}, Vector{{1.0, 2.0}}), 1e-15) << size;
    const BoxSlab cut(Vector::Constant(2, -1.0), Vector::Constant(2, 0.3), a, 0.0, 0.0);
    EXPECT_LE((Set(cut).projection(z) - Vector{{0.3, -0.15}}).norm(), 1e-15) << size;
  }
  expect_invalid("Slab.lower", [] { hyperplane(Vector{{1e-200}}, 1e200); });
}

TEST(ExtremeSizes, OfAConeAreKept) {
  for (const double size : {1e-300, 1e-163, 1.0, 1e155, 1e300}) {
    const Vector y = Set(SecondOrderCone(3)).projection(size * Vector{{0.0, 3.0, 4.0}});
    EXPECT_LE((y / size - Vector{{2.5, 1.5, 2.0}}).norm(), 1e-15) << size;
    EXPECT_LE(
        (Set(Shell(Free(2), 0.0, size)).projection(size * Vector{{3.0, 4.0}}) / size - Vector{{0.6, 0.8}}).norm(),
        1e-15);
  }
}

TEST(ExtremeSizes, InfinityIsKept) {
  const Vector z{{infinity, 1.0, 2.0}};
  EXPECT_EQ(Set(SparseBox::nonnegative(3, 3)).projection(z), z);
  EXPECT_EQ(Set(SparseBox::nonnegative(3, 2)).projection(z), (Vector{{infinity, 0.0, 2.0}}));
  EXPECT_EQ(Set(SparseBox(-z, Vector::Zero(3), 2)).projection(z), Vector::Zero(3));
  EXPECT_EQ(Set(GroupSparse::blocks(3, 1, 2)).projection(z), (Vector{{infinity, 0.0, 2.0}}));
  EXPECT_EQ(Set(BoxSwitching::switching(1)).projection(Vector{{infinity, 1.0}}), (Vector{{infinity, 0.0}}));
}

}  // namespace
}  // namespace pendec
