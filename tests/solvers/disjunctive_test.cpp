#include "pendec/solvers/disjunctive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/instances.hpp"
#include "pendec/subsolvers/sqp.hpp"
#ifdef PENDEC_ENUMERATION
#include "experiments/enumeration.hpp"
#endif

namespace pendec {
namespace {

Set box(double lower, double upper, Index n = 2) {
  return Box(Vector::Constant(n, lower), Vector::Constant(n, upper));
}

Problem nearest_to_origin(std::vector<Set> parts) {
  const Index n = parts.front().dimension();
  return {.f = SquaredDistance(Vector::Zero(n)), .D = UnionOf(std::move(parts))};
}

TEST(Disjunctive, ProvesTheOptimumOfPaperInstances) {
  for (const Index parts : {2, 10, 50}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Random random(seed);
      const auto instance = experiments::feasible_disjunctive(10, parts, 12, 1, random);
      const auto r = solve_disjunctive(instance.problem, instance.start);
      ASSERT_EQ(r.result.status, Status::optimal) << r.result.message;
      EXPECT_LE(r.result.f - r.result.bound, 1e-6 * std::abs(r.result.f));
      EXPECT_TRUE(instance.problem.D.contains(r.result.y, 1e-8));
      EXPECT_LE(r.result.certificate.distance_C, 1e-7);
      EXPECT_TRUE(r.result.certificate.holds(1e-6));
      EXPECT_TRUE((r.bounds.array() >= r.result.bound).all());
#ifdef PENDEC_ENUMERATION
      const auto all = experiments::enumerate_parts(instance.problem, instance.start);
      EXPECT_NEAR(r.result.f, all.f, 1e-6 * (1.0 + std::abs(all.f))) << parts << ' ' << seed;
#endif
    }
  }
#ifndef PENDEC_ENUMERATION
  GTEST_SKIP() << "without NLopt there is no enumeration to compare with";
#endif
}

TEST(Disjunctive, BoundsOfPartsAreBelowTheirOptima) {
  Random random(4);
  const auto instance = experiments::feasible_disjunctive(5, 20, 7, 3, random);
  const auto r = solve_disjunctive(instance.problem, instance.start);
  ASSERT_EQ(r.result.status, Status::optimal);
  const auto& parts = instance.problem.D.as<UnionOf>()->parts;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Problem on_part = instance.problem;
    on_part.D = parts[k];
    const SqpResult exact = sqp(on_part, instance.start);
    const double bound = std::min(r.bounds[static_cast<Index>(k)], r.result.f);
    if (exact.status == SqpStatus::converged) {
      EXPECT_LE(bound, exact.f + 1e-7 * std::abs(exact.f)) << k;
      EXPECT_LT(r.bounds[static_cast<Index>(k)], infinity) << k;
    }
  }
}

TEST(Disjunctive, WithoutCertificateTheSearchClaimsLess) {
  Random random(2);
  const auto instance = experiments::feasible_disjunctive(10, 20, 12, 1, random);
  const auto proved = solve_disjunctive(instance.problem, instance.start);
  const auto found = solve_disjunctive(instance.problem, instance.start, {.certificate = false});
  EXPECT_EQ(found.result.status, Status::converged);
  EXPECT_EQ(found.result.bound, -infinity);
  EXPECT_NEAR(found.result.f, proved.result.f, 1e-6 * std::abs(proved.result.f));
  EXPECT_EQ(found.part, proved.part);
}

TEST(Disjunctive, ProvesThatNoPartMeetsTheConstraints) {
  Matrix A(1, 2);
  A << 1.0, 1.0;
  Problem problem = nearest_to_origin({box(1.0, 2.0), box(3.0, 4.0)});
  problem.G = Affine(A);
  problem.C = Box(Vector::Constant(1, -infinity), Vector::Constant(1, 1.0));
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_EQ(r.result.status, Status::infeasible) << r.result.message;
  EXPECT_EQ(r.part, -1);
  EXPECT_EQ(r.parts.infeasible, 2);
}

TEST(Disjunctive, ProvesThatTheSharedConstraintsContradictEachOther) {
  Matrix A(2, 2);
  A << 1.0, 0.0, -1.0, 0.0;
  Problem problem = nearest_to_origin({box(-10.0, 10.0), box(20.0, 30.0)});
  problem.G = Affine(A);
  problem.C = Box(Vector::Constant(2, -infinity), Vector::Constant(2, -1.0));
  EXPECT_EQ(solve_disjunctive(problem, Vector::Zero(2)).result.status, Status::infeasible);
}

TEST(Disjunctive, ReportsAnUnboundedProblemAndDoesNotHang) {
  const Problem problem{.f = Linear(Vector{{1.0, 0.0}}),
                        .D = UnionOf({Polyhedron(Matrix{{0.0, 1.0}}, Vector{{0.0}}), box(0.0, 1.0)})};
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_FALSE(r.result.success());
  EXPECT_EQ(r.result.bound, -infinity);
}

TEST(Disjunctive, OneUnboundedDirectionThatNoPartHasDoesNotMatter) {
  const Problem problem{.f = Linear(Vector{{1.0, 1.0}}),
                        .D = UnionOf({box(2.0, 3.0), box(-1.0, 5.0), box(4.0, 6.0)})};
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_TRUE(r.result.success()) << r.result.message;
  EXPECT_NEAR(r.result.f, -2.0, 1e-8);
  EXPECT_EQ(r.part, 1);
}

TEST(Disjunctive, DuplicatedPartsAreNoTrouble) {
  const auto r = solve_disjunctive(nearest_to_origin({box(1.0, 2.0), box(1.0, 2.0), box(1.0, 2.0)}), Vector::Zero(2));
  EXPECT_EQ(r.result.status, Status::optimal);
  EXPECT_NEAR(r.result.f, 1.0, 1e-9);
}

TEST(Disjunctive, AConvexSetIsAUnionOfOnePart) {
  const auto r = solve_disjunctive({.f = SquaredDistance(Vector::Zero(3)), .D = box(1.0, 2.0, 3)}, Vector::Ones(3));
  EXPECT_EQ(r.result.status, Status::optimal);
  EXPECT_EQ(r.part, 0);
  EXPECT_EQ(r.parts.solved + r.parts.bounded + r.parts.screened, 1);
}

TEST(Disjunctive, NonconvexObjectivesAreSearchedAndNotCertified) {
  const Problem problem{.f = Quadratic(Matrix{{-1.0, 0.0}, {0.0, 1.0}}, Vector::Zero(2)),
                        .D = UnionOf({box(0.0, 1.0), box(2.0, 3.0)})};
  EXPECT_FALSE(can_certify(problem));
  const auto r = solve_disjunctive(problem, Vector::Constant(2, 2.5));
  EXPECT_EQ(r.result.status, Status::converged);
  EXPECT_NEAR(r.result.f, -2.5, 1e-7);  // (3, 2)
  EXPECT_EQ(r.part, 1);
}

TEST(Disjunctive, PartsThatAreNoPolyhedraAreSearched) {
  const Problem problem = nearest_to_origin({translated(ball(2, 1.0), Vector{{3.0, 0.0}}), box(4.0, 5.0)});
  const auto r = solve_disjunctive(problem, Vector::Ones(2));
  EXPECT_EQ(r.result.status, Status::converged);
  EXPECT_NEAR(r.result.f, 2.0, 1e-6);
}

TEST(Disjunctive, RefusesMisuse) {
  const Problem good = nearest_to_origin({box(0.0, 1.0)});
  EXPECT_THROW(UnionOf({}), InvalidArgument);
  EXPECT_THROW(UnionOf({box(0.0, 1.0, 2), box(0.0, 1.0, 3)}), InvalidArgument);
  EXPECT_THROW(solve_disjunctive(good, Vector::Zero(3)), InvalidArgument);
  EXPECT_THROW(solve_disjunctive(good, Vector::Zero(2), {.gap = 0.0}), InvalidArgument);
  EXPECT_THROW(solve_disjunctive({.f = SquaredDistance(Vector::Zero(3)), .D = Sparse(3, 1)}, Vector::Zero(3)),
               InvalidArgument);
  EXPECT_THROW(solve_disjunctive(nearest_to_origin({Sparse(3, 1), Sparse(3, 2)}), Vector::Zero(3)), InvalidArgument);
}

TEST(Disjunctive, CurvatureOfTheLogisticLossIsBelowIt) {
  Random random(5);
  Matrix A = random.normal_matrix(30, 4);
  Vector labels(30);
  for (double& label : labels) label = random.uniform() < 0.5 ? -1.0 : 1.0;
  const Objective f = Logistic(A, labels);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector at = 2.0 * random.normal_vector(4), width = random.uniform_vector(4, 0.0, 3.0);
    const Vector lower = at - width, upper = at + random.uniform_vector(4, 0.0, 3.0);
    const Matrix H = *f.curvature_below(at, lower, upper);
    Vector gradient(4), x(4);
    const double value = f.value_and_gradient(at, gradient);
    for (Index i = 0; i < 4; ++i) x[i] = random.uniform(lower[i], upper[i]);
    const Vector d = x - at;
    EXPECT_GE(f.value(x), value + gradient.dot(d) + 0.5 * d.dot(H * d) - 1e-10 * (1.0 + value));
  }
}

}  // namespace
}  // namespace pendec
