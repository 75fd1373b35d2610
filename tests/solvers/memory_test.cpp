// Memory follows what is there: rows and nonzeros, not their product with the dimension.
#include <gtest/gtest.h>

#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/sparse.hpp"
#include "pendec/solvers/solve.hpp"
#include "pendec/subsolvers/qp.hpp"
#include "tests/support/allocations.hpp"

namespace pendec {
namespace {

constexpr double megabyte = 1e6;

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing_support::can_count_allocations()) GTEST_SKIP() << "malloc belongs to a sanitizer";
    testing_support::forget_peak();
  }
  static double peak() { return static_cast<double>(testing_support::peak_bytes()) / megabyte; }
};

LinearConstraints half_space(Index n) {
  LinearConstraints rows = LinearConstraints::none(n);
  rows.A = Matrix::Ones(1, n);
  rows.b = Vector::Ones(1);
  return rows;
}

TEST_F(Memory, OfAQuadraticProgramWithOneHalfSpaceIsThatOfAFewVectors) {
  constexpr Index n = 10'000;
  DualActiveSet qp(half_space(n));
  Vector y(n);
  EXPECT_EQ(qp.project(Vector::Ones(n), y), QpStatus::optimal);
  EXPECT_NEAR(y.sum(), 1.0, 1e-9);
  EXPECT_LE(peak(), 50.0);
}

TEST_F(Memory, OfAProblemOnAHalfSpaceIsThatOfAFewVectors) {
  constexpr Index n = 10'000;
  const Problem problem{.f = SquaredDistance(Vector::Ones(n)), .D = Polyhedron(half_space(n))};
  const Result result = solve(problem, Vector::Zero(n));
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_LE(peak(), 50.0);
}

TEST_F(Memory, OfAProblemWithSparseRowsIsASmallMultipleOfTheirEntries) {
  constexpr Index rows = 100'000, n = 20'000, each = 10;
  Random random(5);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(rows * each);
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < each; ++k) entries.emplace_back(i, random.below(n), random.normal());
  SparseMatrix A(rows, n);
  A.setFromTriplets(entries.begin(), entries.end());
  entries = {};
  testing_support::forget_peak();
  const double data = static_cast<double>(A.nonZeros()) * (sizeof(double) + sizeof(int)) / megabyte;
  const Problem problem{.f = SquaredDistance(Vector::Ones(n)),
                        .G = Affine(std::make_shared<const SparseMatrix>(std::move(A))),
                        .C = Box(Vector::Constant(rows, -3.0), Vector::Constant(rows, 3.0))};
  Options options;
  options.limits.seconds = 5.0;
  const Result result = solve(problem, Vector::Zero(n), options);
  EXPECT_TRUE(result.y.allFinite());
  EXPECT_LT(result.f, 0.5 * n) << "it went somewhere";
  EXPECT_LE(peak(), 10.0 * data) << "rows times columns would be 16 GB";
}

TEST_F(Memory, OfAMillionVariablesIsThatOfSomeVectors) {
  constexpr Index n = 1'000'000, each = 10;
  Random random(6);
  SparseMatrix A(n, n);
  A.reserve(Eigen::VectorXi::Constant(n, each));
  for (Index j = 0; j < n; ++j)
    for (Index k = 0; k < each; ++k) A.insert((j + 97 * k * k) % n, j) = random.normal();
  A.makeCompressed();
  const Problem problem{.f = LeastSquares(std::move(A), random.normal_vector(n)), .D = Sparse(n, n / 100)};
  const Vector x0 = Vector::Zero(n);
  testing_support::forget_peak();
  const double before = peak();
  Options options;
  options.limits.seconds = 3.0;
  const Result result = solve(problem, x0, options);
  EXPECT_TRUE(result.y.allFinite());
  const double vectors = (peak() - before) * megabyte / (8.0 * static_cast<double>(n));
  EXPECT_LE(vectors, 20.0);
}

}  // namespace
}  // namespace pendec
