// Separable polynomials of degree four.
#pragma once

#include "pendec/core/map.hpp"

namespace pendec {

/// G_j(x) = Σᵢ c_ij (x_i − p_ij)⁴ − t_j, c and p n × m: the smooth constraints of the paper's Section 6.3. O(n m) a
/// call.
struct PENDEC_EXPORT Quartic {
  Quartic(Matrix c, Matrix p, Vector t);

  Index input_dimension() const { return c.rows(); }
  Index output_dimension() const { return c.cols(); }
  void evaluate(In x, Out out) const;
  void adjoint(In x, In w, Out out) const;
  void hessian_times(In x, In w, In d, Out out) const;
  Matrix jacobian(In x) const;
  Operator hessian(In x, In w) const;
  bool convex() const { return (c.array() >= 0.0).all(); }
  std::optional<Operator> curvature_below(In at, In w) const;       // if convex
  void tighten(In lower, In upper, Out least, Out greatest) const;  // if convex: by each term of a row alone
  void magnitude(In x, Out values, Out slopes) const;

  Matrix c, p;
  Vector t;
};

}  // namespace pendec
