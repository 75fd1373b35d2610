#include "pendec/sets/polyhedron.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"

namespace pendec {
namespace {

Polyhedron random_polyhedron(Random& random, Index n, Index rows) {
  LinearConstraints c = LinearConstraints::none(n);
  const Vector inside = random.normal_vector(n);
  c.A = random.normal_matrix(rows, n);
  c.b = c.A.times(inside) + random.uniform_vector(rows, 0.0, 1.0);
  c.E = random.normal_matrix(1, n);
  c.d = c.E.times(inside);
  c.lower = inside - random.uniform_vector(n, 0.0, 2.0);
  c.upper = inside + random.uniform_vector(n, 0.0, 2.0);
  c.upper[0] = infinity;
  return Polyhedron(c);
}

LinearConstraints simplex(Index n) {
  LinearConstraints c = LinearConstraints::none(n);
  c.E = Matrix::Ones(1, n);
  c.d = Vector::Ones(1);
  c.lower.setZero();
  return c;
}

TEST(Polyhedron, ProjectsOntoTheSimplex) {
  // max(z − t, 0) with Σ = 1
  const Set set = Polyhedron(simplex(4));
  const Vector z{{0.9, 0.7, -3.0, 0.2}};
  EXPECT_LE((set.projection(z) - Vector{{0.6, 0.4, 0.0, 0.0}}).norm(), 1e-14);
  EXPECT_TRUE(set.convex());
  EXPECT_EQ(set.dimension(), 4);
}

TEST(Polyhedron, ProjectionSatisfiesTheVariationalInequality) {
  Random random(1);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Polyhedron P = random_polyhedron(random, 6, 10);
    const Set set = P;
    const Vector z = 4.0 * random.normal_vector(6), y = set.projection(z);
    EXPECT_LE(P.prepared->data.violation(y), 1e-11);
    EXPECT_TRUE(set.contains(y, 1e-10));
    EXPECT_LE((set.projection(y) - y).norm(), 1e-11);
    EXPECT_LE(*set.normal_residual(y, z - y), 1e-9);
    for (int k = 0; k < 20; ++k) {
      const Vector w = set.projection(4.0 * random.normal_vector(6));
      EXPECT_LE((z - y).dot(w - y), 1e-9);
    }
  }
}

TEST(Polyhedron, ProjectorAgreesWithTheStatelessProjection) {
  Random random(2);
  const Set set = random_polyhedron(random, 8, 12);
  const auto projector = set.projector();
  Vector z = random.normal_vector(8), y(8);
  for (int k = 0; k < 100; ++k) {
    z += random.normal_vector(8);
    projector->project(z, y);
    ASSERT_LE((y - set.projection(z)).norm(), 1e-11 * (1.0 + z.norm()));
  }
}

TEST(Polyhedron, ProjectorGivesUpBeyondTheGivenDistance) {
  Random random(3);
  const Polyhedron P = random_polyhedron(random, 5, 10);
  PolyhedronProjector projector(P.prepared);
  for (int k = 0; k < 50; ++k) {
    const Vector z = 5.0 * random.normal_vector(5);
    Vector y(5), kept = Vector::Constant(5, 7.0);
    projector.project(z, y);
    const double distance = (z - y).norm();
    if (distance == 0.0) continue;
    EXPECT_FALSE(projector.project_within(z, kept, 0.99 * distance));
    EXPECT_EQ(kept, Vector::Constant(5, 7.0));
    EXPECT_TRUE(projector.project_within(z, kept, 1.01 * distance));
    EXPECT_LE((kept - y).norm(), 1e-11 * (1.0 + z.norm()));
  }
}

TEST(Polyhedron, NormalResidualIsTheDistanceToTheNormalCone) {
  LinearConstraints c = LinearConstraints::none(2);
  c.upper.setZero();
  const Polyhedron quadrant(c);
  const Vector corner = Vector::Zero(2), edge{{0.0, -1.0}}, inside{{-1.0, -1.0}};
  EXPECT_NEAR(quadrant.normal_residual(corner, Vector{{2.0, 3.0}}), 0.0, 1e-14);
  EXPECT_NEAR(quadrant.normal_residual(corner, Vector{{2.0, -3.0}}), 3.0, 1e-14);
  EXPECT_NEAR(quadrant.normal_residual(corner, Vector{{-3.0, -4.0}}), 5.0, 1e-14);
  EXPECT_NEAR(quadrant.normal_residual(edge, Vector{{2.0, 3.0}}), 3.0, 1e-14);
  EXPECT_NEAR(quadrant.normal_residual(inside, Vector{{3.0, 4.0}}), 5.0, 1e-14);

  // Equalities have normals of both signs.
  const Polyhedron S(simplex(3));
  const Vector middle = Vector::Constant(3, 1.0 / 3.0);
  EXPECT_NEAR(S.normal_residual(middle, Vector::Constant(3, -2.0)), 0.0, 1e-14);
  EXPECT_NEAR(S.normal_residual(middle, Vector{{1.0, -1.0, 0.0}}), std::sqrt(2.0), 1e-14);
}

TEST(Polyhedron, ScaledIsThePreimage) {
  Random random(4);
  const Set set = random_polyhedron(random, 6, 9);
  const Vector row = random.uniform_vector(6, 0.1, 10.0);
  const Set preimage = *set.scaled(row);
  for (int k = 0; k < 50; ++k) {
    const Vector z = random.normal_vector(6);
    const Vector y = preimage.projection(z);
    EXPECT_TRUE(set.contains(row.cwiseProduct(y), 1e-10));
    const Vector x = set.projection(z);
    EXPECT_TRUE(preimage.contains(x.cwiseQuotient(row), 1e-9));
    EXPECT_EQ(set.contains(row.cwiseProduct(z), 1e-9), preimage.contains(z, 1e-9));
  }
}

TEST(Polyhedron, IsItsOwnOnlyBranch) {
  const Set set = Polyhedron(simplex(3));
  const Vector y{{0.2, 0.3, 0.5}};
  const auto branch = set.branch(y, y);
  ASSERT_TRUE(branch.has_value());
  EXPECT_EQ(branch->label, "everything");
  EXPECT_TRUE(branch->key.empty());
  Vector x(3);
  branch->chart.evaluate(branch->t, x);
  EXPECT_EQ(x, y);
  EXPECT_EQ(branch->domain.projection(Vector{{2.0, 0.0, 0.0}}), set.projection(Vector{{2.0, 0.0, 0.0}}));
}

TEST(Polyhedron, RefusesEmptySetsAndBadNumbersByName) {
  const Matrix A{{1.0, 0.0}, {-1.0, 0.0}};
  EXPECT_NO_THROW(Polyhedron(A, Vector{{1.0, -1.0}}));
  try {
    Polyhedron(A, Vector{{1.0, -2.0}});
    FAIL() << "an empty polyhedron was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.field(), "Polyhedron");
    EXPECT_EQ(error.value(), "empty");
  }
  EXPECT_THROW(Polyhedron(A, Vector::Ones(3)), InvalidArgument);
  EXPECT_THROW(Polyhedron(A, Vector{{1.0, std::nan("")}}), InvalidArgument);
  LinearConstraints crossed = LinearConstraints::none(2);
  crossed.lower[1] = 2.0;
  crossed.upper[1] = 1.0;
  EXPECT_THROW(Polyhedron{crossed}, InvalidArgument);
}

TEST(Polyhedron, StatelessProjectionsMayRunInParallel) {
  Random random(5);
  const Set a = random_polyhedron(random, 10, 20), b = random_polyhedron(random, 6, 8);
  std::vector<Vector> points, expected;
  for (int k = 0; k < 200; ++k) {
    const Set& set = k % 2 == 0 ? a : b;
    points.push_back(3.0 * random.normal_vector(set.dimension()));
    expected.push_back(set.projection(points.back()));
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::size_t k = 0; k < points.size(); ++k)
        if ((k % 2 == 0 ? a : b).projection(points[k]) != expected[k]) ++wrong[t];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace pendec
