#include "pendec/solvers/alternatives/disjunctive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../search/bounding_box.hpp"
#include "../../search/part_bounds.hpp"
#include "../../search/parts.hpp"
#include "../../search/pieces.hpp"
#include "../../search/proof.hpp"
#include "../../sets/convex_parts.hpp"
#include "pendec/certificates/check.hpp"
#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/error.hpp"
#include "pendec/subsolvers/convexity.hpp"
#include "pendec/version.hpp"

namespace pendec {
namespace {

/// The parts of D; a convex set is a union of one.
std::vector<Set> parts_of(const Set& D) {
  auto parts = detail::convex_pieces(D);
  if (parts) return std::move(*parts);
  detail::require_convex_parts(D, "Problem.D");
  throw InvalidArgument("Problem.D", D.name(), "a union of convex sets, or few choices among polyhedra");
}

/// Is {x : G(x) ∈ C} convex, and are its linearisations outer approximations?
bool has_convex_rows(const Problem& problem) {
  if (!problem.has_G()) return true;
  const auto rows = problem.C.linear_constraints();
  if (!rows) return false;
  if (problem.G.is_affine()) return true;
  return problem.G.convex() && rows->b.size() == 0 && rows->d.size() == 0 && (rows->lower.array() == -infinity).all();
}

/// Why the parts cannot be bounded; empty: they can.
std::string obstacle(const Problem& problem, const std::vector<Set>& parts) {
  if (!is_convex(problem.f)) return "f is not known to be convex";
  if (!has_convex_rows(problem)) return "{x : G(x) in C} is not known to be convex";
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!detail::is_polyhedron(parts[k])) return fmt::format("part {} ({}) is no polyhedron", k, parts[k].name());
  return "";
}

/// Stationarity on a part of a union: its exact normals would cost a pass over all parts, and a global minimum is
/// stationary for each part that contains it. Other sets know their own.
void certify_on(const Set& part, const Problem& problem, Result& r) {
  Problem on_part = problem;
  if (detail::parts_of_union(problem.D)) on_part.D = part;
  Vector gradient(problem.dimension()), adjoint = Vector::Zero(problem.dimension());
  r.x = r.y;
  r.f_x = r.f = problem.f.value_and_gradient(r.y, gradient);
  const bool given = r.lambda.size() > 0 || !problem.has_G();
  r.certificate = certify(on_part, r.y, given ? std::optional(r.lambda) : std::nullopt);
  const Vector& lambda = given ? r.lambda : r.certificate.lambda;
  if (problem.has_G()) problem.G.adjoint(r.y, lambda, adjoint);
  r.mu = -gradient - adjoint;
  r.pair = certify_pair(on_part, r.x, r.y, lambda, r.mu);
}

std::string proof_message(const Result& r) {
  return fmt::format("{}: f - bound = {:.1e}",
                     r.status == Status::optimal ? "proved optimal" : "within the gap asked for",
                     std::max(r.f - r.bound, 0.0));
}

std::string account(const PartCounts& c) {
  return fmt::format("{} parts screened, {} bounded, {} infeasible, {} solved, {} unresolved", c.screened, c.bounded,
                     c.infeasible, c.solved, c.unresolved);
}

constexpr const char* bounding = "bounds for all parts";

/// The time limit is one for both stages.
Options what_is_left(const DisjunctiveOptions& options, const Monitor& monitor) {
  Options left = options.method;
  left.limits.seconds = monitor.deadline().left();
  left.driver.route = Route::general;
  return left;
}

/// True: proved. Bounds that follow from the rows of the parts are sought only where their lack is the obstacle.
bool search_parts(const Problem& problem, std::vector<detail::PolyhedralPiece> polyhedra, In x0,
                  const DisjunctiveOptions& options, Monitor& monitor, Result& out) {
  const detail::ProofLimits limits{options.gap, options.feasible};
  detail::PartSearch search(problem, polyhedra, limits, monitor, out);
  if (search.run(x0)) return true;
  if (!search.lacks_bounds()) return false;
  const auto bounded = detail::with_bounds_of_rows(std::move(polyhedra), monitor.deadline());
  if (!bounded) return false;
  Result again;
  const bool proved = detail::PartSearch(problem, *bounded, limits, monitor, again).run(x0);
  if (proved || again.parts().part >= 0) out = std::move(again);  // else the time was up before a point was found
  return proved;
}

Index part_of(const std::vector<Set>& parts, In y) {
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (detail::lies_in(parts[k], y)) return static_cast<Index>(k);
  return -1;
}

}  // namespace

void DisjunctiveOptions::validate() const {
  detail::check_ranges(*this, "DisjunctiveOptions.");
  pendec::validate(method);
}

std::string obstacle_to_proof(const Problem& given) {
  const Problem problem = given.completed();
  return obstacle(problem, parts_of(problem.D));
}

Result solve_disjunctive(const Problem& given, In x0, const DisjunctiveOptions& options, const Hooks& hooks) {
  options.validate();
  Monitor monitor(options.method.limits, hooks.stop, {});
  const Problem problem = given.completed();
  require_dimension("x0.size()", x0.size(), problem.dimension());
  require_finite("x0", x0);
  const std::vector<Set> parts = parts_of(problem.D);

  Result r;
  r.details = PartsDetails{};
  const std::string why_not = options.certificate ? obstacle(problem, parts) : "";
  const bool bounded = options.certificate && why_not.empty();
  if (bounded) require_declared(problem, x0);
  if (bounded && search_parts(problem, detail::with_rows(parts), x0, options, monitor, r)) {
    const PartsDetails& found = r.parts();
    r.method = bounding;
    r.route = "disjunctive";
    r.options = options.method;
    r.version = version;
    if (r.status == Status::infeasible) {
      r.y = problem.D.projection(x0);
      certify_on(problem.D, problem, r);
    } else {
      certify_on(parts[static_cast<std::size_t>(found.part)], problem, r);
      r.search.branch = fmt::format("part {}", found.part);
      r.message = proof_message(r);
    }
    r.message += "; " + account(found.counts);
    r.times.total = monitor.seconds();
    return r;
  }
  // What could not be proved is sought from the best point known; the bounds found so far stay valid.
  PartsDetails searched = r.parts();
  const Index found = searched.part;
  const double least = bounded ? std::max(searched.bounds.minCoeff(), problem.f.lower_bound()) : -infinity;
  const Result before = std::move(r);
  const bool stopped = found >= 0 && monitor.expired(0);
  r = stopped ? Result{} : solve(problem, found >= 0 ? before.y : Vector(x0), what_is_left(options, monitor), hooks);
  const bool feasible = r.certificate.distance_C <= options.feasible;
  if (stopped) r.status = *monitor.reason();
  const bool bottomless = r.status == Status::unbounded;  // which its own point shows
  if (stopped || (found >= 0 && !bottomless && (!feasible || before.f < r.f))) {
    r.y = before.y;
    r.lambda = before.lambda;
    const bool ended = r.status == Status::interrupted || r.status == Status::max_time;
    certify_on(parts[static_cast<std::size_t>(found)], problem, r);
    r.method = bounding;
    r.message = "the best point of the parts that were solved";
    r.search = {.branch = fmt::format("part {}", found)};
    if (!ended) r.status = r.certificate.holds(options.method.driver.tolerance) ? Status::converged : Status::stalled;
  } else {
    searched.part = feasible ? part_of(parts, r.y) : -1;
  }
  if (r.status == Status::unbounded && least > -infinity) {
    r.status = Status::stalled;
    r.message = "the method ran away, but f is bounded below";
  }
  r.options = options.method;
  r.version = version;
  r.times.total = monitor.seconds();
  r.bound = std::min(least, searched.part >= 0 ? r.f : infinity);
  const bool usable = searched.part >= 0 && r.certificate.relative_infeasibility() <= options.method.driver.tolerance;
  const auto proved = usable ? detail::status_of_gap(problem.f, r.y, r.f, least, options.gap) : std::nullopt;
  if (proved) {
    r.status = *proved;
    r.message = proof_message(r) + "; " + account(searched.counts);
  }
  if (options.certificate && !proved)
    r.message += "; not certified: " + (bounded ? before.message + "; " + account(searched.counts) : why_not);
  r.route = "disjunctive";
  r.details = std::move(searched);
  return r;
}

}  // namespace pendec
