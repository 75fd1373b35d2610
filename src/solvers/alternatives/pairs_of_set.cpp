#include "pairs_of_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pendec/maps/selection.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/pair_union.hpp"
#include "placed_pairs.hpp"

namespace pendec::detail {
namespace {

std::optional<LinearConstraints> bounds_of(const Set& piece) {
  auto rows = piece.linear_constraints();
  if (!rows || rows->b.size() + rows->d.size() > 0) return std::nullopt;
  return rows;
}

/// A kind of pairs between bounds, with the two coordinates in its order or in the other one.
struct PairOfKind {
  PairKind kind = PairKind::switching;
  bool swapped = false;
  Rectangle hull;
};

bool same(const Rectangle& r, const Rectangle& s) {
  return r.lower_a == s.lower_a && r.upper_a == s.upper_a && r.lower_b == s.lower_b && r.upper_b == s.upper_b;
}

Rectangle swapped(const Rectangle& r) { return {r.lower_b, r.upper_b, r.lower_a, r.upper_a}; }

/// What two rectangles are: one of the kinds within the smallest rectangle around both, of which zero is a point.
std::optional<PairOfKind> kind_of(const Rectangle& first, const Rectangle& second) {
  const Rectangle around = hull(first, second);
  for (const bool swap : {false, true}) {
    const Rectangle h = swap ? swapped(around) : around;
    const Rectangle a_free{h.lower_a, h.upper_a, 0.0, 0.0}, b_free{0.0, 0.0, h.lower_b, h.upper_b};
    const Rectangle a_below{h.lower_a, 0.0, h.lower_b, h.upper_b};
    const Rectangle a_above{0.0, h.upper_a, h.lower_b, h.upper_b}, b_above{h.lower_a, h.upper_a, 0.0, h.upper_b};
    const auto are = [&](const Rectangle& one, const Rectangle& other) {
      const Rectangle r = swap ? swapped(first) : first, s = swap ? swapped(second) : second;
      return (same(r, one) && same(s, other)) || (same(r, other) && same(s, one));
    };
    if (are(a_free, b_free)) {
      const bool positive = h.lower_a == 0.0 && h.lower_b == 0.0;
      return PairOfKind{positive ? PairKind::complementarity : PairKind::switching, swap, around};
    }
    if (h.lower_b == 0.0 && are(a_free, a_below)) return PairOfKind{PairKind::vanishing, swap, around};
    if (are(a_above, b_above)) return PairOfKind{PairKind::either, swap, around};
  }
  return std::nullopt;
}

}  // namespace

std::string pairs_of_set(const Problem& problem, PairProgram& program) {
  const auto alternatives = problem.D.alternatives();
  if (!alternatives) return fmt::format("D ({}) does not tell its convex pieces", problem.D.name());
  if (!alternatives->budgets.empty()) return "D counts what is chosen";
  const Index n = problem.dimension();
  Vector lower = Vector::Constant(n, -infinity), upper = -lower;
  const auto hold = [&](Index i, double low, double high) {
    lower[i] = std::max(lower[i], low);
    upper[i] = std::min(upper[i], high);
  };
  const auto hold_all = [&](const Atom& atom) {
    const auto box = bounds_of(atom.pieces.front());
    if (!box) return false;
    for (std::size_t k = 0; k < atom.coordinates.size(); ++k)
      hold(atom.coordinates[k], box->lower[static_cast<Index>(k)], box->upper[static_cast<Index>(k)]);
    return true;
  };
  std::map<PairKind, std::pair<std::vector<Index>, std::vector<Index>>> sides;
  for (const Atom& atom : alternatives->atoms) {
    if (atom.pieces.size() == 1 && !atom.zero) {
      if (!hold_all(atom)) return fmt::format("{}, which is part of D, is no box", atom.pieces.front().name());
      continue;
    }
    if (atom.coordinates.size() != 2 || atom.pieces.size() != 2 || atom.zero)
      return "D offers other choices than one of two rectangles for two coordinates";
    std::vector<Rectangle> rectangles;
    for (const Set& piece : atom.pieces) {
      const auto box = bounds_of(piece);
      if (!box) return fmt::format("{}, which is part of D, is no box", piece.name());
      rectangles.push_back({box->lower[0], box->upper[0], box->lower[1], box->upper[1]});
    }
    const Index i = atom.coordinates[0], j = atom.coordinates[1];
    const auto kind = kind_of(rectangles[0], rectangles[1]);
    if (!kind) return fmt::format("x[{}] and x[{}] are no pair of a kind that is known", i, j);
    hold(i, kind->hull.lower_a, kind->hull.upper_a);
    hold(j, kind->hull.lower_b, kind->hull.upper_b);
    auto& [F, H] = sides[kind->kind];
    F.push_back(kind->swapped ? j : i);
    H.push_back(kind->swapped ? i : j);
  }
  if (sides.empty()) return "D has no pairs of coordinates";
  for (const Atom& common : alternatives->common)
    if (!hold_all(common)) return fmt::format("{}, which is part of D, is no box", common.pieces.front().name());
  if ((lower.array() > upper.array()).any()) return "bounds of D contradict each other";
  program = {.f = problem.f, .G = problem.G, .C = problem.C, .X = Box(std::move(lower), std::move(upper))};
  for (auto& [kind, both] : sides)
    program.pairs.push_back({kind, Selection(n, std::move(both.first)), Selection(n, std::move(both.second))});
  return "";
}

}  // namespace pendec::detail
