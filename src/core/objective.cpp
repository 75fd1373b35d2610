#include "pendec/core/objective.hpp"

namespace pendec {

Matrix Objective::hessian(In x) const {
  Matrix out(dimension(), dimension());
  if (self_->hessian(x, out)) return out;
  Vector unit = Vector::Zero(dimension());
  for (Index j = 0; j < unit.size(); ++j) {
    unit[j] = 1.0;
    self_->hessian_times(x, unit, out.col(j));
    unit[j] = 0.0;
  }
  return out;
}

}  // namespace pendec
