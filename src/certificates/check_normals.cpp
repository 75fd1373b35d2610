#include <algorithm>
#include <cmath>
#include <limits>

#include "set_check.hpp"

namespace pendec::detail {
namespace {

constexpr double rough = 0.01;  // allowed where a small step replaces a limit, for ‖v‖ = 1

double residual(const SetCheck& check, In y, In v) {
  return check.set.normal_residual(y, v).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// v ↦ dist(v, N) of a cone N lies in [0, ‖v‖], is positively homogeneous and 1-Lipschitz.
void distance_to_a_cone(SetCheck& check, In y) {
  const Vector v = check.size * check.direction(), u = v + 0.5 * check.size * check.direction();
  const double of_v = residual(check, y, v), of_u = residual(check, y, u);
  const double allowed = 1e-6 * check.size;
  check.expect("normal_residual: not negative", -of_v, 0.0, {{"y", y}, {"v", v}});
  check.expect("normal_residual: at most |v|", of_v - v.norm(), allowed, {{"y", y}, {"v", v}});
  for (const double factor : {0.25, 4.0})
    check.expect("normal_residual: grows with v, as the distance to a cone",
                 std::abs(residual(check, y, factor * v) - factor * of_v), factor * allowed, {{"y", y}, {"v", v}});
  check.expect("normal_residual: changes no more than v does", std::abs(of_u - of_v) - (u - v).norm(),
               rough * check.size, {{"y", y}, {"v", v}, {"u", u}});
}

/// Sets without a formula get a residual by differences, with half of the digits.
double normal_tolerance(const SetCheck& check) { return std::max(check.options.tolerance, 1e-7) * check.size; }

/// For y ∈ Π(z) the ray through z − y is normal at y.
void rays_of_projections(SetCheck& check, In z, In y) {
  for (const double factor : {1.0, 0.25, 4.0})
    check.expect("z - y is normal at y", residual(check, y, factor * (z - y)), factor * normal_tolerance(check),
                 {{"z", z}, {"y", y}});
}

/// The smaller one of what a property is violated by for a small step and for a smaller one, which is only tried
/// where the first may have left the piece y lies on.
template <class Error>
double best_of_steps(const SetCheck& check, In y, const Error& error) {
  const double step = check.small_step(y), first = error(step);
  return first <= rough ? first : std::min(first, error(0.01 * step));
}

/// Limiting normals: the rays at points near y are normal at y, up to a small angle.
void rays_nearby(SetCheck& check, In y) {
  const Vector d = check.direction();
  Vector v;
  const double error = best_of_steps(check, y, [&](double step) {
    const Vector near = y + step * d;
    v = (near - check.set.projection(near)) / step;
    return v.norm() > 0.1 ? residual(check, y, v) : 0.0;
  });
  check.expect("normal_residual: what is normal near y is nearly normal at y", error, rough, {{"y", y}, {"v", v}});
}

/// If Π(y ± s u) ≈ y ± s u, the set has the tangents ±u at y; u ← (Π(y − s u) − y)/s, repeated, finds them. Where a
/// set is made of finitely many smooth pieces, almost every z is projected to a point at which all limiting normals
/// are orthogonal to such tangents: dist(u, N) = ‖u‖.
void tangents(SetCheck& check, In y) {
  const double step = check.small_step(y);
  Vector u = check.direction(), opposite;
  for (int turn = 0; turn < 4; ++turn) {
    opposite = u;
    u = (check.set.projection(y - step * opposite) - y) / step;
  }
  const double length = u.norm();
  if (length < 1e-3 || (u + opposite).norm() > 1e-3 * length) return;
  check.expect("normal_residual: tangents are not normal", length - residual(check, y, u), rough * length,
               {{"y", y}, {"v", u}});
}

/// Convex sets: dist(v, N(y)) = lim ‖Π(y + sv) − y‖/s as s ↓ 0 (Moreau).
void derivative_of_projection(SetCheck& check, In y) {
  const Vector v = check.direction();
  const double of_v = residual(check, y, v);
  const double error = best_of_steps(check, y, [&](double step) {
    return std::abs(of_v - ((check.set.projection(y + step * v) - y) / step).norm());
  });
  check.expect("convex: normal_residual is the length of the projection's derivative", error, rough,
               {{"y", y}, {"v", v}});
}

/// Convex sets: w − y with w ∈ D is tangent at y.
void directions_inwards(SetCheck& check, In y) {
  for (const Vector& w : check.seen) {
    const double length = (w - y).norm();
    if (length < 1e-3 * check.size) continue;
    check.expect("convex: directions into the set are not normal", length - residual(check, y, w - y),
                 normal_tolerance(check), {{"y", y}, {"v", w - y}});
  }
}

}  // namespace

void check_normals(SetCheck& check, In z, In y, bool general_position) {
  if (!check.set.normal_residual(y, z - y)) return;
  distance_to_a_cone(check, y);
  rays_of_projections(check, z, y);
  if (check.set.convex()) directions_inwards(check, y);
  if (check.is_dust(y)) return;
  if (general_position) tangents(check, y);
  if (!general_position && y.norm() > 0.0) return;  // rounding may have replaced a zero that matters
  if (check.set.convex()) derivative_of_projection(check, y);
  rays_nearby(check, y);
}

}  // namespace pendec::detail
