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

/// Every solver, with limits and interrupts drawn between 0.1 and 5 seconds.
void expect_in_time(bool interrupted) {
  const auto cases = testing::limited_cases();
  Random random(interrupted ? 2 : 1);
  double worst = 0.0;
  for (int run = 0; run < 50; ++run) {
    const testing::LimitedCase& c = cases[static_cast<std::size_t>(run) % cases.size()];
    const testing::LimitedSolve solve = c.make(1.0);
    const double limit = random.uniform(0.1, 5.0);
    std::stop_source source;
    std::jthread user;
    if (interrupted)
      user = std::jthread([&source, limit] {
        std::this_thread::sleep_for(std::chrono::duration<double>(limit));
        source.request_stop();
      });
    const double begin = testing::cpu_seconds();
    const testing::Limited r = solve(interrupted ? infinity : limit, source.get_token());
    const double taken = testing::cpu_seconds() - begin;
    worst = std::max(worst, taken - 1.1 * limit);
    // LAPACK's tridiagonal eigenvalues come in one piece, of which nobody knows when it will be in the way
    EXPECT_LE(taken, 1.1 * limit + (interrupted ? 2.5 : 0.5)) << c.name << " within " << limit << " s: " << r.status;
    EXPECT_TRUE(r.has_point) << c.name << " within " << limit << " s: " << r.status;
  }
  fmt::print("50 runs, at most {:.2f} s later than a tenth\n", worst);
}

TEST(LimitsAtRandom, AreKeptBySolvers) { expect_in_time(false); }
TEST(LimitsAtRandom, AreKeptWhereTheUserInterrupts) { expect_in_time(true); }

}  // namespace
}  // namespace pendec
