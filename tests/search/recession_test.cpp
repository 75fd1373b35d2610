#include "pendec/search/recession.hpp"

#include <gtest/gtest.h>

#include "pendec/maps/affine.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/sparse.hpp"

namespace pendec {
namespace {

std::optional<Vector> direction(const Problem& problem, In y) {
  const Problem p = problem.completed();
  return falling_direction(p, *p.D.branch(y, y));
}

TEST(Recession, IsTheSteepestDirectionThatLeavesNoConstraint) {
  // −x − y with x ≤ 1 and x + y − z = 0 has to leave along (0, 1, 1)
  const Problem p{.f = Linear(Vector{{-1.0, -1.0, 0.0}}),
                  .G = Affine((Matrix(1, 3) << 1.0, 1.0, -1.0).finished()),
                  .C = Box(Vector::Zero(1), Vector::Zero(1)),
                  .D = Box(Vector::Constant(3, -infinity), Vector{{1.0, infinity, infinity}})};
  const auto d = direction(p, Vector::Zero(3));
  ASSERT_TRUE(d);
  EXPECT_NEAR((*d - Vector{{0.0, std::sqrt(0.5), std::sqrt(0.5)}}).norm(), 0.0, 1e-12);
}

TEST(Recession, ThereIsNoneAlongWhichFIsCurved) {
  const Matrix Q = (Matrix(2, 2) << 1.0, 1.0, 1.0, 1.0).finished();
  const Vector c{{-1.0, -2.0}};
  const auto d = direction({.f = Quadratic(Q, c), .D = Sparse(2, 2)}, Vector::Ones(2));
  ASSERT_TRUE(d);
  EXPECT_NEAR((Q * *d).norm(), 0.0, 1e-12);
  EXPECT_LT(c.dot(*d), 0.0);
  EXPECT_FALSE(
      direction({.f = Quadratic(Matrix(Q + 1e-6 * Matrix::Identity(2, 2)), c), .D = Sparse(2, 2)}, Vector::Ones(2)));
}

TEST(Recession, ThereIsNoneInAPolytope) {
  EXPECT_FALSE(
      direction({.f = Linear(Vector::Ones(2)), .D = Box(Vector::Zero(2), Vector::Ones(2))}, Vector::Zero(2)));
}

}  // namespace
}  // namespace pendec
