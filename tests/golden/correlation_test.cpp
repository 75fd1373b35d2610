// Tables 6.4 and 6.5, n = 200: projection counts and values of the paper.
#include <gtest/gtest.h>

#include "experiments/settings.hpp"
#include "tests/support/correlation.hpp"

namespace pendec {
namespace {

using testing_support::exact;
using testing_support::exact_lower_level;
using testing_support::run_correlation;

TEST(CorrelationTables, ExactLowerLevelHasThePapersProjectionCounts) {
  const Result p1 = run_correlation(1, 200, 5, exact_lower_level());
  EXPECT_NEAR(static_cast<double>(p1.counts.project_D), 6494, 0.005 * 6494);
  EXPECT_NEAR(p1.f, 183.7, 0.05);
  const Result p2 = run_correlation(2, 200, 10, exact_lower_level());
  EXPECT_NEAR(static_cast<double>(p2.counts.project_D), 5384, 0.005 * 5384);
  EXPECT_NEAR(p2.f, 1703.1, 0.05);
}

TEST(CorrelationTables, ExactHasThePapersProjectionCount) {
  const Result r = run_correlation(1, 200, 5, exact());
  EXPECT_NEAR(static_cast<double>(r.counts.project_D), 9179, 0.005 * 9179);
  EXPECT_NEAR(r.f, 183.7, 0.05);
}

TEST(CorrelationTables, InaccurateConjugateGradientsHaveThePapersProjectionCountAndValue) {
  const Result r = run_correlation(1, 200, 20, correlation_options(CorrelationAlgorithm::pd_cg_inaccurate));
  EXPECT_NEAR(static_cast<double>(r.counts.project_D), 273, 0.005 * 273);
  EXPECT_NEAR(r.f, 3.7, 0.05);  // depends on every step of CG: they end far from the minimiser of the subproblem
}

TEST(CorrelationTables, TrueAlmNeedsFewIterations) {
  const Result r = run_correlation(1, 200, 5, experiments::true_alm_options());
  EXPECT_NEAR(r.f, 183.7039, 1e-3);
  EXPECT_LE(r.counts.inner, 1000);
}

}  // namespace
}  // namespace pendec
