#include "pendec/search/polish.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/transform/restricted.hpp"
#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

Candidate at(const Problem& problem, In z) {
  Candidate c;
  c.x = z;
  c.y = problem.D.projection(z);
  return c;
}

TEST(Polish, SolvesTheLinearSystemOfASupport) {
  const Problem p = testing_support::sparse_qp().problem.completed();
  const Vector z = (Vector(6) << 0.0, 3.0, 0.0, 0.0, -2.0, 0.1).finished();
  Monitor monitor({}, {}, {});
  Counts counts;
  const auto out = polish(p, at(p, z), monitor, counts);
  ASSERT_TRUE(out.has_value());
  const auto& f = *p.f.as<Quadratic>();
  const std::vector<Index> support{1, 4};
  const Vector expected = f.Q.block(support).dense().llt().solve(-f.c(support));
  EXPECT_NEAR(out->y[1], expected[0], 1e-12);
  EXPECT_NEAR(out->y[4], expected[1], 1e-12);
  EXPECT_EQ((out->y.array() != 0.0).count(), 2);
}

TEST(Polish, EndsStationaryOnEveryBranch) {
  for (const auto& small : testing_support::small_problems()) {
    const Problem p = small.problem.completed();
    Monitor monitor({}, {}, {});
    Counts counts;
    const Candidate from = at(p, small.start + Vector::Constant(p.dimension(), 0.1));
    const auto out = polish(p, from, monitor, counts);
    if (!out) continue;
    SCOPED_TRACE(small.name);
    EXPECT_TRUE(p.D.contains(out->y, 1e-8 * (1.0 + out->y.norm())));
    if (out->violation > 1e-6) continue;             // a branch without feasible points
    const auto branch = p.D.branch(out->y, from.x);  // the same piece: ties are broken by the same point
    const Certificate c = certify(restricted(p, *branch), branch->t, out->lambda);
    EXPECT_LE(c.m_residual, 1e-5 * c.gradient_scale) << to_text(c);
  }
}

TEST(Polish, HasNothingToDoWithoutBranches) {
  const auto small = testing_support::circle();
  const Problem p = small.problem.completed();
  Monitor monitor({}, {}, {});
  Counts counts;
  EXPECT_FALSE(polish(p, at(p, small.start), monitor, counts).has_value());
}

/// ½‖X − A‖² over the Hankel matrices of rank 2: twenty equations on a manifold of eighteen dimensions.
Problem nearest_hankel(Index m, Index n, Index kappa, const Vector& a) {
  Matrix E = Matrix::Zero((m - 1) * (n - 1), m * n);
  for (Index j = 0, k = 0; j + 1 < n; ++j)
    for (Index i = 0; i + 1 < m; ++i, ++k) E(k, i + 1 + m * j) = 1.0, E(k, i + m * (j + 1)) = -1.0;
  return {.f = SquaredDistance(a), .G = Affine(E), .C = Singleton(Vector::Zero(E.rows())), .D = LowRank(m, n, kappa)};
}

TEST(Polish, CopesWithMoreEquationsThanDimensions) {
  Random random(6);
  for (int trial = 0; trial < 6; ++trial) {
    const Vector a = random.normal_vector(30);
    const Problem p = nearest_hankel(6, 5, 2, a);
    const Vector start = trial % 2 == 0 ? Vector(Vector::Zero(30)) : a;
    const Result r = solve(p, start);
    EXPECT_EQ(r.status, Status::converged) << summary(r);
    Options plain;
    plain.driver.polish = false;
    const Result without = solve(p, start, plain);
    EXPECT_LE(r.f, without.f * (1.0 + 1e-6)) << trial;
  }
}

/// A rank is a curved branch; its charts of more than 400 coordinates are Ipopt's.
TEST(Polish, SolvesRankChartsOfEverySizeAlike) {
  for (const Index m : {Index{8}, Index{50}}) {
    const Index n = 3 * m / 4, kappa = 5, rows = 6;
    Random random(m);
    Matrix A = Matrix::Zero(rows, m * n);
    for (Index i = 0; i < rows; ++i)
      for (int k = 0; k < 20; ++k) A(i, random.below(m * n)) = random.normal();
    const Vector a = random.normal_vector(m * n);
    const Problem p{.f = SquaredDistance(a),
                    .G = Affine(A, Vector(-(A * a) - Vector::Ones(rows))),
                    .C = Box(Vector::Zero(rows), Vector::Constant(rows, infinity)),
                    .D = LowRank(m, n, kappa)};
    double first = infinity;
    for (const Nlp solver : {Nlp::sqp, Nlp::ipopt, Nlp::automatic}) {
      if (solver == Nlp::ipopt && !has_ipopt()) continue;
      if (solver == Nlp::sqp && m > 8) continue;
      Monitor monitor({}, {}, {});
      Counts counts;
      const auto found = polish(p, at(p, a), monitor, counts, solver);
      ASSERT_TRUE(found) << m << " " << to_string(solver);
      EXPECT_TRUE(certify(p, found->y, found->lambda).holds(1e-5)) << m << " " << to_string(solver);
      if (first == infinity) first = found->f;
      EXPECT_NEAR(found->f, first, 1e-6 * first) << m << " " << to_string(solver);
    }
  }
}

}  // namespace
}  // namespace pendec
