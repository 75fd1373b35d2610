#include "pendec/maps/composition.hpp"

#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

Vector value(const Map& map, In x) {
  Vector out(map.output_dimension());
  map.evaluate(x, out);
  return out;
}

}  // namespace

Composition::Composition(Map outer_, Map inner_) : outer(std::move(outer_)), inner(std::move(inner_)) {
  require_dimension("Composition.outer.input_dimension()", outer.input_dimension(), inner.output_dimension());
}

void Composition::evaluate(In x, Out out) const { outer.evaluate(value(inner, x), out); }

void Composition::adjoint(In x, In w, Out out) const {
  Vector g(outer.input_dimension());
  outer.adjoint(value(inner, x), w, g);
  inner.adjoint(x, g, out);
}

void Composition::derivative(In x, In d, Out out) const {
  Vector moved(inner.output_dimension());
  inner.derivative(x, d, moved);
  outer.derivative(value(inner, x), moved, out);
}

/// inner'* (Σ wᵢ ∇²outerᵢ) inner' d + (Σ gⱼ ∇²innerⱼ) d with g = outer'* w.
void Composition::hessian_times(In x, In w, In d, Out out) const {
  const Vector y = value(inner, x);
  Vector moved(y.size()), product(y.size()), g(y.size()), curved(x.size());
  inner.derivative(x, d, moved);
  outer.hessian_times(y, w, moved, product);
  inner.adjoint(x, product, out);
  outer.adjoint(y, w, g);
  inner.hessian_times(x, g, d, curved);
  out += curved;
}

std::optional<ConstantJacobian> Composition::constant_jacobian() const {
  if (outer.is_affine() && inner.is_affine()) return ConstantJacobian{};
  return std::nullopt;
}

}  // namespace pendec
