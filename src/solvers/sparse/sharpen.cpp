#include "sharpen.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../../subsolvers/dense.hpp"

namespace pendec::sparse {
namespace {

/// δ with what is known about it.
struct Point {
  Vector delta;
  double log_det = -infinity;  // of Q − diag δ
  Matrix inverse;
  double value = -infinity;  // R(δ)
  Vector slope;              // of R
  Vector x;
};

class Ascent {
 public:
  Ascent(const Model& model, Relaxation& relaxation, const Deadline& deadline)
      : model_(model), relaxation_(relaxation), deadline_(deadline) {}

  std::optional<Point> evaluate(Vector delta, Vector x) {
    deadline_.check();
    Split split(*model_.Q, std::move(delta));
    if (!cholesky_.compute(split.Q0, deadline_)) return std::nullopt;
    const Index n = model_.dimension();
    Point p{split.delta, 2.0 * cholesky_.L().diagonal().array().log().sum(), Matrix::Identity(n, n), 0.0, {}, {}};
    cholesky_.divide_from_right(p.inverse, deadline_);
    p.inverse = detail::times_transpose(p.inverse, p.inverse, deadline_);
    relaxation_.set_split(std::move(split));
    const auto relaxed = relaxation_.solve(model_.root, slots(model_, model_.root), x, infinity);
    if (relaxed.infeasible || !std::isfinite(relaxed.value)) return std::nullopt;
    p.value = relaxed.value;
    p.slope.setZero(n);
    for (Index i = 0; i < n; ++i) {
      const double z = relaxation_.shares()[model_.group_of[at(i)]];
      if (z > 0.0) p.slope[i] = 0.5 * x[i] * x[i] * (1.0 / z - 1.0);
    }
    p.x = std::move(x);
    return p;
  }

  /// One step up R + μ log det; nothing if none is found.
  std::optional<Point> step(const Point& from, double mu) {
    const Vector gradient = from.slope / mu - from.inverse.diagonal();
    Matrix hessian = from.inverse.cwiseAbs2();
    if (!cholesky_.compute(hessian, deadline_)) return std::nullopt;
    Vector d = gradient;
    cholesky_.solve_in_place(d);
    const double rise = gradient.dot(d);
    for (double t = 1.0; t > 1e-3; t *= 0.4) {
      auto next = evaluate((from.delta + t * d).cwiseMax(0.0), from.x);
      if (next && next->value + mu * next->log_det > from.value + mu * from.log_det + 1e-3 * mu * t * rise)
        return next;
    }
    return std::nullopt;
  }

 private:
  const Model& model_;
  Relaxation& relaxation_;
  const Deadline& deadline_;
  detail::Cholesky cholesky_;
};

}  // namespace

void sharpen(const Model& model, Relaxation& relaxation, Vector& x, double cutoff, const Deadline& deadline) {
  constexpr int stages = 6, steps_per_stage = 4;
  Split best = relaxation.split();
  Vector best_x = x, warm = x;
  double best_bound = relaxation.solve(model.root, slots(model, model.root), warm, infinity).bound;
  const auto keep = [&](const Point& p) {
    auto split = verified_split(*model.Q, (1.0 - 1e-8) * p.delta, deadline);
    if (!split) return;
    relaxation.set_split(*split);
    Vector root = p.x;
    const double bound = relaxation.solve(model.root, slots(model, model.root), root, infinity).bound;
    if (bound > best_bound) best_bound = bound, best = std::move(*split), best_x = std::move(root);
  };
  const auto ascend = [&] {
    Ascent ascent(model, relaxation, deadline);
    auto point = ascent.evaluate(0.9 * best.delta.cwiseMax(0.0), warm);
    if (!point || !(point->slope.sum() > 0.0)) return;
    double mu = point->slope.sum() / point->inverse.diagonal().sum();
    for (int stage = 0; stage < stages && best_bound < cutoff; ++stage, mu *= 0.2) {
      for (int k = 0; k < steps_per_stage; ++k) {
        auto next = ascent.step(*point, mu);
        if (!next) break;
        const double gain = next->value + mu * next->log_det - point->value - mu * point->log_det;
        point = std::move(next);
        if (gain < 0.05 * mu) break;
      }
      keep(*point);
    }
  };
  try {
    ascend();
  } catch (const OutOfTime&) {  // the best split so far is kept
  }
  relaxation.set_split(std::move(best));
  x = std::move(best_x);
}

}  // namespace pendec::sparse
