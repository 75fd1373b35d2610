// What the random tests of the catalogue do not see: ties, errors, closed forms, large dimensions.
#include "pendec/pendec.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;

TEST(SparseBox, TiesGoToTheLowestIndexAndAreReported) {
  const SparseBox set = SparseBox::nonnegative(4, 2);
  EXPECT_EQ(Set(set).projection(Vector{{1.0, 1.0, 1.0, -3.0}}), (Vector{{1.0, 1.0, 0.0, 0.0}}));
  EXPECT_FALSE(set.projection_is_unique(Vector{{1.0, 1.0, 1.0, -3.0}}, 1e-9));
  EXPECT_TRUE(set.projection_is_unique(Vector{{1.0, 2.0, 0.5, -3.0}}, 1e-9));
}

TEST(SparseBox, SemicontinuousVariablesAreNothingOrAtLeastTheirLowerBound) {
  const SparseBox set = SparseBox::semicontinuous(Vector::Constant(3, 0.2), Vector::Ones(3));
  EXPECT_EQ(Set(set).projection(Vector{{0.09, 0.11, 5.0}}), (Vector{{0.0, 0.2, 1.0}}));
  EXPECT_FALSE(set.projection_is_unique(Vector{{0.1, 0.5, 0.5}}, 1e-9));
  EXPECT_FALSE(set.convex());
}

TEST(SparseBox, ATieInADroppedComponentDoesNotCount) {
  const SparseBox set(Vector{{1.0, -infinity}}, Vector{{2.0, infinity}}, 1);
  EXPECT_TRUE(set.projection_is_unique(Vector{{0.5, 10.0}}, 1e-9));
  EXPECT_FALSE(set.projection_is_unique(Vector{{0.5, 0.0}}, 1e-9));
}

TEST(SparseBox, BranchFixesIsolatedZeros) {
  const SparseBox set(Vector{{0.2, -1.0, 0.2}}, Vector{{1.0, 1.0, 1.0}}, 2);
  const Branch branch = set.branch(Vector{{0.3, 0.0, 0.0}}, Vector{{0.3, 0.1, 0.05}}).value();
  EXPECT_EQ(branch.key, (std::vector<Index>{0, 1}));  // 2 cannot leave zero by a small step
}

TEST(SparseBox, RefusesBadBoundsByName) {
  expect_invalid("SparseBox.s", [] { SparseBox(Vector::Zero(2), Vector::Ones(2), 3); });
  expect_invalid("SparseBox.lower[1]", [] { SparseBox(Vector{{0.0, 2.0}}, Vector::Ones(2), 1); });
  expect_invalid("SparseBox.upper.size()", [] { SparseBox(Vector::Zero(2), Vector::Ones(3), 1); });
  expect_invalid("SparseBox.lower[0]", [] { SparseBox(Vector{{std::nan("")}}, Vector::Ones(1), 1); });
}

TEST(SparseSimplex, KeepsTheLargestEntriesNotMagnitudes) {
  EXPECT_EQ(Set(SparseSimplex(3, 1)).projection(Vector{{-9.0, 0.1, 0.0}}), (Vector{{0.0, 1.0, 0.0}}));
  EXPECT_FALSE(SparseSimplex(3, 1).projection_is_unique(Vector{{2.0, 2.0, 0.0}}, 1e-9));
  EXPECT_TRUE(SparseSimplex(3, 2).projection_is_unique(Vector{{9.0, 0.0, 0.0}}, 1e-9));  // the second gets nothing
  expect_invalid("SparseSimplex.s", [] { SparseSimplex(3, 0); });
  expect_invalid("SparseSimplex.radius", [] { SparseSimplex(3, 1, -1.0); });
}

TEST(SparseSimplex, NormalResidualHasAllDigits) {
  Random random(3);
  for (const double size : {1.0, 1e3}) {
    const Index n = 50, s = 10;
    const Vector x = Set(SparseSimplex(n, s)).projection(Vector::Ones(n));  // the first s
    Vector v = size * random.normal_vector(n);
    v.head(s).setConstant(size * 0.1);
    EXPECT_LE(SparseSimplex(n, s).normal_residual(x, v), 1e-15 * v.norm());

    // one more may be positive: all equal on S and one other index, up to 1e-10 · size
    v[20] = v[0] + 1e-10 * size;
    v[30] = 10.0 * size;  // hence no regular normal
    const double spread = (v[20] - v[0]) * std::sqrt(static_cast<double>(s) / static_cast<double>(s + 1));
    EXPECT_NEAR(SparseSimplex(n, s + 1).normal_residual(x, v), spread, 1e-15 * v.norm());
  }
}

TEST(SparseSimplex, NormalResidualIsTheLeastOverLargerSupports) {
  Random random(4);
  const Index n = 7, s = 4;
  const Vector x{{0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0}};
  for (int trial = 0; trial < 200; ++trial) {
    const Vector v = random.normal_vector(n);
    double least = Simplex(n).normal_residual(x, v);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        if (x[i] > 0.0 || x[j] > 0.0) continue;
        const Vector w = v(std::vector<Index>{0, 3, i, j});
        least = std::min(least, (w.array() - w.mean()).matrix().norm());
      }
    }
    EXPECT_NEAR(SparseSimplex(n, s).normal_residual(x, v), least, 1e-14);
  }
}

TEST(GroupSparse, RefusesOverlapsAndNamesBothGroups) {
  try {
    GroupSparse(3, {{0, 1}, {1, 2}}, 1);
    FAIL();
  } catch (const InvalidArgument& e) {
    EXPECT_EQ(e.field(), "GroupSparse.groups[1][0]");
    EXPECT_NE(std::string(e.what()).find("group 0"), std::string::npos) << e.what();
  }
  expect_invalid("GroupSparse.groups[0][1]", [] { GroupSparse(3, {{0, 3}}, 1); });
  expect_invalid("GroupSparse.s", [] { GroupSparse::blocks(2, 2, 3); });
}

TEST(GroupSparse, KeepsUngroupedCoordinatesAndTheFirstOfEqualGroups) {
  const GroupSparse set(5, {{1, 2}, {3, 4}}, 1);
  EXPECT_EQ(Set(set).projection(Vector{{7.0, 3.0, 4.0, 5.0, 0.0}}), (Vector{{7.0, 3.0, 4.0, 0.0, 0.0}}));
  EXPECT_FALSE(set.projection_is_unique(Vector{{7.0, 3.0, 4.0, 5.0, 0.0}}, 1e-9));
  EXPECT_EQ(set.branch(Vector{{7.0, 0.0, 0.0, 5.0, 0.0}}, Vector::Ones(5))->label, "groups {1}");
}

TEST(Integer, HalvesGoDownAndAreReported) {
  const Integer set(Vector::Constant(3, -1.5), Vector::Constant(3, infinity));
  EXPECT_EQ(Set(set).projection(Vector{{0.5, -0.5, -7.0}}), (Vector{{0.0, -1.0, -1.0}}));
  EXPECT_EQ(Set(set).projection(Vector{{0.49999999999999994, 1e300, 2.5}}), (Vector{{0.0, 1e300, 2.0}}));
  EXPECT_FALSE(set.projection_is_unique(Vector{{0.5, 0.0, 0.0}}, 1e-9));
  EXPECT_TRUE(set.projection_is_unique(Vector{{0.4, 0.0, -7.5}}, 1e-9));
  expect_invalid("Integer.lower[0]", [] { Integer(Vector{{0.2}}, Vector{{0.8}}); });
}

TEST(FiniteValues, TakesTheLowerOfTwoAndSortsItsValues) {
  const FiniteValues set(2, {3.0, 1.0, 3.0});
  EXPECT_EQ(set.values, (std::vector<double>{1.0, 3.0}));
  EXPECT_EQ(Set(set).projection(Vector{{2.0, 2.1}}), (Vector{{1.0, 3.0}}));
  EXPECT_FALSE(set.projection_is_unique(Vector{{2.0, 9.0}}, 1e-9));
  expect_invalid("FiniteValues.values[1]", [] { FiniteValues(1, {0.0, infinity}); });
}

TEST(PairUnion, VanishingConstraintsVanish) {
  const Set set = PairUnion::vanishing(1);  // b >= 0, a b <= 0
  EXPECT_EQ(set.projection(Vector{{2.0, 1.0}}), (Vector{{2.0, 0.0}}));
  EXPECT_EQ(set.projection(Vector{{1.0, 2.0}}), (Vector{{0.0, 2.0}}));
  EXPECT_EQ(set.projection(Vector{{-1.0, -2.0}}), (Vector{{-1.0, 0.0}}));
  EXPECT_EQ(set.projection_is_unique(Vector{{1.0, 1.0}}, 1e-9), false);
  expect_invalid("PairUnion.rectangles[0].lower_b", [] { PairUnion(1, {{0.0, 1.0, 2.0, 1.0}}); });
}

TEST(Shell, ZeroIsProjectedOntoTheFirstRay) {
  EXPECT_EQ(sphere(3, 2.0).projection(Vector::Zero(3)), (Vector{{2.0, 0.0, 0.0}}));
  EXPECT_EQ(sphere(3).projection_is_unique(Vector::Zero(3), 1e-9), false);
  EXPECT_EQ(on_sphere(SparseBox::nonnegative(3, 2)).projection(Vector{{-3.0, -1.0, -2.0}}),
            (Vector{{0.0, 1.0, 0.0}}));
  const Vector top = on_sphere(psd_cone(2)).projection(Vector{{-2.0, 0.0, 0.0, -1.0}});
  EXPECT_NEAR(top[3], 1.0, 1e-15);
  EXPECT_NEAR(on_sphere(SecondOrderCone(2)).projection(Vector{{-1.0, 0.5}})[1], std::sqrt(0.5), 1e-15);
}

TEST(Shell, TiesBetweenRaysAreReported) {
  const auto unique = [](const Set& cone, const Vector& z) { return on_sphere(cone).projection_is_unique(z, 1e-9); };
  for (const Set& cone : {Set(SparseBox::nonnegative(2, 1)), Set(Box::nonnegative(2))}) {
    EXPECT_EQ(unique(cone, Vector{{-1.0, -1.0}}), false);
    EXPECT_NE(unique(cone, Vector{{-1.0, -1.001}}), false);
  }
  EXPECT_EQ(unique(psd_cone(2), Vector::Zero(4)), false);
  EXPECT_EQ(unique(psd_cone(2), Vector{{-1.0, 0.0, 0.0, -1.0}}), false);
  EXPECT_NE(unique(psd_cone(2), Vector{{-1.0, 0.0, 0.0, -2.0}}), false);
  EXPECT_EQ(unique(SecondOrderCone(3), Vector{{-1.0, 0.0, 0.0}}), false);
  EXPECT_NE(unique(SecondOrderCone(3), Vector{{-1.0, 0.0, 0.1}}), false);
}

TEST(Shell, OfASingleRayIsOnePoint) {
  EXPECT_NE(on_sphere(Box::nonnegative(1)).projection_is_unique(Vector::Zero(1), 1e-9), false);
  EXPECT_EQ(on_sphere(Box::nonnegative(2)).projection(Vector::Constant(2, -infinity)).size(), 2);
}

TEST(Shell, SurvivesHugeAndTinyPoints) {
  EXPECT_NEAR(sphere(2).projection(Vector{{3e200, 4e200}})[0], 0.6, 1e-15);
  EXPECT_NEAR(sphere(2).projection(Vector{{3e-200, 4e-200}})[0], 0.6, 1e-15);
}

TEST(Shell, KnowsTheBallOnASupport) {
  const Set set = inside_ball(Sparse(3, 1), 2.0);
  const Branch branch = set.branch(Vector{{0.0, 1.5, 0.0}}, Vector{{0.0, 1.5, 0.0}}).value();
  EXPECT_EQ(branch.domain.projection(Vector{{9.0}}), (Vector{{2.0}}));
  EXPECT_FALSE(sphere(3).branch(Vector::Unit(3, 0), Vector::Unit(3, 0)).has_value());
}

TEST(Shell, RefusesSetsThatAreNoCones) {
  expect_invalid("Shell.cone", [] { inside_ball(Simplex(3)); });
  expect_invalid("Shell.outer", [] { annulus(3, 2.0, 1.0); });
  expect_invalid("Shell.inner", [] { annulus(3, -1.0, 1.0); });
}

TEST(BoxSlab, RefusesBoundsThatNoPointMeets) {
  expect_invalid("capped_simplex.sum", [] { BoxSlab::capped_simplex(3, 3.5); });
  expect_invalid("BoxSlab.least", [] { BoxSlab(Vector::Zero(2), Vector::Ones(2), Vector::Ones(2), 3.0, 4.0); });
  expect_invalid("BoxSlab.most", [] { BoxSlab(Vector::Zero(2), Vector::Ones(2), Vector::Ones(2), -3.0, -1.0); });
  expect_invalid("BoxSlab.a.size()", [] { BoxSlab(Vector::Zero(2), Vector::Ones(2), Vector::Ones(3), 0.0, 1.0); });
  EXPECT_EQ(Set(BoxSlab::capped_simplex(3, 3.0)).projection(Vector::Zero(3)), Vector::Ones(3));
}

TEST(BoxSlab, AgreesWithSimplexInLargeDimension) {
  Random random(5);
  const Index n = 20000;
  const Vector z = random.normal_vector(n);
  const BoxSlab same(Vector::Zero(n), Vector::Constant(n, infinity), Vector::Ones(n), 3.0, 3.0);
  EXPECT_LE((Set(same).projection(z) - Set(Simplex(n, 3.0)).projection(z)).norm(), 1e-12);
}

TEST(AffineSubspace, RefusesContradictions) {
  const Matrix E{{1.0, 1.0}, {2.0, 2.0}};
  expect_invalid("AffineSubspace.d", [&] { AffineSubspace(E, Vector{{1.0, 3.0}}); });
  EXPECT_EQ(AffineSubspace(E, Vector{{1.0, 2.0}}).basis.cols(), 1);
}

TEST(Slab, RefusesZeroAndReversedBounds) {
  expect_invalid("Slab.a", [] { halfspace(Vector::Zero(2), 1.0); });
  expect_invalid("Slab.lower", [] { Slab(Vector::Ones(2), 2.0, 1.0); });
}

TEST(SingularValues, RefusesSetsThatSeeOrderOrSigns) {
  expect_invalid("SingularValues.set", [] { SingularValues(2, 3, Simplex(2)); });
  expect_invalid("SingularValues.set.dimension()", [] { SingularValues(2, 3, Free(3)); });
  // differs only far from zero
  const Vector lower = Vector::Constant(2, -100.0);
  expect_invalid("SingularValues.set", [&] { SingularValues(2, 2, Box(lower, Vector{{100.0, 101.0}})); });
  EXPECT_NO_THROW(SingularValues(2, 2, Box(lower, -lower)));
}

TEST(IntersectionOf, ChoosesTheBestForm) {
  const Set box = Box::nonnegative(3);
  EXPECT_TRUE(intersection({box, hyperplane(Vector::Ones(3), 1.0)}).as<BoxSlab>());
  EXPECT_TRUE(intersection({ball(3), box}).as<Shell>());
  EXPECT_TRUE(intersection({box, Simplex(3), halfspace(Vector::Ones(3), 5.0)}).as<Polyhedron>());
  EXPECT_TRUE(intersection({box, ball(3), halfspace(Vector::Ones(3), 1.0)}).as<Intersection>());
  expect_invalid("Intersection.parts[1]", [&] { intersection({box, Sparse(3, 1)}); });
  expect_invalid("Intersection.parts", [] {
    Intersection({ball(2), Set(halfspace(Vector{{1.0, 0.0}}, -2.0))}, 1e-12, 2000);
  });
}

TEST(Intersection, OfTwoBallsIsTheLens) {
  // unit balls around 0 and (1, 0): the nearest point to (0.5, 5) is the tip of the lens
  const Intersection lens({ball(2), translated(ball(2), Vector{{1.0, 0.0}})});
  EXPECT_LE((Set(lens).projection(Vector{{0.5, 5.0}}) - Vector{{0.5, std::sqrt(0.75)}}).norm(), 1e-12);
}

/// Of a box and the unit ball: z/(1 + λ) in the box, with the least λ ≥ 0 for which that is in the ball.
Vector onto_box_and_ball(const Vector& z, const Box& box) {
  const auto clamped = [&](double lambda) { return Set(box).projection(z / (1.0 + lambda)); };
  double low = 0.0, high = 2.0 * z.norm();
  if (clamped(low).norm() <= 1.0) return clamped(low);
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (clamped(middle).norm() > 1.0 ? low : high) = middle;
  }
  return clamped(high);
}

TEST(Intersection, IsNearestFromFarAway) {
  Random random(3);
  const Box box(Vector::Constant(3, 0.1), Vector::Ones(3));
  const Set set = intersection({ball(3), box});
  for (const double scale : {1.0, 1e2, 1e4, 1e8, 1e12}) {
    for (int i = 0; i < 20; ++i) {
      const Vector z = scale * random.normal_vector(3);
      EXPECT_LE((set.projection(z) - onto_box_and_ball(z, box)).norm(), 1e-12) << z.transpose();
    }
  }
  const Box tangent(Vector::Constant(2, -1.0), Vector::Constant(2, 0.5));  // to the ball, where z is near
  const Vector z{{0.00753532, -2.8191360}};
  EXPECT_LE((intersection({ball(2), tangent}).projection(z) - onto_box_and_ball(z, tangent)).norm(), 1e-9);
}

TEST(Intersection, SaysSoWhereTheRoundsRunOut) {
  const Intersection hasty({ball(2), translated(ball(2), Vector{{1.9, 0.0}})}, 1e-14, 50);
  const auto projector = Set(hasty).projector();
  Vector y(2);
  projector->project(Vector{{1.0, 5.0}}, y);
  EXPECT_TRUE(std::isinf(projector->error()) || Set(hasty).contains(y, 1e-9));
  const Intersection touching({ball(2), translated(ball(2), Vector{{2.0, 0.0}})});  // rounds without end
  const auto endless = Set(touching).projector();
  endless->project(Vector{{1.0, 5.0}}, y);
  EXPECT_TRUE(std::isinf(endless->error()));
}

TEST(Intersection, CertifiesItsMinimisers) {
  const Set set = intersection({ball(2), Set(L1Ball(2, 1.2))});
  const Problem p{.f = SquaredDistance(Vector{{1000.0, 2000.0}}), .D = set};
  const Result r = solve(p, Vector::Zero(2));
  EXPECT_EQ(r.status, Status::converged) << summary(r);
}

TEST(Indexed, RefusesIndicesOutsideOrTwice) {
  expect_invalid("Indexed.indices[1]", [] { Indexed(3, {0, 3}, Sparse(2, 1)); });
  expect_invalid("Indexed.indices[1]", [] { Indexed(3, {0, 0}, Sparse(2, 1)); });
  expect_invalid("Indexed.indices.size()", [] { Indexed(3, {0}, Sparse(2, 1)); });
  EXPECT_EQ(Indexed(4, {3, 1}, Sparse(2, 1)).free_ranges(), (std::vector<Range>{{0, 1}, {2, 1}}));
}

TEST(Similarity, BoundsAreMetAfterALongWay) {
  const Set box = translated(Box(Vector::Constant(2, -0.3), Vector::Constant(2, 0.3)), Vector::Constant(2, 1000.0));
  const Vector y = box.projection(Vector::Constant(2, 2000.0));
  EXPECT_EQ(box.normal_residual(y, Vector::Ones(2)), 0.0);
  const Set sparse = Similarity(SparseBox::nonnegative(3, 1), 0.7, Vector::Constant(3, 100.1));
  const Vector z = sparse.projection(Vector{{300.0, 100.0, 90.0}});
  EXPECT_LE(*sparse.normal_residual(z, Vector{{0.0, -1.0, 5.0}}), 1e-12);
}

TEST(Similarity, RefusesFactorZero) {
  expect_invalid("Similarity.factor", [] { magnified(Sparse(2, 1), 0.0); });
  expect_invalid("Similarity.shift.size()", [] { translated(Sparse(2, 1), Vector::Ones(3)); });
}

TEST(Stiefel, RankDeficientMatricesStillHaveAProjection) {
  const Set set = Stiefel(3, 2);
  const Vector y = set.projection(Vector::Zero(6));
  EXPECT_LE(set.distance(y), 1e-14);
  EXPECT_EQ(set.projection_is_unique(Vector::Zero(6), 1e-9), false);
  expect_invalid("Stiefel.rows", [] { Stiefel(2, 3); });
}

TEST(LargeSets, WorkInTenMillionDimensions) {
  constexpr Index n = 10'000'000;
  const Vector z = Vector::LinSpaced(n, -1.0, 1.0);
  Vector y(n);
  Sparse(n, 1000).project(z, y);
  EXPECT_EQ((y.array() != 0.0).count(), 1000);
  Simplex(n).project(z, y);
  EXPECT_NEAR(y.sum(), 1.0, 1e-12);
  BoxSwitching::complementarity(n / 2).project(z, y);
  EXPECT_EQ(y.head(n / 2).cwiseProduct(y.tail(n / 2)).squaredNorm(), 0.0);
}

TEST(Axioms, HoldAtExtremeScales) {
  for (const double scale : {1e100, 1e-100}) {
    expect_axioms(SparseBox::nonnegative(4, 2), {.scale = scale});
    expect_axioms(GroupSparse::blocks(3, 2, 1), {.scale = scale});
    expect_axioms(SparseSimplex(4, 2, scale), {.scale = scale});
    expect_axioms(sphere(3, scale), {.scale = scale});
    expect_axioms(L1Ball(3, scale), {.scale = scale});
    expect_axioms(PairUnion::vanishing(2), {.scale = scale});
    expect_axioms(SecondOrderCone(3), {.scale = scale});
    expect_axioms(BoxSlab(Vector::Zero(3), Vector::Constant(3, scale), Vector::Ones(3), scale, scale),
                  {.scale = scale});
  }
}

}  // namespace
}  // namespace pendec
