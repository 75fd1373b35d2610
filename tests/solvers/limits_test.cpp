// Limits of time, and interrupts, at the sizes that the documentation names.
#include <gtest/gtest.h>

#include "tests/support/limited_solves.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

using testing::cpu_seconds;
using testing::Limited;
using testing::LimitedCase;

constexpr double limit = testing::patience > 1.0 ? 1.0 : 0.3;
constexpr double allowed = 1.1 * limit + 0.5 * testing::patience;
constexpr double share_of_size =
    testing::patience > 1.0 ? 0.1 : 1.0;  // sanitizers need to see the code, not large matrices

class Limits : public ::testing::TestWithParam<LimitedCase> {};

TEST_P(Limits, OfTimeAreKept) {
  const testing::LimitedSolve solve = GetParam().make(share_of_size);
  const double begin = cpu_seconds();
  const Limited r = solve(limit, {});
  EXPECT_LE(cpu_seconds() - begin, allowed) << r.status << ": " << r.message;
  EXPECT_TRUE(r.has_point) << r.status << ": " << r.message;
}

TEST_P(Limits, TakeEffectAsFastWhereTheUserInterrupts) {
  const testing::LimitedSolve solve = GetParam().make(share_of_size);
  std::stop_source source;
  const std::jthread user([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(limit));
    source.request_stop();
  });
  const double begin = cpu_seconds();
  const Limited r = solve(infinity, source.get_token());
  EXPECT_LE(cpu_seconds() - begin, allowed) << r.status << ": " << r.message;
  EXPECT_TRUE(r.has_point) << r.status << ": " << r.message;
}

INSTANTIATE_TEST_SUITE_P(OfEverySolver, Limits, ::testing::ValuesIn(testing::limited_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Limits, OfNoTimeLeaveTheResultWithoutClaims) {
  const Result r = nearest_correlation(testing::estimated_correlations(600), std::nullopt, {.seconds = 0.0});
  EXPECT_EQ(r.status, Status::max_time);
  EXPECT_EQ(r.message, "stopped early; V is the best point so far");
  EXPECT_EQ(r.correlation().V, Matrix(Matrix::Identity(600, 600)));
  EXPECT_NEAR(r.f, 0.5 * (testing::estimated_correlations(600) - r.correlation().V).squaredNorm(), 1e-9 * r.f);
  EXPECT_EQ(r.bound, 0.0);
  EXPECT_FALSE(r.correlation().global);
  EXPECT_EQ(r.certificate.epsilon, infinity);
}

/// From afar, one projection takes longer than this.
TEST(Limits, CutAProjectionShort) {
  const Index n = testing::patience > 1.0 ? 20'000 : 100'000;
  const testing::LimitedSolve solve = testing::monotone_case(n);
  const double begin = cpu_seconds();
  const Limited r = solve(1e-3, {});
  EXPECT_LE(cpu_seconds() - begin, 0.5 * testing::patience) << r.message;
  EXPECT_EQ(r.status, "max_time");
  EXPECT_EQ(r.message, "stopped before x0 was projected onto D; y is x0");
}

TEST(Limits, OfAPathAreSharedByItsSizes) {
  Random random(1);
  const Matrix A = random.normal_matrix(200, 400);
  const Vector b = random.normal_vector(200);
  const auto path = sparse_path(A, b, {8, 9, 10, 11}, {.seconds = 0.4});
  ASSERT_EQ(path.size(), 4);
  double before = infinity;
  for (const Result& fit : path) {
    EXPECT_EQ(fit.status, Status::max_time);
    EXPECT_LE(fit.f, before);
    EXPECT_LE(std::ssize(fit.sparse().support), fit.sparse().s);
    EXPECT_LE(fit.times.total, 0.2 * testing::patience);
    before = fit.f;
  }
}

TEST(Limits, WithoutTimeForAFoldNothingIsSaidAboutIt) {
  Random random(1);
  const auto fit =
      sparse_regression(random.normal_matrix(20, 5), random.normal_vector(20), 2, {.seconds = 0.0, .folds = 4});
  EXPECT_EQ(fit.sparse().model->cv_mean, infinity);
  EXPECT_EQ(fit.sparse().model->cv_error, 0.0);
}

}  // namespace
}  // namespace pendec
