#include "pendec/transform/scaled.hpp"

#include <gtest/gtest.h>

#include "pendec/certificates/check.hpp"
#include "pendec/transform/restricted.hpp"
#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

TEST(Scaled, IsTheSameProblemInOtherUnits) {
  for (const auto& p : testing_support::small_problems()) {
    SCOPED_TRACE(p.name);
    const Problem problem = p.problem.completed();
    Scaling scaling{10.0, 7.0, Vector::Constant(problem.has_G() ? problem.G.output_dimension() : 0, 3.0)};
    const Problem other = scaled(problem, scaling);
    Random random(1);
    const Vector x = random.normal_vector(problem.dimension());
    EXPECT_NEAR(other.f.value(x / 10.0) * 7.0, problem.f.value(x), 1e-9 * (1.0 + std::abs(problem.f.value(x))));
    EXPECT_LE((other.D.projection(x / 10.0) * 10.0 - problem.D.projection(x)).norm(), 1e-9);
    EXPECT_TRUE(check_objective(other.f, x / 10.0).ok);
    if (!problem.has_G()) continue;
    EXPECT_TRUE(check_map(other.G, x / 10.0).ok);
    Vector G(problem.G.output_dimension()), scaled_G(G.size());
    problem.G.evaluate(x, G);
    other.G.evaluate(x / 10.0, scaled_G);
    EXPECT_LE((3.0 * scaled_G - G).norm(), 1e-9 * (1.0 + G.norm()));
    EXPECT_NEAR(3.0 * other.C.distance(scaled_G), problem.C.distance(G), 1e-9 * (1.0 + G.norm()));
  }
}

TEST(Restricted, LivesOnTheBranch) {
  for (const auto& p : testing_support::small_problems()) {
    const Problem problem = p.problem.completed();
    Random random(2);
    const Vector z = random.normal_vector(problem.dimension());
    const Vector y = problem.D.projection(z);
    const auto branch = problem.D.branch(y, z);
    if (!branch) continue;
    SCOPED_TRACE(p.name + " " + branch->label);
    Vector back(y.size());
    branch->chart.evaluate(branch->t, back);
    EXPECT_LE((back - y).norm(), 1e-9 * (1.0 + y.norm())) << "the chart hits the point";
    const Problem on = restricted(problem, *branch);
    const Vector t = on.D.projection(branch->t + 0.1 * random.normal_vector(branch->t.size()));
    branch->chart.evaluate(t, back);
    EXPECT_TRUE(problem.D.contains(back, 1e-8 * (1.0 + back.norm()))) << "the branch lies in D";
    EXPECT_NEAR(on.f.value(t), problem.f.value(back), 1e-9 * (1.0 + std::abs(on.f.value(t))));
    EXPECT_TRUE(check_objective(on.f, t).ok);
    EXPECT_TRUE(check_map(branch->chart, t).ok);
    if (problem.has_G()) {
      EXPECT_TRUE(check_map(on.G, t).ok);
    }
  }
}

}  // namespace
}  // namespace pendec
