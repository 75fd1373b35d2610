// Step sizes along a descent direction of q_τ(·, v).
#pragma once

#include "pendec/core/options.hpp"
#include "pendec/export.hpp"
#include "pendec/penalty/penalty.hpp"

namespace pendec {

/// The point a line search stands at or has found: q and its gradient in x for the fixed v.
struct Iterate {
  Point p;
  double q = 0.0;
  Vector g;
};

/// Armijo's rule as in (S.2) of Algorithm 4.1, α = max{β^j}, or the strong Wolfe conditions
/// (Nocedal & Wright, Algorithms 3.5 and 3.6).
class PENDEC_EXPORT LineSearch {
 public:
  explicit LineSearch(const XUpdateOptions& options) : options_(options) {}

  /// From `at` along d with slope ⟨g, d⟩ < 0; fills `next`. False: no step down to min_step will do.
  bool search(Penalty& q, In v, const Iterate& at, In d, double first_step, Iterate& next) const;

 private:
  bool armijo(Penalty& q, In v, const Iterate& at, In d, double slope, double step, Iterate& next) const;
  bool wolfe(Penalty& q, In v, const Iterate& at, In d, double slope, double step, Iterate& next) const;

  XUpdateOptions options_;
};

/// q and ∇ₓq at next.p.x = at + step · d.
PENDEC_EXPORT void evaluate_step(Penalty& q, In v, const Iterate& at, In d, double step, Iterate& next);

}  // namespace pendec
