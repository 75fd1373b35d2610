#include "pair_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lpec.hpp"
#include "pendec/core/random.hpp"
#include "pendec/subsolvers/ipopt.hpp"

namespace pendec::detail {
namespace {

constexpr Index of_a_round = 100;  // iterations: the next one goes on

/// What is stationary on its branch before what is not, feasible before infeasible, then by f or by how far from it;
/// where f is the same but for what the tolerance leaves, the one with fewer multipliers that point to other sides,
/// and then the one that is closer to its end.
bool is_better(const PairDescent& one, const PairDescent& than) {
  constexpr double feasible = 1e-6, same = 1e-8;
  if (one.choice.empty() || than.choice.empty()) return than.choice.empty();
  if (one.found != than.found) return one.found;
  if (!one.found && std::max(one.violation, than.violation) > feasible) return one.violation < than.violation;
  const double gain = than.end.f - one.end.f, size = same * std::max(1.0, std::abs(than.end.f));
  if (std::abs(gain) > size || !one.found) return gain > 0.0;
  if (one.wrong.size() != than.wrong.size()) return one.wrong.size() < than.wrong.size();
  return one.end.kkt_error < 0.1 * than.end.kkt_error && than.end.kkt_error > 1e-13;
}

bool is_curved(const Problem& p) { return !p.f.is_quadratic() || (p.has_G() && !p.G.is_affine()); }

Rectangle other_side(const PlacedPair& pair, int side) { return sides_of(pair.kind)[side == 0 ? 1 : 0]; }

/// The pairs by ascending number.
std::vector<std::size_t> sorted(std::vector<std::pair<double, std::size_t>> numbered) {
  std::sort(numbered.begin(), numbered.end());
  std::vector<std::size_t> pairs;
  for (const auto& [number, i] : numbered) pairs.push_back(i);
  return pairs;
}

}  // namespace

PairDescents::PairDescents(const PlacedPairs& program, Nlp solver, const std::function<bool()>& stop,
                           const std::function<void(const NlpResult&)>& seen)
    : program_(program), solver_(solver), on_branch_(solver_for(program.smooth())), stop_(stop), seen_(seen) {}

bool PairDescents::by_penalty(In z) {
  constexpr double nearly = 1e-4;  // which side a pair is on shows, and the branch search mends what does not
  constexpr int rounds = 16;
  const Objective& f = program_.smooth().f;
  Vector gradient(z.size());
  const double start = f.value_and_gradient(z, gradient);
  NlpOptions options{.solver = solver_for(penalised(program_, 1.0)),
                     .max_iterations = of_a_round,
                     .tolerance = 1e-7,
                     .barrier = 1e-2};
  NlpResult free = solve(penalised(program_, 0.0), {.x = z}, options);
  // A penalty that matters changes f as much as the pairs do; from a smaller one up, better sides are found.
  double products = 0.0;
  for (const PlacedPair& pair : program_.pairs()) products += std::abs(pair.a.at(free.x) * pair.b.at(free.x));
  double rho = 0.1 * std::abs(start - free.f) / products;
  const bool usable = free.x.allFinite() && free.kkt_error <= 1e-4 && rho > 0.0 && std::isfinite(rho);
  if (!usable) {
    const double slope = gradient.lpNorm<Eigen::Infinity>();
    rho = std::isfinite(slope) ? std::max(slope, 1e-8) : 1.0;
    free = NlpResult{.x = z};
  }
  NlpResult last = std::move(free);
  for (int round = 0; round < rounds && (round == 0 || violation(last.x) > nearly) && !stop_(); ++round, rho *= 4.0)
    last = solve(penalised(program_, rho), last, options);
  return home(last);
}

bool PairDescents::by_relaxation(In z) {
  NlpResult last{.x = z};
  NlpOptions options{.solver = solver_for(relaxed(program_, 1.0)), .cross_over = false};
  const Index enough = best_.found ? 200 + 15 * iterations_ : std::numeric_limits<Index>::max();
  for (double sigma = 1.0; sigma >= 1e-8 && !stop_(); sigma *= 0.1) {
    options.max_iterations = std::min(long_enough, enough - iterations_);
    if (options.max_iterations < 1) return agree_ = false;  // another way did it with far less
    options.tolerance = std::min(1e-6, 0.1 * sigma);
    options.barrier = 0.01 * sigma;
    last = solve(relaxed(program_, sigma), last, options);
    if (best_.found && !std::isfinite(last.kkt_error)) return agree_ = false;
  }
  return home(last);
}

bool PairDescents::home(const NlpResult& near) {
  PairDescent end;
  if (stop_()) {  // better than nothing, but that its f and multipliers are those of another program
    end.choice = nearest_sides(near.x);
    end.end.x = near.x;
    end.end.f = program_.smooth().f.value(near.x);
    forget_multipliers(end.end);
    end.violation = std::max(violation(near.x), violation_of_rows(near.x));
  } else {
    NlpResult from = near;
    from.lambda.conservativeResize(rows());  // without those of relaxed pairs
    end = improved(solve_on(nearest_sides(near.x), from, 1e-4));
  }
  const bool first = best_.choice.empty(), better = is_better(end, best_);
  const double difference = std::abs(end.end.f - best_.end.f), size = std::max(1.0, std::abs(end.end.f));
  agree_ = !first && end.found && best_.found && difference <= 1e-6 * size;
  if (better) best_ = std::move(end);
  return better;
}

Index PairDescents::rows() const { return program_.smooth().has_G() ? program_.smooth().G.output_dimension() : 0; }

void PairDescents::forget_multipliers(NlpResult& end) const {
  end.lambda.setZero(rows());
  end.mu.setZero(end.x.size());
}

Nlp PairDescents::solver_for(const Problem& problem) const {
  return solver_ == Nlp::automatic ? nlp_solver_for(problem) : solver_;
}

/// From a point, and from its multipliers, with the barrier, where it has any. Where SQP, which small programs are
/// for, takes many iterations, curvature is not what it needs: Ipopt, then and from then on, unless the user chose.
NlpResult PairDescents::solve(const Problem& problem, const NlpResult& from, NlpOptions options) {
  constexpr Index many = 50;
  options.stop = stop_;
  if (from.mu.size() > 0) {
    options.lambda = from.lambda;
    options.mu = from.mu;
  } else {
    options.barrier = 0.0;
  }
  const bool may_change = options.solver == Nlp::sqp && solver_ == Nlp::automatic && has_ipopt();
  if (may_change && sqp_struggles_) options.solver = Nlp::ipopt;
  const bool doubtful = may_change && !sqp_struggles_ && options.max_iterations > many;
  const Index most = std::exchange(options.max_iterations, doubtful ? many : options.max_iterations);
  NlpResult r = counted(nlp(problem, from.x, options));
  if (!doubtful || r.status != NlpStatus::max_iterations) return r;
  sqp_struggles_ = true;
  options.solver = Nlp::ipopt;
  options.max_iterations = most;
  return counted(nlp(problem, from.x, options));
}

NlpResult PairDescents::counted(NlpResult r) {
  ++solves_;
  iterations_ += r.iterations;
  counts_ += r.counts;
  seen_(r);
  return r;
}

/// The largest distance of a pair to its nearer side, beside the sizes of both.
double PairDescents::violation(const Vector& z) const {
  double worst = 0.0;
  for (const PlacedPair& pair : program_.pairs()) {
    const auto sides = sides_of(pair.kind);
    const double a = pair.a.at(z), b = pair.b.at(z);
    const double size = 1.0 + std::abs(a) + std::abs(b);
    worst = std::max(worst, std::min(distance(sides[0], a, b), distance(sides[1], a, b)) / size);
  }
  return worst;
}

double PairDescents::violation_of_rows(const Vector& z) const {
  const Problem& smooth = program_.smooth();
  if (!smooth.has_G()) return 0.0;
  Vector G(rows());
  smooth.G.evaluate(z, G);
  return smooth.C.linear_constraints()->violation(G);
}

std::vector<int> PairDescents::nearest_sides(const Vector& z) const {
  std::vector<int> choice;
  for (const PlacedPair& pair : program_.pairs()) {
    const auto sides = sides_of(pair.kind);
    const double a = pair.a.at(z), b = pair.b.at(z);
    const int nearest = distance(sides[0], a, b) <= distance(sides[1], a, b) ? 0 : 1;
    choice.push_back(program_.allows(pair, nearest) ? nearest : 1 - nearest);
  }
  return choice;
}

PairDescent PairDescents::solve_on(const std::vector<int>& choice, const NlpResult& from, double barrier,
                                   Index max_iterations) {
  const auto end_of = [&](const NlpResult& start) {
    const NlpOptions options{.solver = on_branch_, .max_iterations = max_iterations, .barrier = barrier};
    PairDescent out{.end = solve(on_sides(program_, choice), start, options), .choice = choice};
    if (out.end.mu.size() == 0) forget_multipliers(out.end);  // it did not begin
    out.violation = std::max(violation(out.end.x), out.end.violation);
    out.found = out.end.status == NlpStatus::converged || out.end.kkt_error <= 1e-8;
    if (out.found) out.wrong = wrong_sides(out);
    return out;
  };
  PairDescent out = end_of(from);
  if (!out.found && max_iterations == long_enough && !stop_()) {
    PairDescent anew = end_of({.x = from.x});
    if (is_better(anew, out)) out = std::move(anew);
  }
  constexpr double far_down = -1e15;
  if (!out.found && out.end.f < far_down) seems_unbounded_ = true;
  return out;
}

/// −∇ of the Lagrangian without the pair is mu: how much of it points into the rectangle, from its nearest point?
double PairDescents::force_into(const Rectangle& r, const PlacedPair& pair, const NlpResult& at) const {
  const auto part = [&](const PairSide& side, double low, double high) {
    const double value = std::clamp(side.at(at.x), low, high), force = at.mu[side.index];
    return force > 0.0 ? (value < high ? force : 0.0) : (value > low ? -force : 0.0);
  };
  return std::max(part(pair.a, r.lower_a, r.upper_a), part(pair.b, r.lower_b, r.upper_b));
}

/// Pairs on both sides at once whose multiplier would have them leave to the other one, that of the largest first.
std::vector<std::size_t> PairDescents::wrong_sides(const PairDescent& at) const {
  constexpr double noise = 1e-10;  // beside the largest multiplier
  const double least = noise * at.end.mu.lpNorm<Eigen::Infinity>();
  std::vector<std::pair<double, std::size_t>> wrong;
  for (std::size_t i = 0; i < program_.pairs().size(); ++i) {
    const PlacedPair& pair = program_.pairs()[i];
    const Rectangle other = other_side(pair, at.choice[i]);
    if (distance(other, pair.a.at(at.end.x), pair.b.at(at.end.x)) > 1e-9 || !program_.allows(pair, 1 - at.choice[i]))
      continue;
    const double force = force_into(other, pair, at.end);
    if (force > least) wrong.emplace_back(-force, i);
  }
  return sorted(std::move(wrong));
}

/// All wrong ones to their other side at once, then, where that does not help, the worst one alone, and then those
/// that linear programs say.
PairDescent PairDescents::improved(PairDescent from) {
  constexpr int rounds = 20;
  for (int round = 0; round < rounds && from.found && !stop_(); ++round) {
    const std::vector<std::size_t> wrong = from.wrong;
    if (wrong.empty()) return from;
    bool better = false;
    const auto try_on = [&](std::vector<int> choice) {
      PairDescent other = solve_on(std::move(choice), from.end, 1e-4);
      better = is_better(other, from);
      if (better) from = std::move(other);
    };
    for (const std::size_t count : {wrong.size(), std::size_t{1}}) {
      std::vector<int> choice = from.choice;
      for (std::size_t k = 0; k < count; ++k) choice[wrong[k]] = 1 - choice[wrong[k]];
      try_on(std::move(choice));
      if (better || wrong.size() == 1 || stop_()) break;
    }
    if (better || stop_()) continue;
    constexpr Index most_programs = 100;
    Lpec fall = lpec(program_, from.end.x, most_programs, stop_);
    if (fall.choice.empty()) return from;
    try_on(std::move(fall.choice));
    if (!better) return from;
  }
  return from;
}

bool PairDescents::by_other_sides() {
  const bool small = solver_for(relaxed(program_, 1.0)) == Nlp::sqp;
  const Index budget = iterations_ + iterations_ / (agree_ ? 4 : 2);
  if (!best_.found) return false;
  const bool many = by_many_sides(budget);
  const bool single = (small || !agree_) && by_single_sides(budget);
  const bool moved = small && is_curved(program_.smooth()) && by_moved_starts(iterations_ + iterations_ / 2);
  return many || single || moved;
}

/// Where the branch is stationary it need not be least: from a little to either side f may fall on.
bool PairDescents::by_moved_starts(Index budget) {
  constexpr double a_little = 1e-2;
  const Vector x = best_.end.x, sizes = x.cwiseAbs().cwiseMax(1.0);
  const Vector change = a_little * sizes.cwiseProduct(Random(1).normal_vector(x.size()));
  bool better = false;
  for (const double sign : {1.0, -1.0}) {
    if (iterations_ >= budget || stop_()) break;
    PairDescent other = solve_on(best_.choice, {.x = x + sign * change}, 0.0);
    const bool falls = other.found && is_better(other, best_);
    if (falls) best_ = improved(std::move(other));
    better = better || falls;
  }
  return better;
}

/// Is the best one's branch with the other sides of these pairs better?
bool PairDescents::improves(const std::vector<std::size_t>& pairs, Index budget) {
  const Index enough = 20 + 2 * best_.end.iterations;  // branches without a feasible point take long to show it
  const Index left = std::min(enough, budget - iterations_);
  if (left < 1 || stop_()) return false;
  std::vector<int> choice = best_.choice;
  for (const std::size_t i : pairs) choice[i] = 1 - choice[i];
  PairDescent other = solve_on(std::move(choice), best_.end, 1e-4, left);
  if (!other.found || !is_better(other, best_)) return false;
  best_ = improved(std::move(other));
  return true;
}

/// As many as possible at once of those that multipliers promise most of, beside how far they are.
bool PairDescents::by_many_sides(Index budget) {
  std::vector<std::size_t> order = most_promising_sides(best_);
  bool better = false;
  for (std::size_t count = (order.size() + 1) / 2; count > 0; count /= 2) {
    while (improves({order.begin(), order.begin() + std::min(count, order.size())}, budget)) {
      better = true;
      order = most_promising_sides(best_);
      if (order.empty()) return true;
    }
  }
  return better;
}

bool PairDescents::by_single_sides(Index budget) {
  bool better = false, again = true;
  while (std::exchange(again, false))
    for (const std::size_t i : nearest_other_sides(best_)) {
      if (iterations_ >= budget || stop_()) return better;
      again = improves({i}, budget);
      better = better || again;
      if (again) break;
    }
  return better;
}

/// Pairs whose other side −∇ of the Lagrangian without the pair points into, by its size beside how far they are from
/// it.
std::vector<std::size_t> PairDescents::most_promising_sides(const PairDescent& at) const {
  std::vector<std::pair<double, std::size_t>> promising;
  for (std::size_t i = 0; i < program_.pairs().size(); ++i) {
    const PlacedPair& pair = program_.pairs()[i];
    const Rectangle other = other_side(pair, at.choice[i]);
    if (!program_.allows(pair, 1 - at.choice[i])) continue;
    const double force = force_into(other, pair, at.end),
                 far = distance(other, pair.a.at(at.end.x), pair.b.at(at.end.x));
    if (force > 0.0) promising.emplace_back(far / force, i);
  }
  return sorted(std::move(promising));
}

/// Pairs whose bounds allow the other side, by how far they are from it.
std::vector<std::size_t> PairDescents::nearest_other_sides(const PairDescent& at) const {
  std::vector<std::pair<double, std::size_t>> others;
  for (std::size_t i = 0; i < program_.pairs().size(); ++i) {
    const PlacedPair& pair = program_.pairs()[i];
    const Rectangle other = other_side(pair, at.choice[i]);
    if (program_.allows(pair, 1 - at.choice[i]))
      others.emplace_back(distance(other, pair.a.at(at.end.x), pair.b.at(at.end.x)), i);
  }
  return sorted(std::move(others));
}

}  // namespace pendec::detail
