#include "pendec/core/objective.hpp"

#include <algorithm>

namespace pendec {
namespace detail {

const Memory::Evaluation* Memory::find(In x) const {
  for (const Evaluation& one : last_)
    if (one.x.size() == x.size() && std::equal(x.begin(), x.end(), one.x.begin())) return &one;
  return nullptr;
}

bool Memory::recall(In x, double& value) const {
  const std::scoped_lock lock(guard_);
  const Evaluation* known = find(x);
  if (known) value = known->value;
  return known != nullptr;
}

bool Memory::recall(In x, double& value, Out gradient) const {
  const std::scoped_lock lock(guard_);
  const Evaluation* known = find(x);
  if (!known) return false;
  value = known->value;
  gradient = known->gradient;
  return true;
}

void Memory::keep(In x, double value, In gradient) {
  const std::scoped_lock lock(guard_);
  Evaluation& one = last_[oldest_];
  oldest_ = (oldest_ + 1) % last_.size();
  one.x = x;
  one.value = value;
  one.gradient = gradient;
}

}  // namespace detail

Objective Objective::remembering() const {
  Objective f = *this;
  if (!f.memory_) f.memory_ = std::make_shared<detail::Memory>();
  return f;
}

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
  const Vector zero = Vector::Zero(n);
  Vector c(n);
  const double constant = value_and_gradient(zero, c);
  auto form = form_of(*hessian, std::move(c));
  if (!form) return std::nullopt;
  const double rounding = rounding_unit(summands());
  form->constant = constant;
  form->c_error.resize(n);
  form->constant_error = rounding * magnitude(zero, form->c_error);
  form->c_error *= rounding;
  return form;
}

}  // namespace pendec
