#include "sparse_projection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/deadline.hpp"
#include "pendec/subsolvers/sufficient_decrease.hpp"
#include "sparse_interior_point.hpp"

namespace pendec::detail {
namespace {

double largest_of(In v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; }

}  // namespace

SparseProjection::SparseProjection(std::shared_ptr<const SparseRows> rows) : rows_(std::move(rows)) {
  at_.y = Vector::Zero(rows_->count());
}

ProjectionEnd SparseProjection::project(In z, Out x) {
  constexpr Index nearby = 15, after_interior = 60;
  evaluate(z, at_);
  ProjectionEnd end = newton(z, nearby);
  if (end == ProjectionEnd::inaccurate) {
    end = sparse_interior_point(*rows_, system_, z, at_.y);
    evaluate(z, at_);
    if (end == ProjectionEnd::optimal || end == ProjectionEnd::inaccurate) end = newton(z, after_interior);
  }
  if (end == ProjectionEnd::inaccurate && contradictory()) end = ProjectionEnd::infeasible;
  x = at_.x;
  if (!at_.y.allFinite() || end == ProjectionEnd::infeasible) at_.y.setZero();  // nothing to begin with
  return end;
}

ProjectionEnd SparseProjection::newton(In z, Index most_iterations) {
  constexpr double feasible = 1e-12, exact = 1e-3, rounding = 1e-15;  // relative to x, to that, and to z
  bool found = false;
  for (Index it = 0; it < most_iterations; ++it) {
    const double off = residual(), tolerance = feasible * largest_of(at_.x) + rounding * largest_of(z);
    if (off <= exact * tolerance || (found && off <= tolerance)) return ProjectionEnd::optimal;
    found = off <= tolerance;  // one step more leaves rounding errors alone
    DeadlineScope::check();
    if (excludes_all_points(*rows_, at_.y)) return ProjectionEnd::infeasible;
    if (!find_direction() || !line_search(z)) return found ? ProjectionEnd::optimal : ProjectionEnd::inaccurate;
  }
  return found ? ProjectionEnd::optimal : ProjectionEnd::inaccurate;
}

void SparseProjection::evaluate(In z, Point& at) const {
  const LinearConstraints& c = rows_->data;
  at.x = z;
  at.x.noalias() -= rows_->matrix.transpose() * at.y;
  at.x = at.x.cwiseMax(c.lower).cwiseMin(c.upper);
  at.slope = rows_->right;
  at.slope.noalias() -= rows_->matrix * at.x;
  at.value = at.y.dot(at.slope) - 0.5 * (at.x - z).squaredNorm();
}

/// The largest distance to a row, or multiplier of a row that is not active.
double SparseProjection::residual() const {
  const Index rows = rows_->inequalities();
  const double off = largest_of(at_.y.head(rows).cwiseMin(at_.slope.head(rows)));
  return std::max(off, largest_of(at_.slope.tail(at_.slope.size() - rows)));
}

/// Where no point satisfies the rows, y runs away along the violations of the least infeasible one, which are
/// multipliers that prove it: u with Mᵀu = 0 where x is free. Inverse iteration takes the rest out of them.
bool SparseProjection::contradictory() {
  constexpr double little = 1e-8;
  constexpr int rounds = 3;
  const SparseMatrix& M = rows_->matrix;
  Vector u = -at_.slope;
  u.head(rows_->inequalities()) = u.head(rows_->inequalities()).cwiseMax(0.0);
  int count = 0;
  for (Index i = 0; i < M.rows(); ++i)
    places_[static_cast<std::size_t>(i)] = i < rows_->inequalities() && u[i] == 0.0 ? -1 : count++;
  if (count == 0 || !u.allFinite()) return false;
  shift_.setConstant(little);
  if (!system_.factorize(M, places_, free_, shift_.head(count))) return false;
  step_.resize(count);
  for (int round = 0; round < rounds; ++round) {
    for (Index i = 0; i < M.rows(); ++i)
      if (const int place = places_[static_cast<std::size_t>(i)]; place >= 0) right_[place] = little * u[i];
    system_.solve(right_.head(count), step_);
    for (Index i = 0; i < M.rows(); ++i)
      if (const int place = places_[static_cast<std::size_t>(i)]; place >= 0) u[i] = step_[place];
  }
  u.head(rows_->inequalities()) = u.head(rows_->inequalities()).cwiseMax(0.0);
  return excludes_all_points(*rows_, u);
}

/// Newton's for min(y, ∇θ) = 0 at inequalities and ∇θ = 0 at equations, slightly regularised as rows may depend on
/// each other. A row on which nothing is free to move counts as if everything were.
bool SparseProjection::find_direction() {
  const LinearConstraints& c = rows_->data;
  const SparseMatrix& M = rows_->matrix;
  free_ = (c.lower.array() < at_.x.array() && at_.x.array() < c.upper.array()).cast<double>();
  movable_.setZero(M.rows());
  for (Index j = 0; j < M.outerSize(); ++j)
    if (free_[j] > 0.0)
      for (SparseMatrix::InnerIterator entry(M, j); entry; ++entry)
        movable_[entry.row()] += entry.value() * entry.value();

  const double size = std::max(largest_of(at_.x), std::numeric_limits<double>::min());
  const double regularisation = std::clamp(1e-3 * residual() / size, 1e-13, 1e-4);
  places_.assign(static_cast<std::size_t>(M.rows()), -1);
  right_.resize(M.rows());
  shift_.resize(M.rows());
  int count = 0;
  for (Index i = 0; i < M.rows(); ++i) {
    if (i < rows_->inequalities() && at_.y[i] <= at_.slope[i]) continue;  // not active
    right_[count] = -at_.slope[i];
    shift_[count] = movable_[i] > 1e-8 ? regularisation : 1.0;
    places_[static_cast<std::size_t>(i)] = count++;
  }
  step_.resize(count);
  if (count > 0) {
    if (!system_.factorize(M, places_, free_, shift_.head(count))) return false;
    system_.solve(right_.head(count), step_);
  }
  d_ = -at_.y;  // of rows that are not active
  for (Index i = 0; i < M.rows(); ++i)
    if (const int place = places_[static_cast<std::size_t>(i)]; place >= 0) d_[i] = step_[place];
  return d_.allFinite();
}

bool SparseProjection::line_search(In z) {
  constexpr double least_step = 1e-14, gamma = 1e-4, digits = 1e3;
  for (double t = 1.0; t > least_step;) {
    next_.y = at_.y + t * d_;
    next_.y.head(rows_->inequalities()) = next_.y.head(rows_->inequalities()).cwiseMax(0.0);
    evaluate(z, next_);
    const double slope = at_.slope.dot(next_.y - at_.y), slope_next = next_.slope.dot(next_.y - at_.y);
    if (decreases_enough(at_.value, slope, 1.0, next_.value, slope_next, gamma, digits)) {
      std::swap(at_, next_);
      return true;
    }
    // the minimiser of the parabola with these slopes
    const double share = slope < 0.0 && slope_next > 0.0 ? slope / (slope - slope_next) : 0.5;
    t *= std::clamp(share, 0.05, 0.7);
  }
  return false;
}

}  // namespace pendec::detail
