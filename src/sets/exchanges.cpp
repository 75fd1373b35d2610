#include "exchanges.hpp"

#include <fmt/format.h>

#include "pendec/core/error.hpp"

namespace pendec::detail {

void require_support(BranchKey key, Index n, Index s) {
  require(std::ssize(key) <= s, "branch key size", std::ssize(key), fmt::format("at most {}", s));
  for (std::size_t k = 0; k < key.size(); ++k)
    require(key[k] >= (k == 0 ? 0 : key[k - 1] + 1) && key[k] < n, fmt::format("branch key[{}]", k), key[k],
            fmt::format("ascending numbers below {}", n));
}

}  // namespace pendec::detail
