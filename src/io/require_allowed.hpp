// The values of a matrix that was read without looking at each of them.
#pragma once

#include <string_view>

#include "pendec/core/types.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io::detail {

/// Throws FileError, which names the first entry that `allow` does not let through. One pass at the speed of memory.
void require_allowed(const ConstMatrixView& matrix, Allow allow, std::string_view source);

}  // namespace pendec::io::detail
