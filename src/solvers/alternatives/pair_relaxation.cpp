#include "pair_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// What both sides of a pair have in common.
Rectangle convex_bounds(PairKind kind) {
  const auto [first, second] = sides_of(kind);
  return {std::min(first.lower_a, second.lower_a), std::max(first.upper_a, second.upper_a),
          std::min(first.lower_b, second.lower_b), std::max(first.upper_b, second.upper_b)};
}

double distance(const Rectangle& r, double a, double b) {
  const double da = std::max({0.0, r.lower_a - a, a - r.upper_a}), db = std::max({0.0, r.lower_b - b, b - r.upper_b});
  return std::hypot(da, db);
}

class Descent {
 public:
  Descent(const PlacedPairs& program, Nlp solver, const std::function<bool()>& stop)
      : program_(program), solver_(solver), stop_(stop) {
    const LinearConstraints box = *program.smooth().D.linear_constraints();
    lower_ = box.lower;
    upper_ = box.upper;
  }

  PairDescent run(Vector z) {
    const bool complementarity = std::all_of(program_.pairs().begin(), program_.pairs().end(),
                                             [](const auto& pair) { return pair.kind == PairKind::complementarity; });
    NlpResult near = complementarity ? by_penalty(std::move(z)) : by_relaxation(std::move(z));
    if (stop_()) {  // better than nothing, but that its multipliers are those of another program
      best_.choice = nearest_sides(near.x);
      best_.end = std::move(near);
      forget_multipliers(best_.end);
      return std::move(best_);
    }
    near.lambda.conservativeResize(rows());  // without those of relaxed pairs
    take(solve_on(nearest_sides(near.x), near, 1e-4));
    improve();
    return std::move(best_);
  }

 private:
  Index rows() const { return program_.smooth().has_G() ? program_.smooth().G.output_dimension() : 0; }

  void forget_multipliers(NlpResult& end) const {
    end.lambda.setZero(rows());
    end.mu.setZero(end.x.size());
  }

  /// From a point, and from its multipliers where it has any.
  NlpResult solve(const Problem& problem, const NlpResult& from, double tolerance, double barrier,
                  bool cross_over = true) {
    NlpOptions options{
        .solver = solver_, .max_iterations = 500, .tolerance = tolerance, .cross_over = cross_over, .stop = stop_};
    if (from.mu.size() > 0) {
      options.barrier = barrier;
      options.lambda = from.lambda;
      options.mu = from.mu;
    }
    NlpResult r = nlp(problem, from.x, options);
    ++best_.solves;
    best_.iterations += r.iterations;
    best_.counts += r.counts;
    return r;
  }

  /// The largest distance of a pair to its nearer side, beside the sizes of both.
  double violation(const Vector& z) const {
    double worst = 0.0;
    for (const PlacedPair& pair : program_.pairs()) {
      const auto sides = sides_of(pair.kind);
      const double a = pair.a.at(z), b = pair.b.at(z);
      const double size = 1.0 + std::abs(a) + std::abs(b);
      worst = std::max(worst, std::min(distance(sides[0], a, b), distance(sides[1], a, b)) / size);
    }
    return worst;
  }

  NlpResult by_penalty(Vector z) {
    constexpr double nearly = 1e-4;  // which side a pair is on shows, and the branch search mends what does not
    constexpr int rounds = 8;
    const Objective& f = program_.smooth().f;
    Vector gradient(z.size());
    const double start = f.value_and_gradient(z, gradient);
    NlpResult free = solve(penalised(program_, 0.0), {.x = z}, 1e-7, 0.0);
    // A penalty that matters changes f as much as the pairs do.
    double products = 0.0;
    for (const PlacedPair& pair : program_.pairs()) products += std::abs(pair.a.at(free.x) * pair.b.at(free.x));
    double rho = 10.0 * std::abs(start - free.f) / products;
    const bool usable = free.x.allFinite() && free.kkt_error <= 1e-4 && rho > 0.0 && std::isfinite(rho);
    if (!usable) {
      rho = std::max(gradient.lpNorm<Eigen::Infinity>(), 1e-8);
      free = NlpResult{.x = std::move(z)};
    }
    NlpResult last = std::move(free);
    for (int round = 0; round < rounds && violation(last.x) > nearly && !stop_(); ++round, rho *= 10.0)
      last = solve(penalised(program_, rho), last, 1e-7, 1e-2);
    return last;
  }

  NlpResult by_relaxation(Vector z) {
    NlpResult last{.x = std::move(z)};
    for (double sigma = 1.0; sigma >= 1e-8 && !stop_(); sigma *= 0.1)
      last = solve(relaxed(program_, sigma), last, std::min(1e-6, 0.1 * sigma), 0.01 * sigma, false);
    return last;
  }

  std::vector<int> nearest_sides(const Vector& z) const {
    std::vector<int> choice;
    for (const PlacedPair& pair : program_.pairs()) {
      const auto sides = sides_of(pair.kind);
      const double a = pair.a.at(z), b = pair.b.at(z);
      const int nearest = distance(sides[0], a, b) <= distance(sides[1], a, b) ? 0 : 1;
      choice.push_back(allows(pair, sides[nearest == 0 ? 0 : 1]) ? nearest : 1 - nearest);
    }
    return choice;
  }

  /// Do the bounds of the coordinates leave anything of this side?
  bool allows(const PlacedPair& pair, const Rectangle& side) const {
    const auto meets = [&](const PairSide& of, double low, double high) {
      return std::max(lower_[of.index], low - of.shift) <= std::min(upper_[of.index], high - of.shift);
    };
    return meets(pair.a, side.lower_a, side.upper_a) && meets(pair.b, side.lower_b, side.upper_b);
  }

  PairDescent solve_on(std::vector<int> choice, const NlpResult& from, double barrier) {
    PairDescent out;
    out.end = solve(on_sides(program_, choice), from, 1e-10, barrier);
    if (out.end.kkt_error > 1e-8 && !stop_()) out.end = solve(on_sides(program_, choice), {.x = from.x}, 1e-10, 0.0);
    if (out.end.mu.size() == 0) forget_multipliers(out.end);  // it did not begin
    out.choice = std::move(choice);
    out.found = out.end.status == NlpStatus::converged || out.end.kkt_error <= 1e-8;
    return out;
  }

  /// True: better than what there was.
  bool take(PairDescent other) {
    const bool better =
        best_.choice.empty() || (other.found && !best_.found) ||
        (other.found == best_.found && other.end.f < best_.end.f - 1e-10 * std::max(1.0, std::abs(best_.end.f)));
    if (!better) return false;
    other.solves = best_.solves;
    other.iterations = best_.iterations;
    other.counts = best_.counts;
    best_ = std::move(other);
    return true;
  }

  /// Pairs on both sides at once whose multiplier would have them leave to the other one.
  std::vector<std::pair<double, std::size_t>> wrong_sides() const {
    std::vector<std::pair<double, std::size_t>> wrong;
    const Vector &z = best_.end.x, &mu = best_.end.mu;
    for (std::size_t i = 0; i < program_.pairs().size(); ++i) {
      const PlacedPair& pair = program_.pairs()[i];
      const Rectangle other = sides_of(pair.kind)[best_.choice[i] == 0 ? 1 : 0];
      const double a = pair.a.at(z), b = pair.b.at(z);
      if (distance(other, a, b) > 1e-9 || !allows(pair, other)) continue;
      // −∇ of the Lagrangian without the pair is mu: does it point into the other side?
      const auto gain = [](double at, double low, double high, double force) {
        if (force > 0.0 && at < high) return force;
        if (force < 0.0 && at > low) return -force;
        return 0.0;
      };
      const double g = std::max(gain(a, other.lower_a, other.upper_a, mu[pair.a.index]),
                                gain(b, other.lower_b, other.upper_b, mu[pair.b.index]));
      if (g > 0.0) wrong.emplace_back(g, i);
    }
    std::sort(wrong.rbegin(), wrong.rend());
    return wrong;
  }

  /// All wrong ones at once, then, where that does not help, the worst one alone.
  void improve() {
    constexpr int rounds = 20;
    for (int round = 0; round < rounds && best_.found && !stop_(); ++round) {
      const auto wrong = wrong_sides();
      if (wrong.empty()) return;
      bool better = false;
      for (const std::size_t count : {wrong.size(), std::size_t{1}}) {
        std::vector<int> choice = best_.choice;
        for (std::size_t k = 0; k < count; ++k) choice[wrong[k].second] = 1 - choice[wrong[k].second];
        better = take(solve_on(std::move(choice), best_.end, 1e-4));
        if (better || wrong.size() == 1 || stop_()) break;
      }
      if (!better) return;
    }
  }

  const PlacedPairs& program_;
  Nlp solver_;
  const std::function<bool()>& stop_;
  Vector lower_, upper_;  // of the coordinates
  PairDescent best_;
};

}  // namespace

Problem relaxed(const PlacedPairs& program, double sigma) {
  Problem out = program.smooth();
  const Index pairs = std::ssize(program.pairs());
  Vector lower = Vector::Constant(pairs, -infinity), upper = Vector::Constant(pairs, sigma);
  for (Index i = 0; i < pairs; ++i) {
    const PairKind kind = program.pairs()[static_cast<std::size_t>(i)].kind;
    if (kind == PairKind::switching) lower[i] = -sigma;
    if (kind == PairKind::either) lower[i] = 0.0, upper[i] = infinity;
  }
  const Map rows = PairRows{program.pairs(), out.dimension(), sigma};
  const Set right = Box(std::move(lower), std::move(upper));
  out.C = out.has_G() ? Set(Product({out.C, right})) : right;
  out.G = out.has_G() ? Map(Stack({out.G, rows})) : rows;
  out.D = cut(program, [&](std::size_t i) { return convex_bounds(program.pairs()[i].kind); });
  return out;
}

Problem penalised(const PlacedPairs& program, double rho) {
  Problem out = program.smooth();
  out.f = Sum({{1.0, out.f}, {rho, PairProducts{{program.pairs(), out.dimension(), 0.0}}}});
  out.D = cut(program, [&](std::size_t i) { return convex_bounds(program.pairs()[i].kind); });
  return out;
}

Problem on_sides(const PlacedPairs& program, const std::vector<int>& choice) {
  Problem out = program.smooth();
  out.D = cut(program, [&](std::size_t i) { return sides_of(program.pairs()[i].kind)[choice[i] == 0 ? 0 : 1]; });
  return out;
}

PairDescent descend(const PlacedPairs& program, In z, Nlp solver, const std::function<bool()>& stop) {
  return Descent(program, solver, stop).run(z);
}

}  // namespace pendec::detail
