#include "column_qp.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace pendec::sparse {

ColumnQp::ColumnQp(const Model& model, std::function<bool()> stop)
    : model_(&model), solver_(LinearConstraints::none(1)), options_{.stop = std::move(stop)} {}

const QpResult& ColumnQp::solve(std::span<const Index> columns, In lower, In upper, const Matrix& H,
                                const Vector& q) {
  step_.resize(0);
  no_columns_ = columns.empty();
  if (no_columns_) return without_columns();
  const Index size = static_cast<Index>(columns.size());
  const LinearConstraints& all = model_->rows;
  Matrix A(all.b.size(), size), E(all.d.size(), size);
  for (Index k = 0; k < size; ++k) {
    A.col(k) = model_->A->col(columns[static_cast<std::size_t>(k)]);
    E.col(k) = model_->E->col(columns[static_cast<std::size_t>(k)]);
  }
  solver_.bind(std::make_shared<const PreparedConstraints>(
      LinearConstraints{std::move(A), all.b, std::move(E), all.d, lower, upper}));
  constexpr double least_ratio = 1e-6;  // half the digits are left
  solver_.set_hessian(H);
  return solver_.pivot_ratio() >= least_ratio ? solver_.solve(q, options_) : by_proximal_steps(H, q);
}

const QpResult& ColumnQp::without_columns() {
  const LinearConstraints& rows = model_->rows;
  const bool feasible = (rows.b.array() >= 0.0).all() && (rows.d.array() == 0.0).all();
  result_ = {feasible ? QpStatus::optimal : QpStatus::infeasible,
             Vector(0),
             Vector::Zero(rows.b.size()),
             Vector::Zero(rows.d.size()),
             Vector(0),
             0.0,
             0};
  return result_;
}

const QpResult& ColumnQp::by_proximal_steps(const Matrix& H, const Vector& q) {
  const double curvature = H.diagonal().cwiseAbs().maxCoeff(), slope = q.cwiseAbs().maxCoeff();
  const double rho = curvature > 0.0 ? 1e-6 * curvature : slope > 0.0 ? 1e-3 * slope : 1.0;
  regular_ = H;
  regular_.diagonal().array() += rho;
  Vector x = Vector::Zero(q.size());
  for (int k = 0; k < 60; ++k) {
    shifted_ = q - rho * x;
    const QpResult& regular =
        k == 0 ? solver_.solve(regular_, shifted_, options_) : solver_.solve(shifted_, options_);
    if (regular.status != QpStatus::optimal) return regular;
    step_ = regular.x - x;
    x = regular.x;
    if (step_.norm() <= 1e-10 * x.norm()) {
      step_.resize(0);
      break;
    }
  }
  result_ = solver_.solve(shifted_, options_);
  if (step_.size() > 0) result_.status = QpStatus::inaccurate;
  return result_;
}

}  // namespace pendec::sparse
