#include "pendec/solvers/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "../search/general_solve.hpp"
#include "../search/proof.hpp"
#include "pendec/certificates/check.hpp"
#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/long_vectors.hpp"
#include "pendec/core/random.hpp"
#include "pendec/subsolvers/convexity.hpp"
#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/version.hpp"
#include "route.hpp"

namespace pendec {
namespace {

void require_evaluable(const Problem& problem, In x0) {
  Vector gradient(problem.dimension());
  require(std::isfinite(problem.f.value_and_gradient(x0, gradient)), "f(x0)", problem.f.value(x0), "a finite number");
  require_finite("gradient of f at x0", gradient);
  if (!problem.has_G()) return;
  Vector G(problem.G.output_dimension());
  problem.G.evaluate(x0, G);
  require_finite("G(x0)", G);
}

// Entries below this share of the unit are rounding errors.
constexpr double rounding_share = 1e-14;

/// y without the entries below a share of the unit, where that stays in D.
std::optional<Vector> without_small_entries(const Set& D, const Vector& y, double share, double unit) {
  Vector clean = (y.array().abs() <= share * unit).select(0.0, y);
  if (clean == y || !D.contains(clean, rounding_share * unit)) return std::nullopt;
  return clean;
}

/// Is every vector a normal of D at y, an isolated point?
bool everything_is_normal(const Set& D, In y) {
  const Vector v = Random(3).normal_vector(y.size());
  return D.normal_residual(y, v) == 0.0 && D.normal_residual(y, -v) == 0.0;
}

std::string verified(const Problem& problem, const Result& r) {
  constexpr Index little = 200;  // eigenvalues take no longer than the solve
  std::string message = r.certificate.exact_normals ? "feasible and stationary, verified"
                                                    : "feasible and stationary, as far as sampled normals of D tell";
  if (everything_is_normal(problem.D, r.y))
    message += " (which says little: y is an isolated point of D, and so is every point stationary)";
  else if (problem.D.convex() && (!problem.has_G() || problem.G.is_affine()) &&
           (problem.dimension() <= little ? is_convex(problem.f) : problem.f.convex()))
    message += "; the problem is convex: a global minimum up to that";
  return message;
}

/// Certificate and final status, from the user's problem alone.
void certify_result(const Problem& problem, const Options& options, const detail::GeneralSolve& driver, Result& r) {
  const double f = problem.f.value(r.y);
  if (!std::isfinite(f)) {  // r.f keeps what the run saw
    r.status = Status::not_finite;
    r.message = "f is not finite any more at the best point found";
    return;
  }
  const bool in_time = !driver.deadline().passed();
  if (!in_time && problem.has_G() && r.lambda.size() == 0)  // none are looked for any more
    r.lambda = Vector::Zero(problem.G.output_dimension());
  const auto certificate_at = [&](const Vector& y) {
    return certify(problem, y, r.lambda.size() > 0 || !problem.has_G() ? std::optional(r.lambda) : std::nullopt);
  };
  r.certificate = certificate_at(r.y);
  const Certificate& c = r.certificate;
  const double tolerance = options.driver.tolerance;
  // Normals depend on which entries are zero, and a rounding error is not; nor has what tends to zero a size of its
  // own, where zero is no worse.
  for (const double share : {rounding_share, tolerance}) {
    if (c.holds(tolerance) || driver.point_scale() == 0.0 || !in_time) break;
    const double unit = std::max(driver.point_scale(), r.y.lpNorm<Eigen::Infinity>());
    const auto clean = without_small_entries(problem.D, r.y, share, unit);
    if (!clean || (share > rounding_share && !(problem.f.value(*clean) <= f))) continue;
    Certificate there = certificate_at(*clean);
    if (!there.holds(tolerance)) {  // a multiplier of where the method was need not fit
      there = certify(problem, *clean);
      if (!there.holds(tolerance)) continue;
      r.lambda = there.lambda;
    }
    if (r.x == r.y) r.x = *clean;
    r.y = *clean;
    r.certificate = std::move(there);
  }
  r.f = problem.f.value(r.y);
  r.f_x = problem.f.value(r.x);
  if (!std::isfinite(c.epsilon)) return;  // ∇f or G is not finite at y: nothing was verified, nothing is claimed
  const Vector& lambda = r.lambda.size() > 0 ? r.lambda : c.lambda;
  const bool same = r.x == r.y;
  if (same) r.mu = -problem.lagrangian_gradient(r.y, lambda);
  if (same && lambda.size() == r.lambda.size()) {  // the certificate has it all
    r.pair = {.distance_C = c.distance_C,
              .coupling = 0.0,
              .epsilon = 0.0,
              .natural = c.natural,
              .normal = c.m_residual,
              .exact_normals = c.exact_normals};
  } else {
    r.pair = certify_pair(problem, r.x, r.y, lambda, r.mu);
  }
  if (driver.bottomless() && r.status == Status::stalled) {
    r.status = Status::unbounded;
    r.message = "f seems unbounded below: it falls for ever along feasible points";
  } else if (c.holds(tolerance)) {
    if (r.status == Status::tests_met_uncertified || r.status == Status::penalty_limit ||
        r.status == Status::stalled) {
      r.status = Status::converged;
      r.message = verified(problem, r);
    }
  } else if ((r.status == Status::penalty_limit || r.status == Status::stalled ||
              r.status == Status::tests_met_uncertified) &&
             c.distance_C > 0.0 && c.relative_infeasibility() > tolerance &&
             c.infeasibility_gradient <= tolerance * c.jacobian_scale * c.distance_C) {
    r.status = Status::stationary_infeasible;
    const bool convex = problem.D.convex() && problem.G.is_affine();
    r.message = convex ? "infeasible, and the violation is least here: the constraints seem to contradict each other"
                       : "infeasible, and stationary for the infeasibility (Prop. 3.2): another start or branch is "
                         "needed";
  }
  if (r.success() || r.status == Status::unbounded) return;
  constexpr Index without_ipopt = 400;  // variables that dense SQP copes with
  if (!has_ipopt() && problem.dimension() > without_ipopt)
    r.message += "; this build has no Ipopt, which solves large smooth pieces";
  if (driver.deadline().passed()) return;
  if (const std::string doubt = doubt_about_derivatives(problem, r.y); !doubt.empty()) r.message += "; " + doubt;
}

/// A little more than is left: the point of a solve that was stopped is verified where that is soon done.
Deadline time_to_verify(const Deadline& deadline) {
  constexpr double soon = 0.3;
  return Deadline(deadline.left() + soon, deadline.passed() ? std::stop_token() : deadline.token());
}

/// Verifying took too long.
void unverified(const Deadline& deadline, Result& r) {
  r.certificate = {};
  r.pair = {};
  r.status = status_at(deadline, Status::max_time);
  r.message += "; there was no time to verify it";
}

/// Until something better is known, the projected start is the result, however the solve ends.
struct ProjectedStart {
  const Set& D;
  const Vector& x0;
  Result& result;

  ~ProjectedStart() { complete(); }
  void complete() const noexcept {
    try {
      if (result.y.size() == 0) result.y = D.projection(x0);
    } catch (...) {  // it could be projected before
      result.y = x0;
    }
    if (result.x.size() == 0) result.x = x0;
    if (result.mu.size() == 0) result.mu = Vector::Zero(x0.size());
  }
};

/// What the first route that fits found; nothing where that is the general methods, perhaps with settings of a route.
std::optional<detail::Found> take_route(const detail::RouteCall& call, const Hooks& hooks,
                                        detail::GeneralSolve& driver, Result& r) {
  const Route wanted = call.options.driver.route;
  r.route = to_string(Route::general);
  if (call.options.method != Method::automatic) return std::nullopt;
  const bool own_step = hooks.preconditioner || hooks.exact_x_update;
  for (const detail::RouteEntry& entry : detail::routes()) {
    if (wanted != Route::automatic && wanted != entry.route) continue;
    std::string name(to_string(entry.route)), reason = "the x-update is the user's own";
    auto recognised = own_step ? detail::Recognised(reason) : entry.recognise(call.problem, call.options);
    if (!std::holds_alternative<std::string>(recognised)) require_declared(call.problem, call.start.x);
    if (auto* settings = std::get_if<Options>(&recognised)) {
      r.route = name;
      driver.set_route(std::move(*settings));
      return std::nullopt;
    }
    if (std::holds_alternative<detail::UnitsOfCurvature>(recognised)) {
      r.route = name;
      driver.use_units_of_curvature();
      return std::nullopt;
    }
    if (const auto* why_not = std::get_if<std::string>(&recognised)) {
      reason = *why_not;
    } else if (auto found = std::get<detail::ClassSolver>(recognised)(call, reason)) {
      r.route = name;
      return found;
    }
    if (wanted == entry.route) throw InvalidArgument("driver.route", name, "a route for this problem: " + reason);
    r.why_not.push_back({std::move(name), std::move(reason)});
  }
  return std::nullopt;
}

/// The multipliers found if they certify y, else estimated ones where these are better.
void certify_found(const Problem& on_piece, const detail::Found& found, double tolerance, Result& r) {
  r.lambda = found.lambda.value_or(Vector());
  const bool given = found.lambda || !on_piece.has_G();
  r.certificate = certify(on_piece, r.y, given ? std::optional(r.lambda) : std::nullopt);
  if (!on_piece.has_G() || !given || r.certificate.holds(tolerance)) return;
  Certificate estimated = certify(on_piece, r.y);
  if (!(estimated.relative_stationarity() < r.certificate.relative_stationarity())) return;
  r.certificate = std::move(estimated);
  r.lambda.resize(0);
}

/// Takes over what a route found, with the strongest status that is verified here. True: that settles it.
bool adopt(const detail::RouteCall& call, detail::Found found, Result& r) {
  const Problem& problem = call.problem;
  const double tolerance = call.options.driver.tolerance;
  r.status = found.status;
  r.message = found.message;
  r.method = found.method;
  r.search = found.search;
  r.counts = found.counts;
  r.details = std::move(found.details);
  r.bound = found.bound;
  r.y = found.y.size() > 0 ? found.y : problem.D.projection(call.start.x);
  r.x = r.y;
  Problem on_piece = problem;
  if (found.piece) on_piece.D = found.piece;
  certify_found(on_piece, found, tolerance, r);
  r.f = r.f_x = problem.f.value(r.y);
  if (!std::isfinite(r.f)) {
    r.status = Status::not_finite;
    r.message = "f is not finite at the point found";
    return false;
  }
  const bool feasible = found.y.size() > 0 && r.certificate.relative_infeasibility() <= tolerance;
  if (r.bound < infinity && detail::underflows(problem.f, r.y)) r.bound = -infinity;
  r.bound = std::max(r.bound, problem.f.lower_bound());
  if (feasible) r.bound = std::min(r.bound, r.f);
  const double wanted = std::max(call.options.driver.gap, detail::optimal_gap);
  const auto gap = detail::status_of_gap(problem.f, r.y, r.f, r.bound, wanted);
  const bool proved =
      (found.status == Status::optimal || found.status == Status::gap_limit) && feasible && gap.has_value();
  if (proved) r.status = *gap;
  if (!proved && found.y.size() > 0) {
    r.status = r.certificate.holds(tolerance) ? Status::converged : Status::stalled;
    const std::string what = verified(problem, r);
    if (r.status == Status::converged && !found.message.starts_with("feasible and stationary"))
      r.message = fmt::format("{}; {}", what, found.message);
  }
  const Vector& lambda = r.lambda.size() > 0 ? r.lambda : r.certificate.lambda;
  r.mu = -problem.lagrangian_gradient(r.y, lambda);
  if (r.mu.allFinite())
    r.pair = certify_pair(on_piece, r.x, r.y, lambda, r.mu);
  else
    r.mu.setZero();
  if (proved || r.status == Status::infeasible) return true;
  if (call.deadline.passed()) return r.status = status_at(call.deadline, r.status), true;
  return r.status == Status::converged && !found.proof_only;
}

/// Of a route's point that settles nothing and what the general methods found, the better one.
void keep_better(Result before, double tolerance, Result& r) {
  const auto feasible = [&](const Result& end) { return end.certificate.relative_infeasibility() <= tolerance; };
  if (r.status == Status::unbounded && before.bound > -infinity) {
    r.status = Status::stalled;
    r.message = "the method ran away, but f is bounded below";
  }
  const bool general = r.status == Status::unbounded || before.y.size() == 0 || !feasible(before) ||
                       (feasible(r) && !(before.f < r.f));
  if (general) {
    r.bound = feasible(r) ? std::min(before.bound, r.f) : before.bound;
    return;
  }
  before.counts = r.counts;
  before.times = r.times;
  before.status = r.status == Status::max_time || r.status == Status::interrupted ? r.status : before.status;
  before.trace = std::move(r.trace);
  before.why_not = std::move(r.why_not);
  r = std::move(before);
}

}  // namespace

void solve(const Problem& given, RunStart start, const Options& asked, const Hooks& hooks, Result& result) {
  validate(asked);
  Options options = asked;
  if (options.method == Method::pd) options.penalty.multipliers = Multipliers::none;
  Problem problem = given.completed();
  // the start and the end are asked for by many, and what is no formula may cost much
  if (options.method == Method::automatic && !problem.f.is_quadratic() &&
      vectors_to_keep(problem.dimension(), 0, 1) > 0)
    problem.f = problem.f.remembering();
  require_dimension("x0.size()", start.x.size(), problem.dimension());
  require_finite("x0", start.x);
  if (start.tau) require(*start.tau > 0.0 && std::isfinite(*start.tau), "start.tau", *start.tau, "a positive number");
  for (const auto* part : {&start.y, &start.lambda, &start.mu})
    if (*part) require_finite("start.y, start.lambda or start.mu", **part);
  if (start.y) require_dimension("start.y.size()", start.y->size(), problem.dimension());
  if (start.mu) require_dimension("start.mu.size()", start.mu->size(), problem.dimension());
  if (start.lambda)
    require_dimension("start.lambda.size()", start.lambda->size(),
                      problem.has_G() ? problem.G.output_dimension() : 0);
  require_evaluable(problem, start.x);
  result = Result{};
  result.options = options;
  result.version = version;
  result.status = Status::interrupted;
  result.f = result.f_x = problem.f.value(start.x);
  detail::GeneralSolve driver(problem, start, options, hooks, result);
  const Deadline& deadline = driver.deadline();
  if (!within(deadline, [&] { result.y = problem.D.projection(start.x); })) {
    result.x = result.y = std::move(start.x);
    result.status = status_at(deadline, Status::max_time);
    result.message = "stopped before x0 was projected onto D; y is x0";
    return;
  }
  require_finite(fmt::format("projection of x0 onto D ({})", problem.D.name()), result.y);
  if (options.method == Method::automatic && problem.D.convex())
    start.x = std::move(result.y);  // how far away it was says nothing
  const ProjectedStart unless_better{problem.D, start.x, result};
  const detail::RouteCall call{problem, start, options, deadline};
  std::optional<Result> by_route;
  std::optional<detail::Found> found;
  within(deadline, [&] { found = take_route(call, hooks, driver, result); });
  if (found) {
    Result r = result;
    bool settled = true;
    if (!within(time_to_verify(deadline), [&] { settled = adopt(call, std::move(*found), r); }))
      unverified(deadline, r);
    r.times.total = deadline.seconds();
    if (settled) {
      result = std::move(r);
      return;
    }
    result.why_not.push_back({result.route, "it ended without a proof: " + r.message});
    result.route = to_string(Route::general);
    by_route = std::move(r);
  }
  if (vectors_to_keep(problem.dimension(), 0, 1) == 0) result.y = Vector();
  driver.execute();
  unless_better.complete();
  if (!within(time_to_verify(deadline), [&] { certify_result(problem, options, driver, result); }))
    unverified(deadline, result);
  result.message += driver.pick(result.certificate.relative_infeasibility() <= options.driver.tolerance);
  if (by_route) keep_better(std::move(*by_route), options.driver.tolerance, result);
}

Result solve(const Problem& problem, In x0, const Options& options, const Hooks& hooks) {
  Result result;
  solve(problem, RunStart{.x = x0}, options, hooks, result);
  return result;
}

Result solve(const Problem& problem, const Result& warm, const Options& options, const Hooks& hooks) {
  Result result;
  RunStart start{.x = warm.x};
  if (warm.y.size() > 0) start.y = warm.y;
  if (warm.lambda.size() > 0) start.lambda = warm.lambda;
  if (warm.mu.size() > 0) start.mu = warm.mu;
  if (warm.tau > 0.0) start.tau = warm.tau;
  solve(problem, start, options, hooks, result);
  return result;
}

}  // namespace pendec
