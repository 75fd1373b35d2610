#include "pendec/core/objective.hpp"

namespace pendec {

Operator Objective::hessian(In x) const {
  if (auto own = self_->hessian(x)) return *std::move(own);
  const auto times = [f = *this, at = Vector(x)](In d, Out out) { f.hessian_times(at, d, out); };
  return Operator::functions(dimension(), dimension(), times, times);
}

std::optional<QuadraticForm> Objective::quadratic_form() const {
  if (auto own = self_->quadratic_form()) return own;
  const auto& hessian = constant_hessian();
  if (!hessian) return std::nullopt;
  const Index n = dimension();
  QuadraticForm form;
  form.Q = hessian->dense();
  const double rounding = 2.0 * epsilon * static_cast<double>(n + 4);
  const Vector zero = Vector::Zero(n);
  form.c.resize(n);
  form.constant = value_and_gradient(zero, form.c);
  form.c_error.resize(n);
  form.constant_error = rounding * magnitude(zero, form.c_error);
  form.c_error *= rounding;
  return form;
}

}  // namespace pendec
