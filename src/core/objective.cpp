#include "pendec/core/objective.hpp"

namespace pendec {

Operator Objective::hessian(In x) const {
  if (auto own = self_->hessian(x)) return *std::move(own);
  const auto times = [f = *this, at = Vector(x)](In d, Out out) { f.hessian_times(at, d, out); };
  return Operator::functions(dimension(), dimension(), times, times);
}

}  // namespace pendec
