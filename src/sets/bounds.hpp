// Checks of bounds that several sets take.
#pragma once

#include <string_view>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// lower ≤ upper, entry by entry, with ±∞ for none; throws InvalidArgument that names the fields "set.lower[i]" and
/// "set.upper[i]", with `suffix` after "lower" and "upper". As many uppers as lowers, and at least one, is checked
/// too.
void require_bounds(std::string_view set, In lower, In upper, std::string_view suffix = "");

}  // namespace pendec::detail
