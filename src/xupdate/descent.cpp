#include "pendec/xupdate/descent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pendec {

bool direction_is_bounded(In g, In d, double c1, double c2) {
  const double gg = g.squaredNorm();
  return -g.dot(d) >= c1 * gg && d.squaredNorm() <= c2 * c2 * gg;  // false for NaN
}

DescentUpdate::DescentUpdate(const XUpdateOptions& options, std::unique_ptr<DescentMap> map, Index n)
    : options_(options), map_(std::move(map)), line_search_(options), d_(n) {
  at_.g.resize(n);
  next_.g.resize(n);
}

bool DescentUpdate::small(In g) const {
  const double size = options_.norm == GradientNorm::maximum ? g.lpNorm<Eigen::Infinity>() : g.norm();
  return size <= options_.eps_solv;
}

/// Conjugate gradients do not know their length: that of a quadratic that falls once more as much as in the step
/// before (Nocedal and Wright 2006, (3.60), with ½‖∇q‖ in the place of the first decrease).
double DescentUpdate::first_step() const {
  if (options_.line_search == LineSearchKind::armijo || scaled_) return 1.0;
  if (options_.step != XStep::cg) return std::min(1.0, 1.0 / at_.g.norm());
  const double step = 1.01 * 2.0 * decrease_ / -at_.g.dot(d_);
  return step > 0.0 ? std::min(1.0, step) : 1.0;  // no decrease: at the limit of rounding
}

bool DescentUpdate::update(Penalty& q, In v, Point& p, Monitor& monitor) {
  if (next_.p.x.size() == 0) next_.p = p;  // sizes
  std::swap(at_.p, p);
  if (!at_.p.has_gradient) q.evaluate(at_.p);
  at_.q = q.value(at_.p, v);
  q.gradient(at_.p, v, at_.g);
  map_->new_y();
  decrease_ = 0.5 * at_.g.norm();
  bool progress = true;
  for (Index l = 0; l < options_.steps && !small(at_.g); ++l) {
    progress = step(q, v);
    if (!progress || monitor.expired(q.oracle().counts.project_D)) break;
  }
  std::swap(at_.p, p);
  return progress;
}

bool DescentUpdate::step(Penalty& q, In v) {
  map_->direction(q, at_.p, v, at_.g, d_);  // (S.2) d = −H_ℓ ∇ₓq
  const bool bounded = direction_is_bounded(at_.g, d_, options_.c1, options_.c2);
  if (!bounded) {
    ++q.oracle().counts.fallbacks;
    map_->reset();
    d_ = -at_.g;
    scaled_ = false;
  }
  if (!line_search_.search(q, v, at_, d_, first_step(), next_)) return false;  // (S.2) Armijo
  ++q.oracle().counts.x_steps;
  map_->accept({q, at_, next_, v, v});
  scaled_ = options_.step == XStep::bfgs || options_.step == XStep::lbfgs || options_.step == XStep::newton;
  decrease_ = at_.q - next_.q;
  std::swap(at_, next_);  // (S.3) u^{ℓ+1} = u^ℓ + α d
  return true;
}

}  // namespace pendec
