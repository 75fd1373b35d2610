#include "pendec/sets/polyhedron.hpp"

#include <algorithm>
#include <utility>

#include "../subsolvers/sparse_projection.hpp"
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

/// Where the active-set method would store and touch much that is zero.
bool suits_sparse_rows(const LinearConstraints& c) {
  constexpr Index small = 300, few_rows = 50, share = 4;
  const Index n = c.dimension(), rows = c.b.size() + c.d.size();
  if (n <= small) return false;
  const auto entries = [](const Operator& M, const Vector& right) {
    return right.size() > 0 ? M.formed_entries() : 0;
  };
  return rows <= few_rows || share * (entries(c.A, c.b) + entries(c.E, c.d)) <= rows * n;
}

/// Distance to the farthest half-space, at most the distance to the polyhedron.
double largest_violation(const Polyhedron& P, In x) {
  const LinearConstraints& data = P.constraints();
  double worst = std::max({0.0, (data.lower - x).maxCoeff(), (x - data.upper).maxCoeff()});
  const auto note = [&worst](const Vector& above, const Vector& apart) {
    if (above.size() > 0) worst = std::max(worst, above.maxCoeff());
    if (apart.size() > 0) worst = std::max(worst, apart.cwiseAbs().maxCoeff());
  };
  if (P.sparse) {
    const Vector off = P.sparse->matrix * x - P.sparse->right;
    note(off.head(data.b.size()), off.tail(data.d.size()));
  } else {
    const PreparedConstraints& c = *P.prepared;
    note((*c.A * x - data.b).cwiseProduct(c.row_scale), (*c.E * x - data.d).cwiseProduct(c.equality_scale));
  }
  return worst;
}

/// Begins every projection with the multipliers of the last one.
class SparsePolyhedronProjector final : public Projector {
 public:
  explicit SparsePolyhedronProjector(std::shared_ptr<const detail::SparseRows> rows)
      : rows_(std::move(rows)), solver_(rows_) {}
  using Projector::project;
  void project(In z, Out y) override {
    constexpr double far = 100.0;
    exact_ = z.allFinite() && solver_.project(z, y) == detail::ProjectionEnd::optimal;
    if (!z.allFinite()) {
      y = z;
    } else if (!exact_ || z.norm() > far * y.norm()) {  // y is in the set up to rounding errors in z: from there
      const Vector nearby = y;
      detail::SparseProjection(rows_).project(nearby, y);
    }
  }
  double error() const override { return exact_ ? 0.0 : infinity; }

 private:
  std::shared_ptr<const detail::SparseRows> rows_;
  detail::SparseProjection solver_;
  bool exact_ = true;
};

/// Is y the projection, up to rounding?
bool project_sparse(const std::shared_ptr<const detail::SparseRows>& rows, In z, Out y) {
  SparsePolyhedronProjector projector(rows);
  projector.project(z, y);
  return projector.error() == 0.0;
}

}  // namespace

Polyhedron::Polyhedron(Operator A, Vector b) : Polyhedron(inequalities(std::move(A), std::move(b))) {}

Polyhedron::Polyhedron(LinearConstraints constraints) {
  require(constraints.dimension() >= 1, "Polyhedron dimension", constraints.dimension(), "at least 1");
  bool empty = false;
  if (suits_sparse_rows(constraints)) {
    require_valid(constraints);
    sparse = std::make_shared<const detail::SparseRows>(std::move(constraints));
    Vector y(dimension());
    empty =
        detail::SparseProjection(sparse).project(Vector::Zero(dimension()), y) == detail::ProjectionEnd::infeasible;
  } else {
    prepared = std::make_shared<const PreparedConstraints>(std::move(constraints));
    Vector y(dimension());
    empty = shared_workspace(prepared).project(Vector::Zero(dimension()), y) == QpStatus::infeasible;
  }
  require(!empty, "Polyhedron", std::string_view("empty"),
          "constraints A x <= b, E x = d, lower <= x <= upper that some x satisfies");
}

const LinearConstraints& Polyhedron::constraints() const { return sparse ? sparse->data : prepared->data; }

Index Polyhedron::dimension() const { return constraints().dimension(); }

void Polyhedron::project(In z, Out y) const {
  if (sparse) {
    project_sparse(sparse, z, y);
    return;
  }
  if (shared_workspace(prepared).project(z, y) == QpStatus::not_finite) y = z;
}

bool Polyhedron::contains(In x, double tol) const {
  const double violation = largest_violation(*this, x);
  if (!(violation <= tol)) return false;
  if (violation == 0.0) return true;
  Vector y(x.size());
  if (sparse && !project_sparse(sparse, x, y)) return false;  // not known
  if (!sparse) project(x, y);
  return (x - y).norm() <= tol;
}

double Polyhedron::normal_residual(In x, In v) const {
  // Moreau: v = P_N(v) + P_T(v), so dist(v, N) = ‖P_T(v)‖.
  Vector tangential(v.size());
  LinearConstraints cone =
      constraints().tangent_cone(x, Vector::Constant(x.size(), 1.0 + x.norm()), active_tolerance);
  if (sparse)
    project_sparse(std::make_shared<const detail::SparseRows>(std::move(cone)), v, tangential);
  else
    DualActiveSet(std::move(cone)).project(v, tangential);
  return tangential.norm();
}

std::unique_ptr<Projector> Polyhedron::projector() const {
  if (sparse) return std::make_unique<SparsePolyhedronProjector>(sparse);
  return std::make_unique<PolyhedronProjector>(prepared);
}

std::optional<Set> Polyhedron::scaled(In row) const {
  // diag(row) z in the set: A diag(row) z ≤ b, lower / row ≤ z ≤ upper / row
  LinearConstraints c = constraints();
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
