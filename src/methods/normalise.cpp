#include "pendec/methods/normalise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pendec/methods/run.hpp"

namespace pendec {
namespace {

double max_norm(In v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; }

/// The size of each row of G'(x). Jacobians beyond 10⁷ entries that nobody keeps are not formed; one adjoint product
/// tells the order of magnitude of all rows together.
Vector row_norms(const Map& G, In x) {
  const Index m = G.output_dimension();
  if (G.is_affine() && G.constant_jacobian()->has_entries()) return G.constant_jacobian()->row_norms();
  if (m * x.size() <= 10'000'000) return G.jacobian(x).row_norms();
  Vector out(x.size());
  G.adjoint(x, Vector::Ones(m), out);
  return Vector::Constant(m, out.norm() / std::sqrt(static_cast<double>(m)));
}

/// Rows below 1e-8 of the largest take the largest; where C is not separable, all rows take the largest.
Vector row_scaling(const Problem& problem, In x0, In in_D) {
  Vector rows = row_norms(problem.G, x0).cwiseMax(row_norms(problem.G, in_D));
  const double largest = rows.maxCoeff();
  if (!(largest > 0.0) || !std::isfinite(largest)) return Vector::Ones(rows.size());
  rows = (rows.array() > 1e-8 * largest).select(rows, largest);
  if (!problem.C.scaled(rows)) rows.setConstant(largest);
  return rows;
}

/// ‖∇f(x − tg) − g‖/(t‖g‖) for the first t, growing tenfold, at which the gradient visibly changes.
double curvature_along_gradient(const Objective& f, In x, In g) {
  Vector moved(x.size());
  const double size = g.norm();
  for (double t = 1e-12; t < 1e13 && size > 0.0; t *= 10.0) {
    if (!std::isfinite(f.value_and_gradient(x - t * g, moved)) || !moved.allFinite()) return 0.0;
    const double change = (moved - g).norm();
    if (change >= 1e-2 * size) return change / (t * size);
  }
  return 0.0;
}

/// P_D(x), or x where that is not a number: what is wrong with D is for the method to tell.
Vector finite_projection(const Set& D, In x) {
  Vector y = D.projection(x);
  return y.allFinite() ? y : Vector(x);
}

struct Slopes {
  double gradient = 0.0;   // the largest ‖∇f‖
  double component = 0.0;  // the largest |∂ᵢf|
  double curvature = 0.0;  // the largest secant curvature
};

template <std::size_t N>
Slopes slopes(const Objective& f, const std::array<Vector, N>& points) {
  Slopes s;
  std::array<Vector, N> gradients;
  for (std::size_t i = 0; i < N; ++i) {
    gradients[i].resize(points[i].size());
    const double value = f.value_and_gradient(points[i], gradients[i]);
    if (!std::isfinite(value) || !gradients[i].allFinite()) continue;
    s.gradient = std::max(s.gradient, gradients[i].norm());
    s.component = std::max(s.component, max_norm(gradients[i]));
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = (points[i] - points[j]).norm();
      if (distance == 0.0) continue;
      const double secant = (gradients[i] - gradients[j]).norm() / distance;
      if (std::isfinite(secant)) s.curvature = std::max(s.curvature, secant);
    }
  }
  if (s.curvature == 0.0) s.curvature = curvature_along_gradient(f, points[0], gradients[0]);
  return s;
}

}  // namespace

Vector feasibility_point(const Problem& problem, In x0, Monitor& monitor, Counts& counts) {
  if (!problem.has_G()) return finite_projection(problem.D, x0);
  Problem feasibility = problem;
  feasibility.f = make_objective(problem.dimension(), [](In, Out g) {
    g.setZero();
    return 0.0;
  });
  Options options = default_preset(Method::pd);
  options.penalty.tau0 = 1.0;
  options.inner.max_iterations = 200;
  options.inner.delta0 = options.inner.delta_min = 1e-10 * (1.0 + x0.norm());
  options.limits.outer = 1;
  options.driver.polish = false;
  RunOutcome outcome;
  monitor.mute(true);
  run(feasibility, {.x = x0}, options, {}, monitor, infinity, {}, outcome);
  monitor.mute(false);
  outcome.counts.outer = 0;  // those of the methods are counted, which limits.outer limits
  counts += outcome.counts;
  return outcome.last.y.size() > 0 ? outcome.last.origin() : Vector(x0);
}

Normalisation normalise(const Problem& problem, In x0, Monitor& monitor) {
  const Vector in_D = finite_projection(problem.D, x0);
  Normalisation out;
  Problem rescaled = problem;  // G in units of its rows
  double residual = 0.0;
  if (problem.has_G()) {
    out.scaling.rows = row_scaling(problem, x0, in_D);
    rescaled = scaled(problem, {1.0, 1.0, out.scaling.rows});
    Vector G(problem.G.output_dimension());
    rescaled.G.evaluate(x0, G);
    residual = max_norm(G - rescaled.C.projection(G));
  }
  out.feasible = feasibility_point(rescaled, x0, monitor, out.counts);
  const Vector feasible_in_D = finite_projection(problem.D, out.feasible);
  const Slopes s = slopes(problem.f, std::array<Vector, 3>{x0, in_D, feasible_in_D});

  double& X = out.scaling.point;
  X = std::max({max_norm(x0), max_norm(x0 - in_D), residual, max_norm(out.feasible), max_norm(out.feasible - x0)});
  if (s.curvature > 0.0) {  // the length of a Newton step; a start that happens to be small says little
    const double newton = s.component / s.curvature;
    X = X == 0.0 ? newton : std::max(X, std::min(newton, 100.0 * X));
  }
  if (!(X > 0.0) || !std::isfinite(X)) X = 1.0;
  X = std::exp2(
      std::round(std::log2(X)));  // exact to multiply with: a point of D in these units is one in the user's
  double& F = out.scaling.objective;
  F = std::max(s.gradient * X, s.curvature * X * X);
  if (!(F > 0.0) || !std::isfinite(F)) F = 1.0;
  out.scaling.rows *= X;
  return out;
}

}  // namespace pendec
