// Boxes around polyhedra that are given by rows.
#pragma once

#include <optional>
#include <vector>

#include "pendec/core/deadline.hpp"
#include "pieces.hpp"

namespace pendec::detail {

/// The same polyhedra, with the bounds of each variable that follow from their rows: 2n projections for each part
/// that lacks some. Nothing if no part has gained bounds, if there are too many of them, or if the time is up.
std::optional<std::vector<PolyhedralPiece>> with_bounds_of_rows(std::vector<PolyhedralPiece> polyhedra,
                                                                const Deadline& deadline);

}  // namespace pendec::detail
