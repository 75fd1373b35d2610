// Several maps of the same x, one below the other.
#pragma once

#include <vector>

#include "pendec/core/map.hpp"

namespace pendec {

/// G(x) = [G₁(x); …; G_N(x)]: constraints of different kinds, G(x) ∈ C₁ × … × C_N. The cost is the sum of the parts'
/// and one buffer a call.
struct PENDEC_EXPORT Stack {
  explicit Stack(std::vector<Map> parts);

  Index input_dimension() const { return parts.front().input_dimension(); }
  Index output_dimension() const { return offsets.back(); }
  void evaluate(In x, Out out) const;
  void adjoint(In x, In w, Out out) const;
  Matrix jacobian(In x) const;
  bool has_hessian() const;  // all parts have one
  void hessian_times(In x, In w, In d, Out out) const;
  std::optional<ConstantJacobian> constant_jacobian() const;  // if all parts are affine
  bool convex() const;                                        // if all parts are

  std::vector<Map> parts;
  std::vector<Index> offsets;  // part k has the rows offsets[k], …, offsets[k + 1] − 1
};

}  // namespace pendec
