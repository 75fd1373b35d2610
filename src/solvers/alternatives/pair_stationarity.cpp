#include "pair_stationarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "lpec.hpp"
#include "pendec/certificates/stationarity.hpp"
#include "pendec/maps/stack.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/pair_union.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/subsolvers/clp.hpp"
#include "pendec/subsolvers/nlp.hpp"
#include "placed_pairs.hpp"

namespace pendec {
namespace {

using detail::distance;
using detail::domain_of;
using detail::PlacedPairs;
using detail::sides_of;
using detail::with_multipliers;
using detail::Zeros;
using detail::zeros_of;

/// Bounds of (a, b) whose normals at the point are the regular normals of the pair's set there.
Rectangle regular_rectangle(PairKind kind, double a, double b, const Zeros& zero) {
  const bool a_zero = std::abs(a) <= zero.a, b_zero = std::abs(b) <= zero.b;
  switch (kind) {
    case PairKind::complementarity:
      return {0.0, a_zero && !b_zero ? 0.0 : infinity, 0.0, b_zero && !a_zero ? 0.0 : infinity};
    case PairKind::switching:
      if (a_zero == b_zero) return {};
      return a_zero ? Rectangle{.lower_a = 0.0, .upper_a = 0.0} : Rectangle{.lower_b = 0.0, .upper_b = 0.0};
    case PairKind::vanishing:
      if (b_zero && a > zero.a) return {.lower_b = 0.0, .upper_b = 0.0};
      if (b_zero && a_zero) return {.lower_b = 0.0};
      return {.upper_a = 0.0, .lower_b = 0.0};
    case PairKind::either:
      if (a > zero.a || b > zero.b || (a_zero && b_zero)) return {};
      return a_zero ? Rectangle{.lower_a = 0.0} : Rectangle{.lower_b = 0.0};
  }
  return {};
}

/// The pairs at a result of the problem with slacks: which multipliers show that y is stationary, and how?
class Stationarity {
 public:
  Stationarity(const PairProgram& program, const Problem& problem, const Result& result)
      : program_(program), problem_(problem), result_(result), y_(result.y), snapped_(y_) {
    measure_pairs();
  }

  /// What F(x) and H(x) are, not what the slacks are: where y is infeasible, they differ.
  std::vector<PairReport> table() const {
    std::vector<PairReport> rows;
    const Vector x = y_.head(program_.dimension()), values = program_.with_slacks(x);
    const bool has_multipliers = result_.lambda.size() == problem_.G.output_dimension();
    const Index slacks = y_.size() - program_.dimension();
    const Index first = problem_.G.output_dimension() - slacks;  // rows of G come before
    for (const Slack& s : slacks_) {
      PairReport pair{.constraint = s.constraint, .row = s.row, .F = values[s.a], .H = values[s.b]};
      if (has_multipliers) {  // those of F(x) − a = 0 and H(x) − b = 0 are ν_F and ν_H
        pair.nu_F = result_.lambda[first + s.a - program_.dimension()];
        pair.nu_H = result_.lambda[first + s.b - program_.dimension()];
      }
      constexpr double feasible = 10.0;  // F(x) and H(x) agree with their slacks up to a tolerance only
      pair.biactive = std::abs(pair.F) <= feasible * s.zero.a && std::abs(pair.H) <= feasible * s.zero.b;
      const auto sides = sides_of(s.kind);
      pair.violation = std::min(distance(sides[0], pair.F, pair.H), distance(sides[1], pair.F, pair.H));
      rows.push_back(pair);
    }
    return rows;
  }

  /// The pair that is farthest from its sides, where it is beyond the tolerance of its own terms: whatever is large
  /// elsewhere excuses nothing here.
  const PairReport* violated(const std::vector<PairReport>& rows) const {
    const PairReport* worst = nullptr;
    double most = std::max(result_.options.driver.tolerance / Zeros::share, 1.0);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto sides = sides_of(slacks_[k].kind);
      const auto off = [&](const Rectangle& side) { return slacks_[k].zero.distance(side, rows[k].F, rows[k].H); };
      if (const double least = std::min(off(sides[0]), off(sides[1])); least > most) most = least, worst = &rows[k];
    }
    return worst;
  }

  /// What the multipliers of the result show. Where no two alternatives meet, limiting normals are regular.
  PairStationarity type() const {
    if (!result_.certificate.holds(result_.options.driver.tolerance) || violated(table()))
      return PairStationarity::none;
    if (are_multipliers(result_.lambda, regular_box())) return PairStationarity::S;
    if (biactive().empty() || !are_multipliers(result_.lambda, problem_.D)) return PairStationarity::none;
    return PairStationarity::M;
  }

  /// A solution beside y, with multipliers that are regular normals, if there are any.
  std::optional<NlpResult> with_regular_normals(const Deadline& deadline) const {
    return solution_on(regular_box(), deadline);
  }

  /// With limiting ones, on either side of each biactive pair.
  template <class Suits>
  void with_limiting_normals(const Deadline& deadline, const Suits& suits) const {
    for (const Set& side : sides_of_biactive_pairs()) {
      const auto near = solution_on(side, deadline);
      if (near && suits(*near)) return;
    }
  }

 private:
  struct Slack {
    PairKind kind;
    Index constraint, row;
    Index a, b;  // places in y
    Zeros zero;  // what counts as zero
  };

  void measure_pairs() {
    Index begin = program_.dimension();
    const std::vector<Zeros> zeros = zeros_of(program_, y_.head(begin));
    for (std::size_t k = 0; k < program_.pairs.size(); ++k) {
      const PairConstraint& constraint = program_.pairs[k];
      const Index rows = constraint.F.output_dimension();
      for (Index i = 0; i < rows; ++i) {
        const Slack s{constraint.kind, static_cast<Index>(k), i, begin + i, begin + rows + i, zeros[slacks_.size()]};
        if (std::abs(snapped_[s.a]) <= s.zero.a) snapped_[s.a] = 0.0;
        if (std::abs(snapped_[s.b]) <= s.zero.b) snapped_[s.b] = 0.0;
        slacks_.push_back(s);
      }
      begin += 2 * rows;
    }
  }

  Set box_of(const std::vector<Rectangle>& rectangles) const {
    std::vector<Set> blocks{domain_of(program_)};
    std::size_t pair = 0;
    for (const PairConstraint& constraint : program_.pairs) {
      const Index rows = constraint.F.output_dimension();
      Vector lower(2 * rows), upper(2 * rows);
      for (Index i = 0; i < rows; ++i, ++pair) {
        const Rectangle& r = rectangles[pair];
        lower[i] = r.lower_a;
        upper[i] = r.upper_a;
        lower[rows + i] = r.lower_b;
        upper[rows + i] = r.upper_b;
      }
      blocks.push_back(Box(std::move(lower), std::move(upper)));
    }
    return Product(std::move(blocks));
  }

  std::vector<Rectangle> regular_rectangles() const {
    std::vector<Rectangle> all;
    for (const Slack& s : slacks_) all.push_back(regular_rectangle(s.kind, y_[s.a], y_[s.b], s.zero));
    return all;
  }
  Set regular_box() const { return box_of(regular_rectangles()); }

  std::vector<std::size_t> biactive() const {
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < slacks_.size(); ++k)
      if (snapped_[slacks_[k].a] == 0.0 && snapped_[slacks_[k].b] == 0.0) all.push_back(k);
    return all;
  }

  /// Each biactive pair on either of its sides, up to 2⁶ combinations, 2² where each takes long.
  std::vector<Set> sides_of_biactive_pairs() const {
    const std::size_t most = nlp_solver_for(problem_) == Nlp::sqp ? 6 : 2;
    const std::vector<std::size_t> both = biactive();
    if (both.empty() || both.size() > most) return {};
    std::vector<Set> all;
    for (std::size_t mask = 0; mask < std::size_t{1} << both.size(); ++mask) {
      std::vector<Rectangle> rectangles = regular_rectangles();
      for (std::size_t k = 0; k < both.size(); ++k) {
        const PairKind kind = slacks_[both[k]].kind;
        const double a = (mask >> k & 1) != 0 ? 1.0 : 0.0;
        const double sign = kind == PairKind::either ? -1.0 : 1.0;
        rectangles[both[k]] = regular_rectangle(kind, sign * a, sign * (1.0 - a), {0.5, 0.5});
      }
      all.push_back(box_of(rectangles));
    }
    return all;
  }

  /// Where y leads on the convex set D.
  std::optional<NlpResult> solution_on(const Set& D, const Deadline& deadline) const {
    if (deadline.passed()) return std::nullopt;
    if (!problem_.C.linear_constraints() || !D.linear_constraints()) return std::nullopt;
    Problem relaxed = problem_;
    relaxed.D = D;
    NlpOptions options{.max_iterations = 3, .tolerance = 1e-8, .stop = [&] { return deadline.passed(); }};
    if (nlp_solver_for(relaxed) == Nlp::ipopt) {  // which has to come near the bounds first
      options.max_iterations = 100;
      options.barrier = 1e-6;
      options.lambda = result_.lambda;
    }
    NlpResult near = nlp(relaxed, y_, options);
    if (near.lambda.size() != problem_.G.output_dimension() || !near.x.allFinite()) return std::nullopt;
    return near;
  }

  /// −∇f(y) − G'(y)*λ ∈ N_D(y) and λ ∈ N_C(G(y)), where what counts as zero in a pair is zero.
  bool are_multipliers(const Vector& lambda, const Set& D) const {
    if (lambda.size() != problem_.G.output_dimension()) return false;
    Vector gradient(y_.size()), adjoint(y_.size());
    problem_.f.value_and_gradient(y_, gradient);
    problem_.G.adjoint(y_, lambda, adjoint);
    const double scale = std::max(1.0, result_.certificate.gradient_scale);
    Vector force = -gradient - adjoint;
    const auto X = domain_of(program_).linear_constraints();
    const bool by_entries = X && X->b.size() + X->d.size() == 0;
    if (by_entries) force.array() /= sizes_of_terms(gradient, lambda, scale).array();
    const auto residual = D.normal_residual(snapped_, force);
    Vector G(lambda.size());
    problem_.G.evaluate(y_, G);
    const double natural = (G - problem_.C.projection(G + lambda)).norm();
    return residual && *residual <= 1e-6 * (by_entries ? 1.0 : scale) && natural <= 1e-6 * (1.0 + lambda.norm());
  }

  /// Of each entry of the Lagrangian's gradient: a large one elsewhere, which a bound may hold, excuses nothing here.
  /// What nonlinear programming leaves beside the largest is no more to be asked for. Multipliers that explode, and
  /// all but cancel, excuse nothing, either.
  Vector sizes_of_terms(In gradient, In lambda, double scale) const {
    constexpr double left = 1e-4, explosion = 1e3;
    Vector sizes = gradient.cwiseAbs();
    const Operator J = problem_.G.jacobian(y_);
    if (J.has_entries()) {
      const SparseMatrix entries = J.sparse();
      for (Index j = 0; j < entries.outerSize(); ++j)
        for (SparseMatrix::InnerIterator entry(entries, j); entry; ++entry)
          sizes[j] += std::abs(entry.value() * lambda[entry.row()]);
    } else {
      sizes.setConstant(scale);
    }
    Vector slopes(gradient.size());
    problem_.f.magnitude(y_, slopes);
    const double most = explosion * std::max(1.0, slopes.norm());
    return sizes.cwiseMin(most).cwiseMax(left * std::min(scale, most));
  }

  const PairProgram& program_;
  const Problem& problem_;
  const Result& result_;
  const Vector& y_;
  Vector snapped_;  // y with the entries of pairs that count as zero set to zero
  std::vector<Slack> slacks_;
};

/// Multipliers that show more than those it has, with y or with a point beside it that is no worse.
bool improve(const PairProgram& program, const Problem& problem, const NlpResult& near, Result& r) {
  for (const Vector& y : {r.y, problem.D.projection(near.x)}) {
    Result other = r;
    other.y = y;
    other.f = problem.f.value(y);
    if (!(other.f <= r.f + 1e-8 * std::max(1.0, std::abs(r.f)))) continue;
    other = with_multipliers(problem, std::move(other), near.lambda);
    const PairStationarity type = Stationarity(program, problem, other).type();
    if (type <= r.pairs().stationarity) continue;
    r = std::move(other);
    r.details = PairsDetails{.x = y.head(program.dimension()), .stationarity = type};
    return true;
  }
  return false;
}

/// The linear programs at a feasible point; nothing where it is not, or where the program has none.
detail::Lpec linear_programs(const PairProgram& program, const Problem& problem, const Result& r,
                             const std::function<bool()>& stop) {
  constexpr Index most = 500;
  const Vector x = r.y.head(program.dimension());
  const Stationarity at(program, problem, r);
  const bool feasible =
      r.certificate.relative_infeasibility() <= r.options.driver.tolerance && !at.violated(at.table());
  if (!feasible || !has_clp() || !PlacedPairs::obstacle(program, x).empty()) return {};
  const PlacedPairs placed(program);
  return lpec(placed, placed.place(x), most, stop);
}

}  // namespace

std::string_view to_string(PairStationarity type) {
  switch (type) {
    case PairStationarity::none:
      return "none";
    case PairStationarity::M:
      return "M";
    case PairStationarity::B:
      return "B";
    case PairStationarity::S:
      return "S";
  }
  return "?";
}

namespace detail {

Result with_multipliers(const Problem& problem, Result r, Vector lambda) {
  Vector gradient(problem.dimension()), adjoint(problem.dimension());
  r.lambda = std::move(lambda);
  r.certificate = certify(problem, r.y, r.lambda);
  r.x = r.y;
  r.f_x = problem.f.value_and_gradient(r.y, gradient);
  problem.G.adjoint(r.y, r.lambda, adjoint);
  r.mu = -gradient - adjoint;
  if (!std::isfinite(r.f_x) || !r.mu.allFinite()) {
    r.mu.setZero();
    r.status = Status::not_finite;
    r.message = "f, its gradient or the rows are not finite at the point found";
    return r;
  }
  r.pair = certify_pair(problem, r.x, r.y, r.lambda, r.mu);
  const bool unsure =
      r.status == Status::stalled || r.status == Status::penalty_limit || r.status == Status::tests_met_uncertified;
  if (unsure && r.certificate.holds(r.options.driver.tolerance)) {
    r.status = Status::converged;
    r.message = "feasible and stationary, verified with multipliers found for the pairs";
  }
  return r;
}

/// S is shown by multipliers, B by linear programs, M by multipliers again. A point on the way to −∞ stands for
/// nothing.
void certify_pairs(const PairProgram& program, const Problem& problem, const Deadline& deadline, Result& r) {
  r.details = PairsDetails{.x = r.y.head(program.dimension())};
  if (!r.y.allFinite()) return;
  std::get<PairsDetails>(r.details).stationarity = Stationarity(program, problem, r).type();
  const bool stands = r.status != Status::unbounded && r.status != Status::not_finite;
  const bool has_sides = stands && problem.D.branch(r.y, r.y).has_value();
  const auto adopt = [&](const NlpResult& near) { return improve(program, problem, near, r); };
  if (has_sides && r.pairs().stationarity != PairStationarity::S)
    if (const auto near = Stationarity(program, problem, r).with_regular_normals(deadline)) adopt(*near);
  if (has_sides && r.pairs().stationarity == PairStationarity::none)
    Stationarity(program, problem, Result(r)).with_limiting_normals(deadline, adopt);
  PairsDetails& details = std::get<PairsDetails>(r.details);
  if (stands && details.stationarity != PairStationarity::S) {
    const Lpec shown = linear_programs(program, problem, r, [&] { return deadline.passed(); });
    details.linear_programs = shown.programs;
    if (shown.proved) details.stationarity = PairStationarity::B;
    const bool falls = details.stationarity == PairStationarity::none && !shown.choice.empty();
    if (falls && r.status == Status::converged) {
      r.status = Status::stalled;
      r.message = "f falls along a direction that a linear program over the sides of the pairs found";
    }
  }
  const Stationarity at(program, problem, r);
  details.table = at.table();
  const PairReport* off = at.violated(details.table);
  if (!off || !r.success()) return;
  r.status = Status::stalled;
  r.message = fmt::format("row {} of pairs {} is violated by {:.3g}, more than its own terms excuse", off->row,
                          off->constraint, off->violation);
}

bool pairs_hold(const PairProgram& program, const Result& result) {
  const Problem problem = program.with_slacks();
  const Stationarity at(program, problem, result);
  return !at.violated(at.table());
}

std::vector<PairReport> pair_table(const PairProgram& program, const Result& result) {
  return Stationarity(program, program.with_slacks(), result).table();
}

PairStationarity shown_type(const PairProgram& program, const Result& result, PairStationarity claimed) {
  const Problem problem = program.with_slacks();
  const PairStationarity type = Stationarity(program, problem, result).type();
  if (type >= claimed || claimed != PairStationarity::B) return type;
  return linear_programs(program, problem, result, {}).proved ? PairStationarity::B : type;
}

}  // namespace detail

}  // namespace pendec
