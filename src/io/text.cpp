#include "text.hpp"

#include <algorithm>

namespace pendec::io::detail {
namespace {

constexpr std::size_t max_excerpt = 40;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }  // in UTF-8

}  // namespace

std::string excerpt(std::string_view text) {
  std::size_t length = text.size();
  if (length > max_excerpt) {
    length = max_excerpt;
    while (length > 0 && continues_character(text[length])) --length;
  }
  std::string quoted = "\"";
  for (const char c : text.substr(0, length)) quoted += static_cast<unsigned char>(c) < 0x20U || c == 0x7F ? '?' : c;
  quoted += length < text.size() ? "…\"" : "\"";
  return quoted;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace pendec::io::detail
