#include "pendec/xupdate/line_search.hpp"

#include <algorithm>
#include <cmath>

#include "pendec/subsolvers/sufficient_decrease.hpp"

namespace pendec {

void evaluate_step(Penalty& q, In v, const Iterate& at, In d, double step, Iterate& next) {
  next.p.x = at.p.x + step * d;
  q.evaluate(next.p);
  next.q = q.value(next.p, v);
  q.gradient(next.p, v, next.g);
}

bool LineSearch::search(Penalty& q, In v, const Iterate& at, In d, double first_step, Iterate& next) const {
  const double slope = at.g.dot(d);
  return options_.line_search == LineSearchKind::armijo ? armijo(q, v, at, d, slope, first_step, next)
                                                        : wolfe(q, v, at, d, slope, first_step, next);
}

bool LineSearch::armijo(Penalty& q, In v, const Iterate& at, In d, double slope, double step, Iterate& next) const {
  bool finite = true;
  for (; step >= options_.min_step; step *= options_.beta) {
    evaluate_step(q, v, at, d, step, next);
    finite = std::isfinite(next.q);
    if (finite && decreases_enough(at.q, slope, step, next.q, next.g.dot(d), options_.gamma)) return true;
  }
  if (!finite) throw NotFinite("f or G is not finite along the search direction");
  return false;
}

namespace {

/// Minimiser of the cubic through (a, fa, da) and (b, fb, db), kept away from the ends of [a, b].
double cubic_step(double a, double fa, double da, double b, double fb, double db) {
  const double d1 = da + db - 3.0 * (fa - fb) / (a - b);
  const double root = std::sqrt(std::max(0.0, d1 * d1 - da * db));
  const double d2 = b > a ? root : -root;
  double t = b - (b - a) * (db + d2 - d1) / (db - da + 2.0 * d2);
  const double low = std::min(a, b);
  const double high = std::max(a, b);
  const double margin = 0.1 * (high - low);
  if (!(t >= low + margin && t <= high - margin)) t = 0.5 * (a + b);
  return t;
}

/// Beyond b, where q still falls: the minimiser of the quadratic with slopes da and db at a < b, exact where q is
/// one, at most four times the way from a to b further.
double farther_step(double a, double da, double b, double db) {
  const double way = b - a;
  const double step = db > da ? -db * way / (db - da) : infinity;
  return b + std::clamp(step, 0.1 * way, 4.0 * way);
}

}  // namespace

bool LineSearch::wolfe(Penalty& q, In v, const Iterate& at, In d, double slope, double step, Iterate& next) const {
  constexpr Index max_trials = 40;
  double low = 0.0, q_low = at.q, slope_low = slope;  // the best step that satisfies the decrease condition
  double high = infinity, q_high = 0.0, slope_high = 0.0;
  double before = 0.0, slope_before = slope;  // the low before
  bool finite = true;
  for (Index trial = 0; trial < max_trials && step >= options_.min_step; ++trial) {
    evaluate_step(q, v, at, d, step, next);
    const double slope_next = next.g.dot(d);
    finite = std::isfinite(next.q);
    const bool decrease = finite && decreases_enough(at.q, slope, step, next.q, slope_next, options_.gamma);
    if (decrease && std::abs(slope_next) <= -options_.sigma * slope) return true;
    if (!decrease || (low > 0.0 && next.q > q_low)) {
      high = step, q_high = next.q, slope_high = slope_next;
    } else {
      if (slope_next * (std::isfinite(high) ? high - step : 1.0) >= 0.0)
        high = low, q_high = q_low, slope_high = slope_low;
      before = low, slope_before = slope_low;
      low = step, q_low = next.q, slope_low = slope_next;
    }
    if (!std::isfinite(high)) {
      step = farther_step(before, slope_before, low, slope_low);
    } else if (!std::isfinite(q_high)) {
      step = 0.5 * (low + high);
    } else {
      step = cubic_step(low, q_low, slope_low, high, q_high, slope_high);
    }
    if (std::abs(high - low) <= epsilon * std::max(1.0, low)) break;
  }
  if (low > 0.0) {  // decrease without the curvature condition is still a descent step
    evaluate_step(q, v, at, d, low, next);
    return true;
  }
  if (!finite) throw NotFinite("f or G is not finite along the search direction");
  return false;
}

}  // namespace pendec
