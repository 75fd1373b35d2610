// Algorithm 4.1, accelerated. The reduced penalty
//
//   φ_τ(x) = min_{y ∈ D} q_τ(x, y),   ∇φ_τ(x) = ∇ₓq_τ(x, Π_D(x + μ/τ)) wherever the projection is unique,
//
// is what alternating minimization decreases. Here L-BFGS collects its pairs across projections, so that it sees the
// curvature of φ_τ and not that of q_τ(·, v). A full step is tried on φ_τ itself (one projection). If it fails
// Armijo's test, smaller ones are tried on q_τ(·, v) with v fixed: (S.2) of Algorithm 4.1 with H_ℓ the L-BFGS map.
// Since φ_τ ≤ q_τ(·, v), both give the decrease that Proposition 4.5 needs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/methods/inner_solver.hpp"
#include "pendec/subsolvers/sufficient_decrease.hpp"
#include "pendec/xupdate/descent.hpp"

namespace pendec {
namespace {

class ReducedPenalty final : public InnerSolver {
 public:
  ReducedPenalty(const InnerOptions& inner, const XUpdateOptions& x_update, Index n)
      : inner_(inner), options_(armijo(x_update)), line_search_(options_), map_(n, x_update.memory) {
    for (Vector* v : {&d_, &at_.g, &next_.g, &y_next_}) v->resize(n);
  }

  void start(Penalty& q, Pair& pair, bool) override {
    q.project(pair.p, pair.y, d_);
    next_.p = pair.p;  // sizes
    pair.p.gradient_f.resize(0);
  }

  void new_penalty(double change) override { map_.change_tau(change); }

  InnerEnd minimise(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) override {
    pair.x_before = pair.p.x;
    std::swap(at_.p, pair.p);
    std::swap(y_, pair.y);
    const InnerEnd end = loop(q, pair.x_before, delta, radius, monitor);
    std::swap(at_.p, pair.p);
    std::swap(y_, pair.y);
    pair.q = at_.q;
    pair.gradient = at_.g.norm();
    return end;
  }

 private:
  static XUpdateOptions armijo(XUpdateOptions options) {
    options.line_search = LineSearchKind::armijo;
    return options;
  }

  InnerEnd loop(Penalty& q, In start, double delta, double radius, Monitor& monitor) {
    at_.p.gradient_f.swap(next_.p.gradient_f);
    q.evaluate(at_.p);
    q.project(at_.p, y_, at_.g);
    refresh(q, at_, y_);
    at_.p.gradient_f.swap(next_.p.gradient_f);
    if (!std::isfinite(at_.q)) throw NotFinite("f or G is not finite");
    double q_mark = at_.q;  // q at the last multiple of `patience`
    for (Index l = 0; l < inner_.max_iterations; ++l) {
      if (l > 0 && l % patience == 0) {
        if (q_mark - at_.q <= 1e-9 * std::abs(q_mark))
          return InnerEnd::stalled;  // the projection jumps: φ_τ has a kink
        q_mark = at_.q;
      }
      const double norm_g = at_.g.norm();
      if (inner_.test == InnerTest::gradient && norm_g <= delta) return InnerEnd::solved;
      if (norm_g == 0.0) return InnerEnd::solved;
      const double q_old = at_.q;
      if (!step(q)) return InnerEnd::stalled;
      ++q.oracle().counts.inner;
      if (inner_.test == InnerTest::decrease && q_old - at_.q < inner_.eps_in) return InnerEnd::solved;
      if (monitor.expired(q.oracle().counts.project_D)) return InnerEnd::limit;
      if ((at_.p.x - start).norm() > radius) return InnerEnd::runaway;
    }
    return InnerEnd::limit;
  }

  static void refresh(Penalty& q, Iterate& at, In y) {
    at.q = q.value(at.p, y);
    q.gradient(at.p, y, at.g);
  }

  bool step(Penalty& q) {
    map_.apply(at_.g, d_);
    if (!direction_is_bounded(at_.g, d_, options_.c1, options_.c2)) {
      ++q.oracle().counts.fallbacks;
      map_.reset();
      d_ = -at_.g;
    }
    const double norm_d = d_.norm();
    double first = 1.0;
    if (map_.pairs() == 0) first = std::min(1.0, 1.0 / norm_d);
    first = std::min(first, max_step / norm_d);
    if (!accelerated_step(q, first) && !plain_step(q, 0.5 * first)) return false;
    ++q.oracle().counts.x_steps;
    map_.accept({q, at_, next_, y_, y_next_});
    std::swap(at_, next_);
    at_.p.gradient_f.swap(next_.p.gradient_f);
    std::swap(y_, y_next_);
    return true;
  }

  /// The step on φ_τ.
  bool accelerated_step(Penalty& q, double alpha) {
    next_.p.x = at_.p.x + alpha * d_;
    q.evaluate(next_.p);
    if (!std::isfinite(next_.p.f)) return false;
    q.project(next_.p, y_next_, next_.g);
    refresh(q, next_, y_next_);
    return std::isfinite(next_.q) &&
           decreases_enough(at_.q, at_.g.dot(d_), alpha, next_.q, next_.g.dot(d_), options_.gamma);
  }

  /// (S.2)–(S.4) of Algorithm 4.1; a direction that fails is replaced by −∇q once.
  bool plain_step(Penalty& q, double alpha) {
    bool found = line_search_.search(q, y_, at_, d_, alpha, next_);
    if (!found && map_.pairs() > 0) {
      map_.reset();
      d_ = -at_.g;
      found = line_search_.search(q, y_, at_, d_, std::min(1.0, 1.0 / at_.g.norm()), next_);
    }
    if (!found) return false;
    q.project(next_.p, y_next_, next_.g);
    refresh(q, next_, y_next_);
    return true;
  }

  static constexpr Index patience = 30;
  static constexpr double max_step = 10.0;  // in normalised units; keeps a bad model from leaving the region

  InnerOptions inner_;
  XUpdateOptions options_;
  LineSearch line_search_;
  LbfgsMap map_;
  Iterate at_, next_;  // ∇f is kept of next_ alone: of at_ ∇ₓq will do
  Vector y_, y_next_, d_;
};

}  // namespace

std::unique_ptr<InnerSolver> make_reduced_penalty(const InnerOptions& inner, const XUpdateOptions& x_update,
                                                  Index n) {
  return std::make_unique<ReducedPenalty>(inner, x_update, n);
}

}  // namespace pendec
