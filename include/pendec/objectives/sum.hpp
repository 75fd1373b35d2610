// Weighted sums of objectives.
#pragma once

#include <vector>

#include "pendec/core/objective.hpp"

namespace pendec {

struct Term {
  double weight = 1.0;
  Objective f;
};

/// f(x) = Σ_k weight_k f_k(x), weights of any sign. The cost is the sum of the terms'. A sum of quadratics is a
/// quadratic: matrices and diagonals are added once, here.
struct PENDEC_EXPORT Sum {
  explicit Sum(std::vector<Term> terms);

  Index dimension() const { return terms.front().f.dimension(); }
  bool convex() const;     // all terms are, and no weight is negative
  bool has_value() const;  // a term has one
  double value(In x) const;
  double value_and_gradient(In x, Out g) const;
  bool has_hessian() const;  // all terms have one
  void hessian_times(In x, In d, Out out) const;
  Operator hessian(In x) const;
  const std::optional<Operator>& constant_hessian() const { return hessian_; }
  bool has_quadratic_form() const;  // all terms have one, without negative weights
  std::optional<QuadraticForm> quadratic_form() const;
  std::optional<Matrix> curvature_below(In at, In lower, In upper) const;  // without negative weights
  double lower_bound() const;                                              // without negative weights
  double magnitude(In x, Out gradient) const;
  Index summands() const;

  std::vector<Term> terms;

 private:
  std::optional<Operator> hessian_;
  Vector rounding_;  // what adding up the Hessians may have lost, as a diagonal; empty: they were not added up
};

}  // namespace pendec
