// Problems and sets are shared between threads: concurrent solves give what sequential ones give.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

TEST(Threads, ConcurrentSolvesOfOneProblemAgreeToTheLastBit) {
  for (const auto& p : testing_support::small_problems()) {
    const Result alone = solve(p.problem, p.start);
    std::vector<Result> results(4);
    std::vector<std::thread> threads;
    for (Result& r : results) threads.emplace_back([&] { r = solve(p.problem, p.start); });
    for (std::thread& t : threads) t.join();
    for (const Result& r : results) EXPECT_EQ(r.y, alone.y) << p.name;
  }
}

}  // namespace
}  // namespace pendec
