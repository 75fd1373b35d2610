// Variables with finitely or countably many values.
#pragma once

#include <vector>

#include "pendec/core/set.hpp"

namespace pendec {

/// {x ∈ ℤⁿ : lower ≤ x ≤ upper}, infinite bounds meaning none; bounds are rounded inwards. The projection rounds,
/// halves downwards (in splitting methods: Takapoui, Moehle, Boyd, Bemporad 2020). Every vector is normal, since the
/// points are isolated: stationarity says nothing here. Cost O(n).
struct PENDEC_EXPORT Integer {
  Integer(Vector lower, Vector upper);

  static Integer binary(Index n);  // {0, 1}ⁿ

  Index dimension() const { return lower.size(); }
  std::string name() const { return "Integer"; }
  bool convex() const { return lower == upper; }
  void project(In z, Out y) const;
  double normal_residual(In, In) const { return 0.0; }
  bool projection_is_unique(In z, double tol) const;  // no entry within tol of a tie

  Vector lower, upper;
};

/// {x : xᵢ ∈ values}, the same finite list for every coordinate. The projection takes the nearest value, the lower
/// one of two. Every vector is normal. Cost O(n log |values|).
struct PENDEC_EXPORT FiniteValues {
  FiniteValues(Index n, std::vector<double> values);

  Index dimension() const { return n; }
  std::string name() const { return "FiniteValues"; }
  bool convex() const { return values.size() == 1; }
  void project(In z, Out y) const;
  double normal_residual(In, In) const { return 0.0; }
  bool projection_is_unique(In z, double tol) const;  // no entry within tol of a tie
  std::optional<Alternatives> alternatives() const;

  Index n;
  std::vector<double> values;  // ascending, without repetitions
};

}  // namespace pendec
