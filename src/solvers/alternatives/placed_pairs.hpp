// Pair programs in which every side of a pair is a coordinate: what nonlinear programming works on.
#pragma once

#include <array>
#include <vector>

#include "pendec/sets/pair_union.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::detail {

/// z[index] + shift.
struct PairSide {
  Index index = 0;
  double shift = 0.0;
  double at(In z) const { return z[index] + shift; }
};

struct PlacedPair {
  PairKind kind = PairKind::complementarity;
  PairSide a, b;
  int settled = -1;  // the only side that matters: bounds and rows leave nothing else of the other one
};

/// All x without X.
Set domain_of(const PairProgram& program);

/// The two rectangles whose union a kind of pairs is.
std::array<Rectangle, 2> sides_of(PairKind kind);

/// The smallest rectangle around both.
Rectangle hull(const Rectangle& first, const Rectangle& second);
Rectangle hull_of(PairKind kind);

double distance(const Rectangle& r, double a, double b);

/// What counts as zero on the sides of a pair.
struct Zeros {
  static constexpr double share = 1e-7;  // of the terms of a side
  double a = 0.0, b = 0.0;

  /// The distance in those units, of the coordinate that is farther.
  double distance(const Rectangle& r, double at_a, double at_b) const;
};

/// Of each pair, by the terms of each side itself, Σ_j |∂_j F_i(x)| max(|x_j|, 1), and by nothing else.
std::vector<Zeros> zeros_of(const PairProgram& program, In x);

/// min f(z) s.t. G(z) ∈ C, z in a box, and the pairs, in z = (x, slacks): a side F_i(x) = x_j + constant is its
/// coordinate itself, unless another pair has it; other sides get a slack. The rows of X become rows of G.
class PlacedPairs {
 public:
  explicit PlacedPairs(const PairProgram& program);

  /// Why nonlinear programming cannot take the program; empty: it can.
  static std::string obstacle(const PairProgram& program, In x);

  const Problem& smooth() const { return smooth_; }  // without the pairs, but those settled; D is a box
  const std::vector<PlacedPair>& pairs() const { return pairs_; }
  std::vector<PlacedPair> open_pairs() const;  // those that are not settled

  /// Do bounds and rows leave anything of this side of a pair?
  bool allows(const PlacedPair& pair, int side) const;

  Vector place(In x) const;  // z
  std::vector<Zeros> zeros(In z) const { return zeros_of(program_, z.head(program_.dimension())); }

  /// The multipliers of program.with_slacks() from those of smooth() with its pairs: of G as given, ν_F and ν_H as
  /// those of the coordinates that the sides are, where the side is zero.
  Vector multipliers(In z, In lambda, In mu) const;

 private:
  struct Sides {
    Map F = {};
    bool is_coordinates = false;
    Index begin = 0;  // of its slacks
    std::vector<PairSide> sides = {};
  };
  Sides placed(const Map& F);
  void settle();

  const PairProgram& program_;
  Problem smooth_;
  Vector lower_, upper_;  // of z, as far as they follow from bounds and affine rows
  std::vector<PlacedPair> pairs_;
  std::vector<Sides> sides_;  // F₁, H₁, F₂, …
  std::vector<bool> used_;    // coordinates that are a side
  Index total_ = 0;
};

}  // namespace pendec::detail
