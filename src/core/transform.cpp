#include "pendec/core/transform.hpp"

#include <cmath>
#include <utility>

namespace pendec {
namespace {

/// f̂(z) = f(point · z)/objective.
struct ScaledObjective {
  Objective f;
  double point, objective;

  Index dimension() const { return f.dimension(); }
  double value_and_gradient(In z, Out g) const {
    const Vector x = point * z;
    const double value = f.value_and_gradient(x, g);
    g *= point / objective;
    return value / objective;
  }
  bool has_hessian() const { return f.has_hessian(); }
  void hessian_times(In z, In d, Out out) const {
    f.hessian_times(point * z, d, out);
    out *= point * point / objective;
  }
};

/// Ĝ(z) = diag(rows)⁻¹ G(point · z).
struct ScaledMap {
  Map G;
  double point;
  Vector rows;

  Index input_dimension() const { return G.input_dimension(); }
  Index output_dimension() const { return G.output_dimension(); }
  void evaluate(In z, Out out) const {
    const Vector x = point * z;
    G.evaluate(x, out);
    out.array() /= rows.array();
  }
  void adjoint(In z, In w, Out out) const {
    const Vector x = point * z, scaled_w = w.cwiseQuotient(rows);
    G.adjoint(x, scaled_w, out);
    out *= point;
  }
  Matrix jacobian(In z) const { return point * rows.cwiseInverse().asDiagonal() * G.jacobian(point * z); }
  void hessian_times(In z, In w, In d, Out out) const {
    if (!G.hessian_times(point * z, w.cwiseQuotient(rows), d, out)) out.setConstant(std::nan(""));
    out *= point * point;
  }
};

/// A ScaledMap whose inner map has no second derivatives must not pretend to have them.
struct ScaledMapFirstOrder {
  ScaledMap map;
  Index input_dimension() const { return map.input_dimension(); }
  Index output_dimension() const { return map.output_dimension(); }
  void evaluate(In z, Out out) const { map.evaluate(z, out); }
  void adjoint(In z, In w, Out out) const { map.adjoint(z, w, out); }
  Matrix jacobian(In z) const { return map.jacobian(z); }
};

bool has_second_derivatives(const Map& map) {
  const Vector x = Vector::Zero(map.input_dimension());
  Vector out(map.input_dimension());
  return map.hessian_times(x, Vector::Zero(map.output_dimension()), x, out);
}

class ScaledProjector final : public Projector {
 public:
  ScaledProjector(std::unique_ptr<Projector> inner, double factor) : inner_(std::move(inner)), factor_(factor) {}
  using Projector::project;
  void project(In z, Out y) override {
    scaled_ = factor_ * z;
    inner_->project(scaled_, y);
    y /= factor_;
  }
  double error() const override { return inner_->error() / factor_; }

 private:
  std::unique_ptr<Projector> inner_;
  double factor_;
  Vector scaled_;
};

/// chart̂(t) = chart(unit_in · t)/unit_out.
struct ScaledChart {
  Map chart;
  double in, out_unit;

  Index input_dimension() const { return chart.input_dimension(); }
  Index output_dimension() const { return chart.output_dimension(); }
  void evaluate(In t, Out x) const {
    chart.evaluate(in * t, x);
    x /= out_unit;
  }
  void adjoint(In t, In w, Out out) const {
    chart.adjoint(in * t, w, out);
    out *= in / out_unit;
  }
  void derivative(In t, In d, Out out) const {
    if (!chart.derivative(in * t, d, out)) out = chart.jacobian(in * t) * d;
    out *= in / out_unit;
  }
  void hessian_times(In t, In w, In d, Out out) const {
    if (!chart.hessian_times(in * t, w, d, out)) out.setConstant(std::nan(""));
    out *= in * in / out_unit;
  }
};

struct ScaledSet {
  Set set;
  double factor;

  Index dimension() const { return set.dimension(); }
  std::string name() const { return set.name(); }
  bool convex() const { return set.convex(); }
  void project(In z, Out y) const {
    set.project(factor * z, y);
    y /= factor;
  }
  double distance(In x) const { return set.distance(factor * x) / factor; }
  std::unique_ptr<Projector> projector() const { return std::make_unique<ScaledProjector>(set.projector(), factor); }
  std::optional<LinearConstraints> linear_constraints() const {
    auto rows = set.linear_constraints();
    if (!rows) return rows;
    rows->A *= factor;
    rows->E *= factor;
    rows->lower /= factor;
    rows->upper /= factor;
    return rows;
  }
  std::vector<Range> free_ranges() const { return set.free_ranges(); }

  /// Coordinates of an affine chart scale like x; those of factors x = t·tᵀ like its square root.
  std::optional<Branch> branch(In y, In z) const {
    auto b = set.branch(factor * y, factor * z);
    if (!b) return b;
    const double unit = b->chart.is_affine() ? factor : std::sqrt(factor);
    b->chart = ScaledChart{b->chart, unit, factor};
    b->domain = scaled(b->domain, unit);
    b->t /= unit;
    return b;
  }
};

/// f ∘ chart.
struct RestrictedObjective {
  Objective f;
  Map chart;

  Index dimension() const { return chart.input_dimension(); }
  double value_and_gradient(In t, Out g) const {
    Vector x(f.dimension()), gradient(f.dimension());
    chart.evaluate(t, x);
    const double value = f.value_and_gradient(x, gradient);
    chart.adjoint(t, gradient, g);
    return value;
  }
  bool has_hessian() const { return f.has_hessian() && has_second_derivatives(chart); }
  /// chart'* ∇²f chart' d + (Σ ∂ᵢf ∇²chartᵢ) d
  void hessian_times(In t, In d, Out out) const {
    const Index n = f.dimension();
    Vector x(n), gradient(n), moved(n), product(n), curved(t.size());
    chart.evaluate(t, x);
    f.value_and_gradient(x, gradient);
    if (!chart.derivative(t, d, moved)) moved = chart.jacobian(t) * d;
    f.hessian_times(x, moved, product);
    chart.adjoint(t, product, out);
    if (chart.hessian_times(t, gradient, d, curved)) out += curved;
  }
};

/// G ∘ chart.
struct RestrictedMap {
  Map G, chart;

  Index input_dimension() const { return chart.input_dimension(); }
  Index output_dimension() const { return G.output_dimension(); }
  void evaluate(In t, Out out) const {
    Vector x(G.input_dimension());
    chart.evaluate(t, x);
    G.evaluate(x, out);
  }
  void adjoint(In t, In w, Out out) const {
    Vector x(G.input_dimension()), g(G.input_dimension());
    chart.evaluate(t, x);
    G.adjoint(x, w, g);
    chart.adjoint(t, g, out);
  }
};

/// With second derivatives, where both maps have them.
struct RestrictedMapSecondOrder : RestrictedMap {
  void hessian_times(In t, In w, In d, Out out) const {
    const Index n = G.input_dimension();
    Vector x(n), g(n), moved(n), product(n), curved(t.size());
    chart.evaluate(t, x);
    G.adjoint(x, w, g);
    if (!chart.derivative(t, d, moved)) moved = chart.jacobian(t) * d;
    if (!G.hessian_times(x, w, moved, product)) product.setConstant(std::nan(""));
    chart.adjoint(t, product, out);
    if (chart.hessian_times(t, g, d, curved)) out += curved;
  }
};

Map scaled_map(const Map& G, const Scaling& scaling) {
  ScaledMap map{G, scaling.point, scaling.rows};
  if (has_second_derivatives(G)) return map;
  return ScaledMapFirstOrder{std::move(map)};
}

Map restricted_map(const Map& G, const Map& chart) {
  if (has_second_derivatives(G) && has_second_derivatives(chart)) return RestrictedMapSecondOrder{{G, chart}};
  return RestrictedMap{G, chart};
}

}  // namespace

Set scaled(const Set& set, double factor) { return ScaledSet{set, factor}; }

Problem scaled(const Problem& problem, const Scaling& scaling) {
  Problem out = problem;
  out.f = ScaledObjective{problem.f, scaling.point, scaling.objective};
  out.D = scaled(problem.D, scaling.point);
  if (!problem.has_G()) return out;
  out.G = scaled_map(problem.G, scaling);
  const auto rows = problem.C.scaled(scaling.rows);
  out.C = rows ? *rows : scaled(problem.C, scaling.rows[0]);
  return out;
}

Problem restricted(const Problem& problem, const Branch& branch) {
  Problem out;
  out.f = RestrictedObjective{problem.f, branch.chart};
  out.D = branch.domain;
  if (problem.has_G()) {
    out.G = restricted_map(problem.G, branch.chart);
    out.C = problem.C;
  }
  return out.completed();
}

}  // namespace pendec
