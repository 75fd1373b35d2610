#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "set_check.hpp"

namespace pendec {
namespace {

using detail::SetCheck;

/// One run of check_set.
class Run {
 public:
  Run(const Set& set, const CheckOptions& options)
      : set_(set), options_(options), check_(set, options), projector_(set.projector()) {}

  CheckReport run() {
    Vector last, z;
    for (Index k = 0; k < special + options_.samples; ++k) {
      last = std::exchange(z, point(k, z));
      check_.sample = k;
      check_.size = options_.scale * std::sqrt(static_cast<double>(z.size())) + z.norm();
      const Vector y = projection(z);
      expect("the projection is finite", y.allFinite(), z, y);
      if (!y.allFinite()) break;
      membership(z, y);
      convexity(z, y);
      check_nearest(check_, z, y);
      if (z.size() <= few) {
        brute_force(z, y);
        grid(z, y);
      }
      uniqueness(z, y);
      if (k < special) {  // here ties are to be expected
        const Vector d = options_.scale * check_.direction();
        check_jump(check_, z - d, z + d);
      } else if (k % 6 == 0) {
        check_jump(check_, last, z);
      }
      agreement_of_projector(z, y);
      check_normals(check_, z, y, k >= special);
      branch(z, y);
      descriptions(z, y);
      check_.seen.push_back(y);
    }
    if (set_.dimension() <= few) normals_by_sampling();
    return std::move(check_.checker).report();
  }

 private:
  static constexpr Index few = 3;      // dimensions that can be searched
  static constexpr Index special = 2;  // points before the random ones: 0 and one with equal entries

  double tolerance() const { return check_.tolerance(); }

  void expect(std::string_view property, double error, double allowed, In z, In y) {
    check_.expect(property, error, allowed, {{"z", z}, {"y", y}});
  }
  void expect(std::string_view property, bool holds, In z, In y) {
    check_.expect(property, holds, {{"z", z}, {"y", y}});
  }

  Vector sample(Index k) {
    const double magnitude[] = {1.0, 0.1, 10.0};
    return options_.scale * magnitude[k % 3] * check_.random.normal_vector(set_.dimension());
  }

  Vector point(Index k, In last) {
    if (k == 0) return Vector::Zero(set_.dimension());
    if (k == 1) return Vector::Constant(set_.dimension(), options_.scale * check_.random.normal());
    // Every other point is near the last one, as along a solve.
    return k % 2 == 0 ? sample(k) : Vector(last + 1e-3 * sample(k));
  }

  Vector projection(In z) {
    Vector y = Vector::Constant(z.size(), std::numeric_limits<double>::quiet_NaN());
    Vector again = Vector::Constant(z.size(), 123.0);
    set_.project(z, y);
    set_.project(z, again);
    const bool same = y == again || !(y.allFinite() || again.allFinite());
    expect("the projection does not depend on the buffer it is written to, or on chance", same, z, y);
    return y;
  }

  void membership(In z, In y) {
    const Vector again = set_.projection(y);
    expect("projecting twice is projecting once", (again - y).norm(), tolerance(), z, y);
    expect("the projection is contained in the set", set_.contains(y, tolerance()), z, y);
    expect("the projection has distance zero", set_.distance(y), tolerance(), z, y);
    const double distance = (z - y).norm();
    expect("distance() is the distance to the projection", std::abs(set_.distance(z) - distance), tolerance(), z, y);
    expect("points away from their projection are not contained",
           distance <= 1e-3 * check_.size || !set_.contains(z, tolerance()), z, y);
  }

  void convexity(In z, In y) {
    if (!set_.convex()) return;
    for (const Vector& w : check_.seen) {
      check_.expect("convex: <z - y, w - y> <= 0", (z - y).dot(w - y), tolerance() * check_.size,
                    {{"z", z}, {"y", y}, {"w", w}});
      check_.expect("convex: midpoints belong to the set", set_.distance(0.5 * (y + w)), tolerance(),
                    {{"y", y}, {"w", w}});
    }
  }

  /// Points of the set around y, on several scales.
  void brute_force(In z, In y) {
    for (int k = 0; k < 100; ++k) {
      const double radius = options_.scale * std::pow(10.0, -(k % 5));
      const Vector w = set_.projection(y + radius * check_.random.normal_vector(z.size()));
      check_.expect("no point of the set around the projection is nearer", (z - y).norm() - (z - w).norm(),
                    tolerance(), {{"z", z}, {"y", y}, {"nearer", w}});
    }
  }

  /// Points whose entries are those of z, of y or zero, of which contains() says that they belong to the set: what no
  /// projection may ever reach.
  void grid(In z, In y) {
    const auto entry = [&](Index i, Index choice) { return choice == 0 ? 0.0 : choice == 1 ? z[i] : y[i]; };
    const auto all = std::lround(std::pow(3.0, z.size()));
    Vector w(z.size());
    for (Index code = 0; code < all; ++code) {
      for (Index i = 0, rest = code; i < z.size(); ++i, rest /= 3) w[i] = entry(i, rest % 3);
      if (set_.contains(w, 0.0))
        check_.expect("no point that the set contains is nearer than the projection", (z - y).norm() - (z - w).norm(),
                      tolerance(), {{"z", z}, {"y", y}, {"nearer", w}});
    }
  }

  /// The points of D, and those strictly between z and y, have one nearest point.
  void uniqueness(In z, In y) {
    expect("projection_is_unique: at points of the set", set_.projection_is_unique(y, tolerance()) != false, y, y);
    // Other w ∈ D are farther from (z + y)/2 by about ‖w − y‖²/4‖z − y‖ or more, which may be little.
    const Vector between = 0.5 * (z + y);
    expect("projection_is_unique: between z and its projection",
           set_.projection_is_unique(between, 1e-3 * tolerance()) != false, between, y);
  }

  /// The limiting normal cone, by its definition: the rays z − Π(z) for z near y. A vector is as far from the cone as
  /// from the nearest ray, up to the gaps between the rays.
  void normals_by_sampling() {
    constexpr Index rays = 3000;
    constexpr double gap = 0.2;
    double size = 0.0;  // of the set, or of the part of it that was seen
    for (const Vector& w : check_.seen) size = std::max(size, w.norm());
    for (const Vector& z : {Vector(Vector::Zero(set_.dimension())), sample(0)}) {
      const Vector y = set_.projection(z);
      const double radius = 1e-5 * (y.norm() > 0.0 ? y.norm() : std::min(size, options_.scale));
      if (radius == 0.0 || check_.is_dust(y)) continue;  // {0}
      Matrix normals(z.size(), rays);
      for (Index k = 0; k < rays; ++k) {
        const Vector near = y + radius * check_.random.normal_vector(z.size());
        const Vector v = near - set_.projection(near);
        normals.col(k) = v.norm() > 1e-3 * radius ? Vector(v.normalized()) : Vector(Vector::Zero(z.size()));
      }
      for (Index trial = 0; trial < 20; ++trial) {
        const Vector v = check_.random.normal_vector(z.size()).normalized();
        const auto residual = set_.normal_residual(y, v);
        if (!residual) return;
        const double cosine = std::max((normals.transpose() * v).maxCoeff(), 0.0);
        const double sampled = std::sqrt(std::max(1.0 - cosine * cosine, 0.0));  // dist(v, nearest ray)
        check_.expect("normal_residual: sampled normals are normal", *residual - sampled, 0.01, {{"y", y}, {"v", v}});
        check_.expect("normal_residual: normals are near sampled ones", sampled - *residual, gap,
                      {{"y", y}, {"v", v}});
      }
    }
  }

  void agreement_of_projector(In z, In y) {
    Vector fast = Vector::Constant(z.size(), std::numeric_limits<double>::quiet_NaN());
    projector_->project(z, fast);
    const double allowed = tolerance() + 2.0 * projector_->error();
    expect("projector(): as near as project()", std::abs((z - fast).norm() - (z - y).norm()), allowed, z, y);
    expect("projector(): the result is contained in the set", set_.distance(fast), allowed, z, y);
    if (set_.projection_is_unique(z, 1e-4 * check_.size) == true)
      expect("projector(): the same point as project()", (fast - y).norm(), 1e4 * allowed, z, y);
  }

  void branch(In z, In y) {
    const auto piece = set_.branch(y, z);
    if (!piece) return;
    Vector x(set_.dimension());
    piece->chart.evaluate(piece->t, x);
    expect("branch: chart(t) = y", (x - y).norm(), tolerance(), z, y);
    expect("branch: t lies in the domain", piece->domain.distance(piece->t), tolerance(), z, y);
    expect("branch: the domain is convex", piece->domain.convex(), z, y);
    const Vector t =
        piece->domain.projection(piece->t + options_.scale * check_.random.normal_vector(piece->t.size()));
    piece->chart.evaluate(t, x);
    expect("branch: the chart maps the domain into the set", set_.distance(x),
           options_.tolerance * (check_.size + x.norm()), z, y);
    const auto again = set_.branch_at(piece->key, y);
    if (!again) return;
    again->chart.evaluate(again->t, x);
    expect("branch_at: the same branch and point", again->key == piece->key, z, y);
    expect("branch_at: chart(t) = y", (x - y).norm(), tolerance(), z, y);
    neighbours(z, y, *piece);
  }

  void neighbours(In z, In y, const Branch& piece) {
    constexpr Index most = 5;
    const auto all = set_.neighbours(piece.key, z, most);
    expect("neighbours: known where branches have keys", all.has_value(), z, y);
    if (!all) return;
    const auto listed = static_cast<Index>(all->nearest.size());
    expect("neighbours: no more than asked for, or than there are", listed <= std::min(most, all->total), z, y);
    double last = -infinity;
    for (const Neighbour& neighbour : all->nearest) {
      expect("neighbours: other branches", neighbour.key != piece.key, z, y);
      expect("neighbours: by rising excess", neighbour.excess >= last, z, y);
      last = neighbour.excess;
      const auto other = set_.branch_at(neighbour.key, z);
      expect("neighbours: branch_at knows them", other.has_value(), z, y);
      if (!other) continue;
      Vector x(set_.dimension());
      other->chart.evaluate(other->t, x);
      expect("neighbours: keys come back", other->key == neighbour.key, z, y);
      expect("neighbours: t lies in the domain", other->domain.distance(other->t), tolerance(), z, y);
      expect("neighbours: branches of the set", set_.distance(x), options_.tolerance * (check_.size + x.norm()), z,
             y);
    }
  }

  void descriptions(In z, In y) {
    if (const auto constraints = set_.linear_constraints()) {
      expect("linear_constraints() hold in the set", constraints->violation(y), tolerance(), z, y);
      expect("linear_constraints() fail outside", (z - y).norm() <= tolerance() || constraints->violation(z) > 0.0, z,
             y);
    }
    for (const Range range : set_.free_ranges())
      expect("free_ranges() are left alone by the projection", (z - y).segment(range.begin, range.size).norm(),
             tolerance(), z, y);
    const Vector row = check_.random.uniform_vector(z.size(), 0.5, 2.0);
    if (const auto scaled = set_.scaled(row)) {
      const Vector w = scaled->projection(z);
      expect("scaled(): {z : diag(row) z in the set}", set_.distance(row.cwiseProduct(w)), 4.0 * tolerance(), z, y);
      expect("scaled(): contains what it should", scaled->distance(y.cwiseQuotient(row)), 4.0 * tolerance(), z, y);
    }
  }

  const Set& set_;
  const CheckOptions& options_;
  SetCheck check_;
  std::unique_ptr<Projector> projector_;
};

}  // namespace

CheckReport check_set(const Set& set, const CheckOptions& options) {
  detail::require_valid(options);
  require(static_cast<bool>(set), "check_set: set", "none", "a set");
  require(set.dimension() >= 1, "check_set: set.dimension()", set.dimension(), "at least 1");
  return Run(set, options).run();
}

}  // namespace pendec
