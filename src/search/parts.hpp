// The parts of a union, from what a set tells about its convex pieces.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "pendec/core/set.hpp"

namespace pendec::detail {

/// The parts of D if it is a union of convex sets of all coordinates; nothing for other sets.
inline std::optional<std::vector<Set>> parts_of_union(const Set& D) {
  if (D.convex()) return std::nullopt;
  auto alternatives = D.alternatives();
  if (!alternatives || alternatives->atoms.size() != 1 || !alternatives->common.empty()) return std::nullopt;
  Atom& atom = alternatives->atoms.front();
  const bool whole = std::ssize(atom.coordinates) == D.dimension() &&
                     std::is_sorted(atom.coordinates.begin(), atom.coordinates.end());
  if (atom.zero || !whole) return std::nullopt;
  return std::move(atom.pieces);
}

}  // namespace pendec::detail
