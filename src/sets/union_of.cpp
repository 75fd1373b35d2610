#include "pendec/sets/union_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "choices.hpp"
#include "convex_parts.hpp"
#include "exchanges.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "squares.hpp"

namespace pendec {
namespace {

double membership_tolerance(In x) { return 1e-10 * (1.0 + detail::norm(x)); }

/// The largest residual of v over the parts that contain x: zero iff v is a regular normal of their union.
std::optional<double> regular_residual(const std::vector<Set>& parts, In x, In v) {
  const double tol = membership_tolerance(x);
  std::optional<double> largest;
  for (const Set& part : parts) {
    if (!part.contains(x, tol)) continue;
    const auto residual = part.normal_residual(x, v);
    if (!residual) return std::nullopt;
    largest = std::max(largest.value_or(0.0), *residual);
  }
  return largest;
}

std::optional<Branch> of_part(const UnionOf& set, std::size_t k, std::optional<Branch> inner) {
  if (!inner) return inner;
  inner->label = set.parts[k].convex() ? fmt::format("part {}", k) : fmt::format("part {}, {}", k, inner->label);
  inner->key.insert(inner->key.begin(), static_cast<Index>(k));
  return inner;
}

std::size_t part_number(const UnionOf& set, BranchKey key) {
  require(!key.empty() && key[0] >= 0 && key[0] < std::ssize(set.parts), "branch key[0]", key.empty() ? -1 : key[0],
          "the number of a part");
  return static_cast<std::size_t>(key[0]);
}

/// The first of the nearest.
std::size_t nearest_part(const std::vector<Set>& parts, In y) {
  std::vector<double> distances;
  for (const Set& part : parts) distances.push_back(part.distance(y));
  return static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
}

}  // namespace

UnionOf::UnionOf(std::vector<Set> parts_) : parts(std::move(parts_)) {
  require(!parts.empty(), "UnionOf.parts.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto field = fmt::format("UnionOf.parts[{}]", k);
    require(static_cast<bool>(parts[k]), field, std::string("missing"), "a set");
    require_dimension(field + ".dimension()", parts[k].dimension(), parts.front().dimension());
  }
}

void UnionOf::project(In z, Out y) const {
  if (z.hasNaN()) {  // no part is nearest, and a single point would hide it
    y = z;
    return;
  }
  Vector trial(z.size());
  double best = infinity;
  for (const Set& part : parts) {
    part.project(z, trial);
    const double distance = detail::norm(z - trial);
    if (distance >= best && &part != &parts.front()) continue;
    best = distance;
    y = trial;
  }
}

double UnionOf::distance(In x) const {
  double nearest = infinity;
  for (const Set& part : parts) nearest = std::min(nearest, part.distance(x));
  return nearest;
}

bool UnionOf::contains(In x, double tol) const {
  return std::any_of(parts.begin(), parts.end(), [&](const Set& part) { return part.contains(x, tol); });
}

std::unique_ptr<Projector> UnionOf::projector() const { return std::make_unique<UnionProjector>(parts); }

std::optional<double> UnionOf::normal_residual(In x, In v) const {
  const double tol = membership_tolerance(x);
  const auto active =
      std::count_if(parts.begin(), parts.end(), [&](const Set& part) { return part.contains(x, tol); });
  auto least = regular_residual(parts, x, v);
  if (active < 2 || !least || *least == 0.0) return least;
  // Normals of points nearby are limiting normals. They are sought in each part, on the face that v points out of.
  constexpr int samples = 8;
  const double step = 1e4 * tol;
  Random random(1);
  for (const Set& part : parts) {
    if (!part.contains(x, tol)) continue;
    for (int k = 0; k < samples; ++k) {
      const Vector nearby = part.projection(x + step * (random.normal_vector(x.size()) + v / detail::norm(v)));
      if (const auto residual = regular_residual(parts, nearby, v)) least = std::min(*least, *residual);
    }
  }
  return least;
}

std::optional<bool> UnionOf::projection_is_unique(In z, double tol) const {
  const Vector nearest = Set(*this).projection(z);
  const double best = detail::norm(z - nearest);
  for (const Set& part : parts) {
    const Vector other = part.projection(z);
    if (detail::norm(z - other) - best > tol) continue;
    if (detail::norm(nearest - other) > tol) return false;
    const auto unique = part.projection_is_unique(z, tol);
    if (unique != true) return unique;
  }
  return true;
}

std::optional<Branch> UnionOf::branch(In y, In z) const {
  const double tol = membership_tolerance(y);
  double nearest = infinity;
  std::size_t k = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].contains(y, tol)) continue;
    const double distance = parts[i].distance(z);
    if (distance >= nearest - tol) continue;
    nearest = distance;
    k = i;
  }
  if (k == parts.size()) k = nearest_part(parts, y);  // y is outside by more than rounding, as ends of runs may be
  return of_part(*this, k, parts[k].branch(y, z));
}

std::optional<Branch> UnionOf::branch_at(BranchKey key, In near) const {
  const std::size_t k = part_number(*this, key);
  return of_part(*this, k, parts[k].branch_at(key.subspan(1), near));
}

/// Other branches of the same part, and of each other part the branch nearest to z.
std::optional<Neighbours> UnionOf::neighbours(BranchKey key, In z, Index most) const {
  const std::size_t now = part_number(*this, key);
  auto all = parts[now].neighbours(key.subspan(1), z, most);
  if (!all) return std::nullopt;
  for (Neighbour& inner : all->nearest) inner.key.insert(inner.key.begin(), key[0]);
  const double here = parts[now].distance(z);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k == now) continue;
    ++all->total;
    const Vector y = parts[k].projection(z);
    const auto piece = of_part(*this, k, parts[k].branch(y, z));
    if (!piece) continue;  // a part that cannot be restricted to: it counts, but cannot be listed
    const double there = detail::norm(z - y);
    all->nearest.push_back({piece->key, (there - here) * (there + here)});
  }
  detail::keep_nearest(all->nearest, most);
  return all;
}

std::optional<LinearConstraints> UnionOf::linear_constraints() const {
  if (parts.size() > 1) return std::nullopt;
  return parts.front().linear_constraints();
}

std::optional<Set> UnionOf::scaled(In row) const {
  std::vector<Set> scaled_parts;
  for (const Set& part : parts) {
    auto scaled = part.scaled(row);
    if (!scaled) return std::nullopt;
    scaled_parts.push_back(std::move(*scaled));
  }
  return Set(UnionOf(std::move(scaled_parts)));
}

void detail::require_convex_parts(const Set& D, std::string_view field) {
  const auto* set = D.as<UnionOf>();
  if (!set) return;
  for (std::size_t k = 0; k < set->parts.size(); ++k)
    require(set->parts[k].convex(), fmt::format("{}.parts[{}]", field, k), set->parts[k].name(), "a convex set");
}

std::optional<Alternatives> UnionOf::alternatives() const {
  if (!std::all_of(parts.begin(), parts.end(), [](const Set& part) { return part.convex(); })) return std::nullopt;
  return Alternatives{.dimension = dimension(), .atoms = {{detail::counted(dimension()), parts}}};
}

}  // namespace pendec
