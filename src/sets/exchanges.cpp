#include "exchanges.hpp"

#include <fmt/format.h>

#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/box.hpp"

namespace pendec::detail {

void require_support(BranchKey key, Index n, Index s) {
  require(std::ssize(key) <= s, "branch key size", std::ssize(key), fmt::format("at most {}", s));
  for (std::size_t k = 0; k < key.size(); ++k)
    require(key[k] >= (k == 0 ? 0 : key[k - 1] + 1) && key[k] < n, fmt::format("branch key[{}]", k), key[k],
            fmt::format("ascending numbers below {}", n));
}

Branch box_branch(BranchKey key, const Vector& lower, const Vector& upper, In near) {
  std::vector<Index> support(key.begin(), key.end());
  std::string label = fmt::format("support {{{}}}", fmt::join(support, ", "));
  Set domain = Box(lower(support), upper(support));
  Vector t = domain.projection(near(support));
  Map chart = Embedding(lower.size(), support);
  return {std::move(label), std::move(support), std::move(chart), std::move(domain), std::move(t)};
}

}  // namespace pendec::detail
