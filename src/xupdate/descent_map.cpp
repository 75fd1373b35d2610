#include "pendec/xupdate/descent_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/core/long_vectors.hpp"

namespace pendec {

DescentMap::~DescentMap() = default;

namespace {

class GradientMap final : public DescentMap {
 public:
  void direction(Penalty&, const Point&, In, In g, Out d) override { d = -g; }
};

/// Nonlinear conjugate gradients, Polak–Ribière+ : β = max(0, ⟨g, g − g_old⟩ / ‖g_old‖²).
class CgMap final : public DescentMap {
 public:
  void direction(Penalty&, const Point&, In, In g, Out d) override {
    if (fresh_) {
      d = -g;
    } else {
      const double beta = std::max(0.0, (g.squaredNorm() - g.dot(gradient_)) / gradient_.squaredNorm());
      d = beta * direction_ - g;
    }
    direction_ = d;
    gradient_ = g;
    fresh_ = false;
  }
  void new_y() override { fresh_ = true; }  // conjugacy refers to one function
  void change_tau(double) override { fresh_ = true; }
  void reset() override { fresh_ = true; }

 private:
  Vector direction_, gradient_;
  bool fresh_ = true;
};

/// BFGS with the dense inverse. It survives a change of y; a change of τ starts it anew.
class BfgsMap final : public DescentMap {
 public:
  explicit BfgsMap(Index n) : H_(n, n), s_(n), y_(n), Hy_(n), w_(n) { reset(); }
  void direction(Penalty&, const Point&, In, In g, Out d) override {
    if (fresh_) {
      d = -g;
    } else {
      d.noalias() = H_ * g;
      d = -d;
    }
  }
  void accept(const Step& step) override {
    s_ = step.next.p.x - step.at.p.x;
    y_ = step.next.g - step.at.g;
    const double sy = s_.dot(y_);
    if (sy <= LbfgsPairs::min_curvature * s_.norm() * y_.norm()) return;
    if (fresh_) {
      H_.setZero();
      H_.diagonal().setConstant(sy / y_.squaredNorm());
      fresh_ = false;
    }
    // H⁺ = H − (s yᵀH + H y sᵀ)/sᵀy + (1 + yᵀHy/sᵀy) s sᵀ/sᵀy = H + s wᵀ + w sᵀ
    Hy_.noalias() = H_ * y_;
    w_ = (0.5 * (1.0 + y_.dot(Hy_) / sy) / sy) * s_ - Hy_ / sy;
    H_.noalias() += s_ * w_.transpose();
    H_.noalias() += w_ * s_.transpose();
  }
  void change_tau(double) override { reset(); }
  void reset() override { fresh_ = true; }

 private:
  Matrix H_;
  Vector s_, y_, Hy_, w_;
  bool fresh_ = true;
};

/// Newton-CG: ∇²ₓₓq d = −g by conjugate gradients, stopped at negative curvature or at the forcing tolerance
/// min(½, √‖g‖)·‖g‖. The Hessian of f is the user's; that of the squared distance, which need not exist, is
/// replaced by a directional difference of its gradient.
class NewtonMap final : public DescentMap {
 public:
  explicit NewtonMap(Index n) : r_(n), p_(n), Hp_(n) {}

  void direction(Penalty& q, const Point& at, In, In g, Out d) override {
    d.setZero();
    r_ = -g;
    p_ = r_;
    double rr = r_.squaredNorm();
    const double norm_g = std::sqrt(rr);
    const double goal = std::min(0.5, std::sqrt(norm_g)) * norm_g;
    for (Index it = 0; it < 2 * g.size() && std::sqrt(rr) > goal; ++it) {
      hessian_times(q, at);
      const double curvature = p_.dot(Hp_);
      if (curvature <= 1e-14 * p_.squaredNorm() * std::max(1.0, q.tau)) break;
      const double a = rr / curvature;
      d += a * p_;
      r_ -= a * Hp_;
      const double rr_new = r_.squaredNorm();
      p_ = r_ + (rr_new / rr) * p_;
      rr = rr_new;
    }
    if (d.squaredNorm() == 0.0) d = -g;
  }

 private:
  void hessian_times(Penalty& q, const Point& at) {
    q.problem().f.hessian_times(at.x, p_, Hp_);
    for (const Range& r : q.coupled()) Hp_.segment(r.begin, r.size) += q.tau * p_.segment(r.begin, r.size);
    if (!q.has_G()) return;
    const double h = std::sqrt(epsilon) * (1.0 + at.x.norm()) / p_.norm();
    if (trial_.x.size() == 0) trial_ = q.make_point(at.x);
    trial_.x = at.x + h * p_;
    q.evaluate(trial_);
    Hp_ += (q.tau / h) * (trial_.gradient_penalty - at.gradient_penalty);
  }

  Vector r_, p_, Hp_;
  Point trial_;
};

class PreconditionerMap final : public DescentMap {
 public:
  explicit PreconditionerMap(Preconditioner H) : H_(std::move(H)) {}
  void direction(Penalty& q, const Point& p, In, In g, Out d) override {
    H_(p.x, q.tau, g, d);
    d = -d;
  }

 private:
  Preconditioner H_;
};

}  // namespace

void LbfgsMap::direction(Penalty&, const Point&, In, In g, Out d) { apply(g, d); }

void LbfgsMap::apply(In g, Out d) {
  d = -g;
  pairs_.apply(d);
}

LbfgsMap::LbfgsMap(Index n, Index memory) : pairs_(n, memory) {
  const bool keep = vectors_to_keep(n, 0, memory) >= pairs_.capacity();
  change_penalty_.resize(n, keep ? pairs_.capacity() : 0);
}

void LbfgsMap::accept(const Step& step) {
  const auto place = pairs_.add_step(step.at.p.x, step.at.g, step.next.p.x, step.next.g);
  if (place && change_penalty_.cols() > 0)
    step.q.change_of_penalty_gradient(step.at.p, step.y, step.next.p, step.y_next, change_penalty_.col(*place));
}

void LbfgsMap::change_tau(double change) {
  if (change_penalty_.cols() > 0)
    pairs_.correct(change, change_penalty_);
  else if (change != 0.0)
    pairs_.clear();
}

std::unique_ptr<DescentMap> make_descent_map(const XUpdateOptions& options, const Problem& problem,
                                             Preconditioner preconditioner) {
  const Index n = problem.dimension();
  switch (options.step) {
    case XStep::gradient:
      return std::make_unique<GradientMap>();
    case XStep::cg:
      return std::make_unique<CgMap>();
    case XStep::bfgs:
      return std::make_unique<BfgsMap>(n);
    case XStep::lbfgs:
      return std::make_unique<LbfgsMap>(n, options.memory);
    case XStep::newton:
      require(problem.f.has_hessian(), "x_update.step", std::string("newton"), "an objective with hessian_times");
      return std::make_unique<NewtonMap>(n);
    case XStep::preconditioner:
      require(static_cast<bool>(preconditioner), "x_update.step", std::string("preconditioner"),
              "Hooks.preconditioner to be set");
      return std::make_unique<PreconditionerMap>(std::move(preconditioner));
    case XStep::exact:
      break;
  }
  throw InvalidArgument("x_update.step", "exact", "a descent step here");
}

}  // namespace pendec
