// Pieces of the text of a file.
#pragma once

#include <string>
#include <string_view>

namespace pendec::io::detail {

/// In quotes, on one line, and no longer than a glance.
std::string excerpt(std::string_view text);

/// Without regard to the case of ASCII letters; `lower` has none but small ones.
bool equals_ignoring_case(std::string_view text, std::string_view lower);

}  // namespace pendec::io::detail
