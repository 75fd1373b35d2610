// Numbers as text: independent of the locale, to the last bit.
#pragma once

#include <optional>
#include <string_view>

#include "pendec/export.hpp"

namespace pendec::io {

/// What a reader lets through besides finite numbers.
struct Allow {
  bool infinite = false;  // ±∞, for instance in the bounds of a box
  bool missing = false;   // NaN; in CSV files also empty cells, NA and null
};

/// Is this value finite, or one of the others that `allow` lets through?
PENDEC_EXPORT bool allowed(double value, Allow allow);

/// The double nearest to a decimal number, if all of `text` is one: "-1.5e3", "+2", ".5", also "inf" and "nan" in any
/// case. Numbers too large for a double are none; those too small are zero.
PENDEC_EXPORT std::optional<double> parse_number(std::string_view text);

}  // namespace pendec::io
