#include "bounding_box.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "part_bounds.hpp"
#include "pendec/sets/polyhedron.hpp"

namespace pendec::detail {
namespace {

/// s x_j ≥ value + rᵀx for all x of the polyhedron, ‖r‖₁ ≤ residual.
struct LinearBound {
  double value, residual;
};

/// By the multipliers of any quadratic program over the polyhedron, scaled: with r = s e_j + Aᵀy + Eᵀw + z,
///   s x_j ≥ rᵀx − yᵀb − wᵀd − zᵀbounds.
/// How well the program was solved is the strength of the bound, not its truth.
LinearBound dual_bound(Index j, double s, const PreparedConstraints& rows, const QpResult& qp, double scale) {
  const LinearConstraints& c = rows.data;
  constexpr double rounding = 1e-12;
  Vector r = Vector::Zero(c.dimension());
  r[j] = s;
  double value = 0.0, terms = 0.0, sizes = 1.0;
  const auto add = [&](double multiplier, auto&& row, double rhs) {
    r += multiplier * row;
    sizes += std::abs(multiplier) * row.template lpNorm<1>();
    value -= multiplier * rhs;
    terms += std::abs(multiplier * rhs);
  };
  for (Index i = 0; i < c.b.size(); ++i)
    if (qp.rows[i] > 0.0) add(scale * qp.rows[i], rows.A->row(i).transpose(), c.b[i]);
  for (Index i = 0; i < c.d.size(); ++i) add(scale * qp.equalities[i], rows.E->row(i).transpose(), c.d[i]);
  for (Index k = 0; k < r.size(); ++k) {
    const double bound = qp.bounds[k] > 0.0 ? c.upper[k] : c.lower[k];
    if (qp.bounds[k] != 0.0 && std::isfinite(bound)) add(scale * qp.bounds[k], Vector::Unit(r.size(), k), bound);
  }
  return {value - rounding * terms, r.lpNorm<1>() + rounding * sizes};
}

/// The point of the polyhedron nearest to c − t s e_j minimises s x_j as t → ∞, if anything does.
std::optional<LinearBound> bound_below(Index j, double s, In centre, DualActiveSet& qp, const Deadline& deadline) {
  for (const double far : {1e3, 1e6, 1e9}) {
    const double t = far * (1.0 + centre.norm());
    Vector z = centre;
    z[j] -= t * s;
    const QpResult& found = qp.solve(-z, {.warm_start = false, .stop = [&] { return deadline.passed(); }});
    if (found.status != QpStatus::optimal) continue;
    const LinearBound bound = dual_bound(j, s, qp.constraints(), found, 1.0 / t);
    if (bound.residual <= 1e-2 && std::isfinite(bound.value)) return bound;
  }
  return std::nullopt;
}

/// With ϱ the largest residual and V the largest −value, ‖x‖_∞ ≤ V + ϱ‖x‖_∞, and so s x_j ≥ value − residual V/(1 −
/// ϱ).
std::optional<Bounds> bounding_box(const std::shared_ptr<const PreparedConstraints>& rows, const Deadline& deadline) {
  const LinearConstraints& c = rows->data;
  const Index n = c.dimension();
  DualActiveSet qp(rows);
  const QpResult& nearest = qp.solve(Vector::Zero(n));
  if (nearest.status != QpStatus::optimal) return std::nullopt;
  const Vector centre = nearest.x;
  std::vector<LinearBound> below, above;
  double largest = 0.0, residual = 0.0;
  for (Index j = 0; j < n; ++j) {
    for (const double s : {1.0, -1.0}) {
      if (deadline.passed()) return std::nullopt;
      const double known = s > 0.0 ? c.lower[j] : -c.upper[j];
      const auto bound = std::isfinite(known) ? LinearBound{known, 0.0} : bound_below(j, s, centre, qp, deadline);
      if (!bound) return std::nullopt;
      largest = std::max(largest, -bound->value);
      residual = std::max(residual, bound->residual);
      (s > 0.0 ? below : above).push_back(*bound);
    }
  }
  const double reach = largest / (1.0 - residual);
  Bounds box{Vector(n), Vector(n)};
  for (Index j = 0; j < n; ++j) {
    const LinearBound &l = below[static_cast<std::size_t>(j)], &u = above[static_cast<std::size_t>(j)];
    const double lower = l.value - l.residual * reach, upper = -u.value + u.residual * reach;
    const double room = 0.1 * (upper - lower) + 1e-6 * reach;  // bounds that nearly repeat a row only add degeneracy
    box.lower[j] = l.residual > 0.0 ? lower - room : lower;
    box.upper[j] = u.residual > 0.0 ? upper + room : upper;
  }
  return box;
}

}  // namespace

std::optional<std::vector<PolyhedralPiece>> with_bounds_of_rows(std::vector<PolyhedralPiece> polyhedra,
                                                                const Deadline& deadline) {
  constexpr Index most_variables = 50, most_in_all = 1000;
  const Index n = polyhedra.front().set.dimension();
  if (n > most_variables || n * std::ssize(polyhedra) > most_in_all) return std::nullopt;
  bool gained = false;
  for (auto& [set, rows] : polyhedra) {
    const bool has_bounds = Bounds{rows->data.lower, rows->data.upper}.finite();
    const auto box = has_bounds ? std::nullopt : bounding_box(rows, deadline);
    if (!box) continue;
    LinearConstraints bounded = rows->data;
    bounded.lower = box->lower;
    bounded.upper = box->upper;
    rows = std::make_shared<const PreparedConstraints>(bounded);
    set = Polyhedron(std::move(bounded));
    gained = true;
  }
  if (!gained) return std::nullopt;
  return polyhedra;
}

}  // namespace pendec::detail
