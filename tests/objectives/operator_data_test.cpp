// Objectives and maps on sparse and structured data are those on the dense matrix.
#include <gtest/gtest.h>

#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"

namespace pendec {
namespace {

double difference(const Objective& f, const Objective& g, In x) {
  Vector a(x.size()), b(x.size());
  const double value = f.value_and_gradient(x, a), other = g.value_and_gradient(x, b);
  const Vector lower = x.array() - 1.0, upper = x.array() + 1.0;
  return std::abs(value - other) + (a - b).norm() + (f.hessian(x).dense() - g.hessian(x).dense()).norm() +
         (*f.curvature_below(x, lower, upper) - *g.curvature_below(x, lower, upper)).norm();
}

double difference_of_magnitudes(const Objective& f, const Objective& g, In x) {
  Vector a(x.size()), b(x.size());
  return std::abs(f.magnitude(x, a) - g.magnitude(x, b)) + (a - b).norm();
}

TEST(DataInAnyForm, GiveTheSameObjectives) {
  Random random(12);
  Matrix A = random.normal_matrix(9, 6);
  for (Index k = 0; k < A.size(); k += 3) A(k) = 0.0;
  const SparseMatrix S = A.sparseView();
  const Matrix Q = A.transpose() * A;
  const Vector b = random.normal_vector(9), c = random.normal_vector(6), x = random.normal_vector(6);
  const Vector labels = (b.array() > 0.0).select(Vector::Ones(9), -1.0);
  EXPECT_LE(difference(LeastSquares(S, b), LeastSquares(A, b), x), 1e-11);
  EXPECT_LE(difference(Logistic(S, labels), Logistic(A, labels), x), 1e-11);
  for (const Operator& same : {Operator(SparseMatrix(Q.sparseView())), Operator(S).gram(), Operator(A).gram()})
    EXPECT_LE(difference(Quadratic(same, c), Quadratic(Q, c), x), 1e-10);
  EXPECT_LE(difference_of_magnitudes(LeastSquares(S, b), LeastSquares(A, b), x), 1e-11);
  EXPECT_LE(difference_of_magnitudes(Logistic(S, labels), Logistic(A, labels), x), 1e-11);
  EXPECT_LE(difference_of_magnitudes(Quadratic(Operator(S).gram(), c), Quadratic(Operator(A).gram(), c), x), 1e-10);
  const Vector d = random.normal_vector(6);
  EXPECT_LE(difference(Quadratic(Operator::diagonal(d), c), Quadratic(Matrix(d.asDiagonal()), c), x), 1e-12);
  Vector sparse(9), dense(9);
  Affine(S, b).evaluate(x, sparse);
  Affine(A, b).evaluate(x, dense);
  EXPECT_LE((sparse - dense).norm(), 1e-13);
}

TEST(DataInAnyForm, AreNotMadeDense) {
  constexpr Index n = 1'000'000;  // n² numbers would fill any memory
  SparseMatrix S(n, n);
  S.reserve(Eigen::VectorXi::Ones(n));
  for (Index i = 0; i < n; ++i) S.insert(i, i) = 2.0;
  const auto shared = std::make_shared<const SparseMatrix>(std::move(S));
  const Vector ones = Vector::Ones(n);
  Vector g(n);
  EXPECT_EQ(Quadratic(shared, ones).value_and_gradient(ones, g), 2.0 * n);
  EXPECT_EQ(LeastSquares(shared, ones).value_and_gradient(ones, g), 0.5 * n);
  EXPECT_NEAR(Logistic(shared, ones).value_and_gradient(ones, g), n * std::log1p(std::exp(-2.0)), 1e-6);
  Affine(shared, ones).evaluate(ones, g);
  EXPECT_EQ(g[n - 1], 3.0);
  EXPECT_TRUE(Objective(LeastSquares(shared, ones)).is_quadratic());
}

TEST(Quadratic, OnSparseDataIsRefusedWhereItIsNotSymmetric) {
  SparseMatrix S(3, 3);
  S.insert(0, 2) = 1.0;
  EXPECT_THROW(Quadratic(S, Vector::Zero(3)), std::invalid_argument);
}

}  // namespace
}  // namespace pendec
