#include "pair_stationarity.hpp"

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
#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/subsolvers/nlp.hpp"
#include "placed_pairs.hpp"

namespace pendec {
namespace {

using detail::distance;
using detail::domain_of;
using detail::PlacedPairs;
using detail::sides_of;
using detail::with_multipliers;
using detail::zeros_of;

/// Bounds of (a, b) whose normals at the point are the regular normals of the pair's set there.
Rectangle regular_rectangle(PairKind kind, double a, double b, double zero) {
  const bool a_zero = std::abs(a) <= zero, b_zero = std::abs(b) <= zero;
  switch (kind) {
    case PairKind::complementarity:
      return {0.0, a_zero && !b_zero ? 0.0 : infinity, 0.0, b_zero && !a_zero ? 0.0 : infinity};
    case PairKind::switching:
      if (a_zero == b_zero) return {};
      return a_zero ? Rectangle{.lower_a = 0.0, .upper_a = 0.0} : Rectangle{.lower_b = 0.0, .upper_b = 0.0};
    case PairKind::vanishing:
      if (b_zero && a > zero) return {.lower_b = 0.0, .upper_b = 0.0};
      if (b_zero && a_zero) return {.lower_b = 0.0};
      return {.upper_a = 0.0, .lower_b = 0.0};
    case PairKind::either:
      if (a > zero || b > zero || (a_zero && b_zero)) return {};
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
      pair.biactive = std::max(std::abs(pair.F), std::abs(pair.H)) <= feasible * s.zero;
      const auto sides = sides_of(s.kind);
      pair.violation = std::min(distance(sides[0], pair.F, pair.H), distance(sides[1], pair.F, pair.H));
      rows.push_back(pair);
    }
    return rows;
  }

  /// What the multipliers of the result show.
  PairStationarity type() const {
    if (!result_.certificate.holds(result_.options.driver.tolerance)) return PairStationarity::none;
    if (are_multipliers(result_.lambda, regular_box())) return PairStationarity::S;
    if (!are_multipliers(result_.lambda, problem_.D)) return PairStationarity::none;
    // away from the points where two alternatives meet, limiting normals are regular
    return biactive().empty() ? PairStationarity::S : PairStationarity::M;
  }

  /// Multipliers that are regular normals, if SQP finds any.
  std::optional<Vector> regular_multipliers(const Deadline& deadline) const {
    return multipliers_on(regular_box(), deadline);
  }

  /// Limiting ones, on either side of each biactive pair.
  std::optional<Vector> limiting_multipliers(const Deadline& deadline) const {
    for (const Set& side : sides_of_biactive_pairs()) {
      auto lambda = multipliers_on(side, deadline);
      if (lambda && are_multipliers(*lambda, problem_.D)) return lambda;
    }
    return std::nullopt;
  }

 private:
  struct Slack {
    PairKind kind;
    Index constraint, row;
    Index a, b;   // places in y
    double zero;  // what counts as zero
  };

  void measure_pairs() {
    Index begin = program_.dimension();
    const Vector zeros = zeros_of(program_, y_.head(begin));
    for (std::size_t k = 0; k < program_.pairs.size(); ++k) {
      const PairConstraint& constraint = program_.pairs[k];
      const Index rows = constraint.F.output_dimension();
      for (Index i = 0; i < rows; ++i) {
        const double zero = zeros[std::ssize(slacks_)];
        const Slack s{constraint.kind, static_cast<Index>(k), i, begin + i, begin + rows + i, zero};
        for (double* entry : {&snapped_[s.a], &snapped_[s.b]})
          if (std::abs(*entry) <= s.zero) *entry = 0.0;
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

  /// Each biactive pair on either of its sides, up to 2⁶ combinations.
  std::vector<Set> sides_of_biactive_pairs() const {
    constexpr std::size_t most = 6;
    const std::vector<std::size_t> both = biactive();
    if (both.empty() || both.size() > most) return {};
    std::vector<Set> all;
    for (std::size_t mask = 0; mask < std::size_t{1} << both.size(); ++mask) {
      std::vector<Rectangle> rectangles = regular_rectangles();
      for (std::size_t k = 0; k < both.size(); ++k) {
        const PairKind kind = slacks_[both[k]].kind;
        const double a = (mask >> k & 1) != 0 ? 1.0 : 0.0;
        const double sign = kind == PairKind::either ? -1.0 : 1.0;
        rectangles[both[k]] = regular_rectangle(kind, sign * a, sign * (1.0 - a), 0.5);
      }
      all.push_back(box_of(rectangles));
    }
    return all;
  }

  /// λ with which y satisfies the optimality conditions on the convex set D.
  std::optional<Vector> multipliers_on(const Set& D, const Deadline& deadline) const {
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
    if (!are_multipliers(near.lambda, D)) return std::nullopt;
    return std::move(near.lambda);
  }

  /// −∇f(y) − G'(y)*λ ∈ N_D(y) and λ ∈ N_C(G(y)), where what counts as zero in a pair is zero.
  bool are_multipliers(const Vector& lambda, const Set& D) const {
    if (lambda.size() != problem_.G.output_dimension()) return false;
    Vector gradient(y_.size()), adjoint(y_.size());
    problem_.f.value_and_gradient(y_, gradient);
    problem_.G.adjoint(y_, lambda, adjoint);
    const auto residual = D.normal_residual(snapped_, -gradient - adjoint);
    Vector G(lambda.size());
    problem_.G.evaluate(y_, G);
    const double natural = (G - problem_.C.projection(G + lambda)).norm();
    const double scale = std::max(1.0, result_.certificate.gradient_scale);
    return residual && *residual <= 1e-6 * scale && natural <= 1e-6 * (1.0 + lambda.norm());
  }

  const PairProgram& program_;
  const Problem& problem_;
  const Result& result_;
  const Vector& y_;
  Vector snapped_;  // y with the entries of pairs that count as zero set to zero
  std::vector<Slack> slacks_;
};

/// Multipliers that show more than those it has, if there are any. A point on the way to −∞ stands for nothing.
void improve_multipliers(const PairProgram& program, const Problem& problem, const Deadline& deadline, Result& r) {
  const auto type_of = [&](const Result& at) { return at.pairs().stationarity; };
  const auto adopt = [&](std::optional<Vector> lambda) {
    if (!lambda) return;
    Result other = with_multipliers(problem, r, std::move(*lambda));
    const PairStationarity type = Stationarity(program, problem, other).type();
    if (type <= type_of(r)) return;
    r = std::move(other);
    std::get<PairsDetails>(r.details).stationarity = type;
  };
  if (type_of(r) != PairStationarity::S) adopt(Stationarity(program, problem, r).regular_multipliers(deadline));
  if (type_of(r) == PairStationarity::none) adopt(Stationarity(program, problem, r).limiting_multipliers(deadline));
}

/// The linear programs at a feasible point; nothing where it is not, or where the program has none.
detail::Lpec linear_programs(const PairProgram& program, const Result& r, const std::function<bool()>& stop) {
  constexpr Index most = 500;
  const Vector x = r.y.head(program.dimension());
  const bool feasible = r.certificate.relative_infeasibility() <= r.options.driver.tolerance;
  if (!feasible || !PlacedPairs::obstacle(program, x).empty()) return {};
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
  r.pair = certify_pair(problem, r.x, r.y, r.lambda, r.mu);
  const bool unsure =
      r.status == Status::stalled || r.status == Status::penalty_limit || r.status == Status::tests_met_uncertified;
  if (unsure && r.certificate.holds(r.options.driver.tolerance)) {
    r.status = Status::converged;
    r.message = "feasible and stationary, verified with multipliers found for the pairs";
  }
  return r;
}

void certify_pairs(const PairProgram& program, const Problem& problem, const Deadline& deadline, Result& r) {
  r.details = PairsDetails{.x = r.y.head(program.dimension())};
  if (!r.y.allFinite()) return;
  std::get<PairsDetails>(r.details).stationarity = Stationarity(program, problem, r).type();
  if (problem.D.branch(r.y, r.y) && r.status != Status::unbounded && r.status != Status::not_finite)
    improve_multipliers(program, problem, deadline, r);
  PairsDetails& details = std::get<PairsDetails>(r.details);
  if (details.stationarity != PairStationarity::S && r.status != Status::unbounded) {
    const Lpec shown = linear_programs(program, r, [&] { return deadline.passed(); });
    details.linear_programs = shown.programs;
    if (shown.proved) details.stationarity = PairStationarity::B;
  }
  details.table = pair_table(program, r);
}

std::vector<PairReport> pair_table(const PairProgram& program, const Result& result) {
  return Stationarity(program, program.with_slacks(), result).table();
}

PairStationarity shown_type(const PairProgram& program, const Result& result, PairStationarity claimed) {
  const PairStationarity type = Stationarity(program, program.with_slacks(), result).type();
  if (type >= claimed || claimed != PairStationarity::B) return type;
  return linear_programs(program, result, {}).proved ? PairStationarity::B : type;
}

}  // namespace detail

}  // namespace pendec
