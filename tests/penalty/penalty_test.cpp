#include "pendec/penalty/penalty.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

/// q_τ written out from its definition.
double q_by_definition(const Problem& p, double tau, In lambda, In mu, In x, In y) {
  Vector G(p.G.output_dimension());
  p.G.evaluate(x, G);
  const double distance = p.C.distance(G + lambda / tau);
  return p.f.value(x) + 0.5 * tau * (x - y + mu / tau).squaredNorm() + 0.5 * tau * distance * distance;
}

class PenaltyTest : public ::testing::Test {
 protected:
  PenaltyTest()
      : problem_(testing_support::sparse_portfolio().problem.completed()),
        oracle_(problem_),
        q_(oracle_, {{0, 8}}, true) {
    Random random(5);
    q_.tau = 3.0;
    q_.use_mu = true;
    q_.lambda = random.normal_vector(8);
    q_.mu = random.normal_vector(8);
    point_ = q_.make_point(random.normal_vector(8));
    y_ = random.normal_vector(8);
    q_.evaluate(point_);
  }
  Problem problem_;
  Oracle oracle_;
  Penalty q_;
  Point point_;
  Vector y_;
};

TEST_F(PenaltyTest, ValueIsItsDefinition) {
  EXPECT_NEAR(q_.value(point_, y_), q_by_definition(problem_, 3.0, q_.lambda, q_.mu, point_.x, y_), 1e-12);
}

TEST_F(PenaltyTest, GradientIsThatOfTheValue) {
  Vector g(8);
  q_.gradient(point_, y_, g);
  const double h = 1e-6;
  for (Index i = 0; i < 8; ++i) {
    const Vector e = h * Vector::Unit(8, i);
    const double up = q_by_definition(problem_, 3.0, q_.lambda, q_.mu, point_.x + e, y_);
    const double down = q_by_definition(problem_, 3.0, q_.lambda, q_.mu, point_.x - e, y_);
    EXPECT_NEAR(g[i], (up - down) / (2.0 * h), 1e-6);
  }
}

TEST_F(PenaltyTest, ProjectionMinimisesOverTheYBlock) {
  Vector y(8);
  q_.project(point_, y);
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const Vector other = problem_.D.projection(y + random.normal_vector(8));
    EXPECT_LE(q_.value(point_, y), q_.value(point_, other) + 1e-12);
  }
}

TEST_F(PenaltyTest, GradientPartsAddUp) {
  Vector g(8), per_tau(8);
  q_.gradient(point_, y_, g);
  q_.penalty_gradient(point_, y_, per_tau);
  EXPECT_LE((g - point_.gradient_f - q_.tau * per_tau - q_.mu).norm(), 1e-12);
}

TEST(PenaltyCoupling, LeavesFreeCoordinatesAlone) {
  const Problem p = testing_support::sparse_and_free().problem.completed();
  Oracle oracle(p);
  Penalty q(oracle, {{0, 5}}, true);
  Point point = q.make_point(Vector::Ones(8));
  q.evaluate(point);
  Vector y = Vector::Zero(8);
  const double before = q.value(point, y);
  y.tail(3).setConstant(100.0);
  EXPECT_EQ(q.value(point, y), before);
  EXPECT_NEAR(before, point.f + 0.5 * 5.0, 1e-12);
}

TEST(Oracle, CountsEveryCall) {
  const Problem p = testing_support::sparse_portfolio().problem.completed();
  Oracle oracle(p);
  Vector x = Vector::Ones(8), out(8);
  oracle.f(x);
  oracle.f_and_gradient(x, out);
  oracle.G(x, out);
  oracle.adjoint(x, x, out);
  oracle.project_C(x, out);
  oracle.project_D(x, out);
  EXPECT_EQ(oracle.counts.f, 2);
  EXPECT_EQ(oracle.counts.gradient, 1);
  EXPECT_EQ(oracle.counts.G, 1);
  EXPECT_EQ(oracle.counts.adjoint, 1);
  EXPECT_EQ(oracle.counts.project_C, 1);
  EXPECT_EQ(oracle.counts.project_D, 1);
}

}  // namespace
}  // namespace pendec
