#include "pendec/maps/composition.hpp"

#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/core/scratch.hpp"

namespace pendec {

Composition::Composition(Map outer_, Map inner_) : outer(std::move(outer_)), inner(std::move(inner_)) {
  require_dimension("Composition.outer.input_dimension()", outer.input_dimension(), inner.output_dimension());
}

void Composition::evaluate(In x, Out out) const {
  Scratch y(inner.output_dimension());
  inner.evaluate(x, *y);
  outer.evaluate(*y, out);
}

void Composition::adjoint(In x, In w, Out out) const {
  Scratch y(inner.output_dimension()), g(inner.output_dimension());
  inner.evaluate(x, *y);
  outer.adjoint(*y, w, *g);
  inner.adjoint(x, *g, out);
}

void Composition::derivative(In x, In d, Out out) const {
  Scratch y(inner.output_dimension()), moved(inner.output_dimension());
  inner.evaluate(x, *y);
  inner.derivative(x, d, *moved);
  outer.derivative(*y, *moved, out);
}

/// inner'* (Σ wᵢ ∇²outerᵢ) inner' d + (Σ gⱼ ∇²innerⱼ) d with g = outer'* w.
void Composition::hessian_times(In x, In w, In d, Out out) const {
  const Index n = inner.output_dimension();
  Scratch y(n), moved(n), product(n), curved(x.size());
  inner.evaluate(x, *y);
  inner.derivative(x, d, *moved);
  outer.hessian_times(*y, w, *moved, *product);
  inner.adjoint(x, *product, out);
  if (inner.is_affine()) return;
  outer.adjoint(*y, w, *moved);  // g
  inner.hessian_times(x, *moved, d, *curved);
  out += *curved;
}

Operator Composition::jacobian(In x) const {
  Vector y(inner.output_dimension());
  inner.evaluate(x, y);
  return outer.jacobian(y) * inner.jacobian(x);
}

Operator Composition::hessian(In x, In w) const {
  Vector y(inner.output_dimension()), g(inner.output_dimension());
  inner.evaluate(x, y);
  if (inner.is_affine()) return outer.hessian(y, w).within(inner.jacobian(x));
  outer.adjoint(y, w, g);
  if (outer.is_affine()) return inner.hessian(x, g);
  return Operator::sum({outer.hessian(y, w).within(inner.jacobian(x)), inner.hessian(x, g)});
}

std::optional<Operator> Composition::constant_jacobian() const {
  if (!outer.is_affine() || !inner.is_affine()) return std::nullopt;
  return *outer.constant_jacobian() * *inner.constant_jacobian();
}

std::optional<Operator> Composition::curvature_below(In at, In w) const {
  if (!inner.is_affine()) return std::nullopt;
  Vector y(inner.output_dimension());
  inner.evaluate(at, y);
  const auto H = outer.curvature_below(y, w);
  if (!H) return std::nullopt;
  return H->within(*inner.constant_jacobian());
}

void Composition::tighten(In lower, In upper, Out least, Out greatest) const {
  Vector between_least = Vector::Constant(inner.output_dimension(), -infinity), between_greatest = -between_least;
  outer.tighten(lower, upper, between_least, between_greatest);
  inner.tighten(between_least, between_greatest, least, greatest);
}

/// inner(x) is rounded as well, relative to what it adds up.
void Composition::magnitude(In x, Out values, Out slopes) const {
  const Index between = inner.output_dimension();
  Vector y(between), sizes(between), steepest(between), moved(values.size());
  inner.evaluate(x, y);
  inner.magnitude(x, sizes, steepest);
  outer.magnitude(y, values, slopes);
  const Operator J = outer.jacobian(y);
  J.magnitude_times(sizes, moved);
  values += moved;
  slopes *= static_cast<double>(between) * (between > 0 ? steepest.maxCoeff() : 0.0);
}

}  // namespace pendec
