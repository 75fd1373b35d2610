#include "pendec/objectives/sum.hpp"

#include <gtest/gtest.h>

#include "pendec/certificates/check.hpp"
#include "pendec/core/random.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

void expect_derivatives(const Objective& f, In x) {
  const CheckReport report = check_objective(f, x);
  EXPECT_TRUE(report.ok) << ::testing::PrintToString(report.failures);
}

Quadratic random_quadratic(Index n, Random& random) {
  const Matrix A = random.normal_matrix(n, n);
  return Quadratic(A + A.transpose(), random.normal_vector(n));
}

TEST(Linear, HasTheGradientCAndNoCurvature) {
  const Vector c{{1.0, -2.0, 0.5}};
  expect_derivatives(Linear(c), Vector{{0.3, 0.1, -4.0}});
  EXPECT_EQ(Linear(c).value(Vector{{2.0, 1.0, 4.0}}), 2.0);
  EXPECT_TRUE(Objective(Linear(c)).is_quadratic());
  EXPECT_TRUE(Objective(Linear(c)).convex());
}

TEST(Linear, RefusesNumbersThatAreNotFinite) {
  testing::expect_invalid("Linear.c[1]", [] { Linear(Vector{{1.0, infinity}}); });
}

TEST(Sum, IsTheWeightedSumOfValuesGradientsAndHessians) {
  Random random(7);
  const Index n = 5;
  const Vector x = random.normal_vector(n), d = random.normal_vector(n);
  const LeastSquares fit(random.normal_matrix(8, n), random.normal_vector(8));
  const SquaredDistance near(random.normal_vector(n));
  const Sum sum({{2.0, fit}, {-0.5, near}, {1.0, Linear(random.normal_vector(n))}});
  expect_derivatives(sum, x);
  ASSERT_TRUE(Objective(sum).is_quadratic());
  EXPECT_EQ(Objective(sum).constant_hessian()->stored_entries(), 8 * n + 2 * n) << "no matrix is formed";
  Vector a(n), b(n), out(n);
  Objective(fit).hessian_times(x, d, a);
  Objective(near).hessian_times(x, d, b);
  sum.hessian_times(x, d, out);
  EXPECT_NEAR((out - (2.0 * a - 0.5 * b)).norm(), 0.0, 1e-13);
}

TEST(Sum, OfQuadraticsIsAQuadratic) {
  Random random(8);
  const Index n = 4;
  const Vector x = random.normal_vector(n);
  const Quadratic p = random_quadratic(n, random), q = random_quadratic(n, random);
  const Vector weights{{1.0, 0.0, 3.0, 2.0}};
  const Objective dense = Sum({{1.5, p}, {2.0, q}, {4.0, SquaredDistance(random.normal_vector(n), weights)}});
  expect_derivatives(dense, x);
  ASSERT_TRUE(dense.is_quadratic());
  const Matrix expected = 1.5 * p.Q.dense() + 2.0 * q.Q.dense() + 4.0 * Matrix(weights.asDiagonal());
  EXPECT_NEAR((dense.constant_hessian()->dense() - expected).norm(), 0.0, 1e-13);

  const Objective diagonal = Sum({{2.0, SquaredDistance(x, weights)}, {3.0, Linear(x)}});
  expect_derivatives(diagonal, x);
  ASSERT_TRUE(diagonal.constant_hessian()->is_diagonal());
  EXPECT_EQ(diagonal.constant_hessian()->diagonal(), 2.0 * weights);
}

TEST(Sum, IsConvexOnlyIfEveryTermIsAndNoWeightIsNegative) {
  const Objective line = Linear(Vector::Ones(2));
  EXPECT_TRUE(Sum({{1.0, line}, {0.0, line}}).convex());
  EXPECT_FALSE(Sum({{1.0, line}, {-1.0, line}}).convex());
}

TEST(Sum, HasNoHessianWhereATermHasNone) {
  const Objective plain = make_objective(2, [](In x, Out g) { return g = x, 0.5 * x.squaredNorm(); });
  EXPECT_FALSE(Objective(Sum({{1.0, plain}, {1.0, Linear(Vector::Ones(2))}})).has_hessian());
  EXPECT_TRUE(Objective(Sum({{1.0, Linear(Vector::Ones(2))}})).has_hessian());
}

TEST(Sum, RefusesNothingAndTermsOfDifferentDimensions) {
  testing::expect_invalid("Sum.terms.size()", [] { Sum(std::vector<Term>{}); });
  testing::expect_invalid("Sum.terms[0].objective", [] { Sum(std::vector<Term>{{1.0, {}}}); });
  testing::expect_invalid("Sum.terms[0].weight", [] { Sum({{infinity, Linear(Vector::Ones(2))}}); });
  testing::expect_invalid("Sum.terms[1].objective.dimension()", [] {
    Sum({{1.0, Linear(Vector::Ones(2))}, {1.0, Linear(Vector::Ones(3))}});
  });
}

}  // namespace
}  // namespace pendec
