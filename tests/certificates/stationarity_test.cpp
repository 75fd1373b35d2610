#include "pendec/certificates/stationarity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

/// min ½‖x − a‖² s.t. Σx = 1, ‖x‖₀ ≤ 2 with a = (3, 2, 1): on the support {0, 1} x = a − 2, λ = 2.
Problem budget() {
  return {.f = SquaredDistance((Vector(3) << 3.0, 2.0, 1.0).finished()),
          .G = Affine(Matrix::Ones(1, 3)),
          .C = Singleton(Vector::Ones(1)),
          .D = Sparse(3, 2)};
}
Vector stationary() { return (Vector(3) << 1.0, 0.0, 0.0).finished(); }

TEST(Certificate, NeverComputedClaimsNothing) { EXPECT_FALSE(Certificate{}.holds(1e300)); }

TEST(Certificate, HoldsAtAStationaryPointWithItsMultiplier) {
  const Certificate c = certify(budget(), stationary(), Vector::Constant(1, 2.0));
  EXPECT_TRUE(c.holds(1e-12)) << to_text(c);
  EXPECT_TRUE(c.lambda_given);
  EXPECT_LE(c.natural, 1e-15);
}

TEST(Certificate, EstimatesTheMultiplierWhereNoneIsGiven) {
  Vector y(3);
  y << 1.0, 0.0, 0.0;
  const Certificate c = certify(budget(), y);
  EXPECT_FALSE(c.lambda_given);
  EXPECT_TRUE(c.holds(1e-6)) << to_text(c);
  EXPECT_NEAR(c.lambda[0], 2.0, 1e-5);
}

TEST(Certificate, FailsWithAWrongMultiplier) {
  EXPECT_FALSE(certify(budget(), stationary(), Vector::Constant(1, 1.0)).holds(1e-2));
}

TEST(Certificate, FailsAtAPointThatIsNotStationary) {
  Vector y(3);
  y << 0.0, 0.3, 0.7;
  EXPECT_FALSE(certify(budget(), y).holds(1e-2));
}

TEST(Certificate, FailsOutsideDAndOutsideC) {
  Vector outside_D(3);
  outside_D << 1.0, 0.5, -0.5;
  EXPECT_NEAR(certify(budget(), outside_D).distance_D, 0.5, 1e-12);
  EXPECT_FALSE(certify(budget(), outside_D).holds(1e-2));
  Vector outside_C(3);
  outside_C << 3.0, 2.0, 0.0;  // the unconstrained minimiser on its support
  const Certificate c = certify(budget(), outside_C, Vector::Zero(1));
  EXPECT_NEAR(c.distance_C, 4.0, 1e-12);
  EXPECT_FALSE(c.holds(1e-2));
}

TEST(Certificate, TupleMultiplierIsANormalOfCByConstruction) {
  const auto p = testing_support::sparse_portfolio();
  const Result r = solve(p.problem, p.start, paper_preset(Method::pdlm));
  const Certificate c = certify(p.problem, r.y, r.lambda);
  // λ ∈ N_C(p) with p = G(y) − z, the projection that the tuple came from: P_C(p + λ) = p
  ASSERT_GT(c.lambda.norm(), 0.1);
  const Vector p0 = p.problem.C.projection(r.y + c.lambda);
  EXPECT_LE((p.problem.C.projection(p0 + c.lambda) - p0).norm(), 1e-12);
  EXPECT_LE((p0 - r.y).norm(), 1e-4);
  EXPECT_LE(c.z, 1e-4);
}

TEST(Certificate, TupleIsStoredWithItsZ) {
  const auto p = testing_support::sparse_portfolio();
  const Result r = solve(p.problem, p.start, paper_preset(Method::pdlm));
  const Certificate c = certify(p.problem, r.y, r.lambda);
  EXPECT_EQ(c.z, c.z_vector.norm());
  const Vector point = r.y - c.z_vector;  // G is the identity; the tuple says λ ∈ N_C(G(y) − z)
  EXPECT_LE((p.problem.C.projection(point + c.lambda) - point).norm(), 1e-12);
}

TEST(PairCertificate, MeasuresTheDecomposedProblem) {
  // ∇f(x) = x − a; with x = (1, 0, 0) + (0, 0, 0.1), y = (1, 0, 0), λ = 2: ∇f + λ·1 = (0, 0, 1.1), so μ = (0, 0,
  // −1.1)
  const Vector x = stationary() + 0.1 * Vector::Unit(3, 2);
  const Vector mu = -1.1 * Vector::Unit(3, 2);
  const PairCertificate c = certify_pair(budget(), x, stationary(), Vector::Constant(1, 2.0), mu);
  EXPECT_NEAR(c.coupling, 0.1, 1e-15);
  EXPECT_NEAR(c.distance_C, 0.1, 1e-15);
  EXPECT_NEAR(c.natural, 0.1, 1e-15);
  EXPECT_LE(c.epsilon, 1e-15);
  EXPECT_LE(c.normal, 1e-15);
  EXPECT_NEAR(certify_pair(budget(), x, stationary(), Vector::Constant(1, 3.0), mu).epsilon, std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(certify_pair(budget(), x, stationary(), Vector::Constant(1, 2.0), Vector::Unit(3, 0)).normal, 1.0,
              1e-15);
}

TEST(PairCertificate, NamesTheArgumentOfTheWrongSize) {
  try {
    certify_pair(budget(), stationary(), stationary(), Vector::Ones(1), Vector::Ones(2));
    FAIL();
  } catch (const InvalidArgument& e) {
    EXPECT_EQ(e.field(), "certify_pair: mu.size()");
  }
}

TEST(PairCertificate, TheoryHoldsAlongARun) {
  // Theorem 3.3: with the gradient test, ε, x − y and the distance of μ to N_D(y) vanish
  const auto p = testing_support::sparse_portfolio();
  Options options = default_preset(Method::pdlm);
  options.driver.polish = false;
  const Result r = solve(p.problem, p.start, options);
  EXPECT_NE(r.x, r.y);
  EXPECT_LE(r.pair.coupling, 1e-4);
  EXPECT_LE(r.pair.normal, 1e-4 * r.mu.norm());
  EXPECT_LE(r.pair.epsilon, 1e-4 * r.mu.norm());
}

TEST(PairCertificate, IsMStationarityWherePolishedOrWithoutY) {
  const auto p = testing_support::sparse_portfolio();
  for (const Options& options : {Options{}, paper_preset(Method::alm)}) {
    const Result r = solve(p.problem, p.start, options);
    ASSERT_EQ(r.x, r.y);
    EXPECT_LE(r.pair.epsilon, 1e-12);
    EXPECT_NEAR(r.pair.normal, r.certificate.m_residual, 1e-12);
  }
}

TEST(Certificate, DoesNotDependOnTheUnits) {
  const Problem p = budget();
  Problem big = p;
  big.f = make_objective(3, [f = p.f](In x, Out g) {
    const double value = 1e6 * f.value_and_gradient(x, g);
    g *= 1e6;
    return value;
  });
  Vector y(3);
  y << 0.9, 0.1, 0.0;
  const Certificate a = certify(p, y, Vector::Constant(1, 2.0));
  const Certificate b = certify(big, y, Vector::Constant(1, 2e6));
  EXPECT_NEAR(a.relative_stationarity(), b.relative_stationarity(), 1e-6);
}

TEST(Certificate, SetsWithoutNormalConesAreSampledAndSaySo) {
  const auto p = testing_support::circle();
  Vector y(2);  // on the arc below the half-plane's line: stationary without G would be −(1, 2)/√5
  y << -std::sqrt(0.75), -0.5;
  const Certificate c = certify(p.problem, y);
  EXPECT_FALSE(c.exact_normals);
  EXPECT_TRUE(c.holds(1e-5)) << to_text(c);
}

TEST(Certificate, TinySetsWithoutFormulasAreNotCalledStationary) {
  static constexpr double radius = 1e-7;
  const auto ball = [](In z, Out y) { y = z.norm() > radius ? Vector(radius * z.normalized()) : Vector(z); };
  const auto sphere = [](In z, Out y) { y = radius * z.normalized(); };
  struct Ball {
    Index dimension() const { return 2; }
    bool convex() const { return true; }
    void project(In z, Out y) const { y = z.norm() > radius ? Vector(radius * z.normalized()) : Vector(z); }
  };
  const Objective linear = make_objective(2, [](In x, Out g) {
    g << 1.0, 0.0;
    return x[0];
  });
  const Vector y = radius * Vector::Unit(2, 1);  // the gradient is tangential here
  EXPECT_GT(certify({.f = linear, .D = Ball{}}, y).relative_stationarity(), 0.5);
  EXPECT_GT(certify({.f = linear, .D = make_set(2, sphere)}, y).relative_stationarity(), 0.5);
  EXPECT_LT(certify({.f = linear, .D = make_set(2, ball)}, -radius * Vector::Unit(2, 0)).relative_stationarity(),
            1e-5);
}

TEST(Certificate, InfeasibilityGradientVanishesAtALocallyLeastInfeasiblePoint) {
  const Problem p{.f = SquaredDistance(Vector::Zero(2)),
                  .G = Affine(Matrix::Ones(1, 2)),
                  .C = Singleton(Vector::Constant(1, 3.0)),
                  .D = Box(Vector::Zero(2), Vector::Ones(2))};
  EXPECT_LE(certify(p, Vector::Ones(2)).infeasibility_gradient, 1e-10);
  EXPECT_GT(certify(p, Vector::Constant(2, 0.5)).infeasibility_gradient, 1.0);
}

TEST(Certificate, AViolationIsRelativeToWhatARowAddsUpAlsoWhereItCancels) {
  // x₁ − x₂ = 0: the row has no size at a feasible point, its terms have
  const Problem p{
      .f = SquaredDistance(Vector::Zero(2)), .G = Affine(Matrix{{1.0, -1.0}}), .C = Singleton(Vector::Zero(1))};
  for (const double size : {1e-6, 1.0, 1e6}) {
    const auto infeasibility = [&](double violation) {
      return certify(p, size * Vector{{1.0, 1.0 + violation}}, Vector::Zero(1)).relative_infeasibility();
    };
    EXPECT_LE(infeasibility(1e-9), 1e-9) << size;
    EXPECT_GE(infeasibility(1e-3), 1e-4) << size;
  }
}

TEST(Certificate, ADifferenceOfLargeNumbersIsRelativeToWhatIsAskedOfIt) {
  const Problem p{.f = SquaredDistance(Vector::Zero(2)),
                  .G = Affine(Matrix{{1.0, -1.0}}),
                  .C = Box(Vector::Constant(1, 0.5), Vector::Constant(1, infinity))};
  EXPECT_FALSE(certify(p, Vector{{1e6, 1e6}}, Vector::Zero(1)).relative_infeasibility() <= 1e-3);
  EXPECT_LE(certify(p, Vector{{1e6 + 0.5, 1e6}}, Vector::Zero(1)).relative_infeasibility(), 1e-9);
}

TEST(Certificate, AViolationIsNotExcusedByOtherVariables) {
  // x₁ − x₂ = 1 at (5, 1/4, large), with 1 on either side
  const Matrix row = (Matrix(1, 3) << 1.0, -1.0, 0.0).finished();
  for (const double large : {1.0, 1e6, 1e16})
    for (const double on_the_right : {0.0, 1.0}) {
      if (on_the_right > 0.0 && large > 1e6) continue;  // where rounding of the largest entry is allowed for
      const Problem problem{.f = Linear(Vector{{0.0, 0.0, 0.0}}),
                            .G = Affine(row, Vector::Constant(1, on_the_right - 1.0)),
                            .C = Singleton(Vector::Constant(1, on_the_right))};
      EXPECT_GE(certify(problem, Vector{{5.0, 0.25, large}}).relative_infeasibility(), 0.5) << large;
    }
}

TEST(Certificate, IsNoEasierWhereFIsSteepElsewhere) {
  const auto f = [](In x, Out g) {
    g[0] = 1.0 - 1.0 / (x[0] + 1e-9);
    return x[0] - std::log(x[0] + 1e-9);
  };
  const Problem p{.f = make_objective(1, f), .D = Box(Vector::Zero(1), Vector::Constant(1, 1e3))};
  for (const double y : {0.01, 5.0, 500.0}) EXPECT_FALSE(certify(p, Vector::Constant(1, y)).holds(1e-6)) << y;
  EXPECT_TRUE(certify(p, Vector::Constant(1, 1.0 - 1e-9)).holds(1e-6));
}

TEST(Certificate, IsThereAlsoWhereFIsDefinedOnDAlone) {
  const auto f = [](In x, Out g) {
    if ((x.array() < 0.0).any()) throw std::domain_error("x < 0");
    g = x - Vector{{1.0, -1.0}};
    return 0.5 * g.squaredNorm();
  };
  const Problem p{.f = make_objective(2, f), .D = Box(Vector::Zero(2), Vector::Constant(2, 9.0))};
  EXPECT_TRUE(certify(p, Vector{{1.0, 0.0}}).holds(1e-6));
  Options options;
  options.method = Method::alm;
  EXPECT_EQ(solve(p, Vector::Ones(2), options).status, Status::converged);
}

TEST(Certificate, RoundingErrorsAreFeasibleAlsoWhereGHasNoSize) {
  // G(x) = x₂ = 0 at points where x₂, or all of x, is zero up to rounding
  Problem p = budget();
  p.G = Affine((Matrix(1, 3) << 0.0, 1.0, 0.0).finished());
  p.C = Singleton(Vector::Zero(1));
  for (const double size : {1.0, 1e-35}) {
    const Vector y = (Vector(3) << size, 1.5e-35, 0.0).finished();
    const Certificate c = certify(p, y, Vector::Zero(1));
    EXPECT_EQ(c.distance_C, 1.5e-35);
    EXPECT_LE(c.relative_infeasibility(), 1e-20) << size;
  }
  const Vector off = (Vector(3) << 1.0, 1e-6, 0.0).finished();
  EXPECT_GT(certify(p, off, Vector::Zero(1)).relative_infeasibility(), 1e-5);
}

}  // namespace
}  // namespace pendec
