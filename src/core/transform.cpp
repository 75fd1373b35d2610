#include "pendec/core/transform.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "pendec/maps/composition.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/similarity.hpp"

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
  Matrix hessian(In z) const { return point * point / objective * f.hessian(point * z); }
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
  void derivative(In z, In d, Out out) const {
    G.derivative(point * z, point * d, out);
    out.array() /= rows.array();
  }
  Matrix jacobian(In z) const { return point * rows.cwiseInverse().asDiagonal() * G.jacobian(point * z); }
  bool has_hessian() const { return G.has_hessian(); }
  void hessian_times(In z, In w, In d, Out out) const {
    G.hessian_times(point * z, w.cwiseQuotient(rows), d, out);
    out *= point * point;
  }
  Matrix hessian(In z, In w) const { return point * point * G.hessian(point * z, w.cwiseQuotient(rows)); }
  std::optional<ConstantJacobian> constant_jacobian() const {
    if (!G.is_affine()) return std::nullopt;
    return ConstantJacobian{};
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
  bool has_hessian() const { return f.has_hessian() && chart.has_hessian(); }
  /// chart'* ∇²f chart' d + (Σ ∂ᵢf ∇²chartᵢ) d
  void hessian_times(In t, In d, Out out) const {
    const Index n = f.dimension();
    Vector x(n), gradient(n), moved(n), product(n), curved(t.size());
    chart.evaluate(t, x);
    f.value_and_gradient(x, gradient);
    chart.derivative(t, d, moved);
    f.hessian_times(x, moved, product);
    chart.adjoint(t, product, out);
    chart.hessian_times(t, gradient, d, curved);
    out += curved;
  }
  /// At once where the chart only picks coordinates of a quadratic.
  bool hessian(In, Matrix& out) const {
    const auto* embedding = chart.as<Embedding>();
    const auto constant = f.constant_hessian();
    if (!embedding || !constant || !constant->dense) return false;
    out = (*constant->dense)(embedding->indices, embedding->indices);
    return true;
  }
};

}  // namespace

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

Problem restricted(const Problem& problem, const Branch& branch) {
  Problem out;
  out.f = RestrictedObjective{problem.f, branch.chart};
  out.D = branch.domain;
  if (problem.has_G()) {
    out.G = Composition(problem.G, branch.chart);
    out.C = problem.C;
  }
  return out.completed();
}

}  // namespace pendec
