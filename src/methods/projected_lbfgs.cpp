// L-BFGS on a box, for h_τ(x) = f(x) + τ/2 dist²_C(G(x) + λ/τ): the two-metric projection method (Bertsekas 1982,
// "Projected Newton methods for optimization problems with simple constraints"). Coordinates that sit at a bound and
// press against it are held; on the others d = −H∇h, and x⁺ = Π_D(x + αd) with an Armijo step. One evaluation an
// iteration, as a rule.
#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/methods/inner_solver.hpp"
#include "pendec/subsolvers/lbfgs.hpp"
#include "pendec/subsolvers/sufficient_decrease.hpp"
#include "progressing.hpp"

namespace pendec {
namespace {

class ProjectedLbfgs final : public InnerSolver {
 public:
  ProjectedLbfgs(const InnerOptions& inner, const XUpdateOptions& options, Index n, Vector lower, Vector upper)
      : inner_(inner),
        options_(options),
        lower_(std::move(lower)),
        upper_(std::move(upper)),
        pairs_(n, options.memory) {
    d_.resize(n);
    free_.resize(n);
  }

  void start(Penalty& q, Pair& pair, bool project) override {
    start_in_D(q, pair, project);
    next_ = pair.p;  // sizes
  }

  void new_penalty(double change) override {
    if (change != 0.0) pairs_.clear();
  }

  InnerEnd minimise(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) override {
    pair.x_before = pair.p.x;
    pair.q = q.evaluate_whole(pair.p);
    if (!std::isfinite(pair.q)) throw NotFinite("f or G is not finite on D");
    return descend(q, pair, delta, radius, monitor);
  }

 private:
  InnerEnd descend(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) {
    Progressing progressing;
    for (Index l = 0; l < inner_.max_iterations; ++l) {
      hold(pair.p);
      pair.gradient = (free_ * pair.p.gradient_f.array()).matrix().norm();  // the distance of −∇h to the normal cone
      if (pair.gradient <= delta) return InnerEnd::solved;
      if (!progressing(pair.q, pair.gradient)) return InnerEnd::stalled;
      direction(pair.p.gradient_f);
      if (!line_search(q, pair)) {
        if (pairs_.size() == 0) return InnerEnd::stalled;
        pairs_.clear();
        continue;
      }
      ++q.oracle().counts.inner;
      ++q.oracle().counts.x_steps;
      pairs_.add_step(pair.p.x, pair.p.gradient_f, next_.x, next_.gradient_f);
      std::swap(pair.p, next_);
      pair.q = q_next_;
      if (monitor.expired(q.oracle().counts.project_D)) return InnerEnd::limit;
      if ((pair.p.x - pair.x_before).norm() > radius) return InnerEnd::runaway;
    }
    return InnerEnd::limit;
  }

  /// free_ᵢ = 0 where xᵢ is at a bound that −∇h presses against.
  void hold(const Point& p) {
    const auto x = p.x.array(), g = p.gradient_f.array();
    free_ = 1.0 - ((x <= lower_.array()) && (g > 0.0)).cast<double>() -
            ((x >= upper_.array()) && (g < 0.0)).cast<double>();
    free_ = free_.max(0.0);
  }

  /// d = −H∇h on the free coordinates alone.
  void direction(const Vector& g) {
    d_ = -(free_ * g.array()).matrix();
    if (!pairs_.apply_on(free_, d_)) d_ *= std::min(1.0, 1.0 / d_.norm());
  }

  /// x⁺ = Π_D(x + αd), h(x⁺) ≤ h(x) + γ⟨∇h, x⁺ − x⟩, or, where rounding hides that, as the slopes at both ends tell.
  bool line_search(Penalty& q, const Pair& pair) {
    constexpr double digits = 1e3;  // sums of thousands of terms, of which some cancel
    for (double alpha = 1.0; alpha >= options_.min_step;) {
      next_.gradient_f = pair.p.x + alpha * d_;
      q.oracle().project_D(next_.gradient_f, next_.x);
      q_next_ = q.evaluate_whole(next_);
      const auto s = next_.x - pair.p.x;
      const double slope = pair.p.gradient_f.dot(s);
      if (!std::isfinite(q_next_) || !(slope < 0.0)) {
        alpha *= options_.beta;
        continue;
      }
      const double slope_next = next_.gradient_f.dot(s);
      if (decreases_enough(pair.q, slope, 1.0, q_next_, slope_next, options_.gamma, digits)) return true;
      // the minimiser of the parabola with these slopes
      const double share = slope_next > 0.0 ? slope / (slope - slope_next) : options_.beta;
      alpha *= std::clamp(share, 0.1, options_.beta);
    }
    return false;
  }

  InnerOptions inner_;
  XUpdateOptions options_;
  Vector lower_, upper_;
  Point next_;
  double q_next_ = 0.0;
  Vector d_;
  Eigen::ArrayXd free_;
  LbfgsPairs pairs_;
};

}  // namespace

std::unique_ptr<InnerSolver> make_projected_lbfgs(const InnerOptions& inner, const XUpdateOptions& x_update,
                                                  Vector lower, Vector upper) {
  const Index n = lower.size();
  return std::make_unique<ProjectedLbfgs>(inner, x_update, n, std::move(lower), std::move(upper));
}

}  // namespace pendec
