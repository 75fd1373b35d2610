// Complaints about unions that are to have convex parts.
#pragma once

#include <string_view>

#include "pendec/core/set.hpp"

namespace pendec::detail {

/// Throws InvalidArgument for the first part of D that is not convex, called `field`.parts[k]; does nothing where D
/// is no UnionOf.
void require_convex_parts(const Set& D, std::string_view field);

}  // namespace pendec::detail
