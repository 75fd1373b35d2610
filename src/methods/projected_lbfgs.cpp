// L-BFGS on a box, for h_τ(x) = f(x) + τ/2 dist²_C(G(x) + λ/τ): the two-metric projection method (Bertsekas 1982,
// "Projected Newton methods for optimization problems with simple constraints"). Coordinates that sit at a bound and
// press against it are held; on the others d = −H∇h, and x⁺ = Π_D(x + αd) with an Armijo step. One evaluation an
// iteration, as a rule.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/methods/inner_solver.hpp"

namespace pendec {
namespace {

class ProjectedLbfgs final : public InnerSolver {
 public:
  ProjectedLbfgs(const InnerOptions& inner, const XUpdateOptions& options, Index n, Vector lower, Vector upper)
      : inner_(inner), options_(options), lower_(std::move(lower)), upper_(std::move(upper)) {
    for (Vector* v : {&g_, &g_next_, &d_, &z_}) v->resize(n);
    for (Matrix* m : {&s_, &y_}) m->resize(n, options.memory);
    alpha_.resize(options.memory);
    curvature_.resize(options.memory);
    free_.resize(n);
  }

  void start(Penalty& q, Pair& pair, bool project) override {
    start_in_D(q, pair, project);
    next_ = pair.p;  // sizes
  }

  void new_penalty(double change) override {
    if (change != 0.0) pairs_ = 0;
  }

  InnerEnd minimise(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) override {
    start_ = pair.p.x;
    q.evaluate(pair.p);
    pair.q = q.value(pair.p, pair.y);
    if (!std::isfinite(pair.q)) throw NotFinite("f or G is not finite on D");
    q.gradient(pair.p, pair.p.x, g_);
    const InnerEnd end = descend(q, pair, delta, radius, monitor);
    pair.y = pair.p.x;
    return end;
  }

 private:
  InnerEnd descend(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) {
    for (Index l = 0; l < inner_.max_iterations; ++l) {
      hold(pair.p.x);
      pair.gradient = (free_ * g_.array()).matrix().norm();  // the distance of −∇h to the normal cone
      if (pair.gradient <= delta) return InnerEnd::solved;
      direction();
      if (!line_search(q, pair)) {
        if (pairs_ == 0) return InnerEnd::stalled;
        pairs_ = 0;
        continue;
      }
      ++q.oracle().counts.inner;
      ++q.oracle().counts.x_steps;
      remember(pair.p.x);
      std::swap(pair.p, next_);
      std::swap(g_, g_next_);
      pair.q = q_next_;
      if (monitor.expired(q.oracle().counts.project_D)) return InnerEnd::limit;
      if ((pair.p.x - start_).norm() > radius) return InnerEnd::runaway;
    }
    return InnerEnd::limit;
  }

  /// free_ᵢ = 0 where xᵢ is at a bound that −∇h presses against.
  void hold(const Vector& x) {
    free_ = 1.0 - ((x.array() <= lower_.array()) && (g_.array() > 0.0)).cast<double>() -
            ((x.array() >= upper_.array()) && (g_.array() < 0.0)).cast<double>();
    free_ = free_.max(0.0);
  }

  /// d = −H∇h by the two-loop recursion (Nocedal 1980) on the free coordinates alone: pairs are restricted to them.
  void direction() {
    d_ = -(free_ * g_.array()).matrix();
    Index newest = -1;
    for (Index age = 0; age < pairs_; ++age) {  // newest first
      const Index k = column(age);
      const auto s = s_.col(k).array() * free_, y = y_.col(k).array() * free_;
      const double sy = (s * y).sum(), size = std::sqrt(s.square().sum() * y.square().sum());
      curvature_[k] = sy > least_curvature * size ? sy : 0.0;
      if (curvature_[k] == 0.0) continue;
      if (newest < 0) newest = k;
      alpha_[k] = (s * d_.array()).sum() / sy;
      d_.array() -= alpha_[k] * y;
    }
    if (newest >= 0)
      d_ *= curvature_[newest] / (y_.col(newest).array() * free_).square().sum();
    else
      d_ *= std::min(1.0, 1.0 / d_.norm());
    for (Index age = pairs_ - 1; age >= 0; --age) {
      const Index k = column(age);
      if (curvature_[k] == 0.0) continue;
      const double beta = (y_.col(k).array() * free_ * d_.array()).sum() / curvature_[k];
      d_.array() += (alpha_[k] - beta) * s_.col(k).array() * free_;
    }
  }

  /// x⁺ = Π_D(x + αd), h(x⁺) ≤ h(x) + γ⟨∇h, x⁺ − x⟩ up to rounding.
  bool line_search(Penalty& q, const Pair& pair) {
    const double noise = 10.0 * epsilon * std::abs(pair.q);
    for (double alpha = 1.0; alpha >= options_.min_step; alpha *= options_.beta) {
      z_ = pair.p.x + alpha * d_;
      q.oracle().project_D(z_, next_.x);
      q.evaluate(next_);
      q_next_ = q.value(next_, next_.x);
      const double slope = g_.dot(next_.x - pair.p.x);
      if (!std::isfinite(q_next_) || !(slope < 0.0) || q_next_ > pair.q + options_.gamma * slope + noise) continue;
      q.gradient(next_, next_.x, g_next_);
      return true;
    }
    return false;
  }

  /// Ring of pairs; next_ is the new point.
  void remember(const Vector& x) {
    if (!((next_.x - x).dot(g_next_ - g_) > 0.0)) return;
    const Index k = pairs_ < options_.memory ? pairs_ : oldest_;
    s_.col(k) = next_.x - x;
    y_.col(k) = g_next_ - g_;
    if (pairs_ < options_.memory) {
      if (pairs_++ == 0) oldest_ = 0;
    } else {
      oldest_ = (oldest_ + 1) % options_.memory;
    }
  }

  Index column(Index age) const { return (oldest_ + pairs_ - 1 - age) % options_.memory; }

  static constexpr double least_curvature = 1e-10;
  InnerOptions inner_;
  XUpdateOptions options_;
  Vector lower_, upper_;
  Point next_;
  double q_next_ = 0.0;
  Vector g_, g_next_, d_, z_, start_, alpha_, curvature_;
  Eigen::ArrayXd free_;
  Matrix s_, y_;
  Index pairs_ = 0, oldest_ = 0;
};

}  // namespace

std::unique_ptr<InnerSolver> make_projected_lbfgs(const InnerOptions& inner, const XUpdateOptions& x_update,
                                                  Vector lower, Vector upper) {
  const Index n = lower.size();
  return std::make_unique<ProjectedLbfgs>(inner, x_update, n, std::move(lower), std::move(upper));
}

}  // namespace pendec
