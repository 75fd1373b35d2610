#include "pendec/core/free.hpp"

#include "pendec/core/error.hpp"

namespace pendec {

Free::Free(Index n_) : n(n_) { require(n >= 1, "Free.n", n, "at least 1"); }

}  // namespace pendec
