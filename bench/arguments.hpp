// Arguments of the programs that comparisons run.
#pragma once

#include <charconv>
#include <cstring>
#include <system_error>

namespace pendec::bench {

/// A positive integer, or 0 if `text` is not one.
inline int positive(const char* text) {
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  return error == std::errc() && rest == end && value > 0 ? value : 0;
}

}  // namespace pendec::bench
