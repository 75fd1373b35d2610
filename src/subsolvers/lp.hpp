// Linear programs in a box by Clp, where it is part of the build, and bounds that do not rest on it.
#pragma once

#include <functional>
#include <memory>

#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// min cᵀx s.t. row_lower ≤ A x ≤ row_upper and x in a bounded box, solved anew after changes of the box from where
/// it was: by the dual simplex method, for which every basis is a start.
class Lp {
 public:
  Lp(const SparseMatrix& A, In cost, In row_lower, In row_upper, In lower, In upper);
  ~Lp();
  Lp(const Lp&) = delete;
  Lp& operator=(const Lp&) = delete;

  void set_bounds(Index j, double lower, double upper);
  double lower(Index j) const { return lower_[j]; }
  double upper(Index j) const { return upper_[j]; }

  /// False: stopped, or Clp gave up; then x() means nothing, and bound() still holds.
  bool solve(const std::function<bool()>& stop);

  const Vector& x() const { return x_; }

  /// What cᵀx cannot fall below: by the multipliers of the rows, whatever they are worth, rounding included.
  double bound() const { return bound_; }

 private:
  double bound_of(In y) const;

  struct Simplex;
  std::unique_ptr<Simplex> simplex_;
  SparseMatrix A_;
  Vector cost_, row_lower_, row_upper_, lower_, upper_;
  Vector x_;
  double bound_ = -infinity;
};

}  // namespace pendec::detail
