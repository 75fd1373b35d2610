#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "checker.hpp"
#include "pendec/core/random.hpp"

namespace pendec {
namespace {

/// One run of check_set: the points of D seen so far serve as rivals of every later projection.
class SetCheck {
 public:
  SetCheck(const Set& set, const CheckOptions& options)
      : set_(set), options_(options), random_(options.seed), projector_(set.projector()) {}

  CheckReport run() {
    Vector z = sample(0);
    for (k_ = 0; k_ < options_.samples; ++k_) {
      // Every other point is near the last one, as along a solve.
      z = k_ % 2 == 0 ? sample(k_) : Vector(z + 1e-3 * sample(k_));
      size_ = options_.scale * std::sqrt(static_cast<double>(z.size())) + z.norm();
      const Vector y = projection(z);
      checker_.expect("the projection is finite", y.allFinite(), k_);
      if (!y.allFinite()) break;
      membership(z, y);
      optimality(z, y);
      if (z.size() <= few) brute_force(z, y);
      agreement_of_projector(z, y);
      normals(z, y);
      branch(z, y);
      descriptions(z, y);
      rivals_.push_back(y);
    }
    if (set_.dimension() <= few) normals_by_sampling();
    return std::move(checker_).report();
  }

 private:
  static constexpr Index few = 3;  // dimensions that can be searched

  double tolerance() const { return options_.tolerance * size_; }

  /// Sets without a formula get a residual by differences, with half of the digits.
  double normal_tolerance() const { return std::max(options_.tolerance, 1e-7) * size_; }

  Vector sample(Index k) {
    const double magnitude[] = {1.0, 0.1, 10.0};
    return options_.scale * magnitude[k % 3] * random_.normal_vector(set_.dimension());
  }

  Vector projection(In z) {
    Vector y = Vector::Constant(z.size(), std::numeric_limits<double>::quiet_NaN());
    Vector again = Vector::Constant(z.size(), 123.0);
    set_.project(z, y);
    set_.project(z, again);
    const bool same = y == again || !(y.allFinite() || again.allFinite());
    checker_.expect("the projection does not depend on the buffer it is written to", same, k_);
    return y;
  }

  void membership(In z, In y) {
    const Vector again = set_.projection(y);
    checker_.expect("projecting twice is projecting once", (again - y).norm(), tolerance(), k_);
    checker_.expect("the projection is contained in the set", set_.contains(y, tolerance()), k_);
    checker_.expect("the projection has distance zero", set_.distance(y), tolerance(), k_);
    const double distance = (z - y).norm();
    checker_.expect("distance() is the distance to the projection", std::abs(set_.distance(z) - distance),
                    tolerance(), k_);
    checker_.expect("points away from their projection are not contained",
                    distance <= 1e-3 * size_ || !set_.contains(z, tolerance()), k_);
  }

  void optimality(In z, In y) {
    for (const Vector& w : rivals_) {
      checker_.expect("no point of the set is nearer than the projection", (z - y).norm() - (z - w).norm(),
                      tolerance(), k_);
      if (!set_.convex()) continue;
      checker_.expect("convex: <z - y, w - y> <= 0", (z - y).dot(w - y), tolerance() * size_, k_);
      checker_.expect("convex: midpoints belong to the set", set_.distance(0.5 * (y + w)), tolerance(), k_);
    }
  }

  /// Points of the set around y, on several scales.
  void brute_force(In z, In y) {
    for (int k = 0; k < 100; ++k) {
      const double radius = options_.scale * std::pow(10.0, -(k % 5));
      const Vector w = set_.projection(y + radius * random_.normal_vector(z.size()));
      checker_.expect("no point of the set around the projection is nearer", (z - y).norm() - (z - w).norm(),
                      tolerance(), k_);
    }
  }

  /// The limiting normal cone, by its definition: the rays z − Π(z) for z near y. A vector is as far from the cone as
  /// from the nearest ray, up to the gaps between the rays.
  void normals_by_sampling() {
    constexpr Index rays = 3000;
    constexpr double gap = 0.2;
    double size = 0.0;  // of the set, or of the part of it that was seen
    for (const Vector& w : rivals_) size = std::max(size, w.norm());
    for (const Vector& z : {Vector(Vector::Zero(set_.dimension())), sample(0)}) {
      const Vector y = set_.projection(z);
      const double radius = 1e-5 * (y.norm() > 0.0 ? y.norm() : std::min(size, options_.scale));
      if (radius == 0.0) continue;  // {0}
      Matrix normals(z.size(), rays);
      for (Index k = 0; k < rays; ++k) {
        const Vector near = y + radius * random_.normal_vector(z.size());
        const Vector v = near - set_.projection(near);
        normals.col(k) = v.norm() > 1e-3 * radius ? Vector(v.normalized()) : Vector(Vector::Zero(z.size()));
      }
      for (Index trial = 0; trial < 20; ++trial) {
        const Vector v = random_.normal_vector(z.size()).normalized();
        const auto residual = set_.normal_residual(y, v);
        if (!residual) return;
        const double cosine = std::max((normals.transpose() * v).maxCoeff(), 0.0);
        const double sampled = std::sqrt(std::max(1.0 - cosine * cosine, 0.0));  // dist(v, nearest ray)
        checker_.expect("normal_residual: sampled normals are normal", *residual - sampled, 0.01, trial);
        checker_.expect("normal_residual: normals are near sampled ones", sampled - *residual, gap, trial);
      }
    }
  }

  void agreement_of_projector(In z, In y) {
    Vector fast = Vector::Constant(z.size(), std::numeric_limits<double>::quiet_NaN());
    projector_->project(z, fast);
    const double allowed = tolerance() + 2.0 * projector_->error();
    checker_.expect("projector(): as near as project()", std::abs((z - fast).norm() - (z - y).norm()), allowed, k_);
    checker_.expect("projector(): the result is contained in the set", set_.distance(fast), allowed, k_);
    if (set_.projection_is_unique(z, 1e-4 * size_) == true)
      checker_.expect("projector(): the same point as project()", (fast - y).norm(), 1e4 * allowed, k_);
  }

  void normals(In z, In y) {
    for (const double factor : {1.0, 0.25, 4.0})
      if (const auto residual = set_.normal_residual(y, factor * (z - y)))
        checker_.expect("z - y is normal at y", *residual, factor * normal_tolerance(), k_);
    if (!set_.convex()) return;
    for (const Vector& w : rivals_) {
      const double length = (w - y).norm();
      if (length < 1e-3 * size_) continue;
      const auto residual = set_.normal_residual(y, w - y);
      checker_.expect("convex: directions into the set are not normal", residual ? length - *residual : 0.0,
                      normal_tolerance(), k_);
    }
  }

  void branch(In z, In y) {
    const auto piece = set_.branch(y, z);
    if (!piece) return;
    Vector x(set_.dimension());
    piece->chart.evaluate(piece->t, x);
    checker_.expect("branch: chart(t) = y", (x - y).norm(), tolerance(), k_);
    checker_.expect("branch: t lies in the domain", piece->domain.distance(piece->t), tolerance(), k_);
    checker_.expect("branch: the domain is convex", piece->domain.convex(), k_);
    const Vector t = piece->domain.projection(piece->t + options_.scale * random_.normal_vector(piece->t.size()));
    piece->chart.evaluate(t, x);
    checker_.expect("branch: the chart maps the domain into the set", set_.distance(x),
                    options_.tolerance * (size_ + x.norm()), k_);
    const auto again = set_.branch_at(piece->key, y);
    if (!again) return;
    again->chart.evaluate(again->t, x);
    checker_.expect("branch_at: the same branch and point", again->key == piece->key, k_);
    checker_.expect("branch_at: chart(t) = y", (x - y).norm(), tolerance(), k_);
    neighbours(z, *piece);
  }

  void neighbours(In z, const Branch& piece) {
    constexpr Index most = 5;
    const auto all = set_.neighbours(piece.key, z, most);
    checker_.expect("neighbours: known where branches have keys", all.has_value(), k_);
    if (!all) return;
    const auto listed = static_cast<Index>(all->nearest.size());
    checker_.expect("neighbours: no more than asked for, or than there are", listed <= std::min(most, all->total),
                    k_);
    double last = -infinity;
    for (const Neighbour& neighbour : all->nearest) {
      checker_.expect("neighbours: other branches", neighbour.key != piece.key, k_);
      checker_.expect("neighbours: by rising excess", neighbour.excess >= last, k_);
      last = neighbour.excess;
      const auto other = set_.branch_at(neighbour.key, z);
      checker_.expect("neighbours: branch_at knows them", other.has_value(), k_);
      if (!other) continue;
      Vector x(set_.dimension());
      other->chart.evaluate(other->t, x);
      checker_.expect("neighbours: keys come back", other->key == neighbour.key, k_);
      checker_.expect("neighbours: t lies in the domain", other->domain.distance(other->t), tolerance(), k_);
      checker_.expect("neighbours: branches of the set", set_.distance(x), options_.tolerance * (size_ + x.norm()),
                      k_);
    }
  }

  void descriptions(In z, In y) {
    if (const auto constraints = set_.linear_constraints()) {
      checker_.expect("linear_constraints() hold in the set", constraints->violation(y), tolerance(), k_);
      checker_.expect("linear_constraints() fail outside",
                      (z - y).norm() <= tolerance() || constraints->violation(z) > 0.0, k_);
    }
    for (const Range range : set_.free_ranges())
      checker_.expect("free_ranges() are left alone by the projection",
                      (z - y).segment(range.begin, range.size).norm(), tolerance(), k_);
    const Vector row = random_.uniform_vector(z.size(), 0.5, 2.0);
    if (const auto scaled = set_.scaled(row)) {
      const Vector w = scaled->projection(z);
      checker_.expect("scaled(): {z : diag(row) z in the set}", set_.distance(row.cwiseProduct(w)), 4.0 * tolerance(),
                      k_);
      checker_.expect("scaled(): contains what it should", scaled->distance(y.cwiseQuotient(row)), 4.0 * tolerance(),
                      k_);
    }
  }

  const Set& set_;
  const CheckOptions& options_;
  Random random_;
  std::unique_ptr<Projector> projector_;
  detail::Checker checker_;
  std::vector<Vector> rivals_;
  Index k_ = 0;
  double size_ = 0.0;  // what tolerances are relative to
};

}  // namespace

CheckReport check_set(const Set& set, const CheckOptions& options) { return SetCheck(set, options).run(); }

}  // namespace pendec
