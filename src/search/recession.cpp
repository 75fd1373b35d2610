#include "pendec/search/recession.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "../subsolvers/exact.hpp"
#include "../subsolvers/verified.hpp"
#include "pendec/subsolvers/qp.hpp"
#include "pendec/transform/restricted.hpp"

namespace pendec {
namespace {

/// The recession cone of a polyhedron: every right-hand side is zero, and a bound that is finite is too.
LinearConstraints recession_cone(LinearConstraints c) {
  const auto zero_if_finite = [](Vector& v) { v = v.array().isFinite().select(0.0, v); };
  for (Vector* right : {&c.b, &c.d, &c.lower, &c.upper}) zero_if_finite(*right);
  return c;
}

/// Rows whose kernel is that of ∇²f(t), up to rounding.
Matrix curved_directions(const Objective& f, In t) {
  if (!f.has_hessian()) return Matrix(0, t.size());
  const Matrix H = f.hessian(t).dense();
  if (!H.allFinite()) return Matrix::Identity(t.size(), t.size());
  const Matrix flat = detail::flat_directions(0.5 * (H + H.transpose()));
  if (flat.cols() == 0) return Matrix::Identity(t.size(), t.size());
  return Matrix::Identity(t.size(), t.size()) - flat * flat.transpose();
}

}  // namespace

std::optional<Vector> falling_direction(const Problem& problem, const Branch& branch) {
  constexpr Index most_variables = 100;  // of a Hessian that is found column by column
  const Problem p = restricted(problem, branch);
  const Index n = p.dimension();
  const auto domain = p.D.linear_constraints();
  if (n == 0 || n > most_variables || !domain || !branch.chart.is_affine()) return std::nullopt;
  LinearConstraints all = *domain;
  if (p.has_G()) {
    const auto rows = p.C.linear_constraints();
    if (!rows || !problem.G.is_affine()) return std::nullopt;
    all.append(rows->preimage(p.G.jacobian(branch.t), Vector::Zero(rows->dimension())));
  }
  LinearConstraints flat = LinearConstraints::none(n);
  flat.E = curved_directions(p.f, branch.t);
  flat.d = Vector::Zero(flat.E.rows());
  all.append(flat);
  Vector gradient(n), d(n);
  p.f.value_and_gradient(branch.t, gradient);
  const double size = gradient.norm();
  if (!(size > 0.0) || !std::isfinite(size)) return std::nullopt;
  // the projection of −∇f onto the cone; by Moreau ⟨∇f, d⟩ = −‖d‖²
  if (DualActiveSet(recession_cone(std::move(all))).project(-gradient / size, d) != QpStatus::optimal)
    return std::nullopt;
  constexpr double clearly = 1e-6;
  if (!(d.norm() > clearly)) return std::nullopt;
  return d / d.norm();
}

bool is_bottomless(const Problem& problem, const Branch& branch) {
  auto d = falling_direction(problem, branch);
  const auto& H = problem.f.constant_hessian();
  if (!d || !H || !H->is_exact() || !branch.chart.constant_jacobian()->embedded()) return false;
  const Problem p = restricted(problem, branch);
  const Index n = p.dimension();
  LinearConstraints rows = *p.D.linear_constraints();
  if (p.has_G()) {
    const Operator J = p.G.jacobian(branch.t);
    if (!problem.G.constant_jacobian()->is_exact()) return false;
    rows.append(p.C.linear_constraints()->preimage(J, Vector::Zero(J.rows())));
  }
  Vector slope(n);
  p.f.value_and_gradient(Vector::Zero(n), slope);
  return detail::to_small_fractions(*d) &&
         detail::is_ray_of_descent(p.f.constant_hessian()->dense(), slope, rows, *d);
}

}  // namespace pendec
