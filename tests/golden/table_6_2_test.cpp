// Table 6.2: where PD and PDLM end on Beck & Eldar's Example 2.2 from random starts, depending on tau0.
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/instances.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

constexpr int random_starts = testing::rounds(1000, 100);

struct Ends {
  int best = 0, second = 0;  // f = −41.33, f = −39
};

Ends ends(Method method, double tau0, Index branch_search = 0) {
  const auto qp = experiments::beck_eldar();
  const Problem problem = qp.problem();
  Options o = paper_preset(method);
  o.penalty.tau0 = tau0;
  o.driver.polish = branch_search > 0;
  o.driver.branch_search = branch_search;
  Random random(22);
  Ends e;
  for (int i = 0; i < random_starts; ++i) {
    const double f = solve(problem, random.uniform_vector(5, -10.0, 10.0), o).f;
    e.best += std::abs(f + 124.0 / 3.0) < 5e-3;
    e.second += std::abs(f + 39.0) < 5e-3;
  }
  return e;
}

TEST(Table62, SmallTau0AlwaysEndsAtTheGlobalMinimum) {
  EXPECT_EQ(ends(Method::pd, 0.1).best, random_starts);
  EXPECT_EQ(ends(Method::pdlm, 0.1).best, random_starts);
}

TEST(Table62, Tau0OfOneSplitsPdButNotPdlm) {
  const Ends pd = ends(Method::pd, 1.0);
  EXPECT_NEAR(pd.best, 0.661 * random_starts, 0.066 * random_starts * std::sqrt(1000.0 / random_starts));
  EXPECT_EQ(pd.best + pd.second, random_starts);
  EXPECT_EQ(ends(Method::pdlm, 1.0).best, random_starts);
}

TEST(Table62, ExchangesOfSupportsLeadToTheGlobalMinimumForEveryTau0) {
  for (const double tau0 : {0.1, 1.0, 10.0, 100.0})
    for (const Method method : {Method::pd, Method::pdlm})
      EXPECT_EQ(ends(method, tau0, 60).best, random_starts) << tau0;
}

}  // namespace
}  // namespace pendec
