#include "pendec/penalty/schedule.hpp"

#include <gtest/gtest.h>

namespace pendec {
namespace {

PenaltyOptions options() {
  PenaltyOptions o;
  o.alpha_tau = 2.0;
  o.tau_max = 100.0;
  o.progress = 0.8;
  return o;
}

TEST(NextTau, GrowsExactlyWhenTheInfeasibilityStalls) {
  EXPECT_EQ(next_tau(1.0, 0.79, 1.0, options()), 1.0);
  EXPECT_EQ(next_tau(1.0, 0.8, 1.0, options()), 2.0);
  EXPECT_EQ(next_tau(1.0, 5.0, infinity, options()), 1.0);  // the first iteration has nothing to compare with
}

TEST(NextTau, GrowsAlwaysWhenAskedTo) {
  PenaltyOptions o = options();
  o.always_increase = true;
  EXPECT_EQ(next_tau(1.0, 0.0, 1.0, o), 2.0);
}

TEST(NextTau, NeverExceedsItsBoundAndNeverFalls) {
  EXPECT_EQ(next_tau(60.0, 1.0, 1.0, options()), 100.0);
  EXPECT_EQ(next_tau(100.0, 1.0, 1.0, options()), 100.0);
  EXPECT_EQ(next_tau(1e4, 1.0, 1.0, options()), 1e4);  // a runaway restart may have gone beyond the bound
}

TEST(NextDelta, FallsToItsFloor) {
  InnerOptions o;
  o.delta_factor = 0.5;
  o.delta_min = 0.3;
  EXPECT_EQ(next_delta(1.0, o), 0.5);
  EXPECT_EQ(next_delta(0.5, o), 0.3);
}

TEST(Clip, KeepsMultipliersInTheSafeguardingBox) {
  Vector m(3);
  m << -5.0, 0.5, 7.0;
  clip(m, 2.0);
  EXPECT_EQ(m, (Vector(3) << -2.0, 0.5, 2.0).finished());
}

}  // namespace
}  // namespace pendec
