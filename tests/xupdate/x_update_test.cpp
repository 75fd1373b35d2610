#include "pendec/xupdate/x_update.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pendec/subsolvers/sufficient_decrease.hpp"
#include "pendec/xupdate/descent.hpp"
#include "pendec/xupdate/line_search.hpp"
#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

/// A penalty subproblem with a random y-block and multipliers.
struct Setting {
  Problem problem;
  Oracle oracle;
  Penalty q;
  Point p;
  Vector v;
  Monitor monitor{{}, {}, {}};

  explicit Setting(const Problem& given, double tau = 2.0)
      : problem(given.completed()), oracle(problem), q(oracle, {{0, problem.dimension()}}, true) {
    Random random(11);
    const Index n = problem.dimension();
    q.tau = tau;
    q.use_mu = true;
    q.mu = random.normal_vector(n);
    q.lambda = 0.1 * random.normal_vector(q.lambda.size());
    v = random.normal_vector(n);
    p = q.make_point(random.normal_vector(n));
    q.evaluate(p);
  }
  double gradient_norm() {
    q.evaluate(p);
    Vector g(p.x.size());
    q.gradient(p, v, g);
    return g.norm();
  }
};

std::vector<XStep> all_steps() {
  return {XStep::gradient, XStep::cg, XStep::bfgs, XStep::lbfgs, XStep::newton, XStep::exact};
}

TEST(XUpdate, EveryStepFindsTheMinimiserOfTheSubproblem) {
  for (const auto& given : {testing_support::sparse_qp().problem, testing_support::sparse_portfolio().problem}) {
    for (const XStep step : all_steps()) {
      Setting s(given);
      XUpdateOptions o;
      o.step = step;
      o.steps = 10000;
      o.eps_solv = 1e-8;
      o.line_search = step == XStep::gradient ? LineSearchKind::armijo : LineSearchKind::wolfe;
      const auto update = make_x_update(o, s.q, false, {}, {});
      update->update(s.q, s.v, s.p, s.monitor);
      EXPECT_LE(s.gradient_norm(), 1e-7) << "x-update " << static_cast<int>(step);
    }
  }
}

TEST(XUpdate, OneArmijoStepIsThatOfAlgorithm41) {
  Setting s(testing_support::sparse_qp().problem);
  Vector g(6);
  s.q.gradient(s.p, s.v, g);
  const double q0 = s.q.value(s.p, s.v);
  const Vector u = s.p.x;
  XUpdateOptions o;
  o.step = XStep::gradient;
  o.steps = 1;
  make_x_update(o, s.q, false, {}, {})->update(s.q, s.v, s.p, s.monitor);
  // alpha is the largest power of beta with sufficient decrease, found independently here
  double alpha = 1.0;
  Point trial = s.q.make_point(u);
  for (;; alpha *= o.beta) {
    trial.x = u - alpha * g;
    s.q.evaluate(trial);
    if (s.q.value(trial, s.v) <= q0 - o.gamma * alpha * g.squaredNorm()) break;
  }
  EXPECT_LE((s.p.x - trial.x).norm(), 1e-14);
}

TEST(XUpdate, ExactReusesItsFactorsForEveryTau) {
  Setting s(testing_support::sparse_qp().problem);
  XUpdateOptions o;
  o.step = XStep::exact;
  const auto update = make_x_update(o, s.q, false, {}, {});
  for (const double tau : {2.0, 20.0, 0.5, 1e6}) {
    update->change_tau(tau - s.q.tau);
    s.q.tau = tau;
    update->update(s.q, s.v, s.p, s.monitor);
    EXPECT_LE(s.gradient_norm(), 1e-9 * tau) << tau;
  }
}

TEST(XUpdate, ExactRefusesWhatItCannotDo) {
  Setting s(testing_support::sparse_logistic().problem);
  XUpdateOptions o;
  o.step = XStep::exact;
  EXPECT_THROW(make_x_update(o, s.q, false, {}, {}), InvalidArgument);
}

TEST(LowerLevel, QpKeepsTheConstraintsInTheXUpdate) {
  // min f + tau/2 |x - v + mu/tau|^2 over the simplex: compared with the projection in the metric Q + tau I
  const Problem given = testing_support::sparse_portfolio().problem.completed();
  Oracle oracle(given);
  Penalty q(oracle, {{0, 8}}, false);
  Random random(12);
  q.tau = 3.0;
  q.use_mu = true;
  q.mu = random.normal_vector(8);
  const Vector v = random.normal_vector(8);
  Point p = q.make_point(Vector::Zero(8));
  XUpdateOptions o;
  o.step = XStep::exact;
  Monitor monitor({}, {}, {});
  make_x_update(o, q, true, {}, {})->update(q, v, p, monitor);
  EXPECT_LE(given.C.distance(p.x), 1e-10);
  q.evaluate(p);
  Vector g(8);
  q.gradient(p, v, g);
  EXPECT_LE(*given.C.normal_residual(p.x, -g), 1e-8);  // first-order optimality over the simplex
}

TEST(LowerLevel, FixedCoordinatesAreMetExactly) {
  const auto given = testing_support::correlation();
  const Problem problem = given.problem.completed();
  Oracle oracle(problem);
  Penalty q(oracle, {{0, 64}}, false);
  Point p = q.make_point(given.start);
  XUpdateOptions o;
  o.step = XStep::exact;
  Monitor monitor({}, {}, {});
  make_x_update(o, q, true, {}, {})->update(q, 0.5 * given.start, p, monitor);
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(p.x[i * 9], 1.0);
  EXPECT_NEAR(p.x[1], 0.5 * std::exp(-1.0), 1e-12);  // (a + tau v)/(1 + tau) with tau = 1
}

TEST(XUpdate, UsersClosedFormIsCalled) {
  Setting s(testing_support::sparse_qp().problem);
  const auto update = make_x_update({}, s.q, false, {}, [](const Penalty&, In v, Out x) { x = 2.0 * v; });
  update->update(s.q, s.v, s.p, s.monitor);
  EXPECT_EQ(s.p.x, Vector(2.0 * s.v));
  EXPECT_NEAR(s.p.f, s.problem.f.value(s.p.x), 1e-12);
}

TEST(Safeguard, UnboundedDirectionsBecomeTheNegativeGradient) {
  Setting s(testing_support::sparse_qp().problem);
  XUpdateOptions o;
  o.step = XStep::preconditioner;
  o.steps = 3;
  // an H that is not positive definite
  const auto update = make_x_update(o, s.q, false, [](In, double, In g, Out out) { out = -g; }, {});
  const double before = s.q.value(s.p, s.v);
  update->update(s.q, s.v, s.p, s.monitor);
  EXPECT_EQ(s.oracle.counts.fallbacks, 3);
  EXPECT_LT(s.q.value(s.p, s.v), before);
}

TEST(Safeguard, BoundedEigenvalueConditionIsTheOneOfSection4) {
  const Vector g = Vector::Ones(2);
  EXPECT_TRUE(direction_is_bounded(g, -g, 0.5, 2.0));
  EXPECT_FALSE(direction_is_bounded(g, -0.4 * g, 0.5, 2.0));  // too short: -<g,d> < c1 |g|^2
  EXPECT_FALSE(direction_is_bounded(g, -2.1 * g, 0.5, 2.0));  // too long
  EXPECT_FALSE(direction_is_bounded(g, g, 0.5, 2.0));
  EXPECT_FALSE(direction_is_bounded(g, Vector::Constant(2, std::nan("")), 0.5, 2.0));
}

/// A problem without anything, whose penalty couples all of x, and iterates on it with gradients of one's own.
struct Steps {
  Problem problem;
  Oracle oracle;
  Penalty q;
  Iterate at, next;
  Vector y;

  explicit Steps(Index n)
      : problem(Problem{.f = make_objective(n, [](In, Out g) { return g.setZero(), 0.0; })}.completed()),
        oracle(problem),
        q(oracle, {{0, n}}, true),
        at{q.make_point(Vector::Zero(n)), 0.0, Vector::Zero(n)},
        next(at),
        y(Vector::Zero(n)) {}

  Step by(const Vector& s, const Vector& change) {
    next.p.x = s;
    next.g = change;
    return {q, at, next, y, y};
  }
};

TEST(Lbfgs, MemoryCorrectedForANewTauIsTheMemoryOfTheNewFunction) {
  // On a quadratic with proximal term the pairs of tau = 2 turned into those of tau = 5 must give the direction that
  // pairs collected at tau = 5 give.
  Random random(3);
  const Matrix B = random.normal_matrix(6, 6);
  const Matrix Q = B * B.transpose() + Matrix::Identity(6, 6);
  LbfgsMap moved(6, 5), fresh(6, 5);
  Steps steps(6);
  for (int i = 0; i < 4; ++i) {
    const Vector s = random.normal_vector(6);
    const Vector Qs = Q * s;
    moved.accept(steps.by(s, Qs + 2.0 * s));
    fresh.accept(steps.by(s, Qs + 5.0 * s));
  }
  moved.change_tau(3.0);
  const Vector g = random.normal_vector(6);
  Vector d_moved(6), d_fresh(6);
  moved.apply(g, d_moved);
  fresh.apply(g, d_fresh);
  EXPECT_LE((d_moved - d_fresh).norm(), 1e-12 * d_fresh.norm());
}

TEST(Lbfgs, SatisfiesTheSecantEquation) {
  Random random(4);
  LbfgsMap map(5, 3);
  Steps steps(5);
  Vector s, y;
  for (int i = 0; i < 6; ++i) {
    s = random.normal_vector(5);
    y = s + 0.1 * random.normal_vector(5);
    map.accept(steps.by(s, y));
  }
  Vector d(5);
  map.apply(y, d);  // −H y = −s for the newest pair
  EXPECT_LE((d + s).norm(), 1e-10);
}

TEST(LineSearch, SufficientDecreaseIsArmijosTest) {
  // q = 1, slope −1, step ½, gamma 0.4: the bound is 0.8
  EXPECT_TRUE(decreases_enough(1.0, -1.0, 0.5, 0.79, 0.0, 0.4));
  EXPECT_FALSE(decreases_enough(1.0, -1.0, 0.5, 0.81, 0.0, 0.4));
}

TEST(LineSearch, ReportsAFunctionThatIsNotFiniteEverywhereAhead) {
  const auto f = [](In x, Out g) {
    g.setConstant(-1.0);
    return x[0] > 1.0 ? std::nan("") : -x[0];
  };
  const Problem p = Problem{.f = make_objective(1, f)}.completed();
  Oracle oracle(p);
  Penalty q(oracle, {}, true);
  Iterate at{q.make_point(Vector::Constant(1, 1.0)), 0.0, Vector::Zero(1)};
  Iterate next = at;
  q.evaluate(at.p);
  at.q = q.value(at.p, at.p.x);
  q.gradient(at.p, at.p.x, at.g);
  const LineSearch search{XUpdateOptions{}};
  EXPECT_THROW(search.search(q, at.p.x, at, Vector::Constant(1, 1.0), 1.0, next), NotFinite);
}

}  // namespace
}  // namespace pendec
