#include "pendec/sets/shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/maps/selection.hpp"
#include "squares.hpp"

namespace pendec {
namespace {

/// With p = Π_cone(z) and u a unit vector of the cone, ‖z − tu‖² = ‖z‖² − 2t⟨z, u⟩ + t². The largest ⟨z, u⟩ is ‖p‖,
/// along p, if p ≠ 0; then t = ‖p‖, as near as the shell allows. If p = 0, all ⟨z, u⟩ ≤ 0 and t = inner.
void make_as_long_as_needed(const Shell& shell, In z, Out p) {
  const double length = detail::norm(p);
  if (length > shell.outer) {
    p *= shell.outer / length;
  } else if (length < shell.inner) {
    if (length > 0.0) {
      p /= length;  // a division of its own: inner / length may overflow
      p *= shell.inner;
    } else {
      p = shell.inner * *shell.cone.ray(z);
    }
  }
}

class ShellProjector final : public Projector {
 public:
  explicit ShellProjector(const Shell& shell) : shell_(shell), inner_(shell.cone.projector()) {}
  using Projector::project;
  void project(In z, Out y) override {
    inner_->project(z, y);
    make_as_long_as_needed(shell_, z, y);
  }
  double error() const override { return inner_->error(); }

 private:
  Shell shell_;
  std::unique_ptr<Projector> inner_;
};

/// The part of a cone's branch inside the ball, where the chart keeps norms.
std::optional<Branch> inside(std::optional<Branch> b, double radius) {
  if (!b || !b->chart.as<Embedding>() || !b->domain.ray(Vector::Zero(b->t.size()))) return std::nullopt;
  b->domain = Shell(b->domain, 0.0, radius);
  return b;
}

}  // namespace

Shell::Shell(Set cone_, double inner_, double outer_) : cone(std::move(cone_)), inner(inner_), outer(outer_) {
  require(static_cast<bool>(cone), "Shell.cone", std::string("missing"), "a cone");
  require(cone.ray(Vector::Zero(cone.dimension())).has_value(), "Shell.cone", cone.name(),
          "a cone other than {0}: Free, Sparse, LowRank, Box::nonnegative, ...");
  require(inner >= 0.0 && std::isfinite(inner), "Shell.inner", inner, "a finite number, at least 0");
  require(outer > 0.0 && outer >= inner, "Shell.outer", outer,
          fmt::format("positive and at least inner = {}", inner));
}

std::string Shell::name() const {
  const bool plain = cone.as<Free>() != nullptr;
  const char* kind = inner == 0.0 ? "Ball" : inner == outer ? "Sphere" : "Annulus";
  return plain ? kind : fmt::format("{} of {}", kind, cone.name());
}

void Shell::project(In z, Out y) const {
  cone.project(z, y);
  make_as_long_as_needed(*this, z, y);
}

std::unique_ptr<Projector> Shell::projector() const { return std::make_unique<ShellProjector>(*this); }

std::optional<double> Shell::normal_residual(In x, In v) const {
  constexpr double tolerance = 1e-12;
  const double length = detail::norm(x);
  if (length == 0.0) return cone.normal_residual(x, v);
  const Vector u = x / length;
  const double along = v.dot(u);
  const auto across = cone.normal_residual(x, v - along * u);
  if (!across) return across;
  const bool may_point_out = length >= outer * (1.0 - tolerance);
  const bool may_point_in = length <= inner * (1.0 + tolerance);
  const bool normal = along > 0.0 ? may_point_out : may_point_in;
  return normal ? *across : std::hypot(*across, along);
}

std::optional<bool> Shell::projection_is_unique(In z, double tol) const {
  if (inner > 0.0 && detail::norm(cone.projection(z)) <= tol) {
    // near the origin all points of length `inner` are equally near: more than one, if the cone has a line
    const Vector u = *cone.ray(z);
    if (detail::norm(z) <= tol && cone.contains(-u, 1e-12)) return false;
    // u made worse by little: if quite another ray becomes the best, it was hardly worse than u
    const double little = std::max(tol, 4.0 * epsilon * detail::norm(z));
    if (inner > tol && (*cone.ray(z - little * u) - u).norm() > 0.5) return false;
    return std::nullopt;
  }
  return cone.projection_is_unique(z, tol);
}

std::optional<Branch> Shell::branch(In y, In z) const {
  if (inner > 0.0) return std::nullopt;
  return inside(cone.branch(y, z), outer);
}

std::optional<Branch> Shell::branch_at(BranchKey key, In near) const {
  if (inner > 0.0) return std::nullopt;
  auto b = inside(cone.branch_at(key, near), outer);
  if (b) b->t = b->domain.projection(b->t);
  return b;
}

std::optional<Neighbours> Shell::neighbours(BranchKey key, In z, Index most) const {
  if (inner > 0.0) return std::nullopt;
  return cone.neighbours(key, z, most);
}

std::optional<Set> Shell::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  return Set(Shell(cone, inner / row[0], outer / row[0]));
}

Set ball(Index n, double radius) { return inside_ball(Free(n), radius); }
Set sphere(Index n, double radius) { return on_sphere(Free(n), radius); }
Set annulus(Index n, double inner, double outer) { return Shell(Free(n), inner, outer); }

Set inside_ball(const Set& cone, double radius) {
  require(radius > 0.0, "ball.radius", radius, "a positive number");
  return Shell(cone, 0.0, radius);
}

Set on_sphere(const Set& cone, double radius) {
  require(radius > 0.0 && std::isfinite(radius), "sphere.radius", radius, "a positive finite number");
  return Shell(cone, radius, radius);
}

}  // namespace pendec
