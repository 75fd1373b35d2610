#include "pieces.hpp"

#include <utility>

#include "linear_rows.hpp"
#include "parts.hpp"
#include "pendec/sets/polyhedron.hpp"

namespace pendec::detail {
namespace {

/// What one atom lets one choose, as rows of its own coordinates; nothing if a piece is no polyhedron.
std::optional<std::vector<LinearConstraints>> choices_of(const Atom& atom) {
  std::vector<LinearConstraints> choices;
  for (const Set& piece : atom.pieces) {
    auto rows = piece.linear_constraints();
    if (!rows) return std::nullopt;
    choices.push_back(std::move(*rows));
  }
  if (atom.zero) {
    choices.push_back(LinearConstraints::none(std::ssize(atom.coordinates)));
    choices.back().lower.setZero();
    choices.back().upper.setZero();
  }
  return choices;
}

enum class Content { points, none, unknown };

Content content_of(const LinearConstraints& rows) {
  if (!(rows.lower.array() <= rows.upper.array()).all()) return Content::none;
  DualActiveSet qp(rows);
  if (qp.solve(Vector::Zero(rows.dimension())).status != QpStatus::infeasible) return Content::points;
  return qp.excludes_all_points() ? Content::none : Content::unknown;
}

/// One choice for every atom, and what is common.
std::optional<std::vector<Set>> combinations(const Alternatives& alternatives) {
  constexpr std::size_t most = 64;
  LinearRows common(alternatives.dimension);
  for (const Atom& atom : alternatives.common) {
    const auto rows = atom.pieces.front().linear_constraints();
    if (!rows) return std::nullopt;
    common.add(atom.coordinates, *rows);
  }
  std::vector<std::vector<LinearConstraints>> choices;
  std::size_t count = 1;
  for (const Atom& atom : alternatives.atoms) {
    count *= atom.pieces.size() + (atom.zero ? 1 : 0);
    if (count > most) return std::nullopt;
  }
  for (const Atom& atom : alternatives.atoms) {
    auto of_atom = choices_of(atom);
    if (!of_atom) return std::nullopt;
    choices.push_back(std::move(*of_atom));
  }
  std::vector<Set> pieces;
  for (std::size_t number = 0; number < count; ++number) {
    LinearRows rows = common;
    std::size_t rest = number;
    for (std::size_t k = 0; k < choices.size(); ++k) {
      rows.add(alternatives.atoms[k].coordinates, choices[k][rest % choices[k].size()]);
      rest /= choices[k].size();
    }
    rows.finish();
    const Content content = content_of(rows.constraints);
    if (content == Content::unknown) return std::nullopt;
    if (content == Content::points) pieces.push_back(Polyhedron(std::move(rows.constraints)));
  }
  if (pieces.empty()) return std::nullopt;
  return pieces;
}

}  // namespace

std::optional<std::vector<Set>> convex_pieces(const Set& D) {
  if (D.convex()) return std::vector<Set>{D};
  if (auto parts = parts_of_union(D)) return parts;
  const auto alternatives = D.alternatives();
  if (!alternatives || !alternatives->budgets.empty()) return std::nullopt;
  return combinations(*alternatives);
}

bool is_polyhedron(const Set& set) { return set.prepared_constraints() || set.linear_constraints(); }

std::vector<PolyhedralPiece> with_rows(const std::vector<Set>& polyhedra) {
  std::vector<PolyhedralPiece> pieces;
  pieces.reserve(polyhedra.size());
  for (const Set& set : polyhedra) {
    auto rows = set.prepared_constraints();
    if (!rows) rows = std::make_shared<const PreparedConstraints>(*set.linear_constraints());
    pieces.push_back({set, std::move(rows)});
  }
  return pieces;
}

}  // namespace pendec::detail
