// L-BFGS on the forward–backward residual of a convex D, for h_τ(x) = f(x) + τ/2 dist²_C(G(x) + λ/τ): PANOC (Stella,
// Themelis, Sopasakis, Patrinos 2017). With x̂ = Π_D(x − γ∇h(x)), p = x̂ − x and the residual R = −p/γ,
//
//   φ(x) = h(x) + ⟨∇h(x), p⟩ + ‖p‖²/2γ    (the forward–backward envelope)
//
// falls along x⁺ = x + (1 − t)p + td with d = −HR, H of L-BFGS on R, for t small enough. x may leave D, x̂ does not.
// That γ is small enough, h(x̂) ≤ h(x) + ⟨∇h, p⟩ + α‖p‖²/2γ, is checked now and then, and wherever x̂ is needed: an
// iteration costs one evaluation and one projection, as a rule.
#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/methods/inner_solver.hpp"
#include "pendec/subsolvers/lbfgs.hpp"
#include "progressing.hpp"

namespace pendec {
namespace {

class ForwardBackward final : public InnerSolver {
 public:
  ForwardBackward(const InnerOptions& inner, const XUpdateOptions& options, Index n)
      : inner_(inner), pairs_(n, options.memory), d_(n), forward_(n) {}

  void start(Penalty& q, Pair& pair, bool project) override {
    start_in_D(q, pair, project);
    next_.p = hat_ = pair.p;  // sizes
    at_.hat = next_.hat = pair.p.x;
  }

  void new_penalty(double change) override {
    if (change != 0.0) pairs_.clear();
  }

  InnerEnd minimise(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) override {
    pair.x_before = pair.p.x;
    std::swap(at_.p, pair.p);
    at_.h = q.evaluate_whole(at_.p);
    if (!std::isfinite(at_.h)) throw NotFinite("f or G is not finite on D");
    if (gamma_ == 0.0) gamma_ = first_gamma(q);
    backward(q, at_);
    const InnerEnd end = descend(q, pair.x_before, delta, radius, monitor);
    if (!hat_known_) evaluate_hat(q);
    pair.gradient = hat_residual();
    pair.q = hat_h_;
    std::swap(pair.p, hat_);
    std::swap(at_.p, hat_);
    return end;
  }

 private:
  struct State {
    Point p;                // x, evaluated, with ∇h(x)
    double h = 0.0;         // h(x)
    Vector hat;             // x̂
    double envelope = 0.0;  // φ(x)
    const Vector& g() const { return p.gradient_f; }
    auto step() const { return hat - p.x; }  // p = x̂ − x
  };

  InnerEnd descend(Penalty& q, In start, double delta, double radius, Monitor& monitor) {
    constexpr Index check_interval = 10;
    bool check = true;
    Progressing progressing;
    for (Index l = 0; l < inner_.max_iterations; ++l) {
      if (!progressing(at_.envelope, at_.step().norm() / gamma_)) return InnerEnd::stalled;
      hat_known_ = false;
      if (check || l % check_interval == 0 || at_.step().norm() <= delta * gamma_) {
        if (!shrink_gamma(q)) return InnerEnd::stalled;
        if (hat_residual() <= delta) return InnerEnd::solved;
      }
      if (monitor.expired(q.oracle().counts.project_D)) return InnerEnd::limit;
      if ((at_.hat - start).norm() > radius) return InnerEnd::runaway;
      check = !line_search(q);
      ++q.oracle().counts.inner;
      ++q.oracle().counts.x_steps;
      if (check && !std::isfinite(next_.envelope)) continue;  // γ was too large
      forward_ = at_.step() / -gamma_;                        // R
      d_ = next_.step() / -gamma_;                            // R⁺
      pairs_.add_step(at_.p.x, forward_, next_.p.x, d_);
      if (check && (next_.p.x - at_.p.x).norm() <= 4.0 * epsilon * at_.p.x.norm()) return InnerEnd::stalled;
      std::swap(at_, next_);
      hat_known_ = false;
    }
    return InnerEnd::limit;
  }

  void backward(Penalty& q, State& state) {
    forward_ = state.p.x - gamma_ * state.g();
    q.oracle().project_D(forward_, state.hat);
    state.envelope = state.h + state.g().dot(state.step()) + state.step().squaredNorm() / (2.0 * gamma_);
  }

  void evaluate_hat(Penalty& q) {
    hat_.x = at_.hat;
    hat_h_ = q.evaluate_whole(hat_);
    hat_known_ = true;
  }

  /// −∇h(x̂) is this far from N_D(x̂), because −p/γ − ∇h(x) is a normal there.
  double hat_residual() { return (hat_.gradient_f - at_.g() - at_.step() / gamma_).norm(); }

  bool gamma_fits() const {
    const double noise = 10.0 * epsilon * std::abs(at_.h);
    const double model = at_.h + at_.g().dot(at_.step()) + 0.5 * safety / gamma_ * at_.step().squaredNorm();
    return hat_h_ <= model + noise;  // false for NaN
  }

  /// Halves γ until h(x̂) fits; x̂ is known then. False: no γ does.
  bool shrink_gamma(Penalty& q) {
    for (int k = 0; k < 60; ++k) {
      if (!hat_known_) evaluate_hat(q);
      if (gamma_fits()) return true;
      halve_gamma(q);
    }
    return false;
  }

  void halve_gamma(Penalty& q) {
    gamma_ *= 0.5;
    pairs_.clear();
    backward(q, at_);
    hat_known_ = false;
  }

  /// α/L with L from one difference of gradients.
  double first_gamma(Penalty& q) {
    const double size = at_.g().norm();
    if (!(size > 0.0)) return 1.0;
    next_.p.x = at_.p.x - (1e-6 * std::max(1.0, at_.p.x.norm()) / size) * at_.g();
    next_.h = q.evaluate_whole(next_.p);
    const double L = (next_.g() - at_.g()).norm() / (next_.p.x - at_.p.x).norm();
    return L > 1e-12 && std::isfinite(L) ? safety / L : 1.0;
  }

  /// next_ ← x + (1 − t)p + td with a lower envelope. False: only t = 0 did it, or γ had to be halved (then next_ has
  /// no envelope).
  bool line_search(Penalty& q) {
    constexpr int most_trials = 3;
    const double decrease = 0.25 * (1.0 - safety) / gamma_ * at_.step().squaredNorm();
    const double noise = 10.0 * epsilon * std::abs(at_.envelope);
    if (pairs_.size() > 0) {
      d_ = at_.step() / gamma_;  // −R
      pairs_.apply(d_);
      double t = 1.0;
      for (int k = 0; k < most_trials && d_.allFinite(); ++k, t *= 0.5) {
        next_.p.x = at_.p.x + (1.0 - t) * at_.step() + t * d_;
        next_.h = q.evaluate_whole(next_.p);
        if (!std::isfinite(next_.h) || !next_.g().allFinite()) continue;
        backward(q, next_);
        if (next_.envelope <= at_.envelope - decrease + noise) return true;
      }
    }
    if (!hat_known_) evaluate_hat(q);
    if (!gamma_fits()) {
      halve_gamma(q);
      next_.envelope = infinity;
      return false;
    }
    std::swap(next_.p, hat_);
    hat_known_ = false;
    next_.h = hat_h_;
    backward(q, next_);
    return false;
  }

  static constexpr double safety = 0.95;  // α
  InnerOptions inner_;
  LbfgsPairs pairs_;
  double gamma_ = 0.0;
  State at_, next_;
  Point hat_;  // x̂ of at_, evaluated
  double hat_h_ = 0.0;
  bool hat_known_ = false;
  Vector d_, forward_;
};

}  // namespace

std::unique_ptr<InnerSolver> make_forward_backward(const InnerOptions& inner, const XUpdateOptions& x_update,
                                                   Index n) {
  return std::make_unique<ForwardBackward>(inner, x_update, n);
}

}  // namespace pendec
