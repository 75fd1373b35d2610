#include "pendec/sets/group_counts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bounds.hpp"
#include "choices.hpp"
#include "exchanges.hpp"
#include "held_in_bounds.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/box.hpp"

namespace pendec {
namespace {

using detail::can_move;
using detail::clamped;
using detail::gain;

/// How many more nonzeros there may be.
struct Room {
  explicit Room(const GroupCounts& set) : owner(set.owner), in_group(set.counts), in_all(set.s) {}

  Index& of(Index i) { return in_group[static_cast<std::size_t>(owner[static_cast<std::size_t>(i)])]; }
  bool grouped(Index i) const { return owner[static_cast<std::size_t>(i)] >= 0; }
  bool fits(Index i) { return in_all > 0 && (!grouped(i) || of(i) > 0); }
  void take(Index i, Index count = 1) {
    in_all -= count;
    if (grouped(i)) of(i) -= count;
  }

  const std::vector<Index>& owner;
  std::vector<Index> in_group;
  Index in_all;
};

/// Those of `candidates` that are taken in the order of falling weight as long as there is room.
template <class Weight>
std::vector<Index> heaviest(std::vector<Index> candidates, Room& room, const Weight& weight) {
  std::stable_sort(candidates.begin(), candidates.end(), [&](Index i, Index j) { return weight(i) > weight(j); });
  std::vector<Index> taken;
  for (const Index i : candidates)
    if (room.fits(i)) room.take(i), taken.push_back(i);
  return taken;
}

std::vector<Index> projected_support(const GroupCounts& set, In z) {
  const double unit = detail::square_unit(z);
  std::vector<Index> candidates;
  for (Index i = 0; i < set.dimension(); ++i)
    if (gain(set, z, i, unit) > 0.0) candidates.push_back(i);
  Room room(set);
  return heaviest(std::move(candidates), room, [&](Index i) { return gain(set, z, i, unit); });
}

}  // namespace

GroupCounts::GroupCounts(Vector lower_, Vector upper_, std::vector<std::vector<Index>> groups_,
                         std::vector<Index> counts_, Index s_)
    : lower(std::move(lower_)),
      upper(std::move(upper_)),
      groups(std::move(groups_)),
      counts(std::move(counts_)),
      s(s_),
      owner(static_cast<std::size_t>(lower.size()), -1) {
  const Index n = dimension();
  detail::require_bounds("GroupCounts", lower, upper);
  require(s >= 0 && s <= n, "GroupCounts.s", s, fmt::format("0 <= s <= n = {}", n));
  require_dimension("GroupCounts.counts.size()", std::ssize(counts), std::ssize(groups));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    require(counts[g] >= 0, fmt::format("GroupCounts.counts[{}]", g), counts[g], "at least 0");
    for (std::size_t k = 0; k < groups[g].size(); ++k) {
      const Index i = groups[g][k];
      const auto field = fmt::format("GroupCounts.groups[{}][{}]", g, k);
      require(i >= 0 && i < n, field, i, fmt::format("0 <= index < n = {}", n));
      Index& other = owner[static_cast<std::size_t>(i)];
      require(other < 0, field, i, fmt::format("an index of one group only; it is in group {} too", other));
      other = static_cast<Index>(g);
    }
  }
}

GroupCounts::GroupCounts(Index n, std::vector<std::vector<Index>> groups_, std::vector<Index> counts_, Index s_)
    : GroupCounts(Vector::Constant(std::max<Index>(n, 0), -infinity),
                  Vector::Constant(std::max<Index>(n, 0), infinity), std::move(groups_), std::move(counts_), s_) {}

bool GroupCounts::convex() const {
  if (s == 0) return true;
  Room room(*this);
  for (Index i = 0; i < dimension(); ++i) {
    if (lower[i] == 0.0 && upper[i] == 0.0) continue;
    if (room.grouped(i) && counts[static_cast<std::size_t>(owner[static_cast<std::size_t>(i)])] == 0) continue;
    if (!can_move(*this, i) || !room.fits(i)) return false;
    room.take(i);
  }
  return true;
}

void GroupCounts::project(In z, Out y) const {
  for (Index i = 0; i < dimension(); ++i) {
    const double g = gain(*this, z, i);
    y[i] = g == g ? 0.0 : g;  // what is no number stays visible
  }
  for (const Index i : projected_support(*this, z)) y[i] = clamped(*this, z, i);
}

double GroupCounts::normal_residual(In x, In v) const {
  double on_support = 0.0;
  Room room(*this);
  for (Index i = 0; i < dimension(); ++i) {
    if (x[i] == 0.0) continue;
    const double r = detail::interval_normal_residual(lower[i], upper[i], x[i], v[i]);
    on_support += r * r;
    room.take(i);
  }
  if (room.in_all <= 0) return std::sqrt(on_support);
  std::vector<std::vector<Index>> movable(groups.size() + 1);  // the last: in no group
  for (Index i = 0; i < dimension(); ++i)
    if (x[i] == 0.0 && can_move(*this, i) && room.fits(i))
      movable[room.grouped(i) ? static_cast<std::size_t>(owner[static_cast<std::size_t>(i)]) : groups.size()]
          .push_back(i);
  // least[c]: the groups so far, filled up or not, c indices having been used
  std::vector<double> least(static_cast<std::size_t>(room.in_all), infinity);
  least[0] = 0.0;
  std::vector<Index> all;
  for (std::size_t g = 0; g < movable.size(); ++g) {
    std::vector<Index>& M = movable[g];
    if (M.empty()) continue;
    all.insert(all.end(), M.begin(), M.end());
    double regular = 0.0, filled = 0.0;
    for (const Index i : M) {
      const double r = detail::interval_normal_residual(lower[i], upper[i], 0.0, v[i]);
      regular += r * r;
    }
    const Index need = g < groups.size() ? room.in_group[g] : dimension() + 1;
    const bool can_fill = need <= std::min<Index>(std::ssize(M), room.in_all - 1);
    if (can_fill) {
      std::nth_element(M.begin(), M.begin() + (need - 1), M.end(),
                       [&](Index i, Index j) { return std::abs(v[i]) < std::abs(v[j]); });
      for (Index k = 0; k < need; ++k)
        filled += v[M[static_cast<std::size_t>(k)]] * v[M[static_cast<std::size_t>(k)]];
    }
    for (Index c = std::ssize(least) - 1; c >= 0; --c) {
      double& here = least[static_cast<std::size_t>(c)];
      here += regular;
      if (can_fill && c >= need) here = std::min(here, least[static_cast<std::size_t>(c - need)] + filled);
    }
  }
  double best = *std::min_element(least.begin(), least.end());
  const Index wanted = room.in_all;
  const auto basis = heaviest(std::move(all), room, [&](Index i) { return -std::abs(v[i]); });
  if (std::ssize(basis) == wanted) {
    double squares = 0.0;
    for (const Index i : basis) squares += v[i] * v[i];
    best = std::min(best, squares);
  }
  return std::sqrt(on_support + best);
}

bool GroupCounts::projection_is_unique(In z, double tol) const {
  const double unit = detail::square_unit(z);
  const auto root = [&](Index i) { return std::sqrt(std::max(gain(*this, z, i, unit), 0.0)) / unit; };
  const std::vector<Index> kept = projected_support(*this, z);
  Room room(*this);
  std::vector<char> taken(static_cast<std::size_t>(dimension()), 0);
  for (const Index i : kept) room.take(i), taken[static_cast<std::size_t>(i)] = 1;
  for (Index j = 0; j < dimension(); ++j) {
    const bool in = taken[static_cast<std::size_t>(j)] != 0;
    const double c = clamped(*this, z, j);
    if ((in || room.fits(j)) && !can_move(*this, j) && c != 0.0 &&
        std::abs(std::abs(z[j]) - std::abs(z[j] - c)) <= tol)
      return false;  // {0} and [lower, upper] are equally near
    if (in || root(j) <= tol) continue;
    for (const Index i : kept) {
      if (root(i) - root(j) > tol) continue;
      room.take(i, -1);
      const bool exchanged = room.fits(j);
      room.take(i);
      if (exchanged) return false;
    }
  }
  return true;
}

std::optional<Branch> GroupCounts::branch(In y, In z) const {
  Room room(*this);
  std::vector<Index> support, movable;
  for (Index i = 0; i < dimension(); ++i) {
    if (y[i] != 0.0)
      support.push_back(i), room.take(i);
    else if (can_move(*this, i))
      movable.push_back(i);
  }
  const double unit = detail::square_unit(z);
  const auto more = heaviest(std::move(movable), room, [&](Index i) { return gain(*this, z, i, unit); });
  support.insert(support.end(), more.begin(), more.end());
  if (support.empty()) return std::nullopt;
  std::sort(support.begin(), support.end());
  return branch_at(support, y);
}

std::optional<Branch> GroupCounts::branch_at(BranchKey key, In near) const {
  if (key.empty()) return std::nullopt;
  detail::require_support(key, dimension(), s);
  Room room(*this);
  for (const Index i : key) {
    require(room.fits(i), "branch key", i, "no more indices of a group than it may have");
    room.take(i);
  }
  return detail::box_branch(key, lower, upper, near);
}

std::optional<Neighbours> GroupCounts::neighbours(BranchKey key, In z, Index most) const {
  const auto loss = [&](Index i) { return gain(*this, z, i); };
  const auto others =
      detail::others_than(key, dimension(), [&](Index i) { return lower[i] != 0.0 || upper[i] != 0.0; });
  Room room(*this);
  for (const Index i : key) room.take(i);
  Neighbours all;
  const auto add = [&](Index leaving, Index coming, double excess) {  // −1: none
    Neighbour one{{key.begin(), key.end()}, excess};
    if (leaving >= 0) std::erase(one.key, leaving);
    if (coming >= 0) one.key.insert(std::upper_bound(one.key.begin(), one.key.end(), coming), coming);
    all.nearest.push_back(std::move(one));
    ++all.total;
  };
  for (const Index i : key) {
    room.take(i, -1);
    for (const Index j : others)
      if (room.fits(j)) add(i, j, loss(i) - loss(j));
    room.take(i);
    if (key.size() > 1 && !can_move(*this, i)) add(i, -1, loss(i));  // else zero is part of the branch already
  }
  for (const Index j : others)
    if (room.fits(j)) add(-1, j, -loss(j));
  detail::keep_nearest(all.nearest, most);
  return all;
}

std::optional<Set> GroupCounts::scaled(In row) const {
  return Set(GroupCounts(lower.cwiseQuotient(row), upper.cwiseQuotient(row), groups, counts, s));
}

std::optional<Alternatives> GroupCounts::alternatives() const {
  Alternatives a =
      detail::few_coordinates(dimension(), s, [&](Index i) { return Box(lower.segment(i, 1), upper.segment(i, 1)); });
  for (std::size_t g = 0; g < groups.size(); ++g) a.budgets.push_back({groups[g], counts[g]});
  return a;
}

}  // namespace pendec
