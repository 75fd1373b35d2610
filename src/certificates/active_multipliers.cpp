#include "active_multipliers.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "../subsolvers/sparse_projection.hpp"

namespace pendec::detail {
namespace {

// Activity is a matter of rounding and of the tolerance that points are found with.
constexpr double active = 1e-7;

/// A multiplier in the space of the cone, from those of the rows of cone.preimage(J, 0), which are those of A, finite
/// upper and lower bounds, E and fixed coordinates.
Vector in_space_of(const LinearConstraints& cone, In of_A, In of_E) {
  Vector lambda = Vector::Zero(cone.dimension());
  if (cone.b.size() > 0) lambda += cone.A.transpose_times(of_A.head(cone.b.size()));
  if (cone.d.size() > 0) lambda += cone.E.transpose_times(of_E.head(cone.d.size()));
  Index above = cone.b.size(), fixed = cone.d.size();
  Index below = above;
  for (Index j = 0; j < cone.dimension(); ++j) below += cone.upper[j] == 0.0 && cone.lower[j] != 0.0 ? 1 : 0;
  for (Index j = 0; j < cone.dimension(); ++j) {
    if (cone.lower[j] == cone.upper[j])
      lambda[j] += of_E[fixed++];
    else if (cone.upper[j] == 0.0)
      lambda[j] += of_A[above++];
    else if (cone.lower[j] == 0.0)
      lambda[j] -= of_A[below++];
  }
  return lambda;
}

}  // namespace

std::optional<Vector> active_multiplier(const Set& C, const Set& D, In G, In rows, In t, const Operator& J,
                                        In gradient) {
  const auto in_C = C.linear_constraints(), in_D = D.linear_constraints();
  if (!in_C || !in_D || !J.has_entries()) return std::nullopt;
  const LinearConstraints of_C = in_C->tangent_cone(G, rows, active);
  LinearConstraints cone = of_C.preimage(J, Vector::Zero(G.size()));
  const Index above = cone.b.size(), equal = cone.d.size();
  const Vector sizes = Vector::Constant(t.size(), t.size() > 0 ? t.lpNorm<Eigen::Infinity>() : 0.0);
  cone.append(in_D->tangent_cone(t, sizes, active));
  const auto constraints = std::make_shared<const SparseRows>(std::move(cone));
  SparseProjection projection(constraints);
  Vector direction(t.size());
  if (projection.project(-gradient, direction) != ProjectionEnd::optimal) return std::nullopt;
  const Vector y = projection.multipliers().cwiseQuotient(constraints->lengths);
  return in_space_of(of_C, y.head(above), y.segment(constraints->inequalities(), equal));
}

}  // namespace pendec::detail
