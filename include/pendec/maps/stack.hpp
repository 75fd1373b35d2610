// Several maps of the same x, one below the other.
#pragma once

#include <vector>

#include "pendec/core/map.hpp"

namespace pendec {

/// G(x) = [G₁(x); …; G_N(x)]: constraints of different kinds, G(x) ∈ C₁ × … × C_N. The cost is the sum of the parts'.
struct PENDEC_EXPORT Stack {
  explicit Stack(std::vector<Map> parts);

  Index input_dimension() const { return parts.front().input_dimension(); }
  Index output_dimension() const { return offsets.back(); }
  void evaluate(In x, Out out) const;
  void adjoint(In x, In w, Out out) const;
  void derivative(In x, In d, Out out) const;
  Operator jacobian(In x) const;
  bool has_jacobian() const;  // all parts have one
  bool has_hessian() const;   // likewise
  void hessian_times(In x, In w, In d, Out out) const;
  Operator hessian(In x, In w) const;
  std::optional<Operator> constant_jacobian() const;           // if all parts are affine
  bool convex() const;                                         // if all parts are
  std::optional<Operator> curvature_below(In at, In w) const;  // if all parts have one
  void tighten(In lower, In upper, Out least, Out greatest) const;
  void magnitude(In x, Out values, Out slopes) const;

  std::vector<Map> parts;
  std::vector<Index> offsets;  // part k has the rows offsets[k], …, offsets[k + 1] − 1

 private:
  auto rows_of(In w, std::size_t k) const { return w.segment(offsets[k], offsets[k + 1] - offsets[k]); }
};

}  // namespace pendec
