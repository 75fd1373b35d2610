#include "pendec/transform/restricted.hpp"

#include <cmath>
#include <optional>

#include "pendec/core/scratch.hpp"
#include "pendec/maps/composition.hpp"

namespace pendec {
namespace {

/// f ∘ chart.
struct RestrictedObjective {
  Objective f;
  Map chart;

  Index dimension() const { return chart.input_dimension(); }
  double value_and_gradient(In t, Out g) const {
    Scratch x(f.dimension()), gradient(f.dimension());
    chart.evaluate(t, *x);
    const double value = f.value_and_gradient(*x, *gradient);
    chart.adjoint(t, *gradient, g);
    return value;
  }
  bool has_value() const { return f.has_value(); }
  double value(In t) const {
    Scratch x(f.dimension());
    chart.evaluate(t, *x);
    return f.value(*x);
  }
  bool has_hessian() const { return f.has_hessian() && chart.has_hessian(); }
  /// chart'* ∇²f chart' d + (Σ ∂ᵢf ∇²chartᵢ) d
  void hessian_times(In t, In d, Out out) const {
    const Index n = f.dimension();
    Scratch x(n), moved(n), product(n), curved(t.size());
    chart.evaluate(t, *x);
    chart.derivative(t, d, *moved);
    f.hessian_times(*x, *moved, *product);
    chart.adjoint(t, *product, out);
    if (chart.is_affine()) return;
    f.value_and_gradient(*x, *moved);  // the gradient
    chart.hessian_times(t, *moved, d, *curved);
    out += *curved;
  }
  Operator hessian(In t) const {
    const Vector x = image(t);
    const Operator through = f.hessian(x).within(chart.jacobian(t));
    if (chart.is_affine()) return through;
    Vector gradient(f.dimension());
    f.value_and_gradient(x, gradient);
    return Operator::sum({through, chart.hessian(t, gradient)});
  }
  std::optional<Operator> constant_hessian() const {
    if (!chart.is_affine() || !f.is_quadratic()) return std::nullopt;
    return f.constant_hessian()->within(*chart.constant_jacobian());
  }
  bool convex() const { return f.convex() && chart.is_affine(); }
  /// The box of t is one of x where the chart puts in coordinates.
  double lower_bound() const { return f.lower_bound(); }
  std::optional<Matrix> curvature_below(In at, In lower, In upper) const {
    const auto* indices = chart.is_affine() ? chart.constant_jacobian()->embedded() : nullptr;
    if (!indices) return std::nullopt;
    const auto H = f.curvature_below(image(at), image(lower), image(upper));
    if (!H) return std::nullopt;
    return Matrix((*H)(*indices, *indices));
  }
  /// x = chart(t) is rounded as well, relative to what it adds up.
  double magnitude(In t, Out gradient) const {
    if (!chart.is_affine()) {
      const double value = value_and_gradient(t, gradient);
      gradient = gradient.cwiseAbs().eval();
      return std::abs(value) + t.cwiseAbs().dot(gradient);
    }
    const Operator& J = *chart.constant_jacobian();
    Vector sizes(f.dimension()), moved(f.dimension());
    const double value = f.magnitude(image(t), sizes);
    J.magnitude_times(t, moved);
    moved += image(Vector::Zero(t.size())).cwiseAbs();
    J.magnitude_transpose_times(sizes, gradient);
    return value + sizes.dot(moved);
  }
  Index summands() const { return f.summands() + f.dimension() + dimension(); }
  Vector image(In t) const {
    Vector x(f.dimension());
    chart.evaluate(t, x);
    return x;
  }
};

}  // namespace

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
