#include "pendec/objectives/linear.hpp"

#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Linear::Linear(Vector c_) : c(std::move(c_)), zero(Vector::Zero(c.size())) { require_finite("Linear.c", c); }

}  // namespace pendec
