// Limiting normal cones of the nonconvex sets at their degenerate points, against their definition.
#include "pendec/pendec.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_limiting_normals;

TEST(Normals, OfSparseBoxAtZerosThatCanMoveAndAtBounds) {
  const SparseBox mixed(Vector{{-1.0, 0.0, 1.0}}, Vector{{2.0, 1.0, 2.0}}, 2);  // free, one-sided, isolated zero
  expect_limiting_normals(mixed, Vector::Zero(3));
  expect_limiting_normals(mixed, Vector{{0.0, 0.0, 1.0}});
  expect_limiting_normals(mixed, Vector{{0.0, 1.0, 0.0}});
  expect_limiting_normals(mixed, Vector{{-1.0, 0.5, 0.0}});
  expect_limiting_normals(SparseBox::nonnegative(3, 1), Vector::Zero(3));
  expect_limiting_normals(SparseBox::nonnegative(3, 2), Vector{{0.0, 1.0, 0.0}});
  expect_limiting_normals(SparseBox::nonnegative(3, 3), Vector::Zero(3));
  expect_limiting_normals(SparseBox(Vector{{0.0, 0.0, -1.0}}, Vector{{0.0, 0.0, 1.0}}, 2), Vector::Zero(3));
}

TEST(Normals, OfSparseSimplexOnSmallAndFullSupports) {
  expect_limiting_normals(SparseSimplex(3, 2), Vector{{1.0, 0.0, 0.0}});
  expect_limiting_normals(SparseSimplex(3, 2), Vector{{0.4, 0.6, 0.0}});
  expect_limiting_normals(SparseSimplex(3, 1), Vector{{0.0, 1.0, 0.0}});
  expect_limiting_normals(SparseSimplex(3, 3), Vector{{0.5, 0.0, 0.5}});
  expect_limiting_normals(SparseSimplex(4, 2), Vector{{1.0, 0.0, 0.0, 0.0}}, 0.25);
}

TEST(Normals, OfGroupSparse) {
  const GroupSparse set(4, {{0, 2}, {1}, {3}}, 1);
  expect_limiting_normals(set, Vector::Zero(4), 0.25);
  expect_limiting_normals(set, Vector{{1.0, 0.0, 0.0, 0.0}}, 0.25);
  expect_limiting_normals(GroupSparse(3, {{0}, {1}}, 1), Vector{{0.0, 0.0, 2.0}});  // the last one is free
}

TEST(Normals, OfPairsAtTheirCorners) {
  for (const Vector& w : {Vector{{0.0, 0.0}}, Vector{{-1.0, 0.0}}, Vector{{0.0, 1.0}}, Vector{{1.0, 0.0}}})
    expect_limiting_normals(PairUnion::vanishing(1), w, 0.02, 3000);
  for (const Vector& w : {Vector{{0.0, 0.0}}, Vector{{-1.0, 0.0}}, Vector{{0.0, -1.0}}, Vector{{0.0, 1.0}}})
    expect_limiting_normals(PairUnion::either(1), w, 0.02, 3000);
  const PairUnion touching(1, {{0.0, 1.0, 0.0, 1.0}, {1.0, 2.0, 1.0, 2.0}, {1.0, 3.0, 0.0, 0.0}});
  for (const Vector& w : {Vector{{1.0, 1.0}}, Vector{{1.0, 0.0}}, Vector{{1.0, 0.5}}, Vector{{2.0, 0.0}}})
    expect_limiting_normals(touching, w, 0.02, 3000);
}

TEST(Normals, OfShells) {
  expect_limiting_normals(sphere(3), Vector{{0.6, 0.0, -0.8}});
  expect_limiting_normals(annulus(3, 1.0, 2.0), Vector{{0.6, 0.0, -0.8}});
  expect_limiting_normals(annulus(3, 1.0, 2.0), Vector{{1.2, 0.0, -1.6}});
  expect_limiting_normals(annulus(3, 1.0, 2.0), Vector{{1.0, 0.0, -1.0}});
  expect_limiting_normals(on_sphere(Sparse(3, 2)), Vector{{1.0, 0.0, 0.0}});
  expect_limiting_normals(on_sphere(SparseBox::nonnegative(3, 2)), Vector{{0.6, 0.8, 0.0}});
  expect_limiting_normals(inside_ball(Sparse(3, 1), 2.0), Vector{{0.0, 2.0, 0.0}});
  expect_limiting_normals(inside_ball(Sparse(3, 1), 2.0), Vector::Zero(3));
  expect_limiting_normals(on_sphere(LowRank(2, 2, 1)), Vector{{1.0, 0.0, 0.0, 0.0}}, 0.25);
}

TEST(Normals, OfStiefel) {
  expect_limiting_normals(Stiefel(3, 1), Vector{{0.0, 0.6, 0.8}});
  expect_limiting_normals(Stiefel(2, 2), Vector{{0.6, 0.8, -0.8, 0.6}}, 0.25);
}

TEST(Normals, OfIsolatedPointsAreEverything) {
  expect_limiting_normals(Integer::binary(3), Vector{{0.0, 1.0, 1.0}});
  expect_limiting_normals(FiniteValues(2, {-1.0, 0.5}), Vector{{0.5, -1.0}});
}

TEST(Normals, OfConvexCones) {
  expect_limiting_normals(SecondOrderCone(3), Vector::Zero(3));
  expect_limiting_normals(SecondOrderCone(3), Vector{{1.0, 0.6, 0.8}});
  expect_limiting_normals(SecondOrderCone(3), Vector{{2.0, 0.6, 0.8}});
  expect_limiting_normals(L1Ball(3), Vector{{1.0, 0.0, 0.0}});
  expect_limiting_normals(L1Ball(3), Vector{{0.4, 0.0, -0.6}});
  expect_limiting_normals(Slab(Vector{{1.0, 2.0, 0.0}}, -1.0, 1.0), Vector{{1.0, 0.0, 5.0}});
}

TEST(Normals, OfMovedAndPermutedSetsAreThoseOfTheSet) {
  expect_limiting_normals(Similarity(Sparse(3, 1), -2.0, Vector::Ones(3)), Vector::Ones(3));
  expect_limiting_normals(Similarity(Box::nonnegative(2), -1.0, Vector::Ones(2)), Vector::Ones(2));
  expect_limiting_normals(Indexed(3, {2, 0}, Sparse(2, 1)), Vector{{0.0, 7.0, 0.0}});
}

}  // namespace
}  // namespace pendec
