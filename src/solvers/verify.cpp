#include "pendec/solvers/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "../search/pieces.hpp"
#include "../search/proof.hpp"
#include "alternatives/pair_stationarity.hpp"
#include "claims.hpp"
#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/error.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/subsolvers/clp.hpp"

namespace pendec {
namespace {

enum class Origin { solve, ready_solver };

/// `offset`: what the problem leaves out of f.
class Verification {
 public:
  Verification(const Problem& problem, const Result& result, Origin origin, double offset = 0.0)
      : p_(problem.completed()), r_(result), ready_(origin == Origin::ready_solver), offset_(offset) {}

  std::vector<Claim> run() {
    const Index n = p_.dimension(), m = p_.has_G() ? p_.G.output_dimension() : 0;
    if (!r_.has_point() && r_.y.size() == 0) return status_without_point();
    const bool fits = c_.size("x", r_.x.size(), has_x() ? n : 0) & c_.size("y", r_.y.size(), n) &
                      c_.size("lambda", r_.lambda.size(), r_.lambda.size() == 0 ? 0 : m) &
                      c_.size("mu", r_.mu.size(), has_x() ? n : 0);
    if (!fits || r_.status == Status::not_finite) return std::move(c_.all);  // the latter claims nothing more
    const bool finite =
        c_.finite("x", r_.x) & c_.finite("y", r_.y) & c_.finite("lambda", r_.lambda) & c_.finite("mu", r_.mu);
    // f at a point far out on the way to −∞ has no digits that could be compared.
    if (!finite || (ready_ && r_.status == Status::unbounded)) return std::move(c_.all);
    values();
    certificate();
    if (has_x()) pair();
    status();
    return std::move(c_.all);
  }

 private:
  /// Ready solvers have none, and no mu.
  bool has_x() const { return !ready_ || r_.x.size() > 0 || r_.mu.size() > 0; }

  std::vector<Claim> status_without_point() {
    c_.status(r_, !r_.success(), "no point (a proof that there is none was not repeated)");
    return std::move(c_.all);
  }

  /// f(x) as it is written has no scale but its own: cancellation within f is bounded by what moves it.
  void values() {
    Vector gradient(p_.dimension());
    const double f = p_.f.value_and_gradient(r_.y, gradient) + offset_;
    const double terms = std::abs(offset_) + gradient.norm() * r_.y.norm();
    c_.number("f", r_.f, f, terms);
    if (!has_x()) return;
    const double f_x = p_.f.value_and_gradient(r_.x, gradient);
    c_.number("f_x", r_.f_x, f_x, gradient.norm() * r_.x.norm());
  }

  void certificate() {
    const Certificate& c = r_.certificate;
    const bool given = !p_.has_G() || (r_.lambda.size() > 0 && (c.lambda_given || !ready_));
    const std::optional<Vector> lambda = given ? std::optional(r_.lambda) : std::nullopt;
    // What rounding may do is judged by these scales, too: recorded ones could excuse anything.
    found_ = certify(p_, r_.y, lambda);
    feasible_ = found_.relative_infeasibility() <= r_.options.driver.tolerance;
    if (ready_ && std::isinf(c.distance_C) && std::isinf(c.epsilon)) return;  // none was computed
    const double gradient = found_.gradient_scale, feasibility = found_.feasibility_scale;
    c_.number("certificate.distance_C", c.distance_C, found_.distance_C, feasibility);
    c_.number("certificate.distance_D", c.distance_D, found_.distance_D, found_.point_scale);
    c_.number("certificate.epsilon", c.epsilon, found_.epsilon, gradient);
    c_.number("certificate.z", c.z, found_.z, feasibility);
    c_.number("certificate.natural", c.natural, found_.natural, feasibility);
    c_.number("certificate.m_residual", c.m_residual, found_.m_residual, gradient);
    c_.number("certificate.infeasibility_gradient", c.infeasibility_gradient, found_.infeasibility_gradient,
              found_.jacobian_scale * feasibility);
    // The scales contain difference quotients, whose rounding errors are large.
    scale("certificate.gradient_scale", c.gradient_scale, found_.gradient_scale);
    scale("certificate.feasibility_scale", c.feasibility_scale, found_.feasibility_scale);
    scale("certificate.jacobian_scale", c.jacobian_scale, found_.jacobian_scale);
    scale("certificate.point_scale", c.point_scale, found_.point_scale);
    c_.number("certificate.worst_row", c.worst_row, found_.worst_row, 1.0);
    c_.number("certificate.worst_z", c.worst_z, found_.worst_z, 1.0);
    c_.flag("certificate.lambda_given", c.lambda_given, found_.lambda_given);
    c_.flag("certificate.exact_normals", c.exact_normals, found_.exact_normals);
    c_.vector("certificate.tuple_lambda", c.lambda, found_.lambda, found_.lambda.norm());
    c_.vector("certificate.tuple_z", c.z_vector, found_.z_vector, feasibility);
  }

  void scale(const std::string& name, double claimed, double found) { c_.number(name, claimed, found, 1e4 * found); }

  void pair() {
    if (!std::isfinite(found_.epsilon)) return;  // nothing was verified and nothing is claimed
    const Vector& lambda = r_.lambda.size() > 0 ? r_.lambda : found_.lambda;
    const PairCertificate found = certify_pair(p_, r_.x, r_.y, lambda, r_.mu);
    const PairCertificate& c = r_.pair;
    const double gradient = std::max(found_.gradient_scale, r_.mu.norm()), feasibility = found_.feasibility_scale;
    c_.number("pair.distance_C", c.distance_C, found.distance_C, feasibility);
    c_.number("pair.coupling", c.coupling, found.coupling, found_.point_scale);
    c_.number("pair.epsilon", c.epsilon, found.epsilon, gradient);
    c_.number("pair.natural", c.natural, found.natural, feasibility);
    c_.number("pair.normal", c.normal, found.normal, gradient);
    c_.flag("pair.exact_normals", c.exact_normals, found.exact_normals);
  }

  void status() {
    const double tolerance = r_.options.driver.tolerance;
    const bool stationary = found_.holds(tolerance);
    const bool trapped = found_.relative_infeasibility() > tolerance &&
                         found_.infeasibility_gradient <= tolerance * found_.jacobian_scale * found_.distance_C;
    const LimitOptions& limits = r_.options.limits;
    const auto verdict = [&](bool holds, std::string found) { c_.status(r_, holds, std::move(found)); };
    const std::string known = stationary ? "feasible and stationary" : "not feasible and stationary";
    switch (r_.status) {
      case Status::optimal:
      case Status::gap_limit: {
        // A bound above f(y) is none. How wide a gap was asked for is not written down.
        const double gap = r_.f - r_.bound;
        const auto proved = detail::status_of_gap(p_.f, r_.y, r_.f, r_.bound, infinity);
        // what the problem leaves out of f is one of its terms, too
        const bool as_claimed =
            (proved && (*proved == r_.status || r_.status == Status::gap_limit)) || gap <= 1e-9 * std::abs(offset_);
        return verdict(feasible_ && as_claimed && std::isfinite(gap) && gap >= -1e-9 * (1.0 + std::abs(r_.f)),
                       std::string(feasible_ ? "feasible" : "infeasible") + ", f - bound = " + to_text(gap) +
                           " (the bound itself was not proved again)");
      }
      case Status::infeasible:
        return verdict(!feasible_, feasible_ ? "y is feasible" : "y is infeasible (the proof was not repeated)");
      case Status::converged:
        return verdict(stationary, known + " below driver.tolerance = " + to_text(tolerance));
      case Status::stationary_infeasible:
        return verdict(trapped && !stationary, trapped ? "stationary for the infeasibility" : "not so (Prop. 3.2)");
      case Status::stalled:
      case Status::penalty_limit:
      case Status::tests_met_uncertified:
        return verdict(!stationary, known);
      case Status::max_iterations:
        return verdict(
            r_.counts.outer >= limits.outer || r_.counts.project_D >= limits.projections,
            to_text(r_.counts.outer) + " outer iterations, " + to_text(r_.counts.project_D) + " projections");
      case Status::max_time:
        return verdict(r_.times.total >= limits.seconds, to_text(r_.times.total) + " seconds");
      case Status::node_limit:
        return verdict(true, to_text(r_.counts.nodes) + " nodes");
      case Status::unbounded:
      case Status::not_finite:
      case Status::interrupted:
        return verdict(true, "nothing claimed");
    }
  }

  Problem p_;
  const Result& r_;
  bool ready_;
  Certificate found_;
  double offset_;
  bool feasible_ = false;
  detail::Claims c_;
};

/// The table of pairs, row by row; each row is one claim about each of its columns.
void verify_table(const std::vector<PairReport>& claimed, const std::vector<PairReport>& found, double scale,
                  double multiplier_scale, detail::Claims& c) {
  if (!c.size("pairs.table", std::ssize(claimed), std::ssize(found))) return;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const PairReport &a = claimed[k], &b = found[k];
    const auto column = [&](const char* name) { return fmt::format("pairs.table[{}].{}", k, name); };
    c.claim(column("constraint"), fmt::format("{}, row {}", a.constraint, a.row),
            fmt::format("{}, row {}", b.constraint, b.row), a.constraint == b.constraint && a.row == b.row);
    c.number(column("F"), a.F, b.F, scale);
    c.number(column("H"), a.H, b.H, scale);
    c.number(column("nu_F"), a.nu_F, b.nu_F, multiplier_scale);
    c.number(column("nu_H"), a.nu_H, b.nu_H, multiplier_scale);
    c.number(column("violation"), a.violation, b.violation, scale);
    c.flag(column("biactive"), a.biactive, b.biactive);
  }
}

bool usable(const Result& r, Index dimension) {
  return r.status != Status::not_finite && r.y.size() == dimension && r.y.allFinite() && r.lambda.allFinite();
}

/// The bounds are taken a second time: no more is believed than a second search proves.
void verify_bound(const Problem& problem, const Result& r, detail::Claims& c) {
  const bool proved = r.status == Status::optimal || r.status == Status::gap_limit;
  if (!proved && r.status != Status::infeasible && r.bound == -infinity) return;  // nothing is claimed
  Options options = r.options;
  options.limits = {};
  const Result again = solve_disjunctive(problem, r.y, {.method = options});
  if (r.status == Status::infeasible) {
    c.claim("parts: infeasible", "proved", fmt::format("{}, proved again", to_string(again.status)),
            again.status == Status::infeasible);
    return;
  }
  c.claim("parts: bound", to_text(r.bound),
          to_text(again.bound) + ", taken again over all parts (bounds of single parts are not)",
          r.bound <= again.bound + 1e-6 * std::max(1.0, std::abs(again.bound)));
}

void verify_parts(const Problem& problem, const Result& r, detail::Claims& c) {
  const PartsDetails& d = r.parts();
  const auto parts = detail::convex_pieces(problem.completed().D);
  if (!c.claim("parts", "of a union", "D is no union of convex sets", parts.has_value())) return;
  const Index count = std::ssize(*parts);
  const auto claim_part = [&](const char* found, bool holds) {
    c.claim("parts.part", to_text(d.part), found, holds);
  };
  const bool proved = r.status == Status::optimal || r.status == Status::gap_limit;
  if (d.part < -1 || d.part >= count)
    claim_part("no such part", false);
  else if (d.part == -1)
    claim_part("a proved optimum lies in a part", !proved);
  else
    claim_part("y lies outside of it", detail::lies_in((*parts)[static_cast<std::size_t>(d.part)], r.y));
  const Index counted = d.counts.sum();
  c.claim("parts: counted", to_text(counted), to_text(count) + ", or none without certificate",
          counted == count || (counted == 0 && d.bounds.size() == 0));
  c.size("parts.bounds", d.bounds.size(), counted);
  verify_bound(problem, r, c);
}

/// What the solver of a class adds to a point of solve().
void verify_details(const Problem& problem, const Result& r, detail::Claims& c) {
  const auto factors = [&](const char* name, const Matrix& left, const Matrix& right) {
    const bool fit = left.cols() == right.cols() && left.rows() * right.rows() == r.y.size();
    const double off = fit ? (Matrix(left * right.transpose()).reshaped() - r.y).norm() : infinity;
    c.claim(name, "factors of y", fit ? "different by " + to_text(off) : "another size", off <= 1e-9 * r.y.norm());
  };
  if (std::holds_alternative<PartsDetails>(r.details)) verify_parts(problem, r, c);
  if (const auto* sparse = std::get_if<SparseDetails>(&r.details)) c.support(*sparse, r.y);
  if (const auto* correlation = std::get_if<CorrelationDetails>(&r.details))
    factors("details.V", correlation->V, correlation->V);
  if (const auto* completion = std::get_if<CompletionDetails>(&r.details))
    factors("details.B and C", completion->B, completion->C);
}

}  // namespace

std::vector<Claim> verify(const Problem& problem, const Result& r) {
  detail::Claims c{Verification(problem, r, Origin::solve).run()};
  if (usable(r, problem.dimension())) verify_details(problem, r, c);
  return std::move(c.all);
}

std::vector<Claim> verify(const PairProgram& program, const Result& r) {
  const Problem problem = program.with_slacks();
  detail::Claims c{verify(problem, r)};
  const auto* p = std::get_if<PairsDetails>(&r.details);
  if (!p || !usable(r, problem.dimension())) return std::move(c.all);
  const Vector x = r.y.head(program.dimension());
  const bool same = p->x.size() == x.size() && (p->x - x).norm() <= 1e-9 * x.norm();
  c.claim("pairs.x", "as written", "different from the first entries of y", same);
  verify_table(p->table, detail::pair_table(program, r), 1.0 + x.norm(), 1.0 + r.lambda.norm(), c);
  if (r.success())
    c.claim("pairs", "on their sides", "violated beside their own terms", detail::pairs_hold(program, r));
  const PairStationarity shown = detail::shown_type(program, r, p->stationarity);
  if (p->stationarity == PairStationarity::B && shown < PairStationarity::B && !has_clp()) return std::move(c.all);
  const char* by = shown == PairStationarity::B ? "linear programs" : "the multipliers";
  c.claim("pairs.stationarity", std::string(to_string(p->stationarity)),
          fmt::format("{} by {}", to_string(shown), by), p->stationarity <= shown);
  return std::move(c.all);
}

std::vector<Claim> detail::verify_ready(const Problem& problem, const Result& r, double offset) {
  return Verification(problem, r, Origin::ready_solver, offset).run();
}

}  // namespace pendec
