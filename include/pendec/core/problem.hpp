// min f(x)  s.t.  G(x) ∈ C,  x ∈ D                                                                  (P)
#pragma once

#include "pendec/core/map.hpp"
#include "pendec/core/objective.hpp"
#include "pendec/core/set.hpp"
#include "pendec/core/space.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Problem{.f = Quadratic(Q, c), .D = Sparse(n, 3)}, or with .G and .C as well.
struct PENDEC_EXPORT Problem {
  Objective f;
  Map G = {};        // none: no constraint G(x) ∈ C
  Set C = {};        // convex
  Set D = {};        // none: all of X
  Space space = {};  // none: one vector block

  Index dimension() const { return f.dimension(); }
  bool has_G() const { return static_cast<bool>(G); }

  /// Fills in what was left out (D = X, one vector block) and checks that everything fits together;
  /// throws InvalidArgument otherwise.
  Problem completed() const;

  /// ∇f(x) + G'(x)*λ; a λ of another size counts as none.
  Vector lagrangian_gradient(In x, In lambda) const;
};

}  // namespace pendec
