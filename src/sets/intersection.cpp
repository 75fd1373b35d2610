#include "pendec/sets/intersection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "pendec/core/deadline.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_slab.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/slab.hpp"

namespace pendec {
namespace {

/// The nearest point to z of an intersection of N convex sets that are given by their projections. Dykstra's
/// alternating projections (Boyle, Dykstra 1986) are over after a few rounds where z is near. Where it is far, for
/// the size of the sets, their steps are too short; there ADMM on copies w₁ = … = w_N = x goes on (Boyd et al. 2011),
/// whose penalty follows the distance.
class AlternatingProjections {
 public:
  using Project = std::function<void(In z, Out y)>;

  AlternatingProjections(Index n, std::vector<Project> parts, double tolerance, Index max_rounds)
      : parts_(std::move(parts)),
        tolerance_(tolerance),
        max_rounds_(max_rounds),
        points_(n, count()),
        corrections_(n, count()),
        trial_(n),
        projected_(n) {}

  /// A bound of the distance of y to every part, and of the residual of its optimality. Infinite if the rounds ran
  /// out.
  double project(In z, Out y) {
    y = z;
    if (!z.allFinite()) return infinity;  // what is no number stays visible
    const double error = dykstra(z, y);
    return error < infinity ? error : admm(z, y);
  }

 private:
  Index count() const { return static_cast<Index>(parts_.size()); }

  void project_trial(Index k) { parts_[static_cast<std::size_t>(k)](trial_, projected_); }

  /// Ends when the corrections of a whole round do not change (Birgin, Raydan 2005): the points may rest for a while.
  double dykstra(In z, Out y) {
    corrections_.setZero();
    points_.colwise() = z;
    double size = 0.0;  // of the part of space where the sets meet
    for (Index round = 0; round < std::min(max_rounds_, Index{100}); ++round) {
      DeadlineScope::check();
      double changes = 0.0;
      for (Index k = 0; k < count(); ++k) {
        trial_ = y + corrections_.col(k);
        project_trial(k);
        trial_ -= projected_;  // the new correction
        changes += (trial_ - corrections_.col(k)).squaredNorm();
        corrections_.col(k) = trial_;
        points_.col(k) = y = projected_;
      }
      size = std::max(size, y.norm());
      if (std::sqrt(changes) <= tolerance_ * size) return std::sqrt(changes * static_cast<double>(count()));
    }
    return infinity;
  }

  double admm(In z, Out y) {
    constexpr double relaxation = 1.6;
    const double distance = (points_.colwise() - z).norm();
    double size = points_.norm();
    double penalty = size > 0.0 ? std::max(1.0, distance / size) : 1.0;
    corrections_.setZero();  // multipliers, over the penalty
    Index wait = 10, adapt = wait;
    for (Index round = 0; round < max_rounds_; ++round) {
      DeadlineScope::check();
      const double weight = 1.0 + penalty * static_cast<double>(count());
      y = (z + penalty * (points_ - corrections_).rowwise().sum()) / weight;
      double moved = 0.0, apart = 0.0;
      for (Index k = 0; k < count(); ++k) {
        trial_ = relaxation * y + (1.0 - relaxation) * points_.col(k) + corrections_.col(k);
        project_trial(k);
        moved += (projected_ - points_.col(k)).squaredNorm();
        apart += (projected_ - y).squaredNorm();
        corrections_.col(k) = trial_ - projected_;
        points_.col(k) = projected_;
      }
      apart = std::sqrt(apart);
      moved = penalty * std::sqrt(moved);
      size = std::max(size, points_.norm());
      const double pull = std::max(size, penalty * corrections_.norm());
      if (apart <= tolerance_ * size && moved <= tolerance_ * pull) {
        y = projected_;
        return 2.0 * apart + moved;
      }
      if (round == adapt) {  // ever more seldom, as ADMM converges for a constant penalty
        wait += wait / 4;
        adapt += wait;
        const double factor = std::clamp(std::sqrt(apart / size * (pull / moved)), 0.1, 10.0);
        penalty *= factor;
        corrections_ /= factor;
      }
    }
    y = projected_;
    return infinity;
  }

  std::vector<Project> parts_;
  double tolerance_;
  Index max_rounds_;
  Matrix points_;       // one column a part: where its last projection ended,
  Matrix corrections_;  // and what its projections have taken away
  Vector trial_, projected_;
};

class IntersectionProjector final : public Projector {
 public:
  explicit IntersectionProjector(const Intersection& set)
      : alternating_(set.dimension(), parts(set), set.tolerance, set.max_rounds) {}
  using Projector::project;
  void project(In z, Out y) override { error_ = alternating_.project(z, y); }
  double error() const override { return error_; }

 private:
  static std::vector<AlternatingProjections::Project> parts(const Intersection& set) {
    std::vector<AlternatingProjections::Project> all;
    for (const Set& part : set.parts)
      all.emplace_back([p = std::shared_ptr<Projector>(part.projector())](In z, Out y) { p->project(z, y); });
    return all;
  }

  AlternatingProjections alternating_;
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

void Intersection::project(In z, Out y) const { IntersectionProjector(*this).project(z, y); }

std::unique_ptr<Projector> Intersection::projector() const { return std::make_unique<IntersectionProjector>(*this); }

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
/// that part; differences of projections onto the intersection would have only those that the rounds leave.
double Intersection::normal_residual(In x, In v) const {
  const double size = v.norm();
  if (size == 0.0) return 0.0;
  const double s = 1e-5 * (x.norm() > 0.0 ? x.norm() : 1.0) / size;
  std::vector<AlternatingProjections::Project> cones;
  for (const Set& part : parts)
    cones.emplace_back([&part, s, x = Vector(x), here = part.projection(x)](In d, Out out) {
      part.project(x + s * d, out);
      out = (out - here) / s;
    });
  Vector tangential(x.size());
  AlternatingProjections(x.size(), std::move(cones), 1e-9, max_rounds).project(v, tangential);
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
