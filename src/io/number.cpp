#include "pendec/io/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace pendec::io {
namespace {

/// Of a number out of the range of doubles: is it below 1? Its leading digit stands at 10^exponent.
bool vanishes(std::string_view number) {
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, mark);
  std::string_view power = number.substr(std::min(mark + 1, number.size()));
  const bool negative_power = power.starts_with('-');
  if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
  long long exponent = 0;
  if (!power.empty() && std::from_chars(power.data(), power.data() + power.size(), exponent).ec != std::errc{})
    return negative_power;  // beyond 10^18 the digits, which are in memory, do not matter
  if (negative_power) exponent = -exponent;
  const auto point = static_cast<long long>(std::min(digits.find('.'), digits.size()));
  const auto leading = static_cast<long long>(digits.find_first_of("123456789"));
  return exponent + point - leading < 0;
}

}  // namespace

bool allowed(double value, Allow allow) {
  return std::isfinite(value) || (std::isnan(value) ? allow.missing : allow.infinite);
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);  // from_chars knows no plus
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if (problem == std::errc{}) return value;
  if (problem == std::errc::result_out_of_range && vanishes(text)) return text.starts_with('-') ? -0.0 : 0.0;
  return std::nullopt;
}

}  // namespace pendec::io
