// Misuse throws before iteration 0 and names the field, the value and what was expected.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

void expect_refused(const std::function<void()>& action, const std::string& field, const std::string& value) {
  try {
    action();
    FAIL() << field << " was accepted";
  } catch (const InvalidArgument& e) {
    EXPECT_EQ(e.field(), field);
    EXPECT_EQ(e.value(), value);
    EXPECT_FALSE(e.expected().empty());
    EXPECT_NE(std::string(e.what()).find(field), std::string::npos);
  }
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(BadInput, DimensionsThatDoNotFitAreNamed) {
  const Vector c = Vector::Zero(3);
  const Problem ok{.f = SquaredDistance(c), .D = Sparse(3, 1)};
  expect_refused([&] { solve(ok, Vector::Zero(2)); }, "x0.size()", "2");
  expect_refused([&] { solve({.f = SquaredDistance(c), .D = Sparse(4, 1)}, c); }, "Problem.D.dimension()", "4");
  expect_refused([&] { solve({.f = SquaredDistance(c), .G = Affine(Matrix::Ones(1, 2)), .C = Simplex(1)}, c); },
                 "Problem.G.input_dimension()", "2");
  expect_refused([&] { solve({.f = SquaredDistance(c), .G = Affine(Matrix::Ones(2, 3)), .C = Simplex(3)}, c); },
                 "Problem.C.dimension()", "3");
  expect_refused([&] { Quadratic(Matrix::Identity(2, 3), c); }, "Quadratic.Q.rows()", "2");
}

TEST(BadInput, HalfAConstraintIsRefused) {
  const Vector c = Vector::Zero(3);
  expect_refused([&] { solve({.f = SquaredDistance(c), .G = Affine(Matrix::Ones(1, 3))}, c); }, "Problem.C",
                 "missing");
  expect_refused([&] { solve({.f = SquaredDistance(c), .C = Simplex(3)}, c); }, "Problem.G", "missing");
  expect_refused([&] { solve({}, c); }, "Problem.f", "missing");
}

TEST(BadInput, NonconvexCIsRefused) {
  const Vector c = Vector::Zero(3);
  expect_refused([&] { solve({.f = SquaredDistance(c), .G = Selection::identity(3), .C = Sparse(3, 1)}, c); },
                 "Problem.C", "Sparse");
}

TEST(BadInput, NumbersThatAreNotFiniteAreNamedWithTheirPlace) {
  Vector bad = Vector::Zero(3);
  bad[1] = not_a_number;
  expect_refused([&] { SquaredDistance{bad}; }, "SquaredDistance.a[1]", "nan");
  expect_refused([&] { solve({.f = SquaredDistance(Vector::Zero(3))}, bad); }, "x0[1]", "nan");
  Matrix Q = Matrix::Identity(3, 3);
  Q(2, 0) = infinity;
  expect_refused([&] { Quadratic(Q, Vector::Zero(3)); }, "Quadratic.Q[2, 0]", "inf");
}

TEST(BadInput, AnObjectiveUndefinedAtTheStartIsRefusedBeforeIterationZero) {
  const Problem p{.f = make_objective(2, [](In, Out g) { return g.setZero(), not_a_number; })};
  expect_refused([&] { solve(p, Vector::Zero(2)); }, "f(x0)", "nan");
}

TEST(BadInput, SetParametersOutOfRangeAreNamed) {
  expect_refused([] { Sparse(3, 4); }, "Sparse.s", "4");
  expect_refused([] { PsdLowRank(3, 0); }, "PsdLowRank.kappa", "0");
  expect_refused([] { LowRank(3, 2, 3); }, "LowRank.kappa", "3");
  expect_refused([] { Box(Vector::Ones(2), Vector::Zero(2)); }, "Box.lower[0]", "1");
  EXPECT_THROW(Polyhedron((Matrix(2, 1) << 1.0, -1.0).finished(), (Vector(2) << -1.0, -1.0).finished()),
               InvalidArgument);
}

TEST(BadInput, ZeroDimensionalProblemsAreRefused) {
  EXPECT_THROW(solve({.f = SquaredDistance(Vector(0))}, Vector(0)), InvalidArgument);
}

TEST(BadInput, AsymmetricHessianIsRefused) {
  Matrix Q = Matrix::Identity(2, 2);
  Q(0, 1) = 1.0;
  EXPECT_THROW(Quadratic(Q, Vector::Zero(2)), InvalidArgument);
}

TEST(BadInput, OptionsOutOfRangeAreNamed) {
  const Problem p{.f = SquaredDistance(Vector::Zero(2))};
  Options o;
  o.penalty.alpha_tau = 1.0;
  expect_refused([&] { solve(p, Vector::Zero(2), o); }, "penalty.alpha_tau", "1");
  o = {};
  o.penalty.tau0 = not_a_number;
  expect_refused([&] { solve(p, Vector::Zero(2), o); }, "penalty.tau0", "nan");
  o = {};
  o.penalty.tau_max = 1e-9;
  expect_refused([&] { solve(p, Vector::Zero(2), o); }, "penalty.tau_max", "1e-09");
}

TEST(BadInput, XUpdatesThatLackTheirPartnersAreRefused) {
  const auto p = testing_support::sparse_portfolio();
  Options o = paper_preset(Method::pd);
  o.x_update.step = XStep::preconditioner;
  expect_refused([&] { solve(p.problem, p.start, o); }, "x_update.step", "preconditioner");
  o = paper_preset(Method::pd);
  o.penalty.lower_level = true;
  expect_refused([&] { solve(p.problem, p.start, o); }, "penalty.lower_level", "true");
}

}  // namespace
}  // namespace pendec
