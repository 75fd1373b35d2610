#include "pendec/maps/stack.hpp"

#include <gtest/gtest.h>

#include "pendec/certificates/check.hpp"
#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/quartic.hpp"
#include "pendec/maps/selection.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

void expect_derivatives(const Map& G, In x) {
  const CheckReport report = check_map(G, x);
  EXPECT_TRUE(report.ok) << ::testing::PrintToString(report.failures);
}

/// Knows its adjoint and nothing else.
struct Bare {
  Index input_dimension() const { return 3; }
  Index output_dimension() const { return 1; }
  void evaluate(In x, Out out) const { out[0] = 0.5 * x.squaredNorm(); }
  void adjoint(In x, In w, Out out) const { out = w[0] * x; }
};

TEST(Quartic, AgreesWithItsDerivatives) {
  Random random(1);
  expect_derivatives(Quartic(random.normal_matrix(5, 2), random.normal_matrix(5, 2), random.normal_vector(2)),
                     random.normal_vector(5));
  const Quartic one(Matrix::Constant(1, 1, 2.0), Matrix::Constant(1, 1, 1.0), Vector::Constant(1, 3.0));
  Vector out(1);
  one.evaluate(Vector::Constant(1, 3.0), out);
  EXPECT_EQ(out[0], 2.0 * 16.0 - 3.0);
}

TEST(Quartic, RefusesShapesThatDoNotFit) {
  testing::expect_invalid("Quartic.p.cols()",
                          [] { Quartic(Matrix::Ones(2, 2), Matrix::Ones(2, 1), Vector::Ones(2)); });
  testing::expect_invalid("Quartic.t.size()",
                          [] { Quartic(Matrix::Ones(2, 2), Matrix::Ones(2, 2), Vector::Ones(3)); });
}

TEST(Stack, PutsMapsBelowEachOther) {
  Random random(2);
  const Vector x = random.normal_vector(3);
  const Matrix A = random.normal_matrix(2, 3);
  const Map stack =
      Stack({Affine(A), Selection(3, {2}), Quartic(random.normal_matrix(3, 1), Matrix::Zero(3, 1), Vector::Zero(1))});
  EXPECT_EQ(stack.output_dimension(), 4);
  Vector out(4);
  stack.evaluate(x, out);
  EXPECT_NEAR((out.head(2) - A * x).norm(), 0.0, 1e-14);
  EXPECT_EQ(out[2], x[2]);
  expect_derivatives(stack, x);
  EXPECT_FALSE(stack.is_affine());
}

TEST(Stack, OfAffineMapsIsAffine) {
  const Map stack = Stack({Affine(Matrix::Ones(2, 3)), Selection::identity(3)});
  EXPECT_TRUE(stack.is_affine());
  expect_derivatives(stack, Vector::Ones(3));
}

TEST(Stack, HasSecondDerivativesOnlyIfEveryPartHas) {
  EXPECT_FALSE(Map(Stack({Bare{}, Selection(3, {0})})).has_hessian());
  EXPECT_TRUE(Map(Stack({Selection(3, {1}), Selection(3, {0})})).has_hessian());
  expect_derivatives(Stack({Bare{}, Selection(3, {0})}), Vector::Ones(3));
}

TEST(Stack, RefusesNothingAndPartsOfDifferentInputs) {
  testing::expect_invalid("Stack.maps.size()", [] { Stack({}); });
  testing::expect_invalid("Stack.maps[1].input_dimension()", [] {
    Stack({Selection::identity(2), Selection::identity(3)});
  });
}

}  // namespace
}  // namespace pendec
