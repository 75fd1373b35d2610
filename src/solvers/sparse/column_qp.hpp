// The convex QP on a few columns of a sparse QP.
#pragma once

#include <functional>
#include <span>

#include "model.hpp"
#include "pendec/subsolvers/qp.hpp"

namespace pendec::sparse {

/// min ½tᵀHt + qᵀt over the model's rows, restricted to `columns`, and bounds on t. H may be singular: then by
/// proximal steps; if they do not settle, the status is `inaccurate`, x is feasible and the last step is
/// `recession()`.
class ColumnQp {
 public:
  explicit ColumnQp(const Model& model, std::function<bool()> stop = {});

  const QpResult& solve(std::span<const Index> columns, In lower, In upper, const Matrix& H, const Vector& q);

  /// After `infeasible`: is that proved?
  bool excludes_all_points() const { return no_columns_ || solver_.excludes_all_points(); }

  /// Empty unless proximal steps did not settle: perhaps f falls without limit along it.
  const Vector& recession() const { return step_; }

 private:
  const QpResult& without_columns();
  const QpResult& by_proximal_steps(const Matrix& H, const Vector& q);

  const Model* model_;
  DualActiveSet solver_;
  QpOptions options_;
  QpResult result_;
  bool no_columns_ = false;
  Matrix regular_;
  Vector shifted_, step_;
};

}  // namespace pendec::sparse
