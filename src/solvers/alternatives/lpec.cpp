#include "lpec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../../subsolvers/lp.hpp"
#include "../../subsolvers/nlp_rows.hpp"
#include "pendec/subsolvers/clp.hpp"

namespace pendec::detail {
namespace {

constexpr double falls = 1e-8;   // what counts as a fall, beside the largest that the gradient alone would allow
constexpr double active = 1e-7;  // a slack up to this, beside the sizes of its terms, is none
constexpr int either_side = -1;

/// The linearised program at z; z itself, d = 0, belongs to it whatever it violates.
struct Linearised {
  SparseMatrix rows;
  Vector gradient, terms, row_lower, row_upper, lower, upper;

  Linearised(const Problem& smooth, In z) : gradient(z.size()), terms(z.size()) {
    const NlpRows all(smooth);
    Vector values(all.size()), sizes = Vector::Zero(all.size());
    smooth.f.value_and_gradient(z, gradient);
    smooth.f.magnitude(z, terms);
    all.evaluate(smooth, z, values);
    rows = all.jacobian(smooth, z);
    for (Index j = 0; j < rows.outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(rows, j); entry; ++entry)
        sizes[entry.row()] += std::abs(entry.value() * z[j]);
    row_lower = -room(values - all.lower, sizes);
    row_upper = room(all.upper - values, sizes);
    const Vector radius = z.cwiseAbs().cwiseMax(1.0);
    lower = -room(z - all.domain().lower, z.cwiseAbs()).cwiseMin(radius);
    upper = room(all.domain().upper - z, z.cwiseAbs()).cwiseMin(radius);
  }

  static Vector room(Vector slack, const Vector& sizes) {
    for (Index i = 0; i < slack.size(); ++i)
      if (slack[i] <= active * (1.0 + sizes[i])) slack[i] = 0.0;
    return slack;
  }

  bool is_number() const {
    const Eigen::Map<const Vector> entries(rows.valuePtr(), rows.nonZeros());
    return gradient.allFinite() && entries.allFinite() && !row_lower.hasNaN() && !row_upper.hasNaN();
  }
};

/// Depth first, into the side that the direction is nearer to.
class Branching {
 public:
  Branching(const PlacedPairs& program, In z, const Linearised& at, Index most, const std::function<bool()>& stop)
      : program_(program),
        z_(z),
        zeros_(program.zeros(z)),
        at_(at),
        most_(most),
        stop_(stop),
        lp_(at_.rows, at_.gradient, at_.row_lower, at_.row_upper, at_.lower, at_.upper),
        choice_(program.pairs().size(), either_side) {
    for (std::size_t i = 0; i < choice_.size(); ++i) {
      const auto sides = sides_of(pair(i).kind);
      const double first = distance_to(sides[0], i), second = distance_to(sides[1], i);
      choose(i, std::max(first, second) <= 1.0 ? either_side : first <= second ? 0 : 1);
    }
  }

  /// A gradient that a bound holds is no measure of what falls, and one whose terms cancel none of what may be left.
  double steepest() const {
    constexpr double cancels = 1e-2;
    double most = std::numeric_limits<double>::min();
    for (Index j = 0; j < z_.size(); ++j) {
      const double room = at_.gradient[j] > 0.0 ? -lp_.lower(j) : lp_.upper(j);
      most = std::max(most, std::max(std::abs(at_.gradient[j]), cancels * at_.terms[j]) * room);
    }
    return most;
  }

  Lpec run() {
    scale_ = steepest();
    if (!std::isfinite(scale_)) return {};
    out_.proved = visit() && out_.choice.empty();
    return std::move(out_);
  }

 private:
  const PlacedPair& pair(std::size_t i) const { return program_.pairs()[i]; }
  double distance_to(const Rectangle& side, std::size_t i) const {
    return zeros_[i].distance(side, pair(i).a.at(z_), pair(i).b.at(z_));
  }

  /// Pair i on one of its sides, or on the hull of both.
  void choose(std::size_t i, int side) {
    choice_[i] = side;
    const Rectangle r = side == either_side ? hull_of(pair(i).kind) : sides_of(pair(i).kind)[side == 0 ? 0 : 1];
    const auto narrow = [&](const PairSide& of, double zero, double low, double high) {
      const double value = std::abs(of.at(z_)) <= zero ? 0.0 : of.at(z_);
      lp_.set_bounds(of.index, std::max(at_.lower[of.index], std::min(low - value, 0.0)),
                     std::min(at_.upper[of.index], std::max(high - value, 0.0)));
    };
    narrow(pair(i).a, zeros_[i].a, r.lower_a, r.upper_a);
    narrow(pair(i).b, zeros_[i].b, r.lower_b, r.upper_b);
  }

  /// False: the search has ended, with a direction that falls or for want of time.
  bool visit() {
    if (out_.programs >= most_) return false;
    ++out_.programs;
    const bool solved = lp_.solve(stop_);
    const double slope = lp_.bound() / scale_;
    if (slope >= -falls) return true;
    if (!solved) return false;
    const auto [i, nearer] = farthest_from_its_sides();
    if (i == choice_.size()) {
      out_.choice = nearest_sides();
      return false;
    }
    for (const int side : {nearer, 1 - nearer}) {
      choose(i, side);
      if (!visit()) return false;
    }
    choose(i, either_side);
    return true;
  }

  std::pair<std::size_t, int> farthest_from_its_sides() const {
    double farthest = 1e-9;
    std::pair<std::size_t, int> found{choice_.size(), 0};
    for (std::size_t i = 0; i < choice_.size(); ++i) {
      if (choice_[i] != either_side) continue;
      const auto [first, second] = distances_along(i);
      if (std::min(first, second) <= farthest) continue;
      farthest = std::min(first, second);
      found = {i, first <= second ? 0 : 1};
    }
    return found;
  }

  std::pair<double, double> distances_along(std::size_t i) const {
    const auto sides = sides_of(pair(i).kind);
    const auto to = [&](const PairSide& of) { return of.at(z_) + lp_.x()[of.index]; };
    const double a = to(pair(i).a), b = to(pair(i).b);
    return {distance(sides[0], a, b), distance(sides[1], a, b)};
  }

  std::vector<int> nearest_sides() const {
    std::vector<int> nearest = choice_;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      const auto [first, second] = distances_along(i);
      if (nearest[i] == either_side) nearest[i] = first <= second ? 0 : 1;
    }
    return nearest;
  }

  const PlacedPairs& program_;
  const Vector z_;
  const std::vector<Zeros> zeros_;  // of the pairs
  const Linearised& at_;
  const Index most_;
  const std::function<bool()>& stop_;
  Lp lp_;
  std::vector<int> choice_;
  double scale_ = 0.0;
  Lpec out_;
};

}  // namespace

Lpec lpec(const PlacedPairs& program, In z, Index most, const std::function<bool()>& stop) {
  if (!has_clp()) return {};
  const Linearised at(program.smooth(), z);
  return at.is_number() ? Branching(program, z, at, most, stop).run() : Lpec{};
}

}  // namespace pendec::detail
