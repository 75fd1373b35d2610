// Every method on every small problem: the certificate is asserted, not the iterate.
#include <gtest/gtest.h>

#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/transform/restricted.hpp"
#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

using testing_support::small_problems;
using testing_support::SmallProblem;

TEST(EveryMethod, DefaultPresetEndsWithACertificateOnEveryProblem) {
  for (const SmallProblem& p : small_problems()) {
    for (const Method method : {Method::automatic, Method::pd, Method::pdlm, Method::alm}) {
      SCOPED_TRACE(p.name + " " + std::string(to_string(method)));
      const Result r = solve(p.problem, p.start, default_preset(method));
      EXPECT_TRUE(r.success()) << summary(r);
      const Certificate again = certify(p.problem, r.y, r.lambda);
      EXPECT_LE(again.relative_infeasibility(), 1e-6);
      EXPECT_LE(again.relative_stationarity(), 1e-5);
      EXPECT_TRUE(p.problem.D.contains(r.y, 1e-9 * (1.0 + r.y.norm())));
    }
  }
}

TEST(EveryMethod, PaperPresetMeetsItsOwnTestsOnEveryProblem) {
  for (const SmallProblem& p : small_problems()) {
    for (const Method method : {Method::pd, Method::pdlm, Method::alm}) {
      SCOPED_TRACE(p.name + " " + std::string(to_string(method)));
      const Result r = solve(p.problem, p.start, paper_preset(method));
      EXPECT_TRUE(r.status == Status::converged || r.status == Status::tests_met_uncertified) << summary(r);
      if (p.problem.has_G()) {
        Vector G(p.problem.G.output_dimension());
        p.problem.G.evaluate(r.x, G);
        EXPECT_LE(p.problem.C.distance(G), 1e-5);
      }
      EXPECT_LE((r.x - r.y).norm(), 1e-5);
    }
  }
}

TEST(EveryMethod, SqpAndIpoptGiveTheSameAnswerOnEveryProblem) {
  if (!has_ipopt()) GTEST_SKIP() << "built without Ipopt";
  for (const SmallProblem& p : small_problems()) {
    SCOPED_TRACE(p.name);
    Options options{.driver = {.route = Route::general}};
    options.driver.nlp = Nlp::sqp;
    const Result a = solve(p.problem, p.start, options);
    options.driver.nlp = Nlp::ipopt;
    const Result b = solve(p.problem, p.start, options);
    EXPECT_EQ(a.status, b.status) << summary(a) << summary(b);
    EXPECT_NEAR(a.f, b.f, 1e-7 * (1.0 + std::abs(a.f)));
  }
}

TEST(EveryMethod, AutomaticSaysWhatItPickedAndWhy) {
  const SmallProblem p = testing_support::complementarity();
  const Result r = solve(p.problem, p.start, {.driver = {.route = Route::general}});
  EXPECT_FALSE(r.method.empty());
  EXPECT_NE(r.message.find(r.method), std::string::npos) << r.message;
}

/// The problem in other units has the same solution in other units.
void expect_same_solution(const SmallProblem& p, const Result& r, double point, double objective) {
  const Vector rows = Vector::Ones(p.problem.has_G() ? p.problem.G.output_dimension() : 0);
  const Problem other = scaled(p.problem.completed(), {point, objective, rows});
  const Result s = solve(other, p.start / point);
  EXPECT_TRUE(s.success()) << summary(s);
  EXPECT_LE((s.y * point - r.y).norm(), 1e-5 * r.y.norm())
      << p.name << " f " << r.f << " against " << s.f * objective;
}

TEST(Scale, DefaultSurvivesAUserWhoMultipliesTheObjectiveOrTheVariables) {
  for (const SmallProblem& p : small_problems()) {
    const Result r = solve(p.problem, p.start);
    for (const double objective : {1e-6, 1e6}) {
      SCOPED_TRACE(::testing::Message() << p.name << ", f times " << 1.0 / objective);
      expect_same_solution(p, r, 1.0, objective);
    }
    SCOPED_TRACE(p.name + ", x times 1000");
    expect_same_solution(p, r, 1e-3, 1.0);
  }
}

}  // namespace
}  // namespace pendec
