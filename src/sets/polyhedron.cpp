#include "pendec/sets/polyhedron.hpp"

#include <algorithm>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

// Points are on the boundary up to the accuracy of a projection, with room for a few operations after it.
constexpr double active_tolerance = 1e-9;

LinearConstraints inequalities(Operator A, Vector b) {
  require(A.cols() >= 1, "Polyhedron.A.cols()", A.cols(), "at least 1");
  LinearConstraints c = LinearConstraints::none(A.cols());
  c.A = std::move(A);
  c.b = std::move(b);
  return c;
}

/// A workspace per thread, for projections without state of their own.
DualActiveSet& shared_workspace(const std::shared_ptr<const PreparedConstraints>& constraints) {
  thread_local std::optional<DualActiveSet> workspace;
  if (workspace)
    workspace->bind(constraints);
  else
    workspace.emplace(constraints);
  return *workspace;
}

/// Distance to the farthest half-space, at most the distance to the polyhedron.
double largest_violation(const PreparedConstraints& c, const Vector& x) {
  const LinearConstraints& data = c.data;
  double worst = std::max((data.lower - x).maxCoeff(), (x - data.upper).maxCoeff());
  if (data.b.size() > 0) worst = std::max(worst, (*c.A * x - data.b).cwiseProduct(c.row_scale).maxCoeff());
  if (data.d.size() > 0)
    worst = std::max(worst, (*c.E * x - data.d).cwiseProduct(c.equality_scale).cwiseAbs().maxCoeff());
  return std::max(worst, 0.0);
}

/// T(x) = {d : aᵢᵀd ≤ 0 for active i, E d = 0, …}
LinearConstraints tangent_cone(const PreparedConstraints& c, const Vector& x) {
  const LinearConstraints& data = c.data;
  const double tol = active_tolerance * (1.0 + x.norm());
  LinearConstraints cone = LinearConstraints::none(x.size());
  std::vector<Index> active;
  for (Index i = 0; i < data.b.size(); ++i)
    if (c.row_scale[i] * (data.b[i] - c.A->row(i).dot(x)) <= tol) active.push_back(i);
  cone.A = Matrix((*c.A)(active, Eigen::all));
  cone.b = Vector::Zero(cone.A.rows());
  cone.E = data.E;
  cone.d = Vector::Zero(data.d.size());
  for (Index j = 0; j < x.size(); ++j) {
    if (x[j] - data.lower[j] <= tol) cone.lower[j] = 0.0;
    if (data.upper[j] - x[j] <= tol) cone.upper[j] = 0.0;
  }
  return cone;
}

}  // namespace

Polyhedron::Polyhedron(Operator A, Vector b) : Polyhedron(inequalities(std::move(A), std::move(b))) {}

Polyhedron::Polyhedron(LinearConstraints constraints) {
  require(constraints.dimension() >= 1, "Polyhedron dimension", constraints.dimension(), "at least 1");
  prepared = std::make_shared<const PreparedConstraints>(std::move(constraints));
  Vector y(dimension());
  const QpStatus status = shared_workspace(prepared).project(Vector::Zero(dimension()), y);
  require(status != QpStatus::infeasible, "Polyhedron", std::string_view("empty"),
          "constraints A x <= b, E x = d, lower <= x <= upper that some x satisfies");
}

void Polyhedron::project(In z, Out y) const {
  if (shared_workspace(prepared).project(z, y) == QpStatus::not_finite) y = z;
}

bool Polyhedron::contains(In x, double tol) const {
  const double violation = largest_violation(*prepared, x);
  if (!(violation <= tol)) return false;
  if (violation == 0.0) return true;
  Vector y(x.size());
  project(x, y);
  return (x - y).norm() <= tol;
}

double Polyhedron::normal_residual(In x, In v) const {
  // Moreau: v = P_N(v) + P_T(v), so dist(v, N) = ‖P_T(v)‖.
  Vector tangential(v.size());
  DualActiveSet(tangent_cone(*prepared, x)).project(v, tangential);
  return tangential.norm();
}

std::unique_ptr<Projector> Polyhedron::projector() const { return std::make_unique<PolyhedronProjector>(prepared); }

std::optional<Set> Polyhedron::scaled(In row) const {
  // diag(row) z in the set: A diag(row) z ≤ b, lower / row ≤ z ≤ upper / row
  LinearConstraints c = prepared->data;
  if (c.b.size() > 0) c.A = c.A.scaled({}, row);
  if (c.d.size() > 0) c.E = c.E.scaled({}, row);
  c.lower = c.lower.cwiseQuotient(row);
  c.upper = c.upper.cwiseQuotient(row);
  return Set(Polyhedron(std::move(c)));
}

PolyhedronProjector::PolyhedronProjector(std::shared_ptr<const PreparedConstraints> constraints)
    : solver_(std::move(constraints)) {}

void PolyhedronProjector::project(In z, Out y) {
  if (solver_.project(z, y) == QpStatus::not_finite) y = z;
}

bool PolyhedronProjector::project_within(In z, Out y, double max_distance) {
  const QpStatus status = solver_.project(z, y, max_distance);
  if (status == QpStatus::not_finite) y = z;
  return status != QpStatus::cutoff;
}

}  // namespace pendec
