#include "pendec/solvers/alternatives/disjunctive.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <stop_token>
#include <thread>

#include "experiments/instances.hpp"
#include "pendec/solvers/verify.hpp"
#include "pendec/subsolvers/sqp.hpp"
#ifdef PENDEC_ENUMERATION
#include "experiments/enumeration.hpp"
#endif

namespace pendec {
namespace {

Set box(double lower, double upper, Index n = 2) {
  return Box(Vector::Constant(n, lower), Vector::Constant(n, upper));
}

Problem nearest_to_origin(std::vector<Set> parts) {
  const Index n = parts.front().dimension();
  return {.f = SquaredDistance(Vector::Zero(n)), .D = UnionOf(std::move(parts))};
}

/// Q is singular up to rounding: its Cholesky factorisation succeeds and means nothing.
Problem singular_quadratic() {
  const Matrix Q{{0.6947794986813526, 1.062820236932348, 1.2968302969623575},
                 {1.062820236932348, 1.6259075471154425, 1.9969747971301548},
                 {1.2968302969623575, 1.9969747971301548, 4.420712630166534}};
  const Vector point{{2.7, -0.7, -2.3}};
  return {.f = Quadratic(Q, Vector{{0.0, -3.0, -4.0}}),
          .D = UnionOf({Box(point, point), Box(Vector{{-3.1, -1.6, 0.2}}, Vector{{-2.0, -0.6, 1.6}})})};
}

TEST(Disjunctive, ASingularQuadraticIsProvedWithRoundingAllowedFor) {
  const auto r = solve_disjunctive(singular_quadratic(), Vector::Zero(3));
  EXPECT_EQ(r.parts().part, 1);
  EXPECT_NEAR(r.f, -2.0525, 1e-4);
  EXPECT_EQ(r.status, Status::optimal) << r.message;
}

/// x₂ ≥ 1 and −1e-3 x₁ + 1e10 x₂ ≤ 1e10 − 1e5: nearly parallel, and they meet at x₁ = 1e8.
TEST(Disjunctive, RowsThatMeetFarOutAreNotInfeasible) {
  for (const double most : {1e9, 1e14, infinity}) {
    LinearConstraints rows = LinearConstraints::none(2);
    rows.lower << 0.0, 1.0;
    rows.upper << most, infinity;
    rows.A = Matrix{{-1e-3, 1e10}};
    rows.b = Vector::Constant(1, 1e10 - 1e5);
    const auto r =
        solve_disjunctive({.f = SquaredDistance(Vector::Zero(2)), .D = UnionOf({Polyhedron(rows)})}, Vector::Zero(2));
    EXPECT_NE(r.status, Status::infeasible) << most << ": " << r.message;
    EXPECT_LE(r.bound, 0.5 * 1.0001e16 + 1.0);
  }
}

/// The weighted Hessians cancel: what is left is rounding.
TEST(Disjunctive, BoundsAllowForTheRoundingOfASum) {
  Random random(207);
  for (int round = 0; round < 300; ++round) {
    const double big = std::pow(10.0, random.uniform(6.0, 12.0)), rest = random.uniform(0.5, 1.5);
    const double q = random.uniform(1.0, 2.0), w = big / 3.0;
    const Vector one = Vector::Ones(1);
    const Objective f = Sum({{w, Quadratic(Matrix::Constant(1, 1, q), Vector::Zero(1))},
                             {-w, Quadratic(Matrix::Constant(1, 1, q - rest / w), Vector::Zero(1))}});
    const double x = random.uniform(5.0, 20.0);
    const auto r = solve_disjunctive({.f = f, .D = UnionOf({Box(x * one, (x + 1.0) * one)})}, Vector::Zero(1));
    const long double exact =
        0.5L * x * x * (static_cast<long double>(w) * q - static_cast<long double>(w) * (q - rest / w));
    EXPECT_LE(static_cast<long double>(r.bound), exact + 1e-9L * std::abs(exact)) << round;
  }
}

TEST(Disjunctive, VerificationTakesTheBoundAgain) {
  const Problem problem = singular_quadratic();
  auto r = solve_disjunctive(problem, Vector::Zero(3));
  const auto believed = [&] {
    for (const Claim& claim : verify(problem, r))
      if (claim.name == "parts: bound") return claim.holds;
    ADD_FAILURE() << "no claim about the bound";
    return false;
  };
  EXPECT_TRUE(believed());
  // the other part, with a bound to go with it
  Problem first = problem;
  first.D = UnionOf({problem.D.as<UnionOf>()->parts[0]});
  const auto other = solve_disjunctive(first, Vector::Zero(3));
  PartsDetails details = r.parts();
  details.part = 0;
  details.bounds.setConstant(other.bound);
  r = other;
  r.details = details;
  EXPECT_FALSE(believed());
}

TEST(Disjunctive, ProvesTheOptimumOfPaperInstances) {
  for (const Index parts : {2, 10, 50}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Random random(seed);
      const auto instance = experiments::feasible_disjunctive(10, parts, 12, 1, random);
      const auto r = solve_disjunctive(instance.problem, instance.start);
      ASSERT_EQ(r.status, Status::optimal) << r.message;
      EXPECT_LE(r.f - r.bound, 1e-6 * std::abs(r.f));
      EXPECT_TRUE(instance.problem.D.contains(r.y, 1e-8));
      EXPECT_LE(r.certificate.distance_C, 1e-7);
      EXPECT_TRUE(r.certificate.holds(1e-6));
      EXPECT_TRUE((r.parts().bounds.array() >= r.bound).all());
#ifdef PENDEC_ENUMERATION
      const auto all = experiments::enumerate_parts(instance.problem, instance.start);
      EXPECT_NEAR(r.f, all.f, 1e-6 * (1.0 + std::abs(all.f))) << parts << ' ' << seed;
#endif
    }
  }
#ifndef PENDEC_ENUMERATION
  GTEST_SKIP() << "without NLopt there is no enumeration to compare with";
#endif
}

TEST(Disjunctive, BoundsOfPartsAreBelowTheirOptima) {
  Random random(4);
  const auto instance = experiments::feasible_disjunctive(5, 20, 7, 3, random);
  const auto r = solve_disjunctive(instance.problem, instance.start);
  ASSERT_EQ(r.status, Status::optimal);
  const auto& parts = instance.problem.D.as<UnionOf>()->parts;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Problem on_part = instance.problem;
    on_part.D = parts[k];
    const NlpResult exact = sqp(on_part, instance.start);
    const double bound = std::min(r.parts().bounds[static_cast<Index>(k)], r.f);
    if (exact.status == NlpStatus::converged) {
      EXPECT_LE(bound, exact.f + 1e-7 * std::abs(exact.f)) << k;
      EXPECT_LT(r.parts().bounds[static_cast<Index>(k)], infinity) << k;
    }
  }
}

TEST(Disjunctive, WithoutCertificateTheSearchClaimsLess) {
  Random random(2);
  const auto instance = experiments::feasible_disjunctive(10, 20, 12, 1, random);
  const auto proved = solve_disjunctive(instance.problem, instance.start);
  const auto found = solve_disjunctive(instance.problem, instance.start, {.certificate = false});
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_EQ(found.bound, -infinity);
  EXPECT_NEAR(found.f, proved.f, 1e-6 * std::abs(proved.f));
  EXPECT_EQ(found.parts().part, proved.parts().part);
}

TEST(Disjunctive, ProvesThatNoPartMeetsTheConstraints) {
  Matrix A(1, 2);
  A << 1.0, 1.0;
  Problem problem = nearest_to_origin({box(1.0, 2.0), box(3.0, 4.0)});
  problem.G = Affine(A);
  problem.C = Box(Vector::Constant(1, -infinity), Vector::Constant(1, 1.0));
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_EQ(r.status, Status::infeasible) << r.message;
  EXPECT_EQ(r.parts().part, -1);
  EXPECT_EQ(r.parts().counts.infeasible, 2);
}

/// Each row of G is active at one point a, which is all, or nearly so, that the first part has of {x : G(x) ≤ 0}. The
/// terms that cancel there are far larger than G and than its slope times x.
TEST(Disjunctive, LinearisedRowsAreNotTrustedBeyondTheirRounding) {
  constexpr Index n = 3, rows = 2;
  Index proved = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const Vector a = random.normal_vector(n);
    const double far = std::pow(10.0, random.uniform(0.0, 6.0));
    const Matrix c = random.normal_matrix(n, rows).cwiseAbs(), p = (far * random.normal_matrix(n, rows)).eval();
    Vector t(rows);
    for (Index j = 0; j < rows; ++j) {
      long double sum = 0.0L;
      for (Index i = 0; i < n; ++i) {
        const long double distance = static_cast<long double>(a[i]) - p(i, j);
        sum += c(i, j) * distance * distance * distance * distance;
      }
      t[j] = static_cast<double>(sum * (1.0L + epsilon));  // a is feasible
    }
    // from a on, away from the centre of the first row
    const Vector reach = (a - p.col(0)).cwiseSign();
    const Vector lower = a.cwiseMin(a + reach), upper = a.cwiseMax(a + reach);
    const Problem problem{.f = SquaredDistance(random.normal_vector(n)),
                          .G = Quartic(c, p, t),
                          .C = Box(Vector::Constant(rows, -infinity), Vector::Zero(rows)),
                          .D = UnionOf({Box(lower, upper), Box(lower + 3.0 * reach, upper + 3.0 * reach)})};
    const Result r = solve_disjunctive(problem, a);
    const double f = problem.f.value(a);
    EXPECT_NE(r.status, Status::infeasible) << "seed " << seed;
    EXPECT_LE(r.bound, f * (1.0 + 1e-9)) << "seed " << seed;
    EXPECT_LE(r.parts().bounds[0], f * (1.0 + 1e-9)) << "seed " << seed;
    proved += r.status == Status::optimal;
  }
  EXPECT_GE(proved, 200);
}

/// What is optimal in one unit is so in another: gaps are relative also where f is far below one.
TEST(Disjunctive, SmallUnitsProveNoMore) {
  const double s = 1e-4;
  const auto v = [&](double a, double b, double c) { return Vector(s * Vector{{a, b, c}}); };
  const Set A = Box(v(-.146, .04, -1.264), v(.865, 1.217, .458)), B = Singleton(v(-1.104, .226, -.673));
  Problem problem{.f = SquaredDistance(v(-1.043, 2.12, 4.4)),
                  .G = Quartic(Matrix{{.351}, {.711}, {.771}}, Matrix(v(-.885, -.51, -1.329)),
                               Vector::Constant(1, .978 * s * s * s * s)),
                  .C = Box(Vector::Constant(1, -infinity), Vector::Zero(1)),
                  .D = UnionOf({A, B})};
  const Result r = solve(problem, Vector::Zero(3));
  problem.D = A;
  const Result on_A = solve(problem, Vector::Zero(3));
  ASSERT_TRUE(on_A.success()) << on_A.message;
  if (r.status == Status::optimal) {
    EXPECT_LE(r.f, on_A.f * (1.0 + 1e-5));
  }
}

TEST(Disjunctive, ProvesThatTheSharedConstraintsContradictEachOther) {
  Matrix A(2, 2);
  A << 1.0, 0.0, -1.0, 0.0;
  Problem problem = nearest_to_origin({box(-10.0, 10.0), box(20.0, 30.0)});
  problem.G = Affine(A);
  problem.C = Box(Vector::Constant(2, -infinity), Vector::Constant(2, -1.0));
  EXPECT_EQ(solve_disjunctive(problem, Vector::Zero(2)).status, Status::infeasible);
}

TEST(Disjunctive, ReportsAnUnboundedProblemAndDoesNotHang) {
  const Problem problem{.f = Linear(Vector{{1.0, 0.0}}),
                        .D = UnionOf({Polyhedron(Matrix{{0.0, 1.0}}, Vector{{0.0}}), box(0.0, 1.0)})};
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_FALSE(r.success());
  EXPECT_EQ(r.bound, -infinity);
}

TEST(Disjunctive, OneUnboundedDirectionThatNoPartHasDoesNotMatter) {
  const Problem problem{.f = Linear(Vector{{1.0, 1.0}}),
                        .D = UnionOf({box(2.0, 3.0), box(-1.0, 5.0), box(4.0, 6.0)})};
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_TRUE(r.success()) << r.message;
  EXPECT_NEAR(r.f, -2.0, 1e-8);
  EXPECT_EQ(r.parts().part, 1);
}

TEST(Disjunctive, DuplicatedPartsAreNoTrouble) {
  const auto r = solve_disjunctive(nearest_to_origin({box(1.0, 2.0), box(1.0, 2.0), box(1.0, 2.0)}), Vector::Zero(2));
  EXPECT_EQ(r.status, Status::optimal);
  EXPECT_NEAR(r.f, 1.0, 1e-9);
}

TEST(Disjunctive, AConvexSetIsAUnionOfOnePart) {
  const auto r = solve_disjunctive({.f = SquaredDistance(Vector::Zero(3)), .D = box(1.0, 2.0, 3)}, Vector::Ones(3));
  EXPECT_EQ(r.status, Status::optimal);
  EXPECT_EQ(r.parts().part, 0);
  EXPECT_EQ(r.parts().counts.solved + r.parts().counts.bounded + r.parts().counts.screened, 1);
}

/// sin, which is declared to be convex, or to have a constant Hessian.
struct Liar {
  Index dimension() const { return 2; }
  double value_and_gradient(In x, Out g) const {
    g = x.array().cos();
    return x.array().sin().sum();
  }
};

TEST(Disjunctive, AWrongDeclarationProvesNothing) {
  struct Convex : Liar {
    bool convex() const { return true; }
  };
  struct Constant : Liar {
    Operator constant_hessian() const { return Operator::diagonal(Vector::Ones(2)); }
  };
  struct Rows {
    Index input_dimension() const { return 2; }
    Index output_dimension() const { return 1; }
    void evaluate(In x, Out out) const { out[0] = x[0] * x[1]; }
    void adjoint(In x, In w, Out out) const { out << w[0] * x[1], w[0] * x[0]; }
    bool convex() const { return true; }
  };
  const UnionOf D(
      {Set(Box(Vector::Zero(2), Vector::Ones(2))), Set(Box(Vector::Constant(2, 3.0), Vector::Constant(2, 4.0)))});
  const auto refused = [&](const Problem& problem) -> std::string {
    try {
      solve_disjunctive(problem, Vector::Zero(2));
    } catch (const InvalidArgument& error) {
      return error.field();
    }
    return "nothing";
  };
  EXPECT_EQ(refused({.f = Convex{}, .D = D}), "Problem.f.convex()");
  EXPECT_EQ(refused({.f = Constant{}, .D = D}), "Problem.f.constant_hessian()");
  EXPECT_EQ(refused({.f = SquaredDistance(Vector::Ones(2)),
                     .G = Rows{},
                     .C = Box(Vector::Constant(1, -infinity), Vector::Ones(1)),
                     .D = D}),
            "Problem.G.convex()");
}

TEST(Disjunctive, NonconvexObjectivesAreSearchedAndNotCertified) {
  const Problem problem{.f = Quadratic(Matrix{{-1.0, 0.0}, {0.0, 1.0}}, Vector::Zero(2)),
                        .D = UnionOf({box(0.0, 1.0), box(2.0, 3.0)})};
  EXPECT_FALSE(obstacle_to_proof(problem).empty());
  const auto r = solve_disjunctive(problem, Vector::Constant(2, 2.5));
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_NEAR(r.f, -2.5, 1e-7);  // (3, 2)
  EXPECT_EQ(r.parts().part, 1);
}

TEST(Disjunctive, PartsThatAreNoPolyhedraAreSearched) {
  const Problem problem = nearest_to_origin({translated(ball(2, 1.0), Vector{{3.0, 0.0}}), box(4.0, 5.0)});
  const auto r = solve_disjunctive(problem, Vector::Ones(2));
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_NEAR(r.f, 2.0, 1e-6);
}

TEST(Disjunctive, AWideGapIsNamedAsSuch) {
  Random random(3);
  const auto instance = experiments::feasible_disjunctive(10, 10, 12, 1, random);
  const Result exact = solve_disjunctive(instance.problem, instance.start);
  const Result wide = solve_disjunctive(instance.problem, instance.start, {.gap = 0.5});
  EXPECT_EQ(exact.status, Status::optimal);
  EXPECT_EQ(wide.status, Status::gap_limit) << wide.message;
  EXPECT_GT(wide.f - wide.bound, 1e-6 * std::abs(wide.f));
  EXPECT_TRUE(wide.success());
  EXPECT_LE(wide.bound, exact.f * (1.0 + 1e-9));
  EXPECT_GE(wide.f, exact.f * (1.0 - 1e-9));
}

TEST(Disjunctive, RefusesMisuse) {
  const Problem good = nearest_to_origin({box(0.0, 1.0)});
  EXPECT_THROW(UnionOf({}), InvalidArgument);
  EXPECT_THROW(UnionOf({box(0.0, 1.0, 2), box(0.0, 1.0, 3)}), InvalidArgument);
  EXPECT_THROW(solve_disjunctive(good, Vector::Zero(3)), InvalidArgument);
  EXPECT_THROW(solve_disjunctive(good, Vector::Zero(2), {.gap = 0.0}), InvalidArgument);
  EXPECT_THROW(solve_disjunctive({.f = SquaredDistance(Vector::Zero(3)), .D = Sparse(3, 1)}, Vector::Zero(3)),
               InvalidArgument);
  EXPECT_THROW(solve_disjunctive(nearest_to_origin({Sparse(3, 1), Sparse(3, 2)}), Vector::Zero(3)), InvalidArgument);
}

TEST(Disjunctive, CurvatureOfTheLogisticLossIsBelowIt) {
  Random random(5);
  Matrix A = random.normal_matrix(30, 4);
  Vector labels(30);
  for (double& label : labels) label = random.uniform() < 0.5 ? -1.0 : 1.0;
  const Objective f = Logistic(A, labels);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector at = 2.0 * random.normal_vector(4), width = random.uniform_vector(4, 0.0, 3.0);
    const Vector lower = at - width, upper = at + random.uniform_vector(4, 0.0, 3.0);
    const Matrix H = *f.curvature_below(at, lower, upper);
    Vector gradient(4), x(4);
    const double value = f.value_and_gradient(at, gradient);
    for (Index i = 0; i < 4; ++i) x[i] = random.uniform(lower[i], upper[i]);
    const Vector d = x - at;
    EXPECT_GE(f.value(x), value + gradient.dot(d) + 0.5 * d.dot(H * d) - 1e-10 * (1.0 + value));
  }
}

// min ½x₁² in [−2, 2] × [−1, 1]: the nearest points of the parts lie far outside of that box.
TEST(Disjunctive, ASingularObjectiveIsBoundedBelowAlsoFromPointsOutsideOfTheBox) {
  const Matrix Q{{1.0, 0.0}, {0.0, 0.0}};
  const Problem problem{.f = Quadratic(Q, Vector::Zero(2)),
                        .G = Selection(2, {0, 1}),
                        .C = Box(Vector{{-2.0, -1.0}}, Vector{{2.0, 1.0}}),
                        .D = UnionOf({Polyhedron(Matrix{{-1.0, -0.001}}, Vector{{-1.0008}}),
                                      Polyhedron(Matrix{{-1.0, -0.002}}, Vector{{-1.002}})})};
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  ASSERT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_EQ(r.parts().part, 0);
  EXPECT_NEAR(r.f, 0.5 * 0.9998 * 0.9998, 1e-6);
}

Problem on_the_line(std::vector<Set> parts, Objective f, double slope, double shift, Set C) {
  return {.f = std::move(f),
          .G = Affine(Matrix{{slope}}, Vector{{shift}}),
          .C = std::move(C),
          .D = UnionOf(std::move(parts))};
}

Set stretch(double lower, double upper) { return box(lower, upper, 1); }

TEST(Disjunctive, OnePartThatTheSearchLeavesByMoreThanRoundingIsNoTrouble) {
  // min 1.14 x s.t. 1.7 x ≤ 0.99, x ∈ [1.4, 1.61]: no point
  const Problem problem = on_the_line({Polyhedron(Matrix{{-1.0}, {1.0}}, Vector{{-1.4, 1.61}})},
                                      Linear(Vector{{1.14}}), 1.7, -0.99, Box::nonpositive(1));
  EXPECT_EQ(solve_disjunctive(problem, Vector::Zero(1)).status, Status::infeasible);
  EXPECT_EQ(solve(problem, Vector::Zero(1)).status, Status::stationary_infeasible);
}

TEST(Disjunctive, WhatIsFeasibleUpToTheToleranceIsNotProvedInfeasible) {
  const Set half_line = Polyhedron([] {
    LinearConstraints c = LinearConstraints::none(1);
    c.lower[0] = 0.1 * 3;  // the next number above 0.3
    return c;
  }());
  const auto touching = solve_disjunctive(
      on_the_line({half_line}, SquaredDistance(Vector::Zero(1)), 1.0, 0.0, stretch(-infinity, 0.3)), Vector::Ones(1));
  EXPECT_EQ(touching.status, Status::optimal) << touching.message;
  EXPECT_EQ(touching.parts().part, 0);
  EXPECT_NEAR(touching.f, 0.045, 1e-9);

  for (const double excess : {5e-8, 1e-12}) {
    const auto r =
        solve_disjunctive(on_the_line({Polyhedron(Matrix{{-1.0}}, Vector{{0.0}})}, SquaredDistance(Vector::Zero(1)),
                                      1.0, 0.0, stretch(-infinity, -excess)),
                          Vector::Ones(1));
    EXPECT_NE(r.status, Status::infeasible) << excess;
    EXPECT_EQ(r.parts().part, 0) << excess;
  }
}

TEST(Disjunctive, SmallRowsMeanWhatTheySay) {
  // 1e-9 x ≤ 0 leaves x ≤ −3 only
  const auto r = solve_disjunctive(
      on_the_line({Polyhedron(Matrix{{-1.0}}, Vector{{-1.0}}), Polyhedron(Matrix{{1.0}}, Vector{{-3.0}})},
                  SquaredDistance(Vector::Zero(1)), 1e-9, 0.0, Box::nonpositive(1)),
      Vector::Ones(1));
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_EQ(r.parts().part, 1);
  EXPECT_NEAR(r.f, 4.5, 1e-6);
}

/// Σ (x_i − i)⁴, convex, with patience.
struct Slow {
  Index dimension() const { return 20; }
  bool convex() const { return true; }
  double value_and_gradient(In x, Out g) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    double f = 0.0;
    for (Index i = 0; i < 20; ++i) {
      const double d = x[i] - static_cast<double>(i);
      f += d * d * d * d;
      g[i] = 4.0 * d * d * d;
    }
    return f;
  }
};

TEST(Disjunctive, TheTimeLimitIsOneForAllStages) {
  const Problem problem{.f = Slow{},
                        .D = UnionOf({Polyhedron(Matrix::Ones(1, 20), Vector{{0.0}}), box(-3.0, -2.0, 20)})};
  DisjunctiveOptions options;
  options.method.limits.seconds = 0.4;
  const auto begin = std::chrono::steady_clock::now();
  const auto r = solve_disjunctive(problem, Vector::Constant(20, 50.0), options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(r.status, Status::max_time) << r.message;
  EXPECT_GE(r.times.total, 0.4);
  EXPECT_LE(seconds, 0.7);
}

TEST(Disjunctive, CountsEveryPartAndNamesTheReasonWhereNothingIsProved) {
  // x₁ + x₂ ≥ 0 bounds f on each part, but no box does
  Problem problem{.f = Linear(Vector{{1.0, 1.0}}),
                  .G = Affine(Matrix{{1.0, 1.0}}),
                  .C = Box::nonnegative(1),
                  .D = UnionOf({Polyhedron(Matrix{{1.0, -1.0}}, Vector{{0.0}}),
                                Polyhedron(Matrix{{-1.0, 1.0}}, Vector{{-1.0}})})};
  const auto r = solve_disjunctive(problem, Vector::Ones(2));
  EXPECT_NE(r.status, Status::optimal);
  EXPECT_EQ(r.parts().counts.screened + r.parts().counts.bounded + r.parts().counts.infeasible +
                r.parts().counts.solved + r.parts().counts.unresolved,
            2);
  EXPECT_GE(r.parts().counts.unresolved, 1);
  EXPECT_NE(r.message.find("no quadratic lower bound"), std::string::npos) << r.message;
  EXPECT_EQ(r.message.find("of 0 points"), std::string::npos) << r.message;
}

TEST(Disjunctive, AnInterruptedSearchSaysSoAndPicksNothing) {
  std::stop_source source;
  source.request_stop();
  const auto r = solve_disjunctive(nearest_to_origin({box(1.0, 2.0), box(3.0, 4.0)}), Vector::Zero(2), {},
                                   {.stop = source.get_token()});
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_EQ(r.parts().counts.unresolved, 2);
  EXPECT_EQ(r.message.find("of 0 points"), std::string::npos) << r.message;
}

TEST(Disjunctive, APointBelowAllBoundsProvesNothing) {
  // ½‖x − a‖² with a = (1e12, 1e12): up to rounding a itself is in a part, where f = 0; without rounding the minimum
  // is 1
  const Problem problem{.f = SquaredDistance(Vector::Constant(2, 1e12)),
                        .D = UnionOf({Polyhedron(Matrix{{1.0, -1.0}}, Vector{{-2.01}}),
                                      Polyhedron(Matrix{{1.0, 1.0}}, Vector{{2e12 - 2.0}})})};
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_LE(r.bound, std::min(r.f, 1.001));
  EXPECT_TRUE(r.status != Status::optimal || r.f == 0.0 || std::abs(r.f - 1.0) < 1e-3) << r.f;
}

TEST(Disjunctive, ProvesOptimaOfLinearObjectives) {
  const auto over_boxes = solve_disjunctive(
      {.f = Linear(Vector::Ones(2)), .D = UnionOf({box(0.0, 1.0), box(-3.0, -2.0)})}, Vector::Zero(2));
  EXPECT_EQ(over_boxes.status, Status::optimal) << over_boxes.message;
  EXPECT_NEAR(over_boxes.f, -6.0, 1e-6);
  EXPECT_EQ(over_boxes.parts().part, 1);

  // the box as rows of an affine map: −3 ≤ x ≤ 3; half-spaces x₁ + x₂ ≥ 1 and x₁ + x₂ ≥ 2 as parts
  const auto by_rows = solve_disjunctive(
      {.f = Linear(Vector{{1.0, 2.0}}),
       .G = Affine(Matrix{{2.0, 0.0}, {-2.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}}, Vector{{-6.0, -6.0, -3.0, -3.0}}),
       .C = Box::nonpositive(4),
       .D = UnionOf(
           {Polyhedron(Matrix{{-1.0, -1.0}}, Vector{{-2.0}}), Polyhedron(Matrix{{-1.0, -1.0}}, Vector{{-1.0}})})},
      Vector::Zero(2));
  EXPECT_EQ(by_rows.status, Status::optimal) << by_rows.message;
  EXPECT_NEAR(by_rows.f, -1.0, 2e-6);  // (3, −2)
  EXPECT_EQ(by_rows.parts().part, 1);
}

TEST(Disjunctive, ProvesOptimaOfSingularObjectivesOverBoundedParts) {
  const auto r = solve_disjunctive({.f = Quadratic(Matrix{{1.0, 0.0}, {0.0, 0.0}}, Vector::Zero(2)),
                                    .D = UnionOf({box(-3.0, -2.0), box(1.0, 2.0)})},
                                   Vector::Zero(2));
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.f, 0.5, 1e-6);
}

TEST(Disjunctive, BoundsThatFollowFromRowsAreFound) {
  // min x₁ − 2x₂ over the unit box and the triangle (2, 0), (6, 0), (4, 2)
  const Matrix triangle{{1.0, 1.0}, {-1.0, 1.0}, {0.0, -1.0}};
  const Problem problem{.f = Linear(Vector{{1.0, -2.0}}),
                        .D = UnionOf({box(0.0, 1.0), Polyhedron(triangle, Vector{{6.0, -2.0, 0.0}})})};
  const auto r = solve_disjunctive(problem, Vector::Zero(2));
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.f, -2.0, 1e-8);
  EXPECT_EQ(r.parts().part, 0);

  const Problem turned{.f = Linear(Vector{{-1.0, 0.5}}), .D = problem.D};
  const auto corner = solve_disjunctive(turned, Vector::Zero(2));
  EXPECT_EQ(corner.status, Status::optimal) << corner.message;
  EXPECT_NEAR(corner.f, -6.0, 1e-6);
  EXPECT_EQ(corner.parts().part, 1);
}

TEST(Disjunctive, BoundsThatFollowFromRowsKeepEveryPoint) {
  // simplices {x : Σ w_i x_i ≤ 1, x_i ≥ −s} in any position and of any scale: their corners are the optima
  Random random(11);
  for (int trial = 0; trial < 30; ++trial) {
    const Index n = 2 + trial % 4;
    const double scale = std::pow(10.0, random.uniform(-3.0, 3.0)), s = random.uniform(0.5, 2.0) * scale;
    Matrix A(n + 1, n);
    Vector b = Vector::Constant(n + 1, s);
    A.topRows(n) = -Matrix::Identity(n, n);
    A.row(n) = random.uniform_vector(n, 0.5, 2.0).transpose();
    b[n] = scale;
    const Vector c = random.normal_vector(n), w = A.row(n).transpose();
    double best = infinity;
    for (Index corner = -1; corner < n; ++corner) {
      Vector x = Vector::Constant(n, -s);
      if (corner >= 0) x[corner] += (scale + s * w.sum()) / w[corner];
      best = std::min(best, c.dot(x));
    }
    const auto r = solve_disjunctive({.f = Linear(c), .D = UnionOf({Polyhedron(A, b)})}, Vector::Zero(n));
    EXPECT_EQ(r.status, Status::optimal) << r.message << " " << scale;
    EXPECT_NEAR(r.f, best, 2e-6 * std::max(1.0, std::abs(best))) << scale;
    EXPECT_LE(r.bound, best + 1e-9 * std::abs(best)) << scale;
  }
}

TEST(Disjunctive, AHalfSpaceGainsNoBounds) {
  const auto r = solve_disjunctive({.f = Linear(Vector{{1.0, 1.0}}),
                                    .D = UnionOf({Polyhedron(Matrix{{-1.0, -1.0}}, Vector{{-1.0}}), box(3.0, 4.0)})},
                                   Vector::Ones(2));
  EXPECT_NE(r.status, Status::optimal);
  EXPECT_NE(r.message.find("on part 0"), std::string::npos) << r.message;
}

/// Every choice of a piece for every block is a part.
TEST(Disjunctive, ProductsOfFewChoicesAreProvedAsOneUnion) {
  Random random(31);
  for (int trial = 0; trial < 10; ++trial) {
    const std::vector<Set> intervals{stretch(-3.0, -2.0), stretch(-0.5, 0.5), stretch(1.0, 4.0)};
    const Matrix A = random.normal_matrix(3, 2);
    const std::vector<Set> polyhedra{Polyhedron(A, Vector::Ones(3)), box(1.0, 2.0)};
    const Matrix B = random.normal_matrix(6, 5);
    const Objective f = LeastSquares(B, 3.0 * random.normal_vector(6));
    const Problem product{
        .f = f, .D = Product({Set(UnionOf(intervals)), Set(UnionOf(polyhedra)), Set(BoxSwitching::switching(1))})};
    double best = infinity;
    for (const Set& a : intervals)
      for (const Set& b : polyhedra)
        for (const Index side : {0, 1}) {
          Vector reach = Vector::Zero(2);
          reach[side] = infinity;
          best = std::min(best, solve({.f = f, .D = Product({a, b, Set(Box(-reach, reach))})}, Vector::Zero(5)).f);
        }
    for (const Result& r : {solve_disjunctive(product, Vector::Zero(5)),
                            solve(product, Vector::Zero(5), {.driver = {.route = Route::disjunctive}})}) {
      EXPECT_EQ(r.route, "disjunctive");
      EXPECT_EQ(r.status, Status::optimal) << r.message;
      EXPECT_NEAR(r.f, best, 1e-6 * std::max(1.0, best));
      for (const Claim& c : verify(product, r))
        EXPECT_TRUE(c.holds) << c.name << " is " << c.claimed << "; found " << c.found;
    }
  }
}

TEST(Disjunctive, SaysWhyNothingIsCertified) {
  const auto message = [](const Problem& problem) {
    return solve_disjunctive(problem, Vector::Constant(2, 0.5)).message;
  };
  const Set boxes = UnionOf({box(0.0, 1.0), box(2.0, 3.0)});
  const Objective concave = Quadratic(Matrix{{-1.0, 0.0}, {0.0, 1.0}}, Vector::Zero(2));
  const auto f = message({.f = concave, .D = boxes});
  EXPECT_NE(f.find("not certified: f is not known to be convex"), std::string::npos) << f;
  const auto G = message({.f = SquaredDistance(Vector::Zero(2)),
                          .G = Quartic(Matrix::Ones(2, 1), Matrix::Zero(2, 1), Vector::Ones(1)),
                          .C = Box::nonnegative(1),
                          .D = boxes});
  EXPECT_NE(G.find("not certified: {x : G(x) in C} is not known"), std::string::npos) << G;
  const auto part = message(nearest_to_origin({box(1.0, 2.0), translated(ball(2, 1.0), Vector{{3.0, 0.0}})}));
  EXPECT_NE(part.find("not certified: part 1 ("), std::string::npos) << part;
  try {
    solve_disjunctive(nearest_to_origin({box(0.0, 1.0, 3), Sparse(3, 1)}), Vector::Zero(3));
    FAIL() << "no complaint";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.field(), "Problem.D.parts[1]");
  }
}

TEST(Disjunctive, AnInfeasibleResultHasTheCertificateOfItsPoint) {
  const Problem problem = on_the_line({stretch(0.0, 1.0), stretch(8.0, 9.0)}, SquaredDistance(Vector{{2.5}}), 1.0,
                                      0.0, stretch(20.0, infinity));
  const auto r = solve_disjunctive(problem, Vector{{7.0}});
  ASSERT_EQ(r.status, Status::infeasible) << r.message;
  EXPECT_EQ(r.y, (Vector{{8.0}}));
  EXPECT_NEAR(r.certificate.distance_C, 12.0, 1e-12);
  for (const Claim& c : verify(problem, r))
    EXPECT_TRUE(c.holds) << c.name << " is " << c.claimed << "; found " << c.found;
}

/// Linear f over random unions, of which some are unbounded and some infeasible: what is written down must hold.
TEST(Disjunctive, WhateverEndsWithoutAProofIsVerifiedFromTheSameStart) {
  Random random(8);
  int unproved = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const double scale = std::pow(10.0, random.uniform(-2.0, 2.0));
    std::vector<Set> parts;
    for (int k = 0; k < 1 + trial % 4; ++k) {
      const Matrix A = random.normal_matrix(2 + k, 2);
      parts.push_back(Polyhedron(A, A * (2.0 * scale * random.normal_vector(2)) + scale * Vector::Ones(2 + k)));
    }
    const Problem problem{.f = Linear(random.normal_vector(2)),
                          .G = Affine(random.normal_matrix(1, 2)),
                          .C = stretch(scale * random.uniform(-5.0, 5.0), infinity),
                          .D = UnionOf(std::move(parts))};
    const Vector start = scale * random.normal_vector(2);
    const auto r = solve_disjunctive(problem, start);
    unproved += r.bound == -infinity;
    for (const Claim& c : verify(problem, r))
      EXPECT_TRUE(c.holds) << trial << ": " << to_string(r.status) << ", " << c.name << " is " << c.claimed
                           << "; found " << c.found;
  }
  EXPECT_GE(unproved, 20);
}

TEST(Solve, SaysUnboundedWhereFFallsForEverOnAPart) {
  Vector upper{{infinity, 3.0}};
  const Problem problem{.f = Linear(Vector{{-1.0, 0.0}}),
                        .D = UnionOf({box(0.0, 1.0), Box(Vector{{3.0, 2.0}}, upper)})};
  EXPECT_EQ(solve(problem, Vector::Zero(2)).status, Status::unbounded);
}

TEST(Disjunctive, ProvesInfeasibilityWithALinearObjective) {
  const auto r = solve_disjunctive(
      on_the_line({stretch(0.0, 1.0), stretch(8.0, 9.0)}, Linear(Vector::Ones(1)), 1.0, 0.0, stretch(5.0, 6.0)),
      Vector::Zero(1));
  EXPECT_EQ(r.status, Status::infeasible) << r.message;
  EXPECT_EQ(r.parts().counts.infeasible, 2);
}

}  // namespace
}  // namespace pendec
