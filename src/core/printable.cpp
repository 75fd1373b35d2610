#include "pendec/core/printable.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace pendec {
namespace {

constexpr std::uint32_t no_character = 0xFFFFFFFF;

struct Character {
  std::uint32_t code = no_character;
  std::size_t bytes = 1;
};

/// The first character of a text in UTF-8. Longer forms than needed and halves of pairs are none.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(text[k]); };
  if (byte(0) < 0x80U) return {byte(0), 1};
  const auto length = static_cast<std::size_t>(std::countl_one(byte(0)));
  if (length < 2 || length > 4 || length > text.size()) return {};
  std::uint32_t code = byte(0) & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(k) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

bool is_obeyed(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) ||              // control characters
         code == 0x200E || code == 0x200F ||                          // marks of direction
         (code >= 0x2028 && code <= 0x202E) ||                        // separators of lines, embeddings, overrides
         (code >= 0x2066 && code <= 0x2069) || code == no_character;  // isolates
}

std::string escape(std::uint32_t code, char byte) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code > 0xFF && code != no_character) return fmt::format("\\u{:04x}", code);
  return fmt::format("\\x{:02x}", code == no_character ? static_cast<std::uint8_t>(byte) : code);
}

}  // namespace

std::string printable(std::string_view text, bool lines) {
  std::string out;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (is_obeyed(code) && !(lines && code == '\n'))
      out += escape(code, text.front());
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace pendec
