#include "placed_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/stack.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/subsolvers/nlp.hpp"
#include "pendec/transform/lifted.hpp"

namespace pendec::detail {

Set domain_of(const PairProgram& program) { return program.X ? program.X : Set(Free(program.dimension())); }

std::array<Rectangle, 2> sides_of(PairKind kind) {
  switch (kind) {
    case PairKind::complementarity:
      return {Rectangle{0.0, 0.0, 0.0, infinity}, Rectangle{0.0, infinity, 0.0, 0.0}};
    case PairKind::switching:
      return {Rectangle{.lower_a = 0.0, .upper_a = 0.0}, Rectangle{.lower_b = 0.0, .upper_b = 0.0}};
    case PairKind::vanishing:
      return {Rectangle{.lower_b = 0.0, .upper_b = 0.0}, Rectangle{.upper_a = 0.0, .lower_b = 0.0}};
    case PairKind::either:
      return {Rectangle{.lower_a = 0.0}, Rectangle{.lower_b = 0.0}};
  }
  throw InvalidArgument("PairConstraint.kind", "?", "a kind of pairs");
}

Rectangle hull(const Rectangle& first, const Rectangle& second) {
  return {std::min(first.lower_a, second.lower_a), std::max(first.upper_a, second.upper_a),
          std::min(first.lower_b, second.lower_b), std::max(first.upper_b, second.upper_b)};
}

Rectangle hull_of(PairKind kind) {
  const auto [first, second] = sides_of(kind);
  return hull(first, second);
}

double distance(const Rectangle& r, double a, double b) {
  const double da = std::max({0.0, r.lower_a - a, a - r.upper_a}), db = std::max({0.0, r.lower_b - b, b - r.upper_b});
  return std::hypot(da, db);
}

double Zeros::distance(const Rectangle& r, double at_a, double at_b) const {
  const auto in_units = [](double off, double zero) { return off > 0.0 ? off / zero : 0.0; };
  return std::max(in_units(std::max(r.lower_a - at_a, at_a - r.upper_a), a),
                  in_units(std::max(r.lower_b - at_b, at_b - r.upper_b), b));
}

std::vector<Zeros> zeros_of(const PairProgram& program, In x) {
  const Vector sizes = x.cwiseAbs().cwiseMax(1.0);
  // The derivative of a curved side may vanish where the side does not quite: no size shows but that of its unit.
  const auto zeros = [&](const Map& side) {
    Vector terms(side.output_dimension());
    side.jacobian(x).magnitude_times(sizes, terms);
    if (!side.is_affine()) terms = terms.cwiseMax(1.0);
    return Vector(Zeros::share * terms);
  };
  std::vector<Zeros> all;
  for (const PairConstraint& pair : program.pairs) {
    const Vector F = zeros(pair.F), H = zeros(pair.H);
    for (Index i = 0; i < F.size(); ++i) all.push_back({F[i], H[i]});
  }
  return all;
}

std::string PlacedPairs::obstacle(const PairProgram& program, In x) {
  const auto has_entries = [&](const Map& map) { return map.has_jacobian() && map.jacobian(x).has_entries(); };
  if (program.X && !program.X.linear_constraints()) return fmt::format("X ({}) is not polyhedral", program.X.name());
  if (program.G && !program.C.linear_constraints()) return fmt::format("C ({}) is not polyhedral", program.C.name());
  if (program.G && !has_entries(program.G)) return "G does not tell its Jacobian";
  for (const PairConstraint& pair : program.pairs)
    if (!has_entries(pair.F) || !has_entries(pair.H)) return "the pairs do not tell their Jacobians";
  return "";
}

PlacedPairs::PlacedPairs(const PairProgram& program)
    : program_(program), used_(static_cast<std::size_t>(program.dimension()), false), total_(program.dimension()) {
  for (const PairConstraint& pair : program.pairs) {
    Sides F = placed(pair.F), H = placed(pair.H);
    for (std::size_t i = 0; i < F.sides.size(); ++i) pairs_.push_back({pair.kind, F.sides[i], H.sides[i]});
    sides_.push_back(std::move(F));
    sides_.push_back(std::move(H));
  }
  std::vector<Map> rows;
  std::vector<Set> right;
  if (program.G) {
    rows.push_back(lifted(program.G, total_));
    right.push_back(program.C);
  }
  for (const Sides& side : sides_) {
    if (side.is_coordinates) continue;
    rows.push_back(with_slacks(side.F, total_, side.begin));
    right.push_back(Singleton(Vector::Zero(side.F.output_dimension())));
  }
  Vector lower = Vector::Constant(total_, -infinity), upper = -lower;
  if (program.X) {
    const LinearConstraints X = *program.X.linear_constraints();
    lower.head(X.dimension()) = X.lower;
    upper.head(X.dimension()) = X.upper;
    if (X.b.size() > 0) {
      rows.push_back(lifted(Affine(X.A, -X.b), total_));
      right.push_back(Box::nonpositive(X.b.size()));
    }
    if (X.d.size() > 0) {
      rows.push_back(lifted(Affine(X.E, -X.d), total_));
      right.push_back(Singleton(Vector::Zero(X.d.size())));
    }
  }
  smooth_.f = lifted(program.f, total_);
  smooth_.D = Box(std::move(lower), std::move(upper));
  if (!rows.empty()) {
    smooth_.G = Stack(std::move(rows));
    smooth_.C = Product(std::move(right));
  }
  settle();
}

/// Bounds of z by those of coordinates, of hulls of pairs and of affine rows, and what follows for the pairs: a side
/// of which nothing is left, or no more than the other one has, needs no choice.
void PlacedPairs::settle() {
  constexpr int rounds = 10;
  const LinearConstraints D = *smooth_.D.linear_constraints();
  lower_ = D.lower;
  upper_ = D.upper;
  const auto cut = [](const PairSide& of, double low, double high, Vector& lower, Vector& upper) {
    lower[of.index] = std::max(lower[of.index], low - of.shift);
    upper[of.index] = std::min(upper[of.index], high - of.shift);
  };
  const auto cut_both = [&](const PlacedPair& pair, const Rectangle& r, Vector& lower, Vector& upper) {
    cut(pair.a, r.lower_a, r.upper_a, lower, upper);
    cut(pair.b, r.lower_b, r.upper_b, lower, upper);
  };
  for (const PlacedPair& pair : pairs_) cut_both(pair, hull_of(pair.kind), lower_, upper_);
  const auto C = smooth_.has_G() ? smooth_.C.linear_constraints() : std::nullopt;
  const bool has_rows = C && C->b.size() + C->d.size() == 0;
  for (int round = 0; has_rows && round < rounds; ++round) {
    const Vector before_lower = lower_, before_upper = upper_;
    smooth_.G.tighten(C->lower, C->upper, lower_, upper_);
    if (lower_ == before_lower && upper_ == before_upper) break;
  }
  if ((lower_.array() > upper_.array()).any()) {  // no feasible point: whoever solves it will say so
    lower_ = D.lower;
    upper_ = D.upper;
    return;
  }
  Vector lower = D.lower, upper = D.upper;
  for (PlacedPair& pair : pairs_) {
    const auto sides = sides_of(pair.kind);
    /// Is what is left of the one side in the other?
    const auto within = [&](const Rectangle& one, const Rectangle& other) {
      const auto part = [&](const PairSide& of, double low, double high, double other_low, double other_high) {
        const double l = std::max(low, lower_[of.index] + of.shift), h = std::min(high, upper_[of.index] + of.shift);
        return std::pair(l > h, l >= other_low && h <= other_high);
      };
      const auto [a_empty, a_within] = part(pair.a, one.lower_a, one.upper_a, other.lower_a, other.upper_a);
      const auto [b_empty, b_within] = part(pair.b, one.lower_b, one.upper_b, other.lower_b, other.upper_b);
      return a_empty || b_empty || (a_within && b_within);
    };
    if (within(sides[1], sides[0]))
      pair.settled = 0;
    else if (within(sides[0], sides[1]))
      pair.settled = 1;
    if (pair.settled >= 0) cut_both(pair, sides[pair.settled == 0 ? 0 : 1], lower, upper);
  }
  if ((lower.array() <= upper.array()).all())
    smooth_.D = Box(std::move(lower), std::move(upper));
  else
    for (PlacedPair& pair : pairs_) pair.settled = -1;
}

std::vector<PlacedPair> PlacedPairs::open_pairs() const {
  std::vector<PlacedPair> open;
  std::copy_if(pairs_.begin(), pairs_.end(), std::back_inserter(open), [](const auto& p) { return p.settled < 0; });
  return open;
}

bool PlacedPairs::allows(const PlacedPair& pair, int side) const {
  if (pair.settled >= 0) return side == pair.settled;
  const Rectangle r = sides_of(pair.kind)[side == 0 ? 0 : 1];
  const auto meets = [&](const PairSide& of, double low, double high) {
    return std::max(lower_[of.index], low - of.shift) <= std::min(upper_[of.index], high - of.shift);
  };
  return meets(pair.a, r.lower_a, r.upper_a) && meets(pair.b, r.lower_b, r.upper_b);
}

PlacedPairs::Sides PlacedPairs::placed(const Map& F) {
  const Index m = F.output_dimension();
  Sides out{.F = F};
  const auto coordinates = [&] {
    if (!F.is_affine() || !F.constant_jacobian()->has_entries()) return std::vector<PairSide>();
    const Eigen::SparseMatrix<double, Eigen::RowMajor> J = F.constant_jacobian()->sparse();
    Vector shift(m);
    F.evaluate(Vector::Zero(F.input_dimension()), shift);
    std::vector<PairSide> found;
    std::vector<bool> used = used_;
    for (Index i = 0; i < m; ++i) {
      Index entries = 0, at = 0;
      for (decltype(J)::InnerIterator entry(J, i); entry; ++entry) {
        if (entry.value() == 0.0) continue;
        entries += std::abs(entry.value() - 1.0) <= 4.0 * epsilon ? 1 : 2;
        at = entry.col();
      }
      if (entries != 1 || used[static_cast<std::size_t>(at)]) return std::vector<PairSide>();
      used[static_cast<std::size_t>(at)] = true;
      found.push_back({at, shift[i]});
    }
    used_ = std::move(used);
    return found;
  };
  out.sides = coordinates();
  out.is_coordinates = !out.sides.empty();
  if (out.is_coordinates) return out;
  out.begin = total_;
  for (Index i = 0; i < m; ++i) out.sides.push_back({total_ + i, 0.0});
  total_ += m;
  return out;
}

Vector PlacedPairs::place(In x) const {
  Vector z(total_);
  z.head(x.size()) = x;
  for (const Sides& side : sides_)
    if (!side.is_coordinates) side.F.evaluate(x, z.segment(side.begin, side.F.output_dimension()));
  return z;
}

Vector PlacedPairs::multipliers(In z, In lambda, In mu) const {
  Index size = program_.G ? program_.G.output_dimension() : 0, taken = size;
  for (const Sides& side : sides_) size += side.F.output_dimension();
  Vector out(size);
  out.head(taken) = lambda.head(taken);
  Index begin = taken;
  for (const Sides& side : sides_) {
    const Index m = side.F.output_dimension();
    if (side.is_coordinates) {
      // what another bound of the coordinate takes is not the pair's
      for (Index i = 0; i < m; ++i) {
        const PairSide& one = side.sides[static_cast<std::size_t>(i)];
        out[begin + i] = std::abs(one.at(z)) <= 1e-9 * (1.0 + std::abs(one.shift)) ? mu[one.index] : 0.0;
      }
    } else {
      out.segment(begin, m) = lambda.segment(taken, m);
      taken += m;
    }
    begin += m;
  }
  return out;
}

}  // namespace pendec::detail
