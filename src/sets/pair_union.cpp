#include "pendec/sets/pair_union.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "axis_ray.hpp"
#include "exchanges.hpp"
#include "interval.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/box.hpp"

namespace pendec {
namespace {

struct PlanePoint {
  double a, b;
};

PlanePoint clamped(const Rectangle& r, PlanePoint p) {
  return {detail::clamp(p.a, r.lower_a, r.upper_a), detail::clamp(p.b, r.lower_b, r.upper_b)};
}

double distance(PlanePoint p, PlanePoint q) { return std::hypot(p.a - q.a, p.b - q.b); }

double distance(const Rectangle& r, PlanePoint p) { return distance(p, clamped(r, p)); }

std::size_t nearest(const std::vector<Rectangle>& rectangles, PlanePoint p) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < rectangles.size(); ++k)
    if (distance(rectangles[k], p) < distance(rectangles[best], p)) best = k;
  return best;
}

/// Normals of [lower, upper] at points next to x on the given side of it (0: at x itself), as an interval of ℝ: from
/// 0 or −∞ to 0 or ∞. Nothing if the interval has no such points.
struct Normals {
  double from, to;
};

std::optional<Normals> normals(double lower, double upper, double x, int side, double tol) {
  const bool at_lower = x - lower <= tol, at_upper = upper - x <= tol;
  if (x - lower < -tol || upper - x < -tol) return std::nullopt;
  if ((side < 0 && at_lower) || (side > 0 && at_upper)) return std::nullopt;
  if (side != 0) return Normals{0.0, 0.0};
  return Normals{at_lower ? -infinity : 0.0, at_upper ? infinity : 0.0};
}

double distance(const Normals& n, double v) { return std::max({n.from - v, v - n.to, 0.0}); }

/// Distance of v to the normals at points in one cell next to p; infinity if no rectangle reaches it.
double cell_residual(const std::vector<Rectangle>& rectangles, PlanePoint p, PlanePoint v, int side_a, int side_b,
                     double tol) {
  std::optional<Normals> in_a, in_b;
  for (const Rectangle& r : rectangles) {
    const auto a = normals(r.lower_a, r.upper_a, p.a, side_a, tol);
    const auto b = normals(r.lower_b, r.upper_b, p.b, side_b, tol);
    if (!a || !b) continue;
    const auto intersect = [](std::optional<Normals>& all, const Normals& one) {
      all = all ? Normals{std::max(all->from, one.from), std::min(all->to, one.to)} : one;
    };
    intersect(in_a, *a);
    intersect(in_b, *b);
  }
  if (!in_a) return infinity;
  return std::hypot(distance(*in_a, v.a), distance(*in_b, v.b));
}

bool is_cone(const Rectangle& r) {
  const auto open = [](double bound) { return bound == 0.0 || std::isinf(bound); };
  return open(r.lower_a) && open(r.upper_a) && open(r.lower_b) && open(r.upper_b);
}

}  // namespace

PairUnion::PairUnion(Index pairs_, std::vector<Rectangle> rectangles_)
    : pairs(pairs_), rectangles(std::move(rectangles_)) {
  require(pairs >= 1, "PairUnion.pairs", pairs, "at least 1");
  require(!rectangles.empty(), "PairUnion.rectangles.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < rectangles.size(); ++k) {
    const Rectangle& r = rectangles[k];
    const auto check = [&](char which, double lower, double upper) {
      const auto field = [&](std::string_view side) {
        return fmt::format("PairUnion.rectangles[{}].{}_{}", k, side, which);
      };
      require(lower < infinity, field("lower"), lower, "a number or -inf");
      require(upper > -infinity, field("upper"), upper, "a number or inf");
      require(lower <= upper, field("lower"), lower, fmt::format("at most upper_{} = {}", which, upper));
    };
    check('a', r.lower_a, r.upper_a);
    check('b', r.lower_b, r.upper_b);
  }
}

PairUnion PairUnion::vanishing(Index pairs) {
  return {pairs, {{.upper_a = 0.0, .lower_b = 0.0}, {.lower_b = 0.0, .upper_b = 0.0}}};
}

PairUnion PairUnion::either(Index pairs) { return {pairs, {{.lower_a = 0.0}, {.lower_b = 0.0}}}; }

void PairUnion::project(In z, Out w) const {
  for (Index i = 0; i < pairs; ++i) {
    const PlanePoint p{z[i], z[pairs + i]};
    const PlanePoint q = clamped(rectangles[nearest(rectangles, p)], p);
    w[i] = q.a;
    w[pairs + i] = q.b;
  }
}

double PairUnion::normal_residual(In w, In v) const {
  const double tol = 1e-12 * w.lpNorm<Eigen::Infinity>();  // what rounding leaves of a bound
  double squares = 0.0;
  for (Index i = 0; i < pairs; ++i) {
    const PlanePoint p{w[i], w[pairs + i]}, u{v[i], v[pairs + i]};
    double least = infinity;
    for (const int side_a : {-1, 0, 1})
      for (const int side_b : {-1, 0, 1})
        least = std::min(least, cell_residual(rectangles, p, u, side_a, side_b, tol));
    if (!std::isfinite(least)) least = std::hypot(u.a, u.b);  // w is not in the set
    squares += least * least;
  }
  return std::sqrt(squares);
}

bool PairUnion::projection_is_unique(In z, double tol) const {
  for (Index i = 0; i < pairs; ++i) {
    const PlanePoint p{z[i], z[pairs + i]};
    const PlanePoint q = clamped(rectangles[nearest(rectangles, p)], p);
    for (const Rectangle& r : rectangles)
      if (distance(r, p) - distance(p, q) <= tol && distance(clamped(r, p), q) > tol) return false;
  }
  return true;
}

std::optional<Branch> PairUnion::branch(In w, In z) const {
  if (convex()) return std::nullopt;
  const double tol = 1e-12 * w.lpNorm<Eigen::Infinity>();
  std::vector<Index> key;
  for (Index i = 0; i < pairs; ++i) {
    const PlanePoint p{w[i], w[pairs + i]}, near{z[i], z[pairs + i]};
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < rectangles.size(); ++k)
      if (distance(rectangles[k], p) <= tol &&
          (!best || distance(rectangles[k], near) < distance(rectangles[*best], near)))
        best = k;
    if (!best) return std::nullopt;
    key.push_back(static_cast<Index>(*best));
  }
  auto found = branch_at(key, w);
  found->t = w;  // as near to its rectangles as rounding allowed
  return found;
}

std::optional<Branch> PairUnion::branch_at(BranchKey key, In near) const {
  if (convex()) return std::nullopt;
  require_dimension("branch key size", std::ssize(key), pairs);
  Vector lower(2 * pairs), upper(2 * pairs), t(2 * pairs);
  for (Index i = 0; i < pairs; ++i) {
    const Index k = key[static_cast<std::size_t>(i)];
    require(k >= 0 && k < std::ssize(rectangles), fmt::format("branch key[{}]", i), k, "the number of a rectangle");
    const Rectangle& r = rectangles[static_cast<std::size_t>(k)];
    const PlanePoint q = clamped(r, {near[i], near[pairs + i]});
    t[i] = q.a;
    t[pairs + i] = q.b;
    lower[i] = r.lower_a;
    upper[i] = r.upper_a;
    lower[pairs + i] = r.lower_b;
    upper[pairs + i] = r.upper_b;
  }
  std::string label = fmt::format("rectangles {}", fmt::join(key, " "));
  return Branch{std::move(label),
                {key.begin(), key.end()},
                Selection::identity(2 * pairs),
                Box(std::move(lower), std::move(upper)),
                std::move(t)};
}

std::optional<Neighbours> PairUnion::neighbours(BranchKey key, In z, Index most) const {
  if (convex()) return std::nullopt;
  Neighbours all;
  for (Index i = 0; i < pairs; ++i) {
    const PlanePoint p{z[i], z[pairs + i]};
    const auto at = static_cast<std::size_t>(i), now = static_cast<std::size_t>(key[at]);
    const double here = distance(rectangles[now], p);
    for (std::size_t k = 0; k < rectangles.size(); ++k) {
      if (k == now) continue;
      const double there = distance(rectangles[k], p);
      Neighbour other{{key.begin(), key.end()}, (there - here) * (there + here)};
      other.key[at] = static_cast<Index>(k);
      all.nearest.push_back(std::move(other));
    }
  }
  all.total = std::ssize(all.nearest);
  detail::keep_nearest(all.nearest, most);
  return all;
}

std::optional<Set> PairUnion::scaled(In) const {
  if (!std::all_of(rectangles.begin(), rectangles.end(), is_cone)) return std::nullopt;
  return Set(*this);
}

std::optional<Vector> PairUnion::ray(In z) const {
  std::optional<Vector> best;
  for (const Rectangle& r : rectangles) {
    Vector lower(2 * pairs), upper(2 * pairs);
    lower << Vector::Constant(pairs, r.lower_a), Vector::Constant(pairs, r.lower_b);
    upper << Vector::Constant(pairs, r.upper_a), Vector::Constant(pairs, r.upper_b);
    if (!is_cone(r)) return std::nullopt;
    const auto u = detail::axis_ray(z, lower, upper);
    if (u && (!best || z.dot(*u) > z.dot(*best))) best = u;
  }
  return best;
}

std::optional<Alternatives> PairUnion::alternatives() const {
  std::vector<Set> boxes;
  for (const Rectangle& r : rectangles)
    boxes.push_back(Box(Vector{{r.lower_a, r.lower_b}}, Vector{{r.upper_a, r.upper_b}}));
  Alternatives a{.dimension = dimension()};
  for (Index i = 0; i < pairs; ++i) a.atoms.push_back({{i, pairs + i}, boxes});
  return a;
}

}  // namespace pendec
