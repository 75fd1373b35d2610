#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/reference/claims.hpp"

namespace pendec {

class Claims : public ::testing::TestWithParam<std::string_view> {
 protected:
  /// Instances first, …, first + count − 1 of the class.
  static void check(std::uint64_t first, std::uint64_t count) {
    std::uint64_t proved = 0, refused = 0, nasty_ones = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const bool nasty = seed % 3 == 0;
      reference::RandomDraw draw(seed);
      const reference::Verdict verdict = reference::check_claims(GetParam(), draw, nasty);
      EXPECT_EQ(verdict.wrong, "") << GetParam() << ", instance " << seed << (nasty ? " (nasty)" : "");
      nasty_ones += nasty;
      proved += !nasty && verdict.proved;
      refused += !nasty && verdict.refused;
    }
    // what is never claimed is never wrong
    const std::uint64_t others = count - nasty_ones;
    EXPECT_EQ(refused, 0U);
    EXPECT_GE(10 * proved, (GetParam() == "max_cut" ? 4 : 7) * others) << proved << " of " << others;
  }
};

INSTANTIATE_TEST_SUITE_P(Of, Claims, ::testing::ValuesIn(reference::claim_classes),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace pendec
