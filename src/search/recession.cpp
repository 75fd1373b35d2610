#include "pendec/search/recession.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "../subsolvers/dense.hpp"
#include "pendec/subsolvers/qp.hpp"
#include "pendec/transform/restricted.hpp"

namespace pendec {
namespace {

/// The recession cone of {d : Jd ∈ the polyhedron}: every right-hand side is zero, and a bound that is finite is too.
LinearConstraints recession_cone(const LinearConstraints& c, const Matrix& J) {
  const Index n = J.cols();
  std::vector<Index> above, below;
  for (Index j = 0; j < c.dimension(); ++j) {
    if (c.upper[j] < infinity) above.push_back(j);
    if (c.lower[j] > -infinity) below.push_back(j);
  }
  LinearConstraints cone = LinearConstraints::none(n);
  cone.A.resize(c.b.size() + std::ssize(above) + std::ssize(below), n);
  cone.A << c.A * J, J(above, Eigen::all), -J(below, Eigen::all);
  cone.E = c.E * J;
  cone.b = Vector::Zero(cone.A.rows());
  cone.d = Vector::Zero(cone.E.rows());
  return cone;
}

void append(Matrix& rows, Vector& rhs, const Matrix& more) {
  rows.conservativeResize(rows.rows() + more.rows(), more.cols());
  rows.bottomRows(more.rows()) = more;
  rhs = Vector::Zero(rows.rows());
}

/// Rows whose kernel is that of ∇²f(t), up to rounding.
Matrix curved_directions(const Objective& f, In t) {
  if (!f.has_hessian()) return Matrix(0, t.size());
  const Matrix H = f.hessian(t).dense();
  if (!H.allFinite()) return Matrix::Identity(t.size(), t.size());
  const detail::SymmetricEigen eigen = detail::symmetric_eigen(0.5 * (H + H.transpose()));
  const double rounding = 1e-13 * eigen.values.cwiseAbs().maxCoeff();
  std::vector<Index> curved;
  for (Index j = 0; j < t.size(); ++j)
    if (std::abs(eigen.values[j]) > rounding) curved.push_back(j);
  return eigen.vectors(Eigen::all, curved).transpose();
}

}  // namespace

std::optional<Vector> falling_direction(const Problem& problem, const Branch& branch) {
  constexpr Index most_variables = 100;  // of a Hessian that is found column by column
  const Problem p = restricted(problem, branch);
  const Index n = p.dimension();
  const auto domain = p.D.linear_constraints();
  if (n == 0 || n > most_variables || !domain || !branch.chart.is_affine()) return std::nullopt;
  LinearConstraints cone = recession_cone(*domain, Matrix::Identity(n, n));
  if (p.has_G()) {
    const auto rows = p.C.linear_constraints();
    if (!rows || !problem.G.is_affine()) return std::nullopt;
    const LinearConstraints of_G = recession_cone(*rows, p.G.jacobian(branch.t).dense());
    append(cone.A, cone.b, of_G.A);
    append(cone.E, cone.d, of_G.E);
  }
  append(cone.E, cone.d, curved_directions(p.f, branch.t));
  Vector gradient(n), d(n);
  p.f.value_and_gradient(branch.t, gradient);
  const double size = gradient.norm();
  if (!(size > 0.0) || !std::isfinite(size)) return std::nullopt;
  // the projection of −∇f onto the cone; by Moreau ⟨∇f, d⟩ = −‖d‖²
  if (DualActiveSet(std::move(cone)).project(-gradient / size, d) != QpStatus::optimal) return std::nullopt;
  constexpr double clearly = 1e-6;
  if (!(d.norm() > clearly)) return std::nullopt;
  return d / d.norm();
}

}  // namespace pendec
