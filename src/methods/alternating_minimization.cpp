// Algorithm 4.1 of Kanzow & Lapucci: inexact alternating minimization of q_τ(u, v) over u ∈ X, v ∈ D.
#include <cmath>
#include <utility>

#include "pendec/methods/inner_solver.hpp"

namespace pendec {

namespace {

class AlternatingMinimization final : public InnerSolver {
 public:
  AlternatingMinimization(const InnerOptions& options, std::unique_ptr<XUpdate> x_update)
      : options_(options), x_update_(std::move(x_update)) {}

  void start(Penalty& q, Pair& pair, bool project) override {
    g_.resize(pair.p.x.size());
    if (project || gradient_test()) q.project(pair.p, pair.y);  // (S.1) may hold at once, and y must lie in D
  }

  void new_penalty(double change) override { x_update_->change_tau(change); }

  InnerEnd minimise(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) override {
    pair.x_before = pair.p.x;  // (S.0)
    evaluate(q, pair);
    double q_old = pair.q = q.value(pair.p, pair.y);
    for (Index l = 0; l < options_.max_iterations; ++l) {
      if (gradient_test() && gradient_small(q, pair, delta)) return InnerEnd::solved;  // (S.1)
      const bool progress = x_update_->update(q, pair.y, pair.p, monitor);             // (S.2), (S.3)
      q.project(pair.p, pair.y);                                                       // (S.4)
      ++q.oracle().counts.inner;                                                       // (S.5)
      pair.q = q.value(pair.p, pair.y);
      if (!std::isfinite(pair.q)) throw NotFinite("f or G is not finite after the x-update");
      if (!gradient_test() && q_old - pair.q < options_.eps_in) return InnerEnd::solved;
      if (gradient_test() && !progress && !(pair.q < q_old)) return InnerEnd::stalled;
      if (monitor.expired(q.oracle().counts.project_D)) return InnerEnd::limit;
      if (std::isfinite(radius) && (pair.p.x - pair.x_before).norm() > radius) return InnerEnd::runaway;
      q_old = pair.q;
    }
    return InnerEnd::limit;
  }

 private:
  bool gradient_test() const { return options_.test == InnerTest::gradient; }

  void evaluate(Penalty& q, Pair& pair) const {
    if (gradient_test()) {
      q.evaluate(pair.p);
    } else {
      q.evaluate_value(pair.p);
    }
    pair.gradient = std::nan("");
  }

  bool gradient_small(Penalty& q, Pair& pair, double delta) {
    if (!pair.p.has_gradient) q.evaluate(pair.p);
    q.gradient(pair.p, pair.y, g_);
    pair.gradient = g_.norm();
    return pair.gradient <= delta;
  }

  InnerOptions options_;
  std::unique_ptr<XUpdate> x_update_;
  Vector g_;
};

}  // namespace

std::unique_ptr<InnerSolver> make_alternating_minimization(const InnerOptions& options,
                                                           std::unique_ptr<XUpdate> x_update) {
  return std::make_unique<AlternatingMinimization>(options, std::move(x_update));
}

}  // namespace pendec
