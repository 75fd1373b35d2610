#include "sparse_interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pendec/core/deadline.hpp"

namespace pendec::detail {
namespace {

using Array = Eigen::ArrayXd;

double largest(In v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; }

/// Distances that stay positive and their multipliers, distance · multiplier → 0; `present` is 0 where there is none.
struct Pairs {
  Array distance, multiplier, present;
  Array distance_step, multiplier_step, target;  // of the products

  Pairs(Array at, double start, Array there)
      : distance(std::move(at)), multiplier(start * there), present(std::move(there)) {}

  double gap() const { return (present * distance * multiplier).sum(); }
  double gap_after(double t) const {
    return (present * (distance + t * distance_step) * (multiplier + t * multiplier_step)).sum();
  }
  void aim_at_zero() { target = -distance * multiplier; }
  void aim_at(double centre) { target += centre - distance_step * multiplier_step; }
  /// distance · Δmultiplier + multiplier · Δdistance = target
  void complete_step() { multiplier_step = present * (target - multiplier * distance_step) / distance; }
  void move(double t) {
    distance = present * (distance + t * distance_step) + (1.0 - present);
    multiplier += t * multiplier_step;
  }
  void limit(double& t) const {
    const auto keep_positive = [&t](double value, double change) {
      if (change < 0.0) t = std::min(t, -value / change);
    };
    for (Index k = 0; k < distance.size(); ++k) {
      if (present[k] == 0.0) continue;
      keep_positive(distance[k], distance_step[k]);
      keep_positive(multiplier[k], multiplier_step[k]);
    }
  }
};

/// x − z + Mᵀy − (multipliers of lower bounds) + (of upper bounds) = 0,  M x + slacks = r.
class InteriorPoint {
 public:
  InteriorPoint(const SparseRows& rows, GramSystem& system, In z)
      : rows_(rows),
        M_(rows.matrix),
        system_(system),
        z_(z),
        free_((rows.data.lower.array() < rows.data.upper.array()).cast<double>()),
        x_(z.cwiseMax(rows.data.lower).cwiseMin(rows.data.upper)),
        size_(std::max({largest(x_ - z), largest(rows.right - M_ * x_), 1e-12 * largest(z),
                        std::numeric_limits<double>::min()})),
        inside_(move_inside()),
        lower_(at_bound(rows.data.lower, 1.0)),
        upper_(at_bound(rows.data.upper, -1.0)),
        slack_((rows.right - M_ * x_).head(rows.inequalities()).cwiseMax(size_).array(), size_,
               Array::Ones(rows.inequalities())),
        y_(Vector::Zero(rows.count())) {
    y_.head(rows.inequalities()) = slack_.multiplier.matrix();
  }

  ProjectionEnd run() {
    constexpr int most_iterations = 100;
    constexpr double accurate = 1e-9, to_boundary = 0.995;
    const double pairs = lower_.present.sum() + upper_.present.sum() + slack_.present.sum();
    for (int it = 0; it < most_iterations; ++it) {
      DeadlineScope::check();
      find_residuals();
      const double gap = lower_.gap() + upper_.gap() + slack_.gap(), mean = pairs > 0.0 ? gap / pairs : 0.0;
      if (std::max({largest(dual_), largest(primal_), std::sqrt(mean)}) <= accurate * size_)
        return ProjectionEnd::optimal;
      if (excludes_all_points(rows_, y_)) return ProjectionEnd::infeasible;
      if (!factorize()) return ProjectionEnd::inaccurate;

      // Predictor
      for (Pairs* p : {&lower_, &upper_, &slack_}) p->aim_at_zero();
      solve();
      const double t = longest_step();
      const double left = lower_.gap_after(t) + upper_.gap_after(t) + slack_.gap_after(t);
      // Corrector, towards the centre by as much as the predictor fell short
      const double centre = pairs > 0.0 ? std::pow(std::max(left, 0.0) / gap, 3) * mean : 0.0;
      for (Pairs* p : {&lower_, &upper_, &slack_}) p->aim_at(centre);
      solve();
      if (!dx_.allFinite() || !dy_.allFinite()) return ProjectionEnd::inaccurate;
      move(std::min(1.0, to_boundary * longest_step()));
    }
    return ProjectionEnd::inaccurate;
  }

  Vector& multipliers() { return y_; }

 private:
  /// Away from its bounds.
  bool move_inside() {
    const LinearConstraints& c = rows_.data;
    for (Index j = 0; j < x_.size(); ++j) {
      if (free_[j] == 0.0) continue;
      const double room = std::min(size_, 0.5 * (c.upper[j] - c.lower[j]));
      x_[j] = std::max(std::min(x_[j], c.upper[j] - room), c.lower[j] + room);
    }
    return true;
  }
  Pairs at_bound(const Vector& bound, double side) const {
    Array present = bound.array().isFinite().cast<double>() * free_;
    Array distance = (present > 0.0).select(side * (x_ - bound).array(), 1.0);
    return {std::move(distance), size_, std::move(present)};
  }

  void find_residuals() {
    dual_ = z_ - x_;
    dual_.noalias() -= M_.transpose() * y_;
    dual_.array() += lower_.multiplier - upper_.multiplier;
    dual_.array() *= free_;
    primal_ = rows_.right;
    primal_.noalias() -= M_ * x_;
    primal_.head(slack_.distance.size()).array() -= slack_.distance;
  }

  bool factorize() {
    constexpr double regularisation = 1e-12;
    weights_ = free_ / (1.0 + lower_.multiplier / lower_.distance + upper_.multiplier / upper_.distance);
    Vector shift = Vector::Constant(rows_.count(), regularisation);
    shift.head(slack_.distance.size()).array() += slack_.distance / slack_.multiplier;
    return system_.factorize(M_, weights_.matrix(), shift);
  }

  /// W⁻¹Δx + MᵀΔy = h,  MΔx + Δslack = primal residual
  void solve() {
    const Index rows = slack_.distance.size();
    const Vector h =
        dual_ + (lower_.present * lower_.target / lower_.distance - upper_.present * upper_.target / upper_.distance)
                    .matrix();
    Vector right = M_ * (weights_ * h.array()).matrix() - primal_;
    right.head(rows).array() += slack_.target / slack_.multiplier;
    dy_.resize(right.size());
    system_.solve(right, dy_);
    dx_ = (weights_ * (h - M_.transpose() * dy_).array()).matrix();
    lower_.distance_step = dx_.array();
    upper_.distance_step = -dx_.array();
    slack_.multiplier_step = dy_.head(rows).array();
    slack_.distance_step = (slack_.target - slack_.distance * slack_.multiplier_step) / slack_.multiplier;
    lower_.complete_step();
    upper_.complete_step();
  }

  double longest_step() const {
    double t = 1.0;
    for (const Pairs* p : {&lower_, &upper_, &slack_}) p->limit(t);
    return t;
  }

  void move(double t) {
    x_ += t * dx_;
    y_ += t * dy_;
    for (Pairs* p : {&lower_, &upper_, &slack_}) p->move(t);
  }

  const SparseRows& rows_;
  const SparseMatrix& M_;
  GramSystem& system_;
  Vector z_;
  Array free_;  // 0: lower = upper
  Vector x_;
  double size_;  // of the distances involved
  bool inside_;  // x is
  Pairs lower_, upper_, slack_;
  Vector y_, dual_, primal_, dx_, dy_;
  Array weights_;
};

}  // namespace

ProjectionEnd sparse_interior_point(const SparseRows& rows, GramSystem& system, In z, Vector& y) {
  InteriorPoint method(rows, system, z);
  const ProjectionEnd end = method.run();
  y = std::move(method.multipliers());
  return end;
}

}  // namespace pendec::detail
