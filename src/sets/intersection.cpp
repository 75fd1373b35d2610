#include "pendec/sets/intersection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

class DykstraProjector final : public Projector {
 public:
  explicit DykstraProjector(const Intersection& set)
      : tolerance_(set.tolerance),
        max_rounds_(set.max_rounds),
        corrections_(set.dimension(), static_cast<Index>(set.parts.size())),
        trial_(set.dimension()),
        projected_(set.dimension()) {
    for (const Set& part : set.parts) parts_.push_back(part.projector());
  }

  using Projector::project;
  void project(In z, Out y) override {
    corrections_.setZero();
    y = z;
    if (!z.allFinite()) return;  // what is no number stays visible
    for (Index round = 0; round < max_rounds_; ++round) {
      double changes = 0.0;
      for (Index k = 0; k < corrections_.cols(); ++k) {
        trial_ = y + corrections_.col(k);
        parts_[static_cast<std::size_t>(k)]->project(trial_, projected_);
        trial_ -= projected_;  // the new correction
        changes += (trial_ - corrections_.col(k)).squaredNorm();
        corrections_.col(k) = trial_;
        y = projected_;
      }
      change_ = std::sqrt(changes);
      if (change_ <= tolerance_ * (z.norm() + corrections_.norm())) return;
    }
  }
  double error() const override { return change_ * std::sqrt(static_cast<double>(corrections_.cols())); }

 private:
  double tolerance_;
  Index max_rounds_;
  std::vector<std::unique_ptr<Projector>> parts_;
  Matrix corrections_;  // one column a part: what its projections have taken away so far
  Vector trial_, projected_;
  double change_ = 0.0;
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
  const Index n = parts.front().dimension();
  LinearConstraints all = LinearConstraints::none(n);
  const auto append = [n](Matrix& rows, Vector& right, const Matrix& more, const Vector& more_right) {
    if (more_right.size() == 0) return;
    rows.conservativeResize(rows.rows() + more.rows(), n);
    rows.bottomRows(more.rows()) = more;
    right.conservativeResize(right.size() + more_right.size());
    right.tail(more_right.size()) = more_right;
  };
  for (const Set& part : parts) {
    const auto rows = part.linear_constraints();
    if (!rows) return std::nullopt;
    append(all.A, all.b, rows->A, rows->b);
    append(all.E, all.d, rows->E, rows->d);
    all.lower = all.lower.cwiseMax(rows->lower);
    all.upper = all.upper.cwiseMin(rows->upper);
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

double Intersection::normal_residual(In x, In v) const {
  const double size = v.norm();
  if (size == 0.0) return 0.0;
  const double s = 1e-6 * (x.norm() > 0.0 ? x.norm() : 1.0) / size;
  DykstraProjector projector(*this);
  Vector here(x.size()), there(x.size());
  projector.project(x, here);
  projector.project(x + s * v, there);
  return (there - here).norm() / s;
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
