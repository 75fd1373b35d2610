// The same as a table, with a limit of some seconds: what ends how late?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/limited_solves.hpp"

namespace pendec {
namespace {

TEST(LimitsTable, NothingEndsATenthAndHalfASecondLate) {
  constexpr double limit = 5.0;
  fmt::print("{:<30} {:>9} {:>9} {:>7}  {}\n", "solve", "limit, s", "taken, s", "ratio", "status");
  for (const testing::LimitedCase& c : testing::limited_cases()) {
    const testing::LimitedSolve solve = c.make(1.0);
    const Deadline wall;
    const double begin = testing::cpu_seconds();
    const testing::Limited r = solve(limit, {});
    const double taken = wall.seconds();
    EXPECT_LE(testing::cpu_seconds() - begin, 1.1 * limit + 0.5) << c.name;
    EXPECT_TRUE(r.has_point) << c.name;
    fmt::print("{:<30} {:>9.1f} {:>9.2f} {:>7.2f}  {}\n", c.name, limit, taken, taken / limit, r.status);
  }
}

}  // namespace
}  // namespace pendec
