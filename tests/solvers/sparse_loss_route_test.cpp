// Convex losses with few nonzeros: what solve() finds is no worse than the general methods and the ready function.
#include <gtest/gtest.h>

#include <cmath>

#include "pendec/pendec.hpp"

namespace pendec {
namespace {

struct Fit {
  Matrix A;
  Vector b;
  Loss loss;

  Objective objective() const { return LinearModel(A, b, loss, {.ridge = ridge()}); }
  double ridge() const { return loss == Loss::logistic ? 1e-2 : 0.0; }
};

/// Features that are correlated and of very different size, few of which matter.
Fit random_fit(std::uint64_t seed, Loss loss, Index rows, Index n, double spread) {
  Random random(seed);
  Fit out{random.normal_matrix(rows, n), Vector(rows), loss};
  for (Index j = 1; j < n; ++j) out.A.col(j) += 0.7 * out.A.col(j - 1);
  Vector x = Vector::Zero(n);
  for (int k = 0; k < 3; ++k) x[random.below(n)] = random.uniform(-1.0, 1.0);
  const Vector t = out.A * x;
  for (Index k = 0; k < rows; ++k) {
    if (loss == Loss::logistic) out.b[k] = random.uniform() < 1.0 / (1.0 + std::exp(-2.0 * t[k])) ? 1.0 : -1.0;
    if (loss == Loss::poisson) out.b[k] = std::floor(std::exp(0.5 * t[k]) + random.uniform());
    if (loss == Loss::huber) out.b[k] = t[k] + random.normal() + (k % 10 == 0 ? 20.0 : 0.0);
  }
  for (Index j = 0; j < n; ++j) out.A.col(j) *= std::pow(10.0, random.uniform(-spread, spread));
  return out;
}

Options general_only() {
  Options options;
  options.driver.route = Route::general;
  return options;
}

TEST(SparseLoss, IsNoWorseThanTheGeneralMethodsAndTheReadyFunction) {
  for (const Loss loss : {Loss::logistic, Loss::huber, Loss::poisson})
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Index n = 12, s = 3;
      const Fit fit = random_fit(seed, loss, 60, n, seed % 2 == 0 ? 0.0 : 1.5);
      const Objective f = LinearModel(fit.A, fit.b, loss);
      const Problem problem{.f = f, .D = Sparse(n, s)};
      const Result r = solve(problem, Vector::Zero(n)), general = solve(problem, Vector::Zero(n), general_only());
      const Result ready = sparse_regression(fit.A, fit.b, s, {.loss = loss, .intercept = false});
      EXPECT_EQ(r.route, "sparse_loss");
      EXPECT_TRUE(r.status == Status::converged) << to_string(loss) << seed << ": " << r.message;
      EXPECT_EQ(r.bound, -infinity);
      EXPECT_EQ(general.route, "general");
      EXPECT_LE(r.f, general.f + 1e-9 * std::abs(general.f)) << to_string(loss) << seed;
      EXPECT_LE(r.f, ready.f + 1e-7 * std::abs(ready.f)) << to_string(loss) << seed;
      EXPECT_LE((r.y.array() != 0.0).count(), s);
      for (const Claim& claim : verify(problem, r))
        EXPECT_TRUE(claim.holds) << claim.name << " " << claim.claimed << " / " << claim.found;
    }
}

TEST(SparseLoss, KnowsBoxesGroupsAndCounts) {
  const Index n = 10;
  const std::vector<std::vector<Index>> groups{{0, 1, 2}, {3, 4}, {5, 6}, {7, 8, 9}};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Fit fit = random_fit(seed, Loss::logistic, 50, n, 1.0);
    const Vector low = Vector::Constant(n, -0.5), high = Vector::Constant(n, 0.5);
    for (const Set& D : {Set(SparseBox(low, high, 3)), Set(GroupSparse(n, groups, 2)),
                         Set(GroupCounts(low, high, groups, {1, 1, 1, 1}, 3))}) {
      const Problem problem{.f = fit.objective(), .D = D};
      const Result r = solve(problem, Vector::Zero(n)), general = solve(problem, Vector::Zero(n), general_only());
      EXPECT_EQ(r.route, "sparse_loss") << D.name();
      EXPECT_TRUE(r.success()) << D.name() << ": " << r.message;
      EXPECT_LE(r.f, general.f + 1e-9 * std::abs(general.f)) << D.name();
      EXPECT_LE(D.distance(r.y), 1e-12);
    }
  }
}

TEST(SparseLoss, FindsFeaturesWhoseUnitsHideThem) {
  // The first feature explains everything, in units that make its coefficient tiny.
  Random random(3);
  const Index n = 30;
  Matrix A = random.normal_matrix(80, n);
  const Vector t = A.col(0) + A.col(1);
  Vector b(80);
  for (Index k = 0; k < 80; ++k) b[k] = std::floor(std::exp(t[k]) + random.uniform());
  A.col(0) *= 1e4;
  A.col(1) *= 1e-4;
  const Result r = solve({.f = Poisson(A, b), .D = Sparse(n, 2)}, Vector::Zero(n));
  EXPECT_TRUE(r.status == Status::converged) << r.message;
  EXPECT_NE(r.y[0], 0.0);
  EXPECT_NE(r.y[1], 0.0);
}

TEST(SparseLoss, SaysWhyItDoesNotApply) {
  const Fit fit = random_fit(1, Loss::logistic, 20, 5, 0.0);
  Options options;
  options.driver.route = Route::sparse_loss;
  const auto why_not = [&](const Problem& problem) {
    try {
      solve(problem, Vector::Zero(5), options);
    } catch (const InvalidArgument& error) {
      return error.expected();
    }
    return std::string("nothing");
  };
  EXPECT_NE(why_not({.f = fit.objective(), .D = Box::nonnegative(5)}).find("D is convex"), std::string::npos);
  EXPECT_NE(why_not({.f = LeastSquares(fit.A, fit.b), .D = Sparse(5, 2)}).find("quadratic"), std::string::npos);
  EXPECT_NE(why_not({.f = fit.objective(), .D = SparseSimplex(5, 2)}).find("other"), std::string::npos);
  const Objective plain = make_objective(5, [](In x, Out g) { return g = x, 0.5 * x.squaredNorm(); });
  EXPECT_NE(why_not({.f = plain, .D = Sparse(5, 2)}).find("not known to be convex"), std::string::npos);
  EXPECT_NE(why_not({.f = fit.objective(),
                     .G = Affine(Matrix(Matrix::Ones(1, 5))),
                     .C = Singleton(Vector::Ones(1)),
                     .D = Sparse(5, 2)})
                .find("other constraints"),
            std::string::npos);
}

}  // namespace
}  // namespace pendec
