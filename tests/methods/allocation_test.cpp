// No heap allocation in the inner loop of vector problems.
#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "experiments/instances.hpp"
#include "pendec/methods/inner_solver.hpp"
#include "pendec/transform/scaled.hpp"
#include "tests/support/allocations.hpp"

namespace pendec {
namespace {

/// Allocations of a second subproblem, when every workspace has its size.
long allocations_of_inner_loop(const Problem& problem, bool with_y,
                               const std::function<std::unique_ptr<InnerSolver>(Penalty&)>& make) {
  const Index n = problem.dimension();
  Oracle oracle(problem);
  Penalty q(oracle, with_y ? std::vector<Range>{{0, n}} : std::vector<Range>{}, true);
  q.use_mu = with_y;
  Monitor monitor({}, {}, {});
  const auto inner = make(q);
  Pair pair;
  pair.p = q.make_point(Vector::Constant(n, 0.1));
  pair.y = pair.p.x;
  inner->start(q, pair, true);
  inner->minimise(q, pair, 0.0, infinity, monitor);
  pair.p.x.setConstant(0.2);
  q.tau *= 2.0;
  inner->new_penalty(0.5 * q.tau);
  const Index iterations = oracle.counts.inner;
  const long before = testing_support::allocations();
  inner->minimise(q, pair, 0.0, infinity, monitor);
  const long after = testing_support::allocations();
  EXPECT_GE(oracle.counts.inner - iterations, 5) << "the loop must really run";
  return after - before;
}

/// With G or without, in the user's units or in those that a default solve finds.
class InnerLoopAllocations : public ::testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  void SetUp() override {
    if (!testing_support::can_count_allocations()) GTEST_SKIP() << "malloc belongs to a sanitizer";
  }
  static Problem problem() {
    Random random(7);
    auto qp = experiments::random_sparse_qp(30, 100.0, random);
    qp.s = 4;
    const auto [with_G, normalised] = GetParam();
    qp.simplex = with_G;
    const Problem problem = qp.problem().completed();
    if (!normalised) return problem;
    return scaled(problem, {0.25, 3.0, Vector::Constant(with_G ? problem.G.output_dimension() : 0, 2.0)});
  }
  static InnerOptions inner() {
    InnerOptions o;
    o.max_iterations = 20;
    return o;
  }
};

TEST_P(InnerLoopAllocations, AreNoneInAlternatingMinimization) {
  for (const XStep step : {XStep::gradient, XStep::cg, XStep::bfgs, XStep::lbfgs, XStep::exact}) {
    const auto make = [&](Penalty& q) {
      XUpdateOptions x;
      x.step = step;
      return make_alternating_minimization(inner(), make_x_update(x, q, false, {}, {}));
    };
    EXPECT_EQ(allocations_of_inner_loop(problem(), true, make), 0) << static_cast<int>(step);
  }
}

TEST_P(InnerLoopAllocations, AreNoneOnTheReducedPenalty) {
  const auto make = [](Penalty&) { return make_reduced_penalty(inner(), XUpdateOptions{}, 30); };
  EXPECT_EQ(allocations_of_inner_loop(problem(), true, make), 0);
}

TEST_P(InnerLoopAllocations, AreNoneInTheSpectralGradientMethod) {
  SpectralOptions spectral;
  spectral.max_iterations = 20;
  const auto make = [&](Penalty&) { return make_spectral_gradient(inner(), spectral); };
  EXPECT_EQ(allocations_of_inner_loop(problem(), false, make), 0);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutG, InnerLoopAllocations,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()));

}  // namespace
}  // namespace pendec
