// One map after another.
#pragma once

#include "pendec/core/map.hpp"

namespace pendec {

/// x ↦ outer(inner(x)). The cost of both.
struct PENDEC_EXPORT Composition {
  Composition(Map outer, Map inner);

  Index input_dimension() const { return inner.input_dimension(); }
  Index output_dimension() const { return outer.output_dimension(); }
  void evaluate(In x, Out out) const;
  void adjoint(In x, In w, Out out) const;
  void derivative(In x, In d, Out out) const;
  bool has_hessian() const { return outer.has_hessian() && inner.has_hessian(); }
  void hessian_times(In x, In w, In d, Out out) const;
  std::optional<ConstantJacobian> constant_jacobian() const;

  Map outer, inner;
};

}  // namespace pendec
