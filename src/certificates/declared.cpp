// What a problem's own types declare, tried before proofs rest on it; and their derivatives, where a method fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pendec/certificates/check.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/composition.hpp"
#include "pendec/maps/quadratic_rows.hpp"
#include "pendec/maps/quartic.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/maps/stack.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"
#include "pendec/objectives/sum.hpp"
#include "pendec/sets/affine_subspace.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_slab.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/group_counts.hpp"
#include "pendec/sets/group_sparse.hpp"
#include "pendec/sets/indexed.hpp"
#include "pendec/sets/intersection.hpp"
#include "pendec/sets/l1_ball.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/sets/pair_union.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/psd_low_rank.hpp"
#include "pendec/sets/second_order_cone.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/similarity.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/sets/singular_values.hpp"
#include "pendec/sets/slab.hpp"
#include "pendec/sets/sparse.hpp"
#include "pendec/sets/sparse_box.hpp"
#include "pendec/sets/sparse_simplex.hpp"
#include "pendec/sets/stiefel.hpp"
#include "pendec/sets/union_of.hpp"
#include "pendec/sets/values.hpp"

namespace pendec {
namespace {

template <class... Types, class Handle>
bool is_one_of(const Handle& handle) {
  return (handle.template as<Types>() || ...);
}

bool is_of_library(const Objective& f) {
  if (const auto* sum = f.as<Sum>())
    return std::all_of(sum->terms.begin(), sum->terms.end(), [](const Term& t) { return is_of_library(t.f); });
  return is_one_of<Linear, Quadratic, SquaredDistance, LinearModel, LeastSquares, Logistic, Huber, Poisson>(f);
}

bool is_of_library(const Map& G) {
  if (const auto* stack = G.as<Stack>())
    return std::all_of(stack->parts.begin(), stack->parts.end(), [](const Map& part) { return is_of_library(part); });
  if (const auto* both = G.as<Composition>()) return is_of_library(both->outer) && is_of_library(both->inner);
  return is_one_of<Affine, Selection, Embedding, QuadraticRows, Quartic>(G);
}

bool is_of_library(const Set& set) {
  const auto all = [](const auto& parts) {
    return std::all_of(parts.begin(), parts.end(), [](const Set& part) { return is_of_library(part); });
  };
  if (const auto* product = set.as<Product>())
    return std::all_of(product->blocks.begin(), product->blocks.end(),
                       [](const NamedSet& block) { return is_of_library(block.set); });
  if (const auto* parts = set.as<UnionOf>()) return all(parts->parts);
  if (const auto* parts = set.as<Intersection>()) return all(parts->parts);
  if (const auto* indexed = set.as<Indexed>()) return is_of_library(indexed->arranged);
  if (const auto* similar = set.as<Similarity>()) return is_of_library(similar->set);
  if (const auto* shell = set.as<Shell>()) return is_of_library(shell->cone);
  if (const auto* spectral = set.as<SingularValues>()) return is_of_library(spectral->set);
  return is_one_of<Free, Singleton, Box, Simplex, Slab, AffineSubspace, BoxSlab, L1Ball, SecondOrderCone, Polyhedron,
                   Sparse, SparseBox, SparseSimplex, GroupSparse, GroupCounts, Integer, FiniteValues, BoxSwitching,
                   PairUnion, LowRank, PsdLowRank, Stiefel>(set);
}

/// x with some entries replaced.
Vector with_entries(Vector x, const std::vector<Index>& coordinates, const Vector& entries) {
  x(coordinates) = entries;
  return x;
}

/// Points of the set: the nearest to some near and far, and some of a few of its pieces.
std::vector<Vector> points_of(const Set& set, In x) {
  constexpr std::size_t few = 8;
  Random random(5);
  std::vector<Vector> points;
  const double size = std::max(1.0, x.norm() / std::sqrt(static_cast<double>(x.size())));
  for (const double far : {1.0, 10.0, 100.0})
    points.push_back(set.projection(x + far * size * random.normal_vector(x.size())));
  const auto alternatives = is_of_library(set) && x.size() > 1000 ? std::nullopt : set.alternatives();
  for (std::size_t k = 0; alternatives && k < std::min(few, alternatives->atoms.size()); ++k) {
    const Atom& atom = alternatives->atoms[k];
    for (std::size_t piece = 0; piece < std::min(few, atom.pieces.size()); ++piece) {
      const Vector entries = atom.pieces[piece].projection(size * random.normal_vector(std::ssize(atom.coordinates)));
      points.push_back(set.projection(with_entries(points.front(), atom.coordinates, entries)));
    }
  }
  std::erase_if(points, [](const Vector& point) { return !point.allFinite(); });
  return points;
}

[[noreturn]] void refuse(const Set& set, const char* ability, std::string expected) {
  throw InvalidArgument(fmt::format("{}.{}", set.name(), ability), "declared", std::move(expected));
}

/// What the set declares about its rows.
void require_rows(const Set& set, const std::vector<Vector>& outside, const std::vector<Vector>& inside) {
  const auto rows = set.linear_constraints();
  if (!rows) return;
  for (const Vector& y : inside)
    if (const double off = rows->violation(y); off > 1e-6 * (1.0 + y.norm()))
      refuse(set, "linear_constraints()",
             fmt::format("rows that its points satisfy; one is violated by {:.3g}", off));
  for (const Vector& z : outside)
    if (rows->violation(z) == 0.0 && set.distance(z) > 1e-6 * (1.0 + z.norm()))
      refuse(set, "linear_constraints()", "rows that only its points satisfy");
}

/// Is y made of the pieces, within the budgets?
bool is_made_of(const Alternatives& alternatives, const Vector& y) {
  const double tolerance = 1e-6 * (1.0 + y.norm());
  std::vector<char> vanishes(alternatives.atoms.size(), 0);
  for (std::size_t k = 0; k < alternatives.atoms.size(); ++k) {
    const Atom& atom = alternatives.atoms[k];
    const Vector own = y(atom.coordinates);
    vanishes[k] = atom.zero && own.isZero(0.0);
    const auto holds = [&](const Set& piece) { return piece.contains(own, tolerance); };
    if (!vanishes[k] && std::none_of(atom.pieces.begin(), atom.pieces.end(), holds)) return false;
  }
  for (const Budget& budget : alternatives.budgets)
    if (std::count_if(budget.atoms.begin(), budget.atoms.end(),
                      [&](Index k) { return !vanishes[static_cast<std::size_t>(k)]; }) > budget.most)
      return false;
  return std::all_of(alternatives.common.begin(), alternatives.common.end(), [&](const Atom& atom) {
    return atom.pieces.front().contains(Vector(y(atom.coordinates)), tolerance);
  });
}

/// Does the slope fit a function of t near 0? `found` is its difference quotient that fits best.
template <class Function>
bool fits(const Function& value, double slope, double unit, double& found) {
  constexpr double share = 1e-2;  // far more than the error of a difference quotient of a smooth function
  double best = infinity;
  for (const double step : {1e-3, 1e-5, 1e-7}) {
    const double h = step * unit, above = value(h), below = value(-h);
    if (!std::isfinite(above) || !std::isfinite(below)) return true;  // not defined there: nothing is known
    const double quotient = (above - below) / (2.0 * h);
    const double noise = 1e3 * epsilon * (std::abs(above) + std::abs(below)) / h;
    const double excess = std::abs(quotient - slope) - noise - share * std::max(std::abs(quotient), std::abs(slope));
    if (excess < best) best = excess, found = quotient;
  }
  return best <= 0.0;
}

std::string misfit(std::string_view what, double found, double slope) {
  return fmt::format(
      "the values of {} near the point change by {:.3g} along a direction where its derivative is {:.3g}", what,
      found, slope);
}

}  // namespace

std::string doubt_about_derivatives(const Problem& problem, In x) {
  const Index n = x.size();
  const double unit = std::max(x.norm(), 1e-3);
  Vector gradient(n);
  double found = 0.0;
  problem.f.value_and_gradient(x, gradient);
  for (Vector d : {Random(1).normal_vector(n), gradient}) {
    if (!(d.norm() > 0.0) || !d.allFinite()) continue;
    d /= d.norm();
    if (!is_of_library(problem.f) &&
        !fits([&](double t) { return problem.f.value(x + t * d); }, gradient.dot(d), unit, found))
      return misfit("f", found, gradient.dot(d));
    if (!problem.has_G() || is_of_library(problem.G)) continue;
    Vector G(problem.G.output_dimension()), back(n);
    const Vector w = Random(2).normal_vector(G.size());
    problem.G.adjoint(x, w, back);
    const auto combined = [&](double t) { return problem.G.evaluate(x + t * d, G), w.dot(G); };
    if (!fits(combined, back.dot(d), unit, found)) return misfit("G", found, back.dot(d));
  }
  return "";
}

void require_declared(const Set& set, In x) {
  Random random(6);
  std::vector<Vector> outside;
  for (const double far : {0.3, 1.0, 3.0, 10.0}) outside.push_back(x + far * random.normal_vector(x.size()));
  std::vector<Vector> inside = points_of(set, x);
  for (const Vector& z : outside) inside.push_back(set.projection(z));
  require_rows(set, outside, inside);
  if (set.convex())
    for (std::size_t k = 1; k < inside.size(); ++k)
      if (const Vector middle = 0.5 * (inside[k] + inside[k - 1]);
          set.distance(middle) > 1e-6 * (1.0 + middle.norm()))
        refuse(set, "convex()", "a set that contains what lies between its points");
  const auto alternatives = set.convex() ? std::nullopt : set.alternatives();
  if (!alternatives) return;
  for (const Vector& y : inside)
    if (!is_made_of(*alternatives, y)) refuse(set, "alternatives()", "pieces that all of its points are made of");
  for (const Atom& atom : alternatives->atoms)
    for (const Set& piece : atom.pieces)
      if (!is_of_library(piece)) require_declared(piece, x(atom.coordinates));
}

void require_declared(const Problem& problem, In x) {
  const bool f = is_of_library(problem.f), G = !problem.has_G() || is_of_library(problem.G);
  if (!is_of_library(problem.D)) require_declared(problem.D, x);
  if (problem.has_G() && !is_of_library(problem.C)) {
    Vector value(problem.G.output_dimension());
    problem.G.evaluate(x, value);
    require_declared(problem.C, value);
  }
  if (f && G) return;
  const std::vector<Vector> others = points_of(problem.D, x);
  if (!f) require_declared(problem.f, x, others);
  if (!G) require_declared(problem.G, x, others);
}

}  // namespace pendec
