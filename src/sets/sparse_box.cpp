#include "pendec/sets/sparse_box.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "axis_ray.hpp"
#include "bounds.hpp"
#include "choices.hpp"
#include "exchanges.hpp"
#include "held_in_bounds.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/box.hpp"
#include "select.hpp"

namespace pendec {
namespace {

using detail::can_move;
using detail::clamped;
using detail::gain;

void project_sparse_box(const SparseBox& set, In z, std::vector<double>& scratch, Out y) {
  const Index n = set.dimension();
  const double unit = detail::square_unit(z);
  auto kept = detail::select_largest(
      n, set.s, [&](Index i) { return gain(set, z, i, unit); }, scratch);
  for (Index i = 0; i < n; ++i) {
    const double g = gain(set, z, i, unit);
    const bool takes = kept.takes(g);                                 // asked always: it counts ties
    y[i] = takes && g > 0.0 ? clamped(set, z, i) : g == g ? 0.0 : g;  // what is no number stays visible
  }
}

class SparseBoxProjector final : public Projector {
 public:
  explicit SparseBoxProjector(SparseBox set) : set_(std::move(set)) {
    scratch_.reserve(static_cast<std::size_t>(set_.dimension()));
  }
  using Projector::project;
  void project(In z, Out y) override { project_sparse_box(set_, z, scratch_, y); }

 private:
  SparseBox set_;
  std::vector<double> scratch_;
};

}  // namespace

SparseBox::SparseBox(Vector lower_, Vector upper_, Index s_)
    : lower(std::move(lower_)), upper(std::move(upper_)), s(s_) {
  detail::require_bounds("SparseBox", lower, upper);
  require(s >= 0 && s <= dimension(), "SparseBox.s", s, fmt::format("0 <= s <= n = {}", dimension()));
}

SparseBox SparseBox::nonnegative(Index n, Index s) {
  require(n >= 1, "SparseBox.n", n, "at least 1");
  return {Vector::Zero(n), Vector::Constant(n, infinity), s};
}

SparseBox SparseBox::semicontinuous(Vector lower, Vector upper) {
  const Index n = lower.size();
  return {std::move(lower), std::move(upper), n};
}

bool SparseBox::convex() const {
  if (s == 0) return true;
  Index movable = 0;
  for (Index i = 0; i < dimension(); ++i) {
    if (lower[i] == 0.0 && upper[i] == 0.0) continue;
    if (!can_move(*this, i)) return false;
    ++movable;
  }
  return movable <= s;
}

void SparseBox::project(In z, Out y) const {
  std::vector<double> scratch;
  project_sparse_box(*this, z, scratch, y);
}

std::unique_ptr<Projector> SparseBox::projector() const { return std::make_unique<SparseBoxProjector>(*this); }

double SparseBox::normal_residual(In x, In v) const {
  double on_support = 0.0, regular = 0.0;
  std::vector<double> squares;  // of v on M
  Index support = 0;
  for (Index i = 0; i < dimension(); ++i) {
    const double r =
        x[i] != 0.0 || can_move(*this, i) ? detail::interval_normal_residual(lower[i], upper[i], x[i], v[i]) : 0.0;
    if (x[i] != 0.0) {
      ++support;
      on_support += r * r;
    } else if (can_move(*this, i)) {
      regular += r * r;
      squares.push_back(v[i] * v[i]);
    }
  }
  const Index more = s - support;
  double least = more > 0 || squares.empty() ? regular : 0.0;  // |S| = s: anything on M
  if (more > 0 && more <= static_cast<Index>(squares.size())) {
    std::nth_element(squares.begin(), squares.begin() + (more - 1), squares.end());
    least = std::min(least, std::accumulate(squares.begin(), squares.begin() + more, 0.0));
  }
  return std::sqrt(on_support + least);
}

bool SparseBox::projection_is_unique(In z, double tol) const {
  // gains are differences of squared distances: c² if the bounds do not cut
  const double unit = detail::square_unit(z);
  const auto root = [&](Index i) { return std::sqrt(std::max(gain(*this, z, i, unit), 0.0)) / unit; };
  std::vector<double> scratch;
  const double kept = detail::select_largest(dimension(), s, root, scratch).threshold;
  for (Index i = 0; i < dimension(); ++i)  // {0} and [lower, upper] equally near, and not dropped anyway
    if (root(i) >= kept - tol && !can_move(*this, i) && clamped(*this, z, i) != 0.0 &&
        std::abs(std::abs(z[i]) - std::abs(z[i] - clamped(*this, z, i))) <= tol)
      return false;
  if (s == 0 || s == dimension()) return true;
  const double dropped = detail::select_largest(dimension(), s + 1, root, scratch).threshold;
  return dropped <= tol || detail::selection_gap(dimension(), s, root) > tol;
}

std::optional<Branch> SparseBox::branch(In y, In z) const {
  if (s == 0) return std::nullopt;
  std::vector<Index> support, movable;
  for (Index i = 0; i < dimension(); ++i) {
    if (y[i] != 0.0)
      support.push_back(i);
    else if (can_move(*this, i))
      movable.push_back(i);
  }
  const auto more = std::min(static_cast<std::size_t>(s) - std::min<std::size_t>(support.size(), s), movable.size());
  const double unit = detail::square_unit(z);
  std::stable_sort(movable.begin(), movable.end(),
                   [&](Index i, Index j) { return gain(*this, z, i, unit) > gain(*this, z, j, unit); });
  support.insert(support.end(), movable.begin(), movable.begin() + static_cast<std::ptrdiff_t>(more));
  if (support.empty()) return std::nullopt;
  std::sort(support.begin(), support.end());
  return branch_at(support, y);
}

std::optional<Branch> SparseBox::branch_at(BranchKey key, In near) const {
  if (s == 0 || key.empty()) return std::nullopt;
  detail::require_support(key, dimension(), s);
  return detail::box_branch(key, lower, upper, near);
}

std::optional<Neighbours> SparseBox::neighbours(BranchKey key, In z, Index most) const {
  const auto loss = [&](Index i) { return gain(*this, z, i); };
  const auto others =
      detail::others_than(key, dimension(), [&](Index i) { return lower[i] != 0.0 || upper[i] != 0.0; });
  Neighbours all = detail::exchanges(key, others, loss, most);
  if (std::ssize(key) < s) {
    for (const Index i : others) {
      Neighbour more{{key.begin(), key.end()}, -loss(i)};
      more.key.insert(std::upper_bound(more.key.begin(), more.key.end(), i), i);
      all.nearest.push_back(std::move(more));
      ++all.total;
    }
  }
  for (std::size_t k = 0; k < key.size() && key.size() > 1; ++k) {
    if (can_move(*this, key[k])) continue;  // zero is part of the branch already
    Neighbour less{{key.begin(), key.end()}, loss(key[k])};
    less.key.erase(less.key.begin() + static_cast<std::ptrdiff_t>(k));
    all.nearest.push_back(std::move(less));
    ++all.total;
  }
  detail::keep_nearest(all.nearest, most);
  return all;
}

std::optional<Set> SparseBox::scaled(In row) const {
  return Set(SparseBox(lower.cwiseQuotient(row), upper.cwiseQuotient(row), s));
}

std::optional<Vector> SparseBox::ray(In z) const {
  if (s == 0) return std::nullopt;
  return detail::axis_ray(z, lower, upper);
}

std::optional<Alternatives> SparseBox::alternatives() const {
  return detail::few_coordinates(dimension(), s,
                                 [&](Index i) { return Box(lower.segment(i, 1), upper.segment(i, 1)); });
}

}  // namespace pendec
