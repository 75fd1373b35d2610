// A box cut by one linear function: budgets, capped simplices, knapsacks.
#pragma once

#include "pendec/core/set.hpp"

namespace pendec {

/// {x : lower ≤ x ≤ upper, least ≤ aᵀx ≤ most}, not empty, infinite bounds meaning none. The projection is x(ν) = z −
/// νa, clamped, with the ν that meets the bound on aᵀx: the root of a piecewise linear function, found by medians of
/// its breakpoints (Kiwiel 2008). Expected cost O(n). For extreme a see Slab.
struct PENDEC_EXPORT BoxSlab {
  BoxSlab(Vector lower, Vector upper, Vector a, double least, double most);

  static BoxSlab capped_simplex(Index n, double sum);  // {0 ≤ x ≤ 1, Σ x = sum}

  Index dimension() const { return lower.size(); }
  std::string name() const { return "BoxSlab"; }
  bool convex() const { return true; }
  void project(In z, Out y) const;
  std::optional<LinearConstraints> linear_constraints() const;
  std::optional<Set> scaled(In row) const;

  Vector lower, upper, a;
  double least, most;
};

}  // namespace pendec
