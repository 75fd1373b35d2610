// The convex pieces of a set, each as a set of its own, from what it tells about its alternatives.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pendec/core/set.hpp"
#include "pendec/subsolvers/qp.hpp"

namespace pendec::detail {

/// D is the union of these: one if it is convex, the pieces of its one atom, or all choices of pieces for several
/// atoms, where those are few polyhedra. Nothing for other sets, also those that count nonzeros: their pieces are
/// many, and other solvers know them better.
std::optional<std::vector<Set>> convex_pieces(const Set& D);

bool is_polyhedron(const Set& set);

/// A polyhedral piece, with its rows as the QP solver reads them.
struct PolyhedralPiece {
  Set set;
  std::shared_ptr<const PreparedConstraints> rows;
};

/// All of them must be polyhedra.
std::vector<PolyhedralPiece> with_rows(const std::vector<Set>& polyhedra);

}  // namespace pendec::detail
