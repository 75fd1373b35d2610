#include "pendec/solvers/sparse/portfolio.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "tests/reference/sparse_enumeration.hpp"
#include "tests/support/data.hpp"

namespace pendec {
namespace {

Moments random_moments(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> names;
  for (Index i = 0; i < n; ++i) names.push_back("a" + std::to_string(i));
  Matrix returns = 0.02 * random.normal_matrix(60, n);
  for (Index i = 0; i < n; ++i) returns.col(i).array() += 0.002 * static_cast<double>(i) / static_cast<double>(n);
  return sample_moments(names, returns);
}

TEST(Portfolio, MomentsAreThoseOfTheSample) {
  Matrix prices(3, 1);
  prices << 1.0, 2.0, 4.0;
  EXPECT_EQ(returns_of_prices(prices, false), (Matrix(2, 1) << 1.0, 1.0).finished());
  EXPECT_NEAR(returns_of_prices(prices, true)(1, 0), std::log(2.0), 1e-15);
  Matrix returns(2, 2);
  returns << 1.0, 0.0, 3.0, 4.0;
  const Moments m = sample_moments({"x", "y"}, returns);
  EXPECT_EQ(m.mean, (Vector(2) << 2.0, 2.0).finished());
  EXPECT_EQ(m.covariance, (Matrix(2, 2) << 2.0, 4.0, 4.0, 8.0).finished());
}

TEST(Portfolio, AgreesWithEnumeration) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Moments m = random_moments(6, seed);
    PortfolioOptions options;
    options.s = 3;
    options.min_weight = 0.1;  // of what is held
    options.max_weight = 0.6;
    options.min_return = 0.5 * (m.mean.mean() + m.mean.maxCoeff());
    const Result p = sparse_portfolio(m, options);
    SparseQp same{.Q = m.covariance, .c = Vector::Zero(6), .s = 3, .constraints = LinearConstraints::none(6)};
    same.constraints.lower.setConstant(0.1);
    same.constraints.upper.setConstant(0.6);
    same.constraints.E = Matrix::Ones(1, 6);
    same.constraints.d = Vector::Ones(1);
    same.constraints.A = -m.mean.transpose();
    same.constraints.b = Vector::Constant(1, -*options.min_return);
    const double best = static_cast<double>(reference::enumerate(same, reference::Precision::extended));
    if (best == infinity) {
      EXPECT_EQ(p.status, Status::infeasible) << seed;
      continue;
    }
    EXPECT_EQ(p.status, Status::optimal) << seed;
    EXPECT_NEAR(p.f, best, 1e-8 * best) << seed;
    EXPECT_GE(p.sparse().portfolio->mean, *options.min_return - 1e-12);
    EXPECT_NEAR(p.sparse().portfolio->volatility, std::sqrt(2.0 * p.f), 1e-12);
  }
}

TEST(Portfolio, FrontierRisesFromTheLeastVarianceToTheLargestReturn) {
  const Moments m = random_moments(12, 3);
  PortfolioOptions options;
  options.s = 4;
  const auto frontier = efficient_frontier(m, 9, options);
  ASSERT_EQ(frontier.size(), 9U);
  EXPECT_EQ(frontier.front().f, sparse_portfolio(m, options).f);
  EXPECT_NEAR(frontier.back().sparse().portfolio->mean, m.mean.maxCoeff(), 1e-9 * m.mean.maxCoeff());
  for (std::size_t k = 0; k < frontier.size(); ++k) {
    EXPECT_EQ(frontier[k].status, Status::optimal) << k;
    EXPECT_LE(frontier[k].sparse().support.size(), 4U);
    if (k == 0) continue;
    EXPECT_GE(frontier[k].sparse().portfolio->mean, frontier[k - 1].sparse().portfolio->mean - 1e-12);
    EXPECT_GE(frontier[k].f, frontier[k - 1].bound);
  }
}

TEST(Portfolio, UnreachableReturnsAreInfeasible) {
  const Moments m = random_moments(5, 1);
  PortfolioOptions options;
  options.min_return = 2.0 * m.mean.cwiseAbs().maxCoeff();
  EXPECT_EQ(sparse_portfolio(m, options).status, Status::infeasible);
}

TEST(Portfolio, RefusesWhatMakesNoSense) {
  const Moments m = random_moments(5, 1);
  EXPECT_THROW(sparse_portfolio(m, {.s = 0}), InvalidArgument);
  EXPECT_THROW(sparse_portfolio(m, {.nu = -1.0}), InvalidArgument);
  EXPECT_THROW(sparse_portfolio(m, {.min_weight = 0.5, .max_weight = 0.4}), InvalidArgument);
  EXPECT_THROW(efficient_frontier(m, 1, {}), InvalidArgument);
  EXPECT_THROW(sample_moments({"a"}, Matrix::Ones(1, 1)), InvalidArgument);
  EXPECT_THROW(returns_of_prices(-Matrix::Ones(3, 1), true), InvalidArgument);
}

}  // namespace
}  // namespace pendec
