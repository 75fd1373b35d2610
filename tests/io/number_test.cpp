#include "pendec/io/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdint>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"

namespace pendec::io {
namespace {

TEST(ParseNumber, ReadsEveryDoubleBackToTheLastBit) {
  Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double value = random.normal_vector(1)[0] * std::pow(10.0, trial % 600 - 300);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*parse_number(to_text(value))), std::bit_cast<std::uint64_t>(value));
  }
  EXPECT_EQ(parse_number("4.9406564584124654e-324"), 4.9406564584124654e-324);
  EXPECT_EQ(parse_number("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST(ParseNumber, TakesTheUsualSpellings) {
  EXPECT_EQ(parse_number("+2"), 2.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("-3."), -3.0);
  EXPECT_EQ(parse_number("1E+3"), 1000.0);
  EXPECT_EQ(parse_number("-Inf"), -infinity);
  EXPECT_EQ(parse_number("infinity"), infinity);
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
}

TEST(ParseNumber, RefusesWhatIsNotWhollyANumber) {
  for (const char* text :
       {"", " 1", "1 ", "1,5", "1e", "0x10", "--1", "+-1", "++1", "+", "-", ".", "e5", "1.2.3", "1d5"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

TEST(ParseNumber, RoundsTheTooSmallToZeroAndRefusesTheTooLarge) {
  const std::string zeros(400, '0');
  for (const std::string& text : {std::string("1e-400"), "0." + zeros + "1", "0." + zeros + "1e5",
                                  zeros + "." + zeros + "7", std::string("123e-99999999999999999999")})
    EXPECT_EQ(parse_number(text), 0.0) << text;
  EXPECT_TRUE(std::signbit(*parse_number("-1e-400")));
  for (const std::string& text : {std::string("1e400"), "1" + zeros, "1" + zeros + "e-5", zeros + "1e309",
                                  std::string("-1e99999999999999999999")})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

TEST(ParseNumber, IgnoresTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, name);  // where they exist
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("1,5"), std::nullopt);
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(Allow, LetsThroughOnlyWhatItNames) {
  EXPECT_TRUE(allowed(1.0, {}));
  EXPECT_FALSE(allowed(infinity, {.missing = true}));
  EXPECT_FALSE(allowed(std::nan(""), {.infinite = true}));
  EXPECT_TRUE(allowed(-infinity, {.infinite = true}));
  EXPECT_TRUE(allowed(std::nan(""), {.missing = true}));
}

}  // namespace
}  // namespace pendec::io
