#include "bounds.hpp"

#include <fmt/format.h>

#include "pendec/core/error.hpp"

namespace pendec::detail {

void require_bounds(std::string_view set, In lower, In upper, std::string_view suffix) {
  require(lower.size() >= 1, fmt::format("{}.lower{}.size()", set, suffix), lower.size(), "at least 1");
  require_dimension(fmt::format("{}.upper{}.size()", set, suffix), upper.size(), lower.size());
  for (Index i = 0; i < lower.size(); ++i) {
    // The messages below cost far more than the test.
    if (lower[i] < infinity && upper[i] > -infinity && lower[i] <= upper[i]) continue;
    const auto field = [&](std::string_view side) { return fmt::format("{}.{}{}[{}]", set, side, suffix, i); };
    require(lower[i] < infinity, field("lower"), lower[i], "a number or -inf");
    require(upper[i] > -infinity, field("upper"), upper[i], "a number or inf");
    require(lower[i] <= upper[i], field("lower"), lower[i],
            fmt::format("at most upper{}[{}] = {}", suffix, i, upper[i]));
  }
}

}  // namespace pendec::detail
