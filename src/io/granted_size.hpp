// A bound on what a file may ask for without giving anything.
#pragma once

#include "pendec/core/types.hpp"

namespace pendec::io::detail {

/// Rows and columns without entries take no bytes of a file but memory, or time, here: so many are granted to every
/// file.
inline constexpr Index granted_size = Index{1} << 20U;

}  // namespace pendec::io::detail
