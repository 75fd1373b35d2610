// One map after another.
#pragma once

#include "pendec/core/map.hpp"

namespace pendec {

/// x ↦ outer(inner(x)). The cost of both; derivatives by the chain rule.
struct PENDEC_EXPORT Composition {
  Composition(Map outer, Map inner);

  Index input_dimension() const { return inner.input_dimension(); }
  Index output_dimension() const { return outer.output_dimension(); }
  void evaluate(In x, Out out) const;
  void adjoint(In x, In w, Out out) const;
  void derivative(In x, In d, Out out) const;
  bool has_hessian() const { return outer.has_hessian() && inner.has_hessian(); }
  void hessian_times(In x, In w, In d, Out out) const;
  Operator jacobian(In x) const;
  bool has_jacobian() const { return outer.has_jacobian() && inner.has_jacobian(); }
  Operator hessian(In x, In w) const;
  std::optional<Operator> constant_jacobian() const;
  bool convex() const { return inner.is_affine() && outer.convex(); }
  std::optional<Operator> curvature_below(In at, In w) const;  // where inner is affine
  void tighten(In lower, In upper, Out least, Out greatest) const;
  void magnitude(In x, Out values, Out slopes) const;

  Map outer, inner;
};

}  // namespace pendec
