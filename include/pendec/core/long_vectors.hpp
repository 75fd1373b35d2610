// What is kept of long vectors.
#pragma once

#include <algorithm>

#include "pendec/core/types.hpp"

namespace pendec {

/// How many vectors of length n a store of up to `many` should keep: fewer of long ones, but `few` at least, so that
/// a solve with a million variables needs the memory of about twenty of them (tests/solvers/memory_test.cpp).
inline Index vectors_to_keep(Index n, Index few, Index many) {
  constexpr Index numbers = 500'000;
  return std::min(many, std::max(few, numbers / std::max<Index>(n, 1)));
}

}  // namespace pendec
