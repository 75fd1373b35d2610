#include "pendec/sets/union_of.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "pendec/sets/box.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/sets/sparse.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;
using testing::expect_limiting_normals;

Set interval(double lower, double upper) { return Box(Vector{{lower}}, Vector{{upper}}); }

UnionOf random_boxes(Index n, int count) {
  Random random(9);
  std::vector<Set> parts;
  for (int k = 0; k < count; ++k) {
    const Vector corner = 3.0 * random.normal_vector(n);
    parts.emplace_back(Box(corner, corner + random.uniform_vector(n, 0.0, 1.0)));
  }
  return UnionOf(std::move(parts));
}

TEST(UnionOf, SatisfiesTheAxioms) {
  expect_axioms(UnionOf({interval(0.0, 1.0)}));
  expect_axioms(UnionOf({interval(-infinity, -1.0), interval(1.0, infinity)}));
  expect_axioms(random_boxes(4, 12));
  expect_axioms(UnionOf({Sparse(4, 1), Singleton(Vector::Ones(4)), Box::nonpositive(4)}));
  expect_axioms(UnionOf({Sparse(4, 1), Box::nonpositive(4)}), {.scale = 1e150});
}

TEST(UnionOf, IsTheNearestOfThePartsProjections) {
  const UnionOf set = random_boxes(3, 8);
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector z = 3.0 * random.normal_vector(3);
    double nearest = infinity;
    for (const Set& part : set.parts) nearest = std::min(nearest, part.distance(z));
    EXPECT_EQ(Set(set).distance(z), nearest);
    EXPECT_EQ((z - Set(set).projection(z)).norm(), nearest);
  }
}

TEST(UnionOf, TiesGoToTheFirstPart) {
  const Set set = UnionOf({interval(1.0, 2.0), interval(-2.0, -1.0)});
  const auto projector = set.projector();
  Vector y(1);
  EXPECT_EQ(set.projection(Vector{{0.0}})[0], 1.0);
  for (const double z : {-3.0, 0.0, -1.5, 0.0, 1e-17, 0.0}) {  // also when the last winner was the second part
    projector->project(Vector{{z}}, y);
    EXPECT_EQ(y, set.projection(Vector{{z}})) << z;
  }
}

/// Counts the projections it is asked for.
struct Counted {
  Box box;
  std::shared_ptr<int> calls;
  Index dimension() const { return box.dimension(); }
  bool convex() const { return true; }
  void project(In z, Out y) const {
    ++*calls;
    box.project(z, y);
  }
};

TEST(UnionOf, ProjectorLeavesOutPartsThatCannotHaveComeNearest) {
  const UnionOf boxes = random_boxes(3, 30);
  const auto calls = std::make_shared<int>(0);
  std::vector<Set> parts;
  for (const Set& part : boxes.parts) parts.emplace_back(Counted{*part.as<Box>(), calls});
  const auto projector = Set(UnionOf(std::move(parts))).projector();
  Random random(6);
  Vector z = random.normal_vector(3), y(3);
  const int steps = 400;
  for (int k = 0; k < steps; ++k) {
    z += (k % 50 == 0 ? 1.0 : 0.01) * random.normal_vector(3);
    projector->project(z, y);
    EXPECT_EQ(y, Set(boxes).projection(z));
  }
  EXPECT_LT(*calls, steps * 30 / 4);
}

TEST(UnionOf, ProjectorOfPolyhedraGivesUpEarlyAndAgrees) {
  Random random(12);
  std::vector<Set> parts;
  for (int k = 0; k < 12; ++k) {
    const Matrix A = random.normal_matrix(8, 4);
    parts.emplace_back(Polyhedron(A, A * (3.0 * random.normal_vector(4)) + Vector::Constant(8, 0.5)));
  }
  const Set set = UnionOf(parts);
  expect_axioms(set);
  const auto projector = set.projector();
  Vector z = random.normal_vector(4), y(4);
  for (int step = 0; step < 60; ++step) {
    z += (step % 10 == 0 ? 2.0 : 0.05) * random.normal_vector(4);
    projector->project(z, y);
    EXPECT_NEAR((y - set.projection(z)).norm(), 0.0, 1e-9);
  }
}

TEST(UnionOf, NormalResidualWithOneActivePartIsThatParts) {
  const UnionOf set({interval(0.0, 1.0), interval(3.0, 4.0)});
  EXPECT_EQ(set.normal_residual(Vector{{1.0}}, Vector{{5.0}}), 0.0);
  EXPECT_EQ(set.normal_residual(Vector{{1.0}}, Vector{{-5.0}}), 5.0);
  EXPECT_FALSE(set.normal_residual(Vector{{2.0}}, Vector{{5.0}}).has_value());  // not a point of the set
}

TEST(UnionOf, NormalResidualIsTheLimitingOneWhereThePartsCross) {
  // The coordinate axes of the plane: a b = 0.
  const Vector zero = Vector::Zero(2), inf = Vector::Constant(2, infinity);
  const Box x_axis(Vector{{-infinity, 0.0}}, Vector{{infinity, 0.0}}),
      y_axis(Vector{{0.0, -infinity}}, Vector{{0.0, infinity}});
  expect_limiting_normals(UnionOf({x_axis, y_axis}), zero, 0.02, 2000);
}

TEST(UnionOf, NormalsOfACoveredPartAreNoNormals) {
  // [0, 1] ∪ [0, 2] has no nonzero normals at 1; the first part alone has.
  const UnionOf set({interval(0.0, 1.0), interval(0.0, 2.0)});
  EXPECT_EQ(set.normal_residual(Vector{{1.0}}, Vector{{5.0}}), 5.0);
}

TEST(UnionOf, BranchIsThePartNearestToZAmongThoseThatContainY) {
  const UnionOf set({interval(0.0, 1.0), interval(1.0, 2.0), interval(1.0, 5.0)});
  EXPECT_EQ(set.branch(Vector{{1.0}}, Vector{{3.0}})->key, (std::vector<Index>{2}));
  EXPECT_EQ(set.branch(Vector{{1.0}}, Vector{{1.5}})->key, (std::vector<Index>{1}));
  EXPECT_EQ(set.branch(Vector{{1.0}}, Vector{{1.0}})->label, "part 0");
  EXPECT_EQ(set.branch(Vector{{1.0}}, Vector{{1.0}})->domain.as<Box>()->upper[0], 1.0);
}

TEST(UnionOf, BranchOfANonconvexPartIsThatPartsBranch) {
  const UnionOf set({Singleton(Vector::Ones(3)), Sparse(3, 1)});
  const Branch branch = set.branch(Vector{{0.0, 4.0, 0.0}}, Vector{{0.0, 4.0, 0.0}}).value();
  EXPECT_EQ(branch.key, (std::vector<Index>{1, 1}));
  EXPECT_EQ(branch.label, "part 1, support {1}");
}

TEST(UnionOf, ProjectionIsUniqueUnlessDifferentPointsAreEquallyNear) {
  const UnionOf set({interval(1.0, 2.0), interval(-2.0, -1.0), interval(1.0, 9.0)});
  EXPECT_EQ(set.projection_is_unique(Vector{{0.0}}, 1e-9), false);
  EXPECT_EQ(set.projection_is_unique(Vector{{0.5}}, 1e-9), true);
}

TEST(UnionOf, RefusesNoPartsAndDifferentDimensions) {
  expect_invalid("UnionOf.parts.size()", [] { UnionOf({}); });
  expect_invalid("UnionOf.parts[1]", [] { UnionOf({interval(0.0, 1.0), Set()}); });
  expect_invalid("UnionOf.parts[1].dimension()", [] { UnionOf({interval(0.0, 1.0), Sparse(3, 1)}); });
}

/// Polyhedra around random points, some of them twice.
std::vector<Set> random_polyhedra(Index n, Index rows, int count, Random& random) {
  std::vector<Set> parts;
  for (int k = 0; k < count; ++k) {
    const Matrix A = random.normal_matrix(rows, n);
    const Vector inside = 4.0 * random.normal_vector(n);
    parts.push_back(Polyhedron(A, A * inside + random.uniform_vector(rows, 0.0, 1.0)));
    if (k % 7 == 0) parts.push_back(parts.back());
  }
  return parts;
}

TEST(UnionProjector, IsProjectingOntoAllAlongWalksOfAnyStepLength) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    const Index n = 2 + static_cast<Index>(seed);
    const UnionOf set(random_polyhedra(n, 2 * n, 60, random));
    UnionProjector projector(set.parts);
    Vector z = 5.0 * random.normal_vector(n), y(n);
    for (int step = 0; step < 300; ++step) {
      const double length = std::pow(10.0, random.uniform(-6.0, step % 40 == 0 ? 6.0 : 0.5));
      z = (step % 40 == 1 ? 1e-3 : 1.0) * z + length * random.normal_vector(n);
      projector.project(z, y);
      const double nearest = Set(set).distance(z), tolerance = 1e-9 * (1.0 + z.norm());
      EXPECT_NEAR((z - y).norm(), nearest, tolerance) << seed << ' ' << step;
      EXPECT_TRUE(set.contains(y, tolerance)) << seed << ' ' << step;
      if (set.projection_is_unique(z, 1e-6 * (1.0 + z.norm())) == true) {
        EXPECT_LE((y - Set(set).projection(z)).norm(), 1e-6 * (1.0 + z.norm()));
      }
    }
  }
}

TEST(UnionOf, WhatIsNoNumberStaysVisible) {
  const Set set = UnionOf({Singleton(Vector::Zero(2)), Box(Vector::Ones(2), Vector::Constant(2, 2.0))});
  const Vector z{{std::numeric_limits<double>::quiet_NaN(), 1.0}};
  EXPECT_TRUE(set.projection(z).hasNaN());
  Vector y(2);
  set.projector()->project(z, y);
  EXPECT_TRUE(y.hasNaN());
}

TEST(UnionProjector, TouchesFewOfManyParts) {
  Random random(3);
  const UnionOf set(random_polyhedra(5, 10, 2000, random));
  UnionProjector projector(set.parts);
  Vector z = random.normal_vector(5), y(5);
  for (int step = 0; step < 200; ++step) {
    z += 0.05 * random.normal_vector(5);
    projector.project(z, y);
  }
  const auto& work = projector.work();
  EXPECT_EQ(work.calls, 200);
  EXPECT_LT(static_cast<double>(work.projections), 0.02 * 200 * static_cast<double>(set.parts.size()));
}

TEST(UnionProjector, KnowsPartsOfAllKinds) {
  const std::vector<Set> parts{Sparse(4, 1), Singleton(Vector::Ones(4)), Box::nonpositive(4),
                               Polyhedron(Matrix::Ones(1, 4), Vector::Constant(1, -3.0))};
  UnionProjector projector(parts);
  Random random(8);
  Vector y(4);
  for (int k = 0; k < 200; ++k) {
    const Vector z = random.normal_vector(4);
    projector.project(z, y);
    EXPECT_NEAR((z - y).norm(), Set(UnionOf(parts)).distance(z), 1e-12);
  }
  projector.project(Vector::Constant(4, std::nan("")), y);  // nothing is known about such a point, and nothing breaks
  projector.project(Vector::Ones(4), y);
  EXPECT_EQ(y, Vector::Ones(4));
}

TEST(UnionOf, BranchOfAPointOutsideIsTheNearestPart) {
  const Set one = UnionOf({interval(1.0, 2.0)});
  EXPECT_EQ(one.branch(Vector{{0.9}}, Vector{{0.0}})->key, (std::vector<Index>{0}));
  const Set two = UnionOf({interval(1.0, 2.0), interval(3.0, 4.0)});
  EXPECT_EQ(two.branch(Vector{{2.9}}, Vector{{0.0}})->key, (std::vector<Index>{1}));
  expect_invalid("branch key[0]", [&] { two.neighbours({}, Vector{{0.0}}, 5); });
}

/// [lower, ∞), whose projector is wrong by `off` where z is far away, and says so.
struct Inexact {
  double lower, off;
  Index dimension() const { return 1; }
  bool convex() const { return true; }
  void project(In z, Out y) const { y[0] = std::max(z[0], lower); }

  struct Along final : Projector {
    double lower, off, last = 0.0;
    Along(double l, double o) : lower(l), off(o) {}
    using Projector::project;
    void project(In z, Out y) override { y[0] = std::max(z[0], lower) + (last = z[0] < lower - 1.0 ? off : 0.0); }
    double error() const override { return last; }
  };
  std::unique_ptr<Projector> projector() const { return std::make_unique<Along>(lower, off); }
};

TEST(UnionProjector, TrustsADistanceOnlyAsFarAsThePartsProjectorDoes) {
  // From 0.75 the first part seems 4.25 away; at 1.9 it is the nearest, which 4.25 − 1.15 as a bound would hide.
  const Set set = UnionOf({Inexact{2.0, 3.0}, interval(-infinity, 0.5)});
  const auto projector = set.projector();
  Vector y(1);
  for (const double z : {0.75, 1.9}) projector->project(Vector{{z}}, y);
  EXPECT_EQ(y[0], 2.0);
}

}  // namespace
}  // namespace pendec
