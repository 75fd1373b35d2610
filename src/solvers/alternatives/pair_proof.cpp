#include "pair_proof.hpp"

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "../../search/proof.hpp"
#include "pair_ways.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/indexed.hpp"
#include "pendec/sets/pair_union.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "placed_pairs.hpp"

namespace pendec::detail {
namespace {

struct Bounds {
  Vector lower, upper;
};

/// What points with f(x) ≤ `value` are, where f curves upwards in all variables that it depends on: with its
/// minimiser x* there, |x_i − x*_i|² ≤ 2 (value − f(x*)) (Q⁻¹)_ii, and a little more than rounding can do.
void tighten_by_level(const Objective& f, double value, Bounds& x) {
  const auto form = f.quadratic_form();
  if (!form) return;
  const Matrix Q = form->Q.dense();
  std::vector<Index> support;
  for (Index i = 0; i < Q.rows(); ++i)
    if (Q.col(i).any() || form->c[i] != 0.0) support.push_back(i);
  if (support.empty()) return;
  const Matrix block = Q(support, support);
  const Eigen::LLT<Matrix> factor(block);
  constexpr double well = 1e-8;  // conditioned, so that the inverse is known to half its digits
  if (factor.info() != Eigen::Success || !(factor.rcond() > well)) return;
  const Index k = block.rows();
  const Vector centre = -factor.solve(Vector(form->c(support)));
  const double least = form->constant + 0.5 * centre.dot(Vector(form->c(support)));
  const double above = std::max(0.0, value - least) + 1e-6 * (1.0 + std::abs(value) + std::abs(least));
  const Vector spread = factor.solve(Matrix::Identity(k, k)).diagonal();
  for (Index i = 0; i < k; ++i) {
    const double radius = std::sqrt(2.0 * above * std::max(spread[i], 0.0));
    const double more = 1e-7 * (1.0 + std::abs(centre[i]) + radius);
    double &low = x.lower[support[static_cast<std::size_t>(i)]],
           &high = x.upper[support[static_cast<std::size_t>(i)]];
    low = std::max(low, centre[i] - radius - more);
    high = std::min(high, centre[i] + radius + more);
  }
}

Rectangle cut(const Rectangle& r, double lower_a, double upper_a, double lower_b, double upper_b) {
  return {std::max(r.lower_a, lower_a), std::min(r.upper_a, upper_a), std::max(r.lower_b, lower_b),
          std::min(r.upper_b, upper_b)};
}

bool is_empty(const Rectangle& r) { return r.lower_a > r.upper_a || r.lower_b > r.upper_b; }

Box as_box(const Rectangle& r) { return {Vector{{r.lower_a, r.lower_b}}, Vector{{r.upper_a, r.upper_b}}}; }

/// The pairs of one constraint between the bounds of its slacks [a; b]; nothing where one of them has no side left.
std::optional<Set> bounded_pairs(PairKind kind, In lower, In upper) {
  const Index m = lower.size() / 2;
  std::vector<Set> pairs;
  std::vector<Index> order;
  for (Index i = 0; i < m; ++i) {
    std::vector<Rectangle> sides;
    for (const Rectangle& side : sides_of(kind)) {
      const Rectangle left = cut(side, lower[i], upper[i], lower[m + i], upper[m + i]);
      if (!is_empty(left)) sides.push_back(left);
    }
    if (sides.empty()) return std::nullopt;
    if (sides.size() > 1)
      pairs.push_back(PairUnion(1, std::move(sides)));
    else
      pairs.push_back(as_box(sides.front()));
    order.insert(order.end(), {i, m + i});
  }
  return Indexed(2 * m, std::move(order), Product(std::move(pairs)));
}

/// The problem with slacks, with bounds for all variables and slacks that follow from the rows and hold for points
/// that are no worse than `value`: then a linear or a semidefinite f has bounds, too. Nothing where not everything is
/// affine, pairs are many, or bounds are missing.
std::optional<Problem> bounded_problem(const PairProgram& program, const Problem& with_slacks, double value) {
  constexpr Index most_pairs = 6, most_variables = 300;  // 2⁶ choices of sides
  constexpr int rounds = 10;
  Index pairs = 0;
  for (const PairConstraint& pair : program.pairs) pairs += pair.F.output_dimension();
  const Index n = program.dimension();
  if (pairs > most_pairs || n > most_variables || !program.f.is_quadratic() || !with_slacks.G.is_affine())
    return std::nullopt;
  const auto X = domain_of(program).linear_constraints();
  const auto C = with_slacks.C.linear_constraints();
  if (!X || X->b.size() + X->d.size() > 0 || !C || C->b.size() + C->d.size() > 0) return std::nullopt;
  Bounds x{X->lower, X->upper};
  tighten_by_level(program.f, value, x);
  Vector lower = Vector::Constant(with_slacks.dimension(), -infinity), upper = -lower;
  lower.head(n) = x.lower;
  upper.head(n) = x.upper;
  Index begin = n;
  for (const PairConstraint& pair : program.pairs) {
    const Index m = pair.F.output_dimension();
    const Rectangle hull = hull_of(pair.kind);
    lower.segment(begin, m).setConstant(hull.lower_a);
    upper.segment(begin, m).setConstant(hull.upper_a);
    lower.segment(begin + m, m).setConstant(hull.lower_b);
    upper.segment(begin + m, m).setConstant(hull.upper_b);
    begin += 2 * m;
  }
  for (int round = 0; round < rounds; ++round) with_slacks.G.tighten(C->lower, C->upper, lower, upper);
  if (!lower.allFinite() || !upper.allFinite() || (lower.array() > upper.array()).any()) return std::nullopt;
  std::vector<NamedSet> blocks = with_slacks.D.as<Product>()->blocks;
  blocks.front().set = Box(lower.head(n), upper.head(n));
  begin = n;
  for (std::size_t k = 0; k < program.pairs.size(); ++k) {
    const Index size = 2 * program.pairs[k].F.output_dimension();
    auto bounded = bounded_pairs(program.pairs[k].kind, lower.segment(begin, size), upper.segment(begin, size));
    if (!bounded) return std::nullopt;
    blocks[k + 1].set = *std::move(bounded);
    begin += size;
  }
  Problem out = with_slacks;
  out.D = Product(std::move(blocks));
  return out;
}

}  // namespace

void prove_pairs(const PairProgram& program, const Problem& with_slacks, const Options& options, const Hooks& hooks,
                 const Deadline& deadline, Result& r) {
  const bool wanted = options.method == Method::automatic && options.driver.route == Route::automatic &&
                      options.driver.proof_seconds > 0.0;
  if (!wanted || !r.success() || r.status == Status::optimal || deadline.passed()) return;
  if (underflows(with_slacks.f, r.y)) return;  // nothing is relative to anything there
  const auto bounded = bounded_problem(program, with_slacks, r.f);
  if (!bounded || !obstacle_to_proof(*bounded).empty()) return;
  const double gap = std::max(options.driver.gap, optimal_gap);
  DisjunctiveOptions settings{.gap = gap, .method = options};
  settings.method.limits.seconds = std::min(deadline.left(), options.driver.proof_seconds);
  settings.method.driver.route = Route::general;
  Result proof = solve_disjunctive(*bounded, r.y, settings, {.observer = {}, .stop = hooks.stop});
  if (!(proof.bound > -infinity) || proof.status == Status::infeasible) return;
  if (proof.success() && proof.f < r.f - 1e-6 * (1.0 + std::abs(r.f))) {
    Options rest = options;
    rest.limits.seconds = deadline.left();
    const auto again = pairs_by_nonlinear_programs(program, proof.y.head(program.dimension()), rest, hooks);
    if (again && again->result.success() && again->result.f < r.f) r = again->result;
    r.options = options;
  }
  r.bound = std::min(proof.bound, r.f);
  const auto proved = status_of_gap(with_slacks.f, r.y, r.f, r.bound, gap);
  if (!proved) return;
  r.status = *proved;
  r.message = fmt::format("proved {} by bounds for every choice of sides; {}",
                          r.status == Status::optimal ? "optimal" : "within the gap asked for", r.message);
}

}  // namespace pendec::detail
