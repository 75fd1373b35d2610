// JSON from text that nobody vouches for, and back to text that people can read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pendec::io {

using Json = nlohmann::ordered_json;

/// Throws FileError with line and column where the text is not JSON, and where it is deeper nested than 64 levels,
/// has more than 256 keys in one object, or the same key twice. Memory is a small multiple of the text.
Json parse_json(std::string_view text, std::string_view source_name);

/// Two spaces a level; arrays of numbers and strings on one line.
std::string pretty(const Json& value);

}  // namespace pendec::io
