#include "pair_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pendec/maps/stack.hpp"
#include "pendec/objectives/sum.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/product.hpp"

namespace pendec::detail {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

SparseMatrix from(const Triplets& entries, Index rows, Index cols) {
  SparseMatrix out(rows, cols);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// One row a pair: a b, or, for either-or pairs, the larger of a and b, rounded off: ½(a + b + √((a − b)² + 4σ)).
struct PairRows {
  std::vector<PlacedPair> pairs;
  Index n;
  double sigma;

  struct Value {
    double value, by_a, by_b, by_ab, by_aa;  // with first and second derivatives; by_bb = by_aa
  };

  Index input_dimension() const { return n; }
  Index output_dimension() const { return std::ssize(pairs); }
  void evaluate(In z, Out out) const {
    for_pairs(z, [&](Index i, const PlacedPair&, const Value& v) { out[i] = v.value; });
  }
  void adjoint(In z, In w, Out out) const {
    out.setZero();
    for_pairs(z, [&](Index i, const PlacedPair& pair, const Value& v) {
      out[pair.a.index] += w[i] * v.by_a;
      out[pair.b.index] += w[i] * v.by_b;
    });
  }
  void derivative(In z, In d, Out out) const {
    for_pairs(z, [&](Index i, const PlacedPair& pair, const Value& v) {
      out[i] = v.by_a * d[pair.a.index] + v.by_b * d[pair.b.index];
    });
  }
  Operator jacobian(In z) const {
    Triplets entries;
    for_pairs(z, [&](Index i, const PlacedPair& pair, const Value& v) {
      entries.emplace_back(i, pair.a.index, v.by_a);
      entries.emplace_back(i, pair.b.index, v.by_b);
    });
    return from(entries, output_dimension(), n);
  }
  void hessian_times(In z, In w, In d, Out out) const { hessian(z, w).times(d, out); }
  Operator hessian(In z, In w) const {
    Triplets entries;
    for_pairs(z, [&](Index i, const PlacedPair& pair, const Value& v) {
      entries.emplace_back(pair.a.index, pair.b.index, w[i] * v.by_ab);
      entries.emplace_back(pair.b.index, pair.a.index, w[i] * v.by_ab);
      if (pair.kind != PairKind::either) return;
      entries.emplace_back(pair.a.index, pair.a.index, w[i] * v.by_aa);
      entries.emplace_back(pair.b.index, pair.b.index, w[i] * v.by_aa);
    });
    return from(entries, n, n);
  }

  template <class Visit>
  void for_pairs(In z, const Visit& visit) const {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      visit(static_cast<Index>(i), pairs[i], value(pairs[i].kind, pairs[i].a.at(z), pairs[i].b.at(z)));
  }
  Value value(PairKind kind, double a, double b) const {
    if (kind != PairKind::either) return {a * b, b, a, 1.0, 0.0};
    const double root = std::sqrt((a - b) * (a - b) + 4.0 * sigma), slope = (a - b) / root;
    const double curvature = 2.0 * sigma / (root * root * root);
    return {0.5 * (a + b + root), 0.5 * (1.0 + slope), 0.5 * (1.0 - slope), -curvature, curvature};
  }
};

/// Σ a b.
struct PairProducts {
  PairRows rows;

  Index dimension() const { return rows.n; }
  double value(In z) const {
    double sum = 0.0;
    for (const PlacedPair& pair : rows.pairs) sum += pair.a.at(z) * pair.b.at(z);
    return sum;
  }
  double value_and_gradient(In z, Out g) const {
    rows.adjoint(z, Vector::Ones(rows.output_dimension()), g);
    return value(z);
  }
  Operator constant_hessian() const {
    return rows.hessian(Vector::Zero(rows.n), Vector::Ones(rows.output_dimension()));
  }
};

/// The box of a problem, cut with what holds for each pair.
template <class Rectangles>
Set cut(const PlacedPairs& program, const Rectangles& rectangle_of) {
  const LinearConstraints box = *program.smooth().D.linear_constraints();
  Vector lower = box.lower, upper = box.upper;
  const auto narrow = [&](const PairSide& side, double low, double high) {
    double &l = lower[side.index], &u = upper[side.index];
    l = std::max(l, low - side.shift);
    u = std::min(u, high - side.shift);
    if (l > u) l = u = (low == high ? low - side.shift : 0.5 * (l + u));  // nothing is left: what is measured tells
  };
  for (std::size_t i = 0; i < program.pairs().size(); ++i) {
    const Rectangle r = rectangle_of(i);
    narrow(program.pairs()[i].a, r.lower_a, r.upper_a);
    narrow(program.pairs()[i].b, r.lower_b, r.upper_b);
  }
  return Box(std::move(lower), std::move(upper));
}

}  // namespace

Problem relaxed(const PlacedPairs& program, double sigma) {
  Problem out = program.smooth();
  out.D = cut(program, [&](std::size_t i) { return hull_of(program.pairs()[i].kind); });
  std::vector<PlacedPair> open = program.open_pairs();
  const Index pairs = std::ssize(open);
  if (pairs == 0) return out;
  Vector lower = Vector::Constant(pairs, -infinity), upper = Vector::Constant(pairs, sigma);
  for (Index i = 0; i < pairs; ++i) {
    const PairKind kind = open[static_cast<std::size_t>(i)].kind;
    if (kind == PairKind::switching) lower[i] = -sigma;
    if (kind == PairKind::either) lower[i] = 0.0, upper[i] = infinity;
  }
  const Map rows = PairRows{std::move(open), out.dimension(), sigma};
  const Set right = Box(std::move(lower), std::move(upper));
  out.C = out.has_G() ? Set(Product({out.C, right})) : right;
  out.G = out.has_G() ? Map(Stack({out.G, rows})) : rows;
  return out;
}

Problem penalised(const PlacedPairs& program, double rho) {
  Problem out = program.smooth();
  out.f = Sum({{1.0, out.f}, {rho, PairProducts{{program.open_pairs(), out.dimension(), 0.0}}}});
  out.D = cut(program, [&](std::size_t i) { return hull_of(program.pairs()[i].kind); });
  return out;
}

Problem on_sides(const PlacedPairs& program, const std::vector<int>& choice) {
  Problem out = program.smooth();
  out.D = cut(program, [&](std::size_t i) { return sides_of(program.pairs()[i].kind)[choice[i] == 0 ? 0 : 1]; });
  return out;
}

}  // namespace pendec::detail
