#include "pendec/sets/intersection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_slab.hpp"
#include "pendec/sets/free.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/slab.hpp"

namespace pendec {
namespace {

/// Dykstra's alternating projections from z onto the intersection of sets given by their projections.
class Dykstra {
 public:
  using Project = std::function<void(In z, Out y)>;

  Dykstra(Index n, std::vector<Project> parts, double tolerance, Index max_rounds)
      : parts_(std::move(parts)),
        tolerance_(tolerance),
        max_rounds_(max_rounds),
        corrections_(n, static_cast<Index>(parts_.size())),
        trial_(n),
        projected_(n) {}

  /// How much the last round moved y, times √N: a bound of its distance to every part. Infinite if the rounds ran
  /// out.
  double project(In z, Out y) {
    corrections_.setZero();
    y = z;
    if (!z.allFinite()) return infinity;  // what is no number stays visible
    for (Index round = 0; round < max_rounds_; ++round) {
      double changes = 0.0;
      for (Index k = 0; k < corrections_.cols(); ++k) {
        trial_ = y + corrections_.col(k);
        parts_[static_cast<std::size_t>(k)](trial_, projected_);
        trial_ -= projected_;  // the new correction
        changes += (trial_ - corrections_.col(k)).squaredNorm();
        corrections_.col(k) = trial_;
        y = projected_;
      }
      if (std::sqrt(changes) <= tolerance_ * (z.norm() + corrections_.norm()))
        return std::sqrt(changes * static_cast<double>(parts_.size()));
    }
    return infinity;
  }

 private:
  std::vector<Project> parts_;
  double tolerance_;
  Index max_rounds_;
  Matrix corrections_;  // one column a part: what its projections have taken away so far
  Vector trial_, projected_;
};

class DykstraProjector final : public Projector {
 public:
  explicit DykstraProjector(const Intersection& set)
      : dykstra_(set.dimension(), parts(set), set.tolerance, set.max_rounds) {}
  using Projector::project;
  void project(In z, Out y) override { error_ = dykstra_.project(z, y); }
  double error() const override { return error_; }

 private:
  static std::vector<Dykstra::Project> parts(const Intersection& set) {
    std::vector<Dykstra::Project> all;
    for (const Set& part : set.parts)
      all.emplace_back([p = std::shared_ptr<Projector>(part.projector())](In z, Out y) { p->project(z, y); });
    return all;
  }

  Dykstra dykstra_;
  double error_ = 0.0;
};

void require_convex(const std::vector<Set>& parts) {
  require(!parts.empty(), "Intersection.parts.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto field = fmt::format("Intersection.parts[{}]", k);
    require(static_cast<bool>(parts[k]), field, std::string("missing"), "a set");
    require(parts[k].convex(), field, parts[k].name(), "a convex set");
    require_dimension(field + ".dimension()", parts[k].dimension(), parts.front().dimension());
  }
}

/// All rows of all parts, if all are polyhedra.
std::optional<LinearConstraints> common_constraints(const std::vector<Set>& parts) {
  LinearConstraints all = LinearConstraints::none(parts.front().dimension());
  for (const Set& part : parts) {
    const auto rows = part.linear_constraints();
    if (!rows) return std::nullopt;
    all.append(*rows);
  }
  return all;
}

/// The two parts as (box, slab), in either order.
std::optional<Set> box_and_slab(const Set& first, const Set& second) {
  const auto* box = first.as<Box>();
  const auto* slab = second.as<Slab>();
  if (!box || !slab) return std::nullopt;
  return BoxSlab(box->lower, box->upper, slab->a, slab->lower, slab->upper);
}

std::optional<Set> cone_and_ball(const Set& cone, const Set& ball) {
  const auto* shell = ball.as<Shell>();
  if (!shell || !shell->cone.as<Free>() || !cone.ray(Vector::Zero(cone.dimension()))) return std::nullopt;
  return Shell(cone, shell->inner, shell->outer);
}

}  // namespace

Intersection::Intersection(std::vector<Set> parts_, double tolerance_, Index max_rounds_)
    : parts(std::move(parts_)), tolerance(tolerance_), max_rounds(max_rounds_) {
  require_convex(parts);
  require(tolerance > 0.0, "Intersection.tolerance", tolerance, "a positive number");
  require(max_rounds >= 1, "Intersection.max_rounds", max_rounds, "at least 1");
  Vector y(dimension());
  project(Vector::Zero(dimension()), y);
  require(contains(y, 1e-6 * (1.0 + y.norm())), "Intersection.parts", std::string_view("no common point found"),
          "sets that intersect");
}

void Intersection::project(In z, Out y) const { DykstraProjector(*this).project(z, y); }

std::unique_ptr<Projector> Intersection::projector() const { return std::make_unique<DykstraProjector>(*this); }

double Intersection::distance(In x) const {
  double farthest = 0.0;
  for (const Set& part : parts) farthest = std::max(farthest, part.distance(x));
  if (farthest == 0.0) return 0.0;
  Vector y(x.size());
  project(x, y);
  return std::max(farthest, (x - y).norm());
}

/// dist(v, N) = ‖Π_T(v)‖, and T is the intersection of the parts' tangent cones where a point is inside all of them.
/// Each is projected onto by a small step of its part, Π_{T_k}(d) ≈ (Π_k(x + sd) − Π_k(x))/s, which has all digits of
/// that part; differences of projections onto the intersection would have only those that Dykstra leaves.
double Intersection::normal_residual(In x, In v) const {
  const double size = v.norm();
  if (size == 0.0) return 0.0;
  const double s = 1e-5 * (x.norm() > 0.0 ? x.norm() : 1.0) / size;
  std::vector<Dykstra::Project> cones;
  for (const Set& part : parts)
    cones.emplace_back([&part, s, x = Vector(x), here = part.projection(x)](In d, Out out) {
      part.project(x + s * d, out);
      out = (out - here) / s;
    });
  Vector tangential(x.size());
  Dykstra(x.size(), std::move(cones), 1e-9, max_rounds).project(v, tangential);
  return tangential.norm();
}

bool Intersection::contains(In x, double tol) const {
  return std::all_of(parts.begin(), parts.end(), [&](const Set& part) { return part.contains(x, tol); });
}

Set intersection(std::vector<Set> parts) {
  require_convex(parts);
  if (parts.size() == 1) return parts.front();
  if (parts.size() == 2) {
    for (const auto& closed : {box_and_slab(parts[0], parts[1]), box_and_slab(parts[1], parts[0]),
                               cone_and_ball(parts[0], parts[1]), cone_and_ball(parts[1], parts[0])})
      if (closed) return *closed;
  }
  if (auto rows = common_constraints(parts)) return Polyhedron(std::move(*rows));
  return Intersection(std::move(parts));
}

}  // namespace pendec
