// Table 6.4, n = 500.
#include <gtest/gtest.h>

#include "tests/support/correlation.hpp"

namespace pendec {
namespace {

using testing_support::exact_lower_level;
using testing_support::run_correlation;

TEST(CorrelationTablesLong, ExactLowerLevelHasThePapersProjectionCountAt500) {
  const Result r = run_correlation(1, 500, 5, exact_lower_level());
  EXPECT_NEAR(static_cast<double>(r.counts.project_D), 23053, 0.005 * 23053);
  EXPECT_NEAR(r.f, 3107.0, 0.05);
}

}  // namespace
}  // namespace pendec
