// Non-monotone spectral gradient method on D for h_τ(x) = f(x) + τ/2 dist²_C(G(x) + λ/τ)
// (Jia, Kanzow, Mehlitz, Wachsmuth, Algorithm 3.1): x⁺ ∈ Π_D(x − ∇h(x)/γ) with a Barzilai–Borwein γ.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "pendec/methods/inner_solver.hpp"

namespace pendec {
namespace {

class SpectralGradient final : public InnerSolver {
 public:
  SpectralGradient(const InnerOptions& inner, const SpectralOptions& options) : inner_(inner), options_(options) {
    window_.reserve(static_cast<std::size_t>(options.memory));
  }

  void start(Penalty& q, Pair& pair, bool project) override {
    start_in_D(q, pair, project);
    next_ = pair.p;  // sizes
  }

  InnerEnd minimise(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) override {
    pair.x_before = pair.p.x;
    pair.q = q.evaluate_whole(pair.p);
    InnerEnd end = InnerEnd::solved;
    double q_old = 0.0;
    do {
      q_old = pair.q;
      end = descend(q, pair, delta, radius, monitor);
    } while (options_.restart && end == InnerEnd::solved && q_old - pair.q >= inner_.eps_in);
    return end;
  }

 private:
  // s and y from the pair to the next point: expressions, not vectors of their own
  auto step(const Pair& pair) const { return next_.x - pair.p.x; }
  auto change(const Pair& pair) const { return next_.gradient_f - pair.p.gradient_f; }

  InnerEnd descend(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) {
    double gamma = options_.gamma0;
    window_.assign(1, pair.q);
    double q_mark = pair.q;  // q at the last multiple of `patience`
    for (Index l = 0; l < options_.max_iterations; ++l) {
      if (inner_.test == InnerTest::gradient && l > 0 && l % patience == 0) {
        if (q_mark - pair.q <= 1e-12 * std::abs(q_mark)) return InnerEnd::stalled;
        q_mark = pair.q;
      }
      const double reference = *std::max_element(window_.begin(), window_.end());
      const bool accepted = trial_steps(q, pair, reference, gamma);
      if (!std::isfinite(q_next_)) throw NotFinite("f or G is not finite on D");
      if (!accepted && inner_.test == InnerTest::gradient) return InnerEnd::stalled;
      ++q.oracle().counts.inner;
      ++q.oracle().counts.x_steps;
      // −∇h(x⁺) is this far from N_D(x⁺), because γ(x − x⁺) − ∇h(x) is a normal there
      pair.gradient = (change(pair) - gamma * step(pair)).norm();
      gamma = next_gamma(pair, gamma);
      std::swap(pair.p, next_);
      pair.q = q_next_;
      if (solved(pair, reference, delta)) return InnerEnd::solved;
      if (monitor.expired(q.oracle().counts.project_D)) return InnerEnd::limit;
      if ((pair.p.x - pair.x_before).norm() > radius) return InnerEnd::runaway;
      if (window_.size() == static_cast<std::size_t>(options_.memory)) window_.erase(window_.begin());
      window_.push_back(pair.q);
    }
    return InnerEnd::limit;
  }

  /// The safeguarded Barzilai–Borwein value ⟨s, y⟩/⟨s, s⟩; without curvature along s, the γ that was accepted.
  double next_gamma(const Pair& pair, double accepted) const {
    if (!options_.barzilai_borwein) return options_.gamma0;
    const double ss = step(pair).squaredNorm(), sy = step(pair).dot(change(pair));
    return ss > 0.0 && sy > 0.0 ? std::clamp(sy / ss, options_.gamma_min, options_.gamma_max) : accepted;
  }

  bool solved(const Pair& pair, double reference, double delta) const {
    if (inner_.test == InnerTest::gradient) return pair.gradient <= delta;
    const double best = std::min(*std::min_element(window_.begin(), window_.end()), pair.q);
    return reference - best < inner_.eps_in;
  }

  /// Raises γ until q(x⁺) ≤ max of the window + σ⟨∇h, x⁺ − x⟩.
  bool trial_steps(Penalty& q, const Pair& pair, double reference, double& gamma) {
    for (;;) {
      next_.gradient_f = pair.p.x - pair.p.gradient_f / gamma;
      q.oracle().project_D(next_.gradient_f, next_.x);
      q_next_ = q.evaluate_whole(next_);
      const double noise = inner_.test == InnerTest::gradient ? 10.0 * epsilon * std::abs(reference) : 0.0;
      if (q_next_ <= reference + options_.sigma * pair.p.gradient_f.dot(step(pair)) + noise) return true;
      if (options_.growth * gamma > options_.gamma_max) return false;
      gamma *= options_.growth;
    }
  }

  static constexpr Index patience = 50;
  InnerOptions inner_;
  SpectralOptions options_;
  Point next_;
  double q_next_ = 0.0;
  std::vector<double> window_;  // the last m values of q
};

}  // namespace

std::unique_ptr<InnerSolver> make_spectral_gradient(const InnerOptions& inner, const SpectralOptions& spectral) {
  return std::make_unique<SpectralGradient>(inner, spectral);
}

}  // namespace pendec
