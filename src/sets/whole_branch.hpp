// The only branch of a convex set.
#pragma once

#include <utility>

#include "pendec/core/set.hpp"
#include "pendec/maps/selection.hpp"

namespace pendec::detail {

inline Branch whole_branch(Set set, In y) {
  Map chart = Selection::identity(set.dimension());
  return {"everything", {}, std::move(chart), std::move(set), y};
}

}  // namespace pendec::detail
