// Projection onto polyhedra with many variables and sparse rows, by Newton's method on the dual.
#pragma once

#include <memory>
#include <vector>

#include "gram_system.hpp"
#include "sparse_rows.hpp"

namespace pendec::detail {

/// min ½‖x − z‖² s.t. M x ≤ r (or = r), lower ≤ x ≤ upper  as  min θ(y), y ≥ 0 at inequalities, with
///
///   x(y) = clip(z − Mᵀy),   ∇θ(y) = r − M x(y),   ∂∇θ(y) ∋ M D Mᵀ,   D = 1 where x(y) is between its bounds.
///
/// θ is convex and piecewise quadratic: Newton's method ends, exact to rounding, once it has found the right piece.
/// From nearby, the last projection say, that is soon. From afar the pieces may be too many, and an interior-point
/// method, which does not see them, comes near first. One object per thread.
class SparseProjection {
 public:
  explicit SparseProjection(std::shared_ptr<const SparseRows> rows);

  /// From the multipliers of the last call. `x` is the nearest point, or where it ended. Throws OutOfTime.
  ProjectionEnd project(In z, Out x);

  /// y of the last call, for rows of length one: z − x − Mᵀy is a normal of the bounds at x.
  const Vector& multipliers() const { return at_.y; }

 private:
  struct Point {
    Vector y, x, slope;  // slope = ∇θ(y)
    double value = 0.0;  // θ(y)
  };
  ProjectionEnd newton(In z, Index most_iterations);
  void evaluate(In z, Point& at) const;
  double residual() const;
  bool contradictory();
  bool find_direction();
  bool line_search(In z);

  std::shared_ptr<const SparseRows> rows_;
  GramSystem system_;
  Point at_, next_;
  Vector d_, free_, right_, step_, shift_, movable_;
  std::vector<int> places_;  // of rows in the system
};

}  // namespace pendec::detail
