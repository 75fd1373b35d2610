#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/affine_subspace.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/l1_ball.hpp"
#include "pendec/sets/psd_low_rank.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/slab.hpp"
#include "pendec/solvers/solve.hpp"

namespace pendec {
namespace {

struct SmoothLoss {
  std::string name;
  Objective f;
  double lipschitz;  // of the gradient
};

std::vector<SmoothLoss> losses(Index n, Random& random) {
  const Index m = 2 * n;  // separable classes would have no best model
  const Matrix A = random.normal_matrix(m, n) / std::sqrt(static_cast<double>(n));
  const Vector b = random.normal_vector(m), sign = random.normal_vector(m).array().sign().matrix();
  double norm = 0.0;
  Vector v = random.normal_vector(n);
  for (int k = 0; k < 100; ++k) norm = v.norm(), v = (A.transpose() * (A * v / norm)).eval();
  const double L = v.norm(), ridge = 0.01;
  return {{"least squares",
           make_objective(n,
                          [=](In x, Out g) {
                            const Vector r = A * x - b;
                            g = A.transpose() * r;
                            return 0.5 * r.squaredNorm();
                          }),
           L},
          {"logistic",
           make_objective(n,
                          [=](In x, Out g) {
                            Vector z = sign.cwiseProduct(A * x);
                            double value = 0.0;
                            for (Index k = 0; k < z.size(); ++k) {
                              const double e = std::exp(-std::abs(z[k]));
                              value += std::max(-z[k], 0.0) + std::log1p(e);
                              z[k] = -sign[k] * (z[k] > 0.0 ? e : 1.0) / (1.0 + e);
                            }
                            g = A.transpose() * z + ridge * x;
                            return value + 0.5 * ridge * x.squaredNorm();  // without it the signs may be separable
                          }),
           0.25 * L + ridge}};
}

std::vector<Set> convex_sets(Index n, Random& random) {
  const Index k = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
  return {Box(Vector::Constant(n, -0.1), Vector::Constant(n, 0.2)),
          Simplex(n, 3.0),
          L1Ball(n, 4.0),
          AffineSubspace(random.normal_matrix(3, n), Vector::Ones(3)),
          Slab(Vector::Ones(n), -1.0, 1.0),
          PsdLowRank(k, k)};
}

/// Accelerated projected gradients with restarts (Beck, Teboulle 2009; O'Donoghue, Candès 2015), with the exact L,
/// until the point moves by less than the tolerance. Returns f and counts evaluations.
double accelerated_gradients(const SmoothLoss& loss, const Set& D, const Vector& x0, double tolerance,
                             Index& evaluations) {
  Vector x = D.projection(x0), y = x, g(x.size());
  double t = 1.0;
  for (evaluations = 0; evaluations < 20'000;) {
    loss.f.value_and_gradient(y, g);
    ++evaluations;
    const Vector next = D.projection(y - g / loss.lipschitz);
    const bool close = loss.lipschitz * (y - next).norm() <= tolerance;
    if ((y - next).dot(next - x) > 0.0) t = 1.0;
    const double t_next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
    y = next + (t - 1.0) / t_next * (next - x);
    x = next;
    t = t_next;
    if (close) break;
  }
  return loss.f.value_and_gradient(x, g);
}

TEST(ConvexSets, TakeNoMoreEvaluationsThanAcceleratedGradientsThatKnowTheLipschitzConstant) {
  Random random(1);
  const Index n = 400;
  const auto sets = convex_sets(n, random);
  Index ours = 0, theirs = 0;
  for (const SmoothLoss& loss : losses(n, random)) {
    for (const Set& D : sets) {
      SCOPED_TRACE(loss.name + " on " + D.name());
      const Vector x0 = random.normal_vector(n);
      const Result r = solve({.f = loss.f, .D = D}, x0);
      EXPECT_EQ(r.status, Status::converged) << r.message;
      EXPECT_TRUE(D.contains(r.y, 1e-9));
      Vector g(n);
      loss.f.value_and_gradient(x0, g);
      Index evaluations = 0;
      const double best = accelerated_gradients(loss, D, x0, 1e-6 * g.norm(), evaluations);
      EXPECT_LE(r.f, best + 1e-6 * (1.0 + std::abs(best)));
      EXPECT_LE(r.counts.gradient, 3 * evaluations + 20);
      ours += r.counts.gradient;
      theirs += evaluations;
    }
  }
  EXPECT_LE(ours, 2 * theirs) << ours << " evaluations, against " << theirs;
}

TEST(ConvexSets, WithConstraintsConvergeToTheSamePointAsTheirIntersection) {
  Random random(2);
  const Index n = 150;
  for (const SmoothLoss& loss : losses(n, random)) {
    // the simplex: as a set, and as a row beside a box
    const Result set = solve({.f = loss.f, .D = Simplex(n, 1.0)}, Vector::Zero(n));
    const Result rows = solve({.f = loss.f,
                               .G = Affine(Matrix::Ones(1, n)),
                               .C = Box(Vector::Ones(1), Vector::Ones(1)),
                               .D = Box(Vector::Zero(n), Vector::Constant(n, infinity))},
                              Vector::Zero(n));
    EXPECT_EQ(set.status, Status::converged) << loss.name << ": " << set.message;
    EXPECT_EQ(rows.status, Status::converged) << loss.name << ": " << rows.message;
    EXPECT_NEAR(set.f, rows.f, 1e-5 * (1.0 + std::abs(set.f))) << loss.name;
  }
}

/// Of a bounded set, that is: a start far out in a cone is one of its points.
TEST(ConvexSets, HowFarAwayTheStartIsDoesNotMatter) {
  Random random(6);
  const Index n = 6;
  const Matrix A = random.normal_matrix(8, n);
  const Objective f = LeastSquares(A, random.normal_vector(8));
  const Vector x0 = random.normal_vector(n);
  for (const Set& D : {ball(n, 0.1), Set(L1Ball(n, 0.1)), Set(Simplex(n, 1.0))}) {
    const double least = solve({.f = f, .D = D}, x0).f;
    for (const double size : {1e2, 1e5, 1e8}) {
      const Result r = solve({.f = f, .D = D}, size * x0);
      EXPECT_EQ(r.status, Status::converged) << D.name() << ", " << size << ": " << r.message;
      EXPECT_NEAR(r.f, least, 1e-7 * (1.0 + std::abs(least))) << D.name() << ", " << size;
    }
  }
}

TEST(ConvexSets, ConvergeAlsoWhereTheConditionIsOutOfReachOfLbfgs) {
  Random random(4);
  const Index n = 120;
  Vector weights(n);
  for (Index i = 0; i < n; ++i) weights[i] = std::pow(10.0, random.uniform(-8.0, 8.0));
  const Objective f = Quadratic(Matrix(weights.asDiagonal()), random.normal_vector(n));
  for (const Set& D : {Set(Box(Vector::Constant(n, -1.0), Vector::Ones(n))), Set(Simplex(n, 1.0))})
    EXPECT_EQ(solve({.f = f, .D = D}, Vector::Zero(n)).status, Status::converged) << D.name();
}

TEST(ConvexSets, DoNotMakeAProblemUnboundedHoweverLarge) {
  const Objective f = make_objective(2, [](In x, Out g) {
    g << 1.0, 0.0;
    return x[0];
  });
  const Result r = solve({.f = f, .D = Box(Vector{{-1e14, 0.0}}, Vector::Ones(2))}, Vector::Zero(2));
  EXPECT_NE(r.status, Status::unbounded) << r.message;
}

TEST(ConvexSets, AreLeftByNoIterateThatIsReturned) {
  Random random(3);
  const auto sets = convex_sets(121, random);
  for (const SmoothLoss& loss : losses(121, random))
    for (const Set& D : sets)
      for (const Index projections : {1, 5, 30}) {
        const Result r =
            solve({.f = loss.f, .D = D}, random.normal_vector(121), {.limits = {.projections = projections}});
        EXPECT_TRUE(D.contains(r.y, 1e-9 * (1.0 + r.y.norm()))) << D.name();
      }
}

}  // namespace
}  // namespace pendec
