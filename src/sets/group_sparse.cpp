#include "pendec/sets/group_sparse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "choices.hpp"
#include "exchanges.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/maps/selection.hpp"
#include "select.hpp"
#include "squares.hpp"

namespace pendec {
namespace {

Index count_of(const GroupSparse& set) { return static_cast<Index>(set.groups.size()); }

const std::vector<Index>& group(const GroupSparse& set, Index g) { return set.groups[static_cast<std::size_t>(g)]; }

double squared_norm(const GroupSparse& set, In z, Index g, double unit = 1.0) {
  double sum = 0.0;
  for (const Index i : group(set, g)) sum += (unit * z[i]) * (unit * z[i]);
  return sum;
}

/// Times unit², the square unit of z.
Vector squared_norms(const GroupSparse& set, In z, double unit) {
  Vector squares(count_of(set));
  for (Index g = 0; g < squares.size(); ++g) squares[g] = squared_norm(set, z, g, unit);
  return squares;
}

bool vanishes(const GroupSparse& set, In x, Index g) {
  const auto& indices = group(set, g);
  return std::all_of(indices.begin(), indices.end(), [&](Index i) { return x[i] == 0.0; });
}

}  // namespace

GroupSparse::GroupSparse(Index n_, std::vector<std::vector<Index>> groups_, Index s_)
    : n(n_), groups(std::move(groups_)), s(s_) {
  require(n >= 1, "GroupSparse.n", n, "at least 1");
  require(!groups.empty(), "GroupSparse.groups.size()", Index{0}, "at least 1");
  require(s >= 0 && s <= count_of(*this), "GroupSparse.s", s,
          fmt::format("0 <= s <= number of groups = {}", groups.size()));
  std::vector<Index> owner(static_cast<std::size_t>(n), -1);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    require(!groups[g].empty(), fmt::format("GroupSparse.groups[{}].size()", g), Index{0}, "at least 1");
    for (std::size_t k = 0; k < groups[g].size(); ++k) {
      const Index i = groups[g][k];
      const auto field = fmt::format("GroupSparse.groups[{}][{}]", g, k);
      require(i >= 0 && i < n, field, i, fmt::format("0 <= index < n = {}", n));
      Index& other = owner[static_cast<std::size_t>(i)];
      require(other < 0, field, i, fmt::format("an index of one group only; it is in group {} too", other));
      other = static_cast<Index>(g);
    }
  }
  for (Index i = 0; i < n; ++i)
    if (owner[static_cast<std::size_t>(i)] < 0) ungrouped.push_back(i);
}

GroupSparse GroupSparse::blocks(Index count, Index size, Index s) {
  require(count >= 1, "GroupSparse.blocks.count", count, "at least 1");
  require(size >= 1, "GroupSparse.blocks.size", size, "at least 1");
  std::vector<std::vector<Index>> groups(static_cast<std::size_t>(count));
  for (Index i = 0; i < count * size; ++i) groups[static_cast<std::size_t>(i / size)].push_back(i);
  return {count * size, std::move(groups), s};
}

bool GroupSparse::convex() const { return s == 0 || s == count_of(*this); }

void GroupSparse::project(In z, Out y) const {
  const Vector squares = squared_norms(*this, z, detail::square_unit(z));
  std::vector<double> scratch;
  auto kept = detail::select_largest(
      squares.size(), s, [&](Index g) { return squares[g]; }, scratch);
  y = z;
  for (Index g = 0; g < squares.size(); ++g) {
    if (kept.takes(squares[g]) || squares[g] != squares[g]) continue;  // what is no number stays visible
    for (const Index i : group(*this, g)) y[i] = 0.0;
  }
}

double GroupSparse::normal_residual(In x, In v) const {
  double squares = 0.0;
  for (const Index i : ungrouped) squares += v[i] * v[i];
  std::vector<double> others;
  for (Index g = 0; g < count_of(*this); ++g) {
    if (vanishes(*this, x, g)) {
      others.push_back(squared_norm(*this, v, g));
    } else {
      squares += squared_norm(*this, v, g);
    }
  }
  const Index excess = static_cast<Index>(others.size()) - (count_of(*this) - s);
  if (excess > 0) {
    const auto end = others.begin() + excess;
    std::nth_element(others.begin(), end - 1, others.end());
    squares = std::accumulate(others.begin(), end, squares);
  }
  return std::sqrt(squares);
}

bool GroupSparse::projection_is_unique(In z, double tol) const {
  if (convex()) return true;
  const double unit = detail::square_unit(z);
  const Vector norms = squared_norms(*this, z, unit).cwiseSqrt() / unit;
  const auto norm = [&](Index g) { return norms[g]; };
  std::vector<double> scratch;
  const double dropped = detail::select_largest(norms.size(), s + 1, norm, scratch).threshold;
  return dropped <= tol || detail::selection_gap(norms.size(), s, norm) > tol;
}

std::optional<Branch> GroupSparse::branch(In y, In z) const {
  if (convex()) return std::nullopt;
  const Vector of_z = squared_norms(*this, z, detail::square_unit(z));
  std::vector<Index> kept(groups.size());
  std::iota(kept.begin(), kept.end(), Index{0});
  std::stable_sort(kept.begin(), kept.end(), [&](Index g, Index h) {
    const bool without_g = vanishes(*this, y, g), without_h = vanishes(*this, y, h);
    return without_g != without_h ? without_h : of_z[g] > of_z[h];
  });
  kept.resize(static_cast<std::size_t>(s));
  std::sort(kept.begin(), kept.end());
  return branch_at(kept, y);
}

std::optional<Branch> GroupSparse::branch_at(BranchKey key, In near) const {
  if (convex()) return std::nullopt;
  detail::require_support(key, count_of(*this), s);
  std::vector<Index> kept(key.begin(), key.end()), support = ungrouped;
  for (const Index g : kept) support.insert(support.end(), group(*this, g).begin(), group(*this, g).end());
  std::sort(support.begin(), support.end());
  Vector t = near(support);
  std::string label = fmt::format("groups {{{}}}", fmt::join(kept, ", "));
  return Branch{std::move(label), std::move(kept), Embedding(n, std::move(support)), Free(t.size()), t};
}

std::optional<Neighbours> GroupSparse::neighbours(BranchKey key, In z, Index most) const {
  if (convex()) return std::nullopt;
  const Vector squares = squared_norms(*this, z, 1.0);
  const auto any = [](Index) { return true; };
  return detail::exchanges(
      key, detail::others_than(key, count_of(*this), any), [&](Index g) { return squares[g]; }, most);
}

std::vector<Range> GroupSparse::free_ranges() const {
  if (s == count_of(*this)) return {{0, n}};
  return contiguous_ranges(ungrouped);
}

std::optional<Vector> GroupSparse::ray(In) const {
  if (!ungrouped.empty()) return Vector(Vector::Unit(n, ungrouped.front()));
  if (s == 0) return std::nullopt;
  return Vector(Vector::Unit(n, groups.front().front()));
}

std::optional<Alternatives> GroupSparse::alternatives() const {
  Alternatives a{.dimension = n, .budgets = {{detail::counted(count_of(*this)), s}}};
  for (const auto& indices : groups) a.atoms.push_back({indices, {Free(std::ssize(indices))}, true});
  return a;
}

}  // namespace pendec
