#include "pendec/transform/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pendec/core/scratch.hpp"
#include "pendec/sets/similarity.hpp"

namespace pendec {
namespace {

/// f̂(z) = f(point · z)/objective.
struct ScaledObjective {
  Objective f;
  double point, objective;

  Index dimension() const { return f.dimension(); }
  double value_and_gradient(In z, Out g) const {
    Scratch x(z.size());
    *x = point * z;
    const double value = f.value_and_gradient(*x, g);
    g *= point / objective;
    return value / objective;
  }
  bool has_value() const { return f.has_value(); }
  double value(In z) const {
    Scratch x(z.size());
    *x = point * z;
    return f.value(*x) / objective;
  }
  bool has_hessian() const { return f.has_hessian(); }
  void hessian_times(In z, In d, Out out) const {
    Scratch x(z.size());
    *x = point * z;
    f.hessian_times(*x, d, out);
    out *= curvature();
  }
  Operator hessian(In z) const { return f.hessian(point * z).scaled(curvature()); }
  std::optional<Operator> constant_hessian() const {
    if (!f.is_quadratic()) return std::nullopt;
    return f.constant_hessian()->scaled(curvature());
  }
  bool convex() const { return f.convex(); }
  double lower_bound() const { return f.lower_bound() / objective; }
  std::optional<Matrix> curvature_below(In at, In lower, In upper) const {
    auto H = f.curvature_below(point * at, point * lower, point * upper);
    if (H) *H *= curvature();
    return H;
  }
  double magnitude(In z, Out gradient) const {
    const double value = f.magnitude(point * z, gradient);
    gradient *= point / objective;
    return value / objective;
  }
  Index summands() const { return f.summands(); }
  double curvature() const { return point * point / objective; }
};

/// Ĝ(z) = diag(rows)⁻¹ G(point · z).
struct ScaledMap {
  Map G;
  double point;
  Vector rows;

  Index input_dimension() const { return G.input_dimension(); }
  Index output_dimension() const { return G.output_dimension(); }
  void evaluate(In z, Out out) const {
    Scratch x(z.size());
    *x = point * z;
    G.evaluate(*x, out);
    out.array() /= rows.array();
  }
  void adjoint(In z, In w, Out out) const {
    Scratch x(z.size()), weights(w.size());
    *x = point * z;
    *weights = w.cwiseQuotient(rows);
    G.adjoint(*x, *weights, out);
    out *= point;
  }
  void derivative(In z, In d, Out out) const {
    Scratch x(z.size()), moved(d.size());
    *x = point * z;
    *moved = point * d;
    G.derivative(*x, *moved, out);
    out.array() /= rows.array();
  }
  Operator jacobian(In z) const { return in_units(G.jacobian(point * z)); }
  bool has_jacobian() const { return G.has_jacobian(); }
  std::optional<Operator> constant_jacobian() const {
    if (!G.is_affine()) return std::nullopt;
    return in_units(*G.constant_jacobian());
  }
  bool has_hessian() const { return G.has_hessian(); }
  void hessian_times(In z, In w, In d, Out out) const {
    Scratch x(z.size()), weights(w.size());
    *x = point * z;
    *weights = w.cwiseQuotient(rows);
    G.hessian_times(*x, *weights, d, out);
    out *= point * point;
  }
  Operator hessian(In z, In w) const { return G.hessian(point * z, w.cwiseQuotient(rows)).scaled(point * point); }
  bool convex() const { return G.convex(); }
  std::optional<Operator> curvature_below(In at, In w) const {
    const auto H = G.curvature_below(point * at, w.cwiseQuotient(rows));
    if (!H) return std::nullopt;
    return H->scaled(point * point);
  }
  void tighten(In lower, In upper, Out least, Out greatest) const {
    constexpr double margin = 8.0 * epsilon;  // outwards; a bound that stays is not touched
    const Vector before = point * least, after = point * greatest;
    Vector low = before, high = after;
    G.tighten(lower.cwiseProduct(rows), upper.cwiseProduct(rows), low, high);
    for (Index i = 0; i < low.size(); ++i) {
      if (low[i] > before[i]) least[i] = std::max(least[i], (low[i] - margin * std::abs(low[i])) / point);
      if (high[i] < after[i]) greatest[i] = std::min(greatest[i], (high[i] + margin * std::abs(high[i])) / point);
    }
  }

  void magnitude(In z, Out values, Out slopes) const {
    G.magnitude(point * z, values, slopes);
    values.array() /= rows.array();
    slopes.array() *= point / rows.array();
  }

  Operator in_units(const Operator& J) const { return J.scaled(point * rows.cwiseInverse(), {}); }
};

}  // namespace

Map scaled(const Map& G, Vector rows) { return ScaledMap{G, 1.0, std::move(rows)}; }

Problem scaled(const Problem& problem, const Scaling& scaling) {
  Problem out = problem;
  out.f = ScaledObjective{problem.f, scaling.point, scaling.objective};
  out.D = magnified(problem.D, 1.0 / scaling.point);
  if (!problem.has_G()) return out;
  out.G = ScaledMap{problem.G, scaling.point, scaling.rows};
  const auto rows = problem.C.scaled(scaling.rows);
  out.C = rows ? *rows : magnified(problem.C, 1.0 / scaling.rows[0]);
  return out;
}

}  // namespace pendec
