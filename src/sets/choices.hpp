// Alternatives of sets that choose at most s of their atoms.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "pendec/core/set.hpp"

namespace pendec::detail {

/// first, first + 1, …
inline std::vector<Index> counted(Index count, Index first = 0) {
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

/// At most s of n coordinates do not vanish; those lie in piece(i).
template <class Piece>
Alternatives few_coordinates(Index n, Index s, const Piece& piece) {
  Alternatives a{.dimension = n};
  a.atoms.reserve(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) a.atoms.push_back({{i}, {piece(i)}, true});
  a.budgets.push_back({counted(n), s});
  return a;
}

/// The alternatives of a block that has the coordinates places[0], places[1], … of a larger space.
inline void append(Alternatives& all, Alternatives block, const std::vector<Index>& places) {
  const auto place = [&](Atom& atom) {
    for (Index& i : atom.coordinates) i = places[static_cast<std::size_t>(i)];
  };
  const Index before = std::ssize(all.atoms);
  for (Atom& atom : block.atoms) place(atom), all.atoms.push_back(std::move(atom));
  for (Atom& atom : block.common) place(atom), all.common.push_back(std::move(atom));
  for (Budget& budget : block.budgets) {
    for (Index& k : budget.atoms) k += before;
    all.budgets.push_back(std::move(budget));
  }
}

}  // namespace pendec::detail
