#include "pendec/objectives/linear.hpp"

#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Linear::Linear(Vector c_) : c(std::move(c_)) { require_finite("Linear.c", c); }

}  // namespace pendec
