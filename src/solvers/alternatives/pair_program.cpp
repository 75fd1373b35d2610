#include "pendec/solvers/alternatives/pair_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "pair_descent.hpp"
#include "pair_proof.hpp"
#include "pair_stationarity.hpp"
#include "pair_units.hpp"
#include "pair_ways.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/composition.hpp"
#include "pendec/maps/stack.hpp"
#include "pendec/penalty/monitor.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/pair_union.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/subsolvers/nlp.hpp"
#include "pendec/transform/lifted.hpp"
#include "pendec/version.hpp"

namespace pendec {
namespace {

Set pair_set(PairKind kind, Index pairs) {
  switch (kind) {
    case PairKind::complementarity:
      return BoxSwitching::complementarity(pairs);
    case PairKind::switching:
      return BoxSwitching::switching(pairs);
    case PairKind::vanishing:
      return PairUnion::vanishing(pairs);
    case PairKind::either:
      return PairUnion::either(pairs);
  }
  throw InvalidArgument("PairConstraint.kind", "?", "a kind of pairs");
}

Index slack_dimension(const PairProgram& p) {
  Index total = 0;
  for (const PairConstraint& pair : p.pairs) total += 2 * pair.F.output_dimension();
  return total;
}

void check(const PairProgram& p) {
  require(static_cast<bool>(p.f), "PairProgram.f", std::string_view("missing"), "an objective");
  require(!p.pairs.empty(), "PairProgram.pairs.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < p.pairs.size(); ++k) {
    const auto field = fmt::format("PairProgram.pairs[{}]", k);
    require(p.pairs[k].F && p.pairs[k].H, field, std::string_view("without F or H"), "both maps");
    require_dimension(field + ".F.input_dimension()", p.pairs[k].F.input_dimension(), p.dimension());
    require_dimension(field + ".H.input_dimension()", p.pairs[k].H.input_dimension(), p.dimension());
    require_dimension(field + ".H.output_dimension()", p.pairs[k].H.output_dimension(),
                      p.pairs[k].F.output_dimension());
    require(p.pairs[k].F.output_dimension() >= 1, field + ".F.output_dimension()", Index{0}, "at least 1");
  }
  if (!p.X) return;
  require_dimension("PairProgram.X.dimension()", p.X.dimension(), p.dimension());
  require(p.X.convex(), "PairProgram.X", p.X.name(), "a convex set; pairs belong into `pairs`");
}

/// Where a side is no number, there is no side to be on.
void check_start(const PairProgram& p, In x0) {
  require_dimension("x0.size()", x0.size(), p.dimension());
  require_finite("x0", x0);
  for (std::size_t k = 0; k < p.pairs.size(); ++k) {
    Vector value(p.pairs[k].F.output_dimension());
    p.pairs[k].F.evaluate(x0, value);
    require_finite(fmt::format("PairProgram.pairs[{}].F(x0)", k), value);
    p.pairs[k].H.evaluate(x0, value);
    require_finite(fmt::format("PairProgram.pairs[{}].H(x0)", k), value);
  }
}

/// The end of the descents as a result of the problem with slacks.
Result result_of(const PairProgram& program, const Problem& problem, const detail::PairUnits& units,
                 const detail::PlacedPairs& placed, const detail::PairDescents& descents, std::string method,
                 const Options& options) {
  Result r;
  r.options = options;
  r.version = version;
  r.method = std::move(method);
  r.status = Status::stalled;
  r.message = "the nonlinear program on the branch found did not come to its end";
  r.counts = descents.counts();
  r.counts.inner = descents.iterations();
  r.counts.outer = descents.solves();
  const NlpResult& end = descents.best().end;
  const Vector x = end.x.head(program.dimension());
  r.y = problem.D.projection(program.with_slacks(x));
  r.f = problem.f.value(r.y);
  return detail::with_multipliers(problem, std::move(r),
                                  units.as_given(placed.multipliers(end.x, end.lambda, end.mu)));
}

/// Feasible before infeasible, then by f or by how far from it. What falls without end is below everything.
bool is_better(const PairProgram& program, const Result& one, const Result& than, double tolerance) {
  if (one.status == Status::unbounded || than.status == Status::unbounded) return one.status == Status::unbounded;
  const auto feasible = [&](const Result& r) {
    return r.certificate.relative_infeasibility() <= tolerance && detail::pairs_hold(program, r);
  };
  const auto distance = [](const Result& r) { return r.certificate.distance_C + r.certificate.distance_D; };
  if (feasible(one) != feasible(than)) return feasible(one);
  return feasible(one) ? one.f < than.f : distance(one) < distance(than);
}

/// Several ways down, the cheap ones first, each with the nonlinear program on the branch that it ends at.
class Ways {
 public:
  Ways(const PairProgram& program, const Problem& problem, In x0, const Options& options, const Hooks& hooks)
      : program_(program),
        problem_(problem),
        x0_(x0),
        options_(options),
        hooks_(hooks),
        monitor_(options.limits, hooks.stop, hooks.observer) {}

  Result run() {
    validate(options_);
    auto found = by_nonlinear_programs();
    if (!found) return by_general_methods();
    if (found->settled || options_.driver.pairs != PairWay::automatic) return std::move(found->result);
    Result r = std::move(found->result), general = by_general_methods();
    Counts counts = r.counts;
    counts += general.counts;
    std::vector<Progress> trace = std::move(r.trace);
    trace.insert(trace.end(), general.trace.begin(), general.trace.end());
    if (!is_better(program_, r, general, options_.driver.tolerance)) r = std::move(general);
    r.counts = counts;
    r.trace = std::move(trace);
    return r;
  }

  /// Nothing where the program or the options do not suit them.
  std::optional<detail::FoundByPairs> by_nonlinear_programs() {
    const bool suits = options_.method == Method::automatic && options_.driver.pairs != PairWay::general &&
                       detail::PlacedPairs::obstacle(program_, x0_).empty();
    if (!suits) return std::nullopt;
    const detail::PairUnits units = detail::in_ordinary_units(program_, x0_);
    const detail::PlacedPairs placed(units.program);
    const Vector z = placed.place(x0_);
    if (!suits_nlp(detail::relaxed(placed, 1.0), z)) return std::nullopt;
    const std::function<bool()> stop = [&] {
      return progress_.outer >= options_.limits.outer || monitor_.expired(0);
    };
    const std::function<void(const NlpResult&)> seen = [&](const NlpResult& end) { note(end); };
    detail::PairDescents descents(placed, options_.driver.nlp, stop, seen);
    const std::string method = down(descents, placed, z, stop);
    detail::FoundByPairs out{certified(result_of(program_, problem_, units, placed, descents, method, options_))};
    Result& r = out.result;
    const bool sure = r.pairs().stationarity != PairStationarity::none;
    out.settled = stop() || (sure && !descents.seems_unbounded());
    if (stop() && !sure) {
      r.status = monitor_.reason().value_or(Status::max_iterations);
      r.message = "the best point so far";
    } else if (stop()) {
      if (monitor_.reason() == Status::interrupted) r.status = Status::interrupted;
      r.message += "; stopped before all ways were tried";
    }
    r.trace = trace_;
    r.times.total = deadline().seconds();
    return out;
  }

  const Deadline& deadline() const { return monitor_.deadline(); }

 private:
  /// The ways, the cheap ones first: which of them led to the best point?
  std::string down(detail::PairDescents& descents, const detail::PlacedPairs& placed, const Vector& z,
                   const std::function<bool()>& stop) const {
    const PairWay wanted = options_.driver.pairs;
    const bool penalty = wanted != PairWay::relaxation && all_complementarity();
    std::string way = "branch";
    if (!placed.open_pairs().empty()) {
      if (penalty && !stop() && descents.by_penalty(z)) way = "penalty + branch";
      const bool relaxation = !penalty || wanted != PairWay::penalty;
      if (relaxation && !stop() && descents.by_relaxation(z)) way = "relaxation + branch";
      if (wanted == PairWay::automatic && descents.by_other_sides()) way = "search + branch";
    }
    if (descents.best().choice.empty()) descents.home({.x = z});  // no pair is open, or nothing had begun
    return way;
  }

  bool all_complementarity() const {
    return std::all_of(program_.pairs.begin(), program_.pairs.end(),
                       [](const auto& pair) { return pair.kind == PairKind::complementarity; });
  }

  /// A nonlinear program counts as an outer iteration.
  void note(const NlpResult& end) {
    ++progress_.outer;
    progress_.inner += end.iterations;
    progress_.f = end.f;
    progress_.violation = end.violation;
    progress_.gradient = end.stationarity;
    progress_.seconds = deadline().seconds();
    if (options_.trace) trace_.push_back(progress_);
    if (!monitor_.watched()) return;
    OuterIterate iterate{progress_};
    iterate.x = end.x.head(program_.dimension());
    iterate.y = iterate.x;
    iterate.f_y = end.f;
    monitor_.report(std::move(iterate));
  }

  Result certified(Result r) const {
    detail::certify_pairs(program_, problem_, deadline(), r);
    return r;
  }

  Result by_general_methods() {
    Options rest = options_;
    rest.driver.pairs = PairWay::general;
    rest.limits.seconds = deadline().left();
    rest.limits.outer -= progress_.outer;
    Hooks hooks = hooks_;
    if (hooks_.observer)
      hooks.observer = [this](OuterIterate iterate) {  // without the slacks
        iterate.x.conservativeResize(program_.dimension());
        iterate.y.conservativeResize(program_.dimension());
        return hooks_.observer(iterate);
      };
    Result r = solve(problem_, program_.with_slacks(x0_), rest, hooks);
    r.options = options_;
    return certified(std::move(r));
  }

  const PairProgram& program_;
  const Problem& problem_;
  In x0_;
  const Options& options_;
  const Hooks& hooks_;
  Monitor monitor_;
  Progress progress_;
  std::vector<Progress> trace_;
};

}  // namespace

std::string_view to_string(PairKind kind) {
  switch (kind) {
    case PairKind::complementarity:
      return "complementarity";
    case PairKind::switching:
      return "switching";
    case PairKind::vanishing:
      return "vanishing";
    case PairKind::either:
      return "either";
  }
  return "?";
}

std::vector<PairConstraint> mixed_complementarity(const Map& F, const Map& H, In lower, In upper) {
  const Index m = F.output_dimension();
  require_dimension("mixed_complementarity H.output_dimension()", H.output_dimension(), m);
  require_dimension("mixed_complementarity lower.size()", lower.size(), m);
  require_dimension("mixed_complementarity upper.size()", upper.size(), m);
  std::vector<Index> at_lower, at_upper, between;
  for (Index i = 0; i < m; ++i) {
    const bool below = lower[i] > -infinity, above = upper[i] < infinity;
    const auto field = [&] { return fmt::format("bounds of pair {}", i); };
    require(lower[i] < infinity && upper[i] > -infinity, field(), fmt::format("{} and {}", lower[i], upper[i]),
            "a lower one below and an upper one above");
    require(lower[i] <= upper[i], field(), fmt::format("{} and {}", lower[i], upper[i]), "lower <= upper");
    require(below || above, field(), std::string_view("infinite"), "at least one that is finite");
    (below && above ? between : below ? at_lower : at_upper).push_back(i);
  }
  const auto rows = [&](const Map& map, const std::vector<Index>& chosen, double sign, In bounds) -> Map {
    const Operator select = Operator::diagonal(Vector::Constant(m, sign)).rows_at(chosen);
    return Composition(Affine(select, bounds.size() > 0 ? Vector(-sign * bounds(chosen)) : Vector()), map);
  };
  std::vector<PairConstraint> out;
  const auto add = [&](PairKind kind, const std::vector<Index>& chosen, double sign, In bounds) {
    if (!chosen.empty()) out.push_back({kind, rows(F, chosen, sign, Vector()), rows(H, chosen, sign, bounds)});
  };
  add(PairKind::complementarity, at_lower, 1.0, lower);
  add(PairKind::complementarity, at_upper, -1.0, upper);
  add(PairKind::vanishing, between, 1.0, lower);
  add(PairKind::vanishing, between, -1.0, upper);
  return out;
}

Problem PairProgram::with_slacks() const {
  check(*this);
  const Problem smooth = Problem{.f = f, .G = G, .C = C}.completed();
  const Index total = dimension() + slack_dimension(*this);
  std::vector<Map> rows;
  std::vector<Set> right;
  std::vector<NamedSet> blocks{{"x", detail::domain_of(*this)}};
  if (smooth.has_G()) {
    rows.push_back(pendec::lifted(G, total));
    right.push_back(C);
  }
  Index begin = dimension();
  for (const PairConstraint& pair : pairs) {
    const Index m = pair.F.output_dimension();
    rows.push_back(pendec::with_slacks(pair.F, total, begin));
    rows.push_back(pendec::with_slacks(pair.H, total, begin + m));
    right.push_back(Singleton(Vector::Zero(2 * m)));
    blocks.push_back({fmt::format("{} {}", to_string(pair.kind), blocks.size() - 1), pair_set(pair.kind, m)});
    begin += 2 * m;
  }
  return {.f = pendec::lifted(f, total),
          .G = Stack(std::move(rows)),
          .C = Product(std::move(right)),
          .D = Product(std::move(blocks))};
}

Vector PairProgram::with_slacks(In x) const {
  check(*this);
  require_dimension("x.size()", x.size(), dimension());
  Vector z(dimension() + slack_dimension(*this));
  z.head(dimension()) = x;
  Index begin = dimension();
  for (const PairConstraint& pair : pairs) {
    const Index m = pair.F.output_dimension();
    pair.F.evaluate(x, z.segment(begin, m));
    pair.H.evaluate(x, z.segment(begin + m, m));
    begin += 2 * m;
  }
  return z;
}

std::optional<detail::FoundByPairs> detail::pairs_by_nonlinear_programs(const PairProgram& program, In x0,
                                                                        const Options& options, const Hooks& hooks) {
  const Problem problem = program.with_slacks();
  return Ways(program, problem, x0, options, hooks).by_nonlinear_programs();
}

Result solve_pairs(const PairProgram& program, In x0, const Options& options, const Hooks& hooks) {
  const Problem problem = program.with_slacks();
  check_start(program, x0);
  Ways ways(program, problem, x0, options, hooks);
  Result r = ways.run();
  r.route = "pairs";
  detail::prove_pairs(program, problem, options, hooks, ways.deadline(), r);
  r.times.total = ways.deadline().seconds();
  return r;
}

}  // namespace pendec
