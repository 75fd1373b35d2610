#include "pendec/core/deadline.hpp"

#include <gtest/gtest.h>

#include "pendec/core/status.hpp"

namespace pendec {
namespace {

TEST(Deadline, NeverPassesWithoutALimit) {
  const Deadline never;
  EXPECT_FALSE(never.passed());
  EXPECT_EQ(never.left(), infinity);
  EXPECT_NO_THROW(never.check(1e300));
  EXPECT_EQ(status_at(never, Status::stalled), Status::stalled);
}

TEST(Deadline, OfNoSecondsHasPassed) {
  const Deadline now(0.0);
  EXPECT_TRUE(now.passed());
  EXPECT_EQ(now.left(), 0.0);
  EXPECT_THROW(now.check(), OutOfTime);
  EXPECT_EQ(status_at(now, Status::stalled), Status::max_time);
}

TEST(Deadline, PassesWhenStopIsRequested) {
  std::stop_source source;
  const Deadline deadline(infinity, source.get_token());
  EXPECT_FALSE(deadline.passed());
  source.request_stop();
  EXPECT_THROW(deadline.check(), OutOfTime);
  EXPECT_EQ(status_at(deadline, Status::stalled), Status::interrupted);
}

TEST(Deadline, PassesAtOnceForWhatWouldEndTooLate) {
  const Deadline deadline(1e3);
  EXPECT_NO_THROW(deadline.check(1.0));
  EXPECT_THROW(deadline.check(1e4), OutOfTime);
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(status_at(deadline, Status::stalled), Status::max_time);
}

TEST(Deadline, IsSharedEquallyByTheSolvesToCome) {
  const Deadline whole(1e3);
  EXPECT_NEAR(whole.share(4).left(), 250.0, 1.0);
  EXPECT_NEAR(whole.share(1).left(), 1e3, 1.0);
  EXPECT_EQ(Deadline().share(3).left(), infinity);
}

}  // namespace
}  // namespace pendec
