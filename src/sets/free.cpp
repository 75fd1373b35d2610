#include "pendec/sets/free.hpp"

#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"

namespace pendec {

Free::Free(Index n_) : n(n_) { require(n >= 1, "Free.n", n, "at least 1"); }

std::optional<Branch> Free::branch(In y, In) const {
  return Branch{"everything", {}, Selection::identity(n), Set(*this), y};
}

}  // namespace pendec
