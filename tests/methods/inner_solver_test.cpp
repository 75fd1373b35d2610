// (S.2) of Algorithm 3.1: what each subproblem solver must hand back.
#include "pendec/methods/inner_solver.hpp"

#include <gtest/gtest.h>

#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

constexpr double delta = 1e-5;

/// One subproblem with τ = 2 from the problem's start.
struct Subproblem {
  Problem problem;
  Oracle oracle;
  Penalty q;
  Pair pair;
  Monitor monitor{{}, {}, {}};

  Subproblem(const testing_support::SmallProblem& p, bool with_y)
      : problem(p.problem.completed()),
        oracle(problem),
        q(oracle, with_y ? std::vector<Range>{{0, problem.dimension()}} : std::vector<Range>{}, true) {
    q.tau = 2.0;
    pair.p = q.make_point(p.start);
    pair.y = p.start;
  }
  InnerEnd solve(InnerSolver& inner) {
    inner.start(q, pair, true);
    return inner.minimise(q, pair, delta, infinity, monitor);
  }
  double gradient_norm() {
    q.evaluate(pair.p);
    Vector g(pair.p.x.size());
    q.gradient(pair.p, pair.y, g);
    return g.norm();
  }
};

void expect_approximate_minimiser(Subproblem& s, const std::string& name) {
  EXPECT_LE(s.gradient_norm(), delta) << name;                                                 // (3.2)
  EXPECT_LE((s.pair.p.x - s.pair.y).norm(), s.problem.D.distance(s.pair.p.x) + 1e-9) << name;  // (3.3) y ∈ Π_D(x)
  EXPECT_NEAR(s.pair.q, s.q.value(s.pair.p, s.pair.y), 1e-9 * (1.0 + std::abs(s.pair.q))) << name;
}

TEST(AlternatingMinimization, EndsWhereAlgorithm31WantsIt) {
  for (const auto& p : testing_support::small_problems()) {
    Subproblem s(p, true);
    InnerOptions o;
    o.max_iterations = 100000;
    XUpdateOptions x;
    x.steps = 1;  // Algorithm 4.1 to the letter
    const auto inner = make_alternating_minimization(o, make_x_update(x, s.q, false, {}, {}));
    ASSERT_EQ(s.solve(*inner), InnerEnd::solved) << p.name;
    expect_approximate_minimiser(s, p.name);
  }
}

TEST(AlternatingMinimization, NeverIncreasesThePenalty) {
  for (const auto& p : testing_support::small_problems()) {
    double last = infinity;
    for (Index iterations = 1; iterations <= 12; ++iterations) {
      Subproblem s(p, true);
      InnerOptions o;
      o.max_iterations = iterations;
      s.solve(*make_alternating_minimization(o, make_x_update({}, s.q, false, {}, {})));
      EXPECT_LE(s.pair.q, last + 1e-12 * std::abs(last)) << p.name << " after " << iterations;
      last = s.pair.q;
    }
  }
}

TEST(ReducedPenalty, EndsWhereAlgorithm31WantsIt) {
  for (const auto& p : testing_support::small_problems()) {
    Subproblem s(p, true);
    const auto inner = make_reduced_penalty({}, {}, s.problem.dimension());
    ASSERT_EQ(s.solve(*inner), InnerEnd::solved) << p.name;
    expect_approximate_minimiser(s, p.name);
  }
}

TEST(ReducedPenalty, NeedsFewerProjectionsThanAlternatingMinimization) {
  Index alternating = 0, reduced = 0;
  for (const auto& p : testing_support::small_problems()) {
    Subproblem a(p, true), r(p, true);
    InnerOptions o;
    o.max_iterations = 100000;
    a.solve(*make_alternating_minimization(o, make_x_update({}, a.q, false, {}, {})));
    r.solve(*make_reduced_penalty(o, {}, r.problem.dimension()));
    alternating += a.oracle.counts.project_D;
    reduced += r.oracle.counts.project_D;
  }
  EXPECT_LT(reduced, alternating);
}

TEST(SpectralGradient, StaysInDAndEndsStationaryThere) {
  for (const auto& p : testing_support::small_problems()) {
    Subproblem s(p, false);
    const auto inner = make_spectral_gradient({}, {});
    ASSERT_EQ(s.solve(*inner), InnerEnd::solved) << p.name;
    EXPECT_TRUE(s.problem.D.contains(s.pair.p.x, 1e-9 * (1.0 + s.pair.p.x.norm()))) << p.name;
    s.q.evaluate(s.pair.p);
    Vector g(s.pair.p.x.size());
    s.q.gradient(s.pair.p, s.pair.p.x, g);
    if (const auto residual = s.problem.D.normal_residual(s.pair.p.x, -g)) {
      EXPECT_LE(*residual, 2.0 * delta) << p.name;
    }
  }
}

TEST(InnerSolvers, ReportARunaway) {
  const Problem p = Problem{.f = make_objective(2,
                                                [](In x, Out g) {
                                                  g.setConstant(-1.0);
                                                  return -x.sum();
                                                }),
                            .D = Free(2)}
                        .completed();
  Oracle oracle(p);
  Penalty q(oracle, {}, true);
  Monitor monitor({}, {}, {});
  Pair pair;
  pair.p = q.make_point(Vector::Zero(2));
  pair.y = pair.p.x;
  const auto inner = make_reduced_penalty({}, {}, 2);
  inner->start(q, pair, true);
  EXPECT_EQ(inner->minimise(q, pair, delta, 100.0, monitor), InnerEnd::runaway);
}

}  // namespace
}  // namespace pendec
