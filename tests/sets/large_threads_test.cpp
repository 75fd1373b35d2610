// Projections of large vectors are shared among threads: their number cannot be seen in the result.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "pendec/core/operator.hpp"
#include "pendec/core/random.hpp"
#include "pendec/core/threads.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/sparse.hpp"
#include "tests/sets/set_testing.hpp"
#include "tests/support/allocations.hpp"

namespace pendec {
namespace {

constexpr Index n = 1'000'003;

class LargeProjections : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(before_); }

 private:
  Index before_ = threads();
};

std::map<std::string, Vector> points() {
  const Vector normal = Random(1).normal_vector(n);
  Vector half = normal;
  half.head(n / 2).setZero();
  Vector holes = normal;
  for (Index i = 0; i < n; i += 1000) holes[i] = std::nan("");
  return {{"normal", normal},
          {"ascending", Vector::LinSpaced(n, -1.0, 2.0)},
          {"descending", Vector::LinSpaced(n, 2.0, -1.0)},
          {"rounded", (3.0 * normal).array().round()},
          {"signs", normal.array().sign()},
          {"half", half},
          {"holes", holes}};
}

std::vector<Set> sets() {
  return {Sparse(n, 1), Sparse(n, 1000), Sparse(n, n / 10), Sparse(n, n / 2), Simplex(n), Simplex(n, 0.1 * n)};
}

bool same_bits(const Vector& a, const Vector& b) {
  return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(n)) == 0;
}

TEST_F(LargeProjections, NorDoProductsOfSparseMatricesDependOnTheNumberOfThreads) {
  constexpr Index rows = 150'000, cols = 120'001;
  Random random(2);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index k = 0; k < 1'500'000; ++k) entries.emplace_back(random.below(rows), random.below(cols), random.normal());
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Operator A = matrix;
  const Vector x = random.normal_vector(cols), w = random.normal_vector(rows);
  set_threads(1);
  const Vector forward = A.times(x), back = A.transpose_times(w);
  EXPECT_LE((forward - matrix * x).norm(), 1e-13 * forward.norm());
  EXPECT_LE((back - matrix.transpose() * w).norm(), 1e-13 * back.norm());
  for (const Index most : {2, 3, 16}) {
    set_threads(most);
    EXPECT_EQ(A.times(x), forward);
    EXPECT_EQ(A.transpose_times(w), back);
  }
}

TEST_F(LargeProjections, DoNotDependOnTheNumberOfThreads) {
  for (const auto& [name, z] : points()) {
    for (const Set& set : sets()) {
      set_threads(1);
      const Vector alone = set.projection(z);
      for (const Index most : {2, 3, 16}) {
        set_threads(most);
        EXPECT_TRUE(same_bits(set.projection(z), alone)) << set.name() << ", " << name << ", " << most << " threads";
      }
    }
  }
}

TEST_F(LargeProjections, OfSeveralThreadsAtOnceAgree) {
  set_threads(3);
  const Vector z = Random(2).normal_vector(n);
  const Set set = Sparse(n, n / 10);
  const Vector alone = set.projection(z);
  std::vector<Vector> results(4);
  std::vector<std::thread> callers;
  for (Vector& y : results) callers.emplace_back([&] { y = set.projection(z); });
  for (std::thread& caller : callers) caller.join();
  for (const Vector& y : results) EXPECT_EQ(y, alone);
}

TEST_F(LargeProjections, NeedNoThreadButTheCallers) {
  if (!testing_support::can_count_allocations()) GTEST_SKIP() << "a sanitizer needs memory of its own";
  const Vector z = Random(3).normal_vector(n);
  const Set set = Sparse(n, 1000);
  set_threads(1);
  const Vector alone = set.projection(z);
  set_threads(16);
  const auto projector = set.projector();
  Vector y = Vector::Zero(n);
  rlimit memory{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &memory), 0);
  const rlimit none{1, memory.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);  // no room for stacks
  projector->project(z, y);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &memory), 0);
  EXPECT_EQ(y, alone);
}

TEST_F(LargeProjections, TakeAtLeastOneThread) {
  set_threads(5);
  EXPECT_EQ(threads(), 5);
  testing::expect_invalid("threads", [] { set_threads(0); });
  EXPECT_EQ(threads(), 5);
}

}  // namespace
}  // namespace pendec
