// Text of files on its way to people.
#pragma once

#include <string>
#include <string_view>

#include "pendec/export.hpp"

namespace pendec {

/// The text with everything that a terminal would obey instead of show written as an escape: control characters, the
/// marks that turn the direction of writing, and bytes that are no UTF-8 ("\x1b", "\u202e"). Line breaks too,
/// unless `lines`: a name must not look like another line of a table.
PENDEC_EXPORT std::string printable(std::string_view text, bool lines = false);

}  // namespace pendec
