#include "pendec/solvers/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pair_table.hpp"
#include "part_bounds.hpp"
#include "pendec/core/error.hpp"
#include "pendec/methods/normalise.hpp"
#include "scales.hpp"

namespace pendec {
namespace {

/// Equal up to rounding: relative to the numbers themselves, and to the scale of what they were computed from.
bool agree(double claimed, double found, double scale) {
  const bool both_unknown = !std::isfinite(claimed) && !std::isfinite(found);
  return both_unknown || std::abs(claimed - found) <= 1e-9 * std::abs(found) + 1e-10 * scale;  // false for NaN
}

const char* yes_or_no(bool flag) { return flag ? "true" : "false"; }

class Verification {
 public:
  Verification(const Problem& problem, In start, const Result& result)
      : p_(problem.completed()), start_(start), r_(result) {}

  std::vector<Claim> run() {
    const Index m = p_.has_G() ? p_.G.output_dimension() : 0;
    const bool fits = size("x", r_.x, p_.dimension()) & size("y", r_.y, p_.dimension()) &
                      size("lambda", r_.lambda, r_.lambda.size() == 0 ? 0 : m) & size("mu", r_.mu, p_.dimension());
    if (!fits || r_.status == Status::not_finite) return claims_;  // the latter claims nothing more
    const bool finite = finite_entries("x", r_.x) & finite_entries("y", r_.y) & finite_entries("lambda", r_.lambda) &
                        finite_entries("mu", r_.mu);
    if (!finite) return claims_;
    values();
    certificate();
    pair();
    status();
    return claims_;
  }

 private:
  void claim(std::string name, std::string claimed, std::string found, bool holds) {
    claims_.push_back({std::move(name), std::move(claimed), std::move(found), holds});
  }

  bool size(const std::string& name, const Vector& v, Index expected) {
    const bool ok = v.size() == expected;
    claim(name + ".size()", to_text(v.size()), to_text(expected), ok);
    return ok;
  }

  bool finite_entries(const std::string& name, const Vector& v) {
    const bool ok = v.allFinite();
    claim(name, ok ? "finite" : "not finite", "finite numbers", ok);
    return ok;
  }

  void number(const std::string& name, double claimed, double found, double scale) {
    claim(name, to_text(claimed), to_text(found), agree(claimed, found, scale));
  }

  void vector(const std::string& name, const Vector& claimed, const Vector& found, double scale) {
    if (!size(name, claimed, found.size())) return;
    const double difference = found.size() > 0 ? (claimed - found).norm() : 0.0;
    claim(name, "as written", "different by " + to_text(difference),
          difference <= 1e-9 * found.norm() + 1e-10 * scale);
  }

  /// f(x) as it is written has no scale but its own: cancellation within f is bounded by what moves it.
  void values() {
    Vector gradient(p_.dimension());
    const double f = p_.f.value_and_gradient(r_.y, gradient);
    number("f", r_.f, f, gradient.norm() * r_.y.norm());
    const double f_x = p_.f.value_and_gradient(r_.x, gradient);
    number("f_x", r_.f_x, f_x, gradient.norm() * r_.x.norm());
  }

  bool rests_on_scales() const {
    return r_.status == Status::converged || r_.status == Status::stationary_infeasible;
  }

  /// The units that solve() gave the certificate.
  CertificateScales scales() const {
    if (!rests_on_scales())
      return {.gradient = r_.certificate.gradient_scale, .feasibility = r_.certificate.feasibility_scale};
    return detail::scales_of_solve(p_, start_, r_.options, r_.y);
  }

  void certificate() {
    const bool given = r_.lambda.size() > 0 || !p_.has_G();
    found_ = certify(p_, r_.y, given ? std::optional(r_.lambda) : std::nullopt, scales());
    const Certificate& c = r_.certificate;
    // What rounding may do is judged by scales of our own: recorded ones could excuse anything.
    const Certificate own =
        rests_on_scales() ? found_ : certify(p_, r_.y, given ? std::optional(r_.lambda) : std::nullopt);
    feasible_ = own.relative_infeasibility() <= r_.options.driver.tolerance;
    gradient_ = own.gradient_scale;
    feasibility_ = own.feasibility_scale;
    const double gradient = gradient_, feasibility = feasibility_;
    number("certificate.distance_C", c.distance_C, found_.distance_C, feasibility);
    number("certificate.distance_D", c.distance_D, found_.distance_D, found_.point_scale);
    number("certificate.epsilon", c.epsilon, found_.epsilon, gradient);
    number("certificate.z", c.z, found_.z, feasibility);
    number("certificate.natural", c.natural, found_.natural, feasibility);
    number("certificate.m_residual", c.m_residual, found_.m_residual, gradient);
    number("certificate.infeasibility_gradient", c.infeasibility_gradient, found_.infeasibility_gradient,
           found_.jacobian_scale * feasibility);
    // The scales contain difference quotients, whose rounding errors are large.
    scale("certificate.gradient_scale", c.gradient_scale, found_.gradient_scale);
    scale("certificate.feasibility_scale", c.feasibility_scale, found_.feasibility_scale);
    scale("certificate.jacobian_scale", c.jacobian_scale, found_.jacobian_scale);
    scale("certificate.point_scale", c.point_scale, found_.point_scale);
    flag("certificate.lambda_given", c.lambda_given, found_.lambda_given);
    flag("certificate.exact_normals", c.exact_normals, found_.exact_normals);
    vector("certificate.tuple_lambda", c.lambda, found_.lambda, found_.lambda.norm());
    vector("certificate.tuple_z", c.z_vector, found_.z_vector, feasibility);
  }

  void scale(const std::string& name, double claimed, double found) { number(name, claimed, found, 1e4 * found); }
  void flag(const std::string& name, bool claimed, bool found) {
    claim(name, yes_or_no(claimed), yes_or_no(found), claimed == found);
  }

  void pair() {
    if (!std::isfinite(found_.epsilon)) return;  // nothing was verified and nothing is claimed
    const Vector& lambda = r_.lambda.size() > 0 ? r_.lambda : found_.lambda;
    const PairCertificate found = certify_pair(p_, r_.x, r_.y, lambda, r_.mu);
    const PairCertificate& c = r_.pair;
    const double gradient = std::max(gradient_, r_.mu.norm());
    number("pair.distance_C", c.distance_C, found.distance_C, feasibility_);
    number("pair.coupling", c.coupling, found.coupling, found_.point_scale);
    number("pair.epsilon", c.epsilon, found.epsilon, gradient);
    number("pair.natural", c.natural, found.natural, feasibility_);
    number("pair.normal", c.normal, found.normal, gradient);
    flag("pair.exact_normals", c.exact_normals, found.exact_normals);
  }

  void status() {
    const double tolerance = r_.options.driver.tolerance;
    const bool stationary = found_.holds(tolerance);
    const bool trapped = found_.distance_C > tolerance * found_.feasibility_scale &&
                         found_.infeasibility_gradient <= tolerance * found_.jacobian_scale * found_.distance_C;
    const LimitOptions& limits = r_.options.limits;
    const auto verdict = [&](bool holds, std::string found) {
      claim("status", std::string(to_string(r_.status)), std::move(found), holds);
    };
    const std::string known = stationary ? "feasible and stationary" : "not feasible and stationary";
    switch (r_.status) {
      case Status::optimal:
      case Status::gap_limit: {
        // A bound above f(y) is none. How wide a gap was asked for is not written down.
        const double gap = r_.f - r_.bound;
        const auto proved = detail::status_of_gap(r_.f, r_.bound, infinity);
        const bool as_claimed = proved && (*proved == r_.status || r_.status == Status::gap_limit);
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
      case Status::unbounded:
      case Status::not_finite:
      case Status::interrupted:
        return verdict(true, "nothing claimed");
    }
  }

  Problem p_;
  Vector start_;
  const Result& r_;
  Certificate found_;
  bool feasible_ = false;                      // by scales of our own
  double gradient_ = 1.0, feasibility_ = 1.0;  // units of what rounding may do
  std::vector<Claim> claims_;
};

/// The table of pairs, row by row; each row is one claim about each of its columns.
void verify_table(const std::vector<PairReport>& claimed, const std::vector<PairReport>& found, double scale,
                  double multiplier_scale, std::vector<Claim>& claims) {
  claims.push_back({"pairs.table.size()", to_text(std::ssize(claimed)), to_text(std::ssize(found)),
                    claimed.size() == found.size()});
  if (claimed.size() != found.size()) return;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const PairReport &a = claimed[k], &b = found[k];
    const auto number = [&](const char* column, double said, double is, double unit) {
      claims.push_back(
          {fmt::format("pairs.table[{}].{}", k, column), to_text(said), to_text(is), agree(said, is, unit)});
    };
    const std::string place = fmt::format("{}, row {}", a.constraint, a.row);
    claims.push_back({fmt::format("pairs.table[{}].constraint", k), place,
                      fmt::format("{}, row {}", b.constraint, b.row),
                      a.constraint == b.constraint && a.row == b.row});
    number("F", a.F, b.F, scale);
    number("H", a.H, b.H, scale);
    number("nu_F", a.nu_F, b.nu_F, multiplier_scale);
    number("nu_H", a.nu_H, b.nu_H, multiplier_scale);
    if (!std::isnan(a.violation)) number("violation", a.violation, b.violation, scale);  // earlier files have none
    claims.push_back({fmt::format("pairs.table[{}].biactive", k), yes_or_no(a.biactive), yes_or_no(b.biactive),
                      a.biactive == b.biactive});
  }
}

bool usable(const Result& r, Index dimension) {
  return r.status != Status::not_finite && r.y.size() == dimension && r.y.allFinite() && r.lambda.allFinite();
}

/// The bounds are taken a second time: no more is believed than a second search proves.
void verify_bound(const Problem& problem, const DisjunctiveResult& d, std::vector<Claim>& claims) {
  const Result& r = d.result;
  const bool proved = r.status == Status::optimal || r.status == Status::gap_limit;
  if (!proved && r.status != Status::infeasible && r.bound == -infinity) return;  // nothing is claimed
  Options options = r.options;
  options.limits = {};
  const Result again = solve_disjunctive(problem, r.y, {.method = options}).result;
  if (r.status == Status::infeasible) {
    claims.push_back({"disjunctive: infeasible", "proved", fmt::format("{}, proved again", to_string(again.status)),
                      again.status == Status::infeasible});
    return;
  }
  const bool holds = r.bound <= again.bound + 1e-6 * std::max(1.0, std::abs(again.bound));
  claims.push_back({"disjunctive.bound", to_text(r.bound),
                    to_text(again.bound) + ", taken again over all parts (bounds of single parts are not)", holds});
}

}  // namespace

CertificateScales detail::scales_of_solve(const Problem& problem, In start, const Options& options, In y) {
  Vector gradient(problem.dimension());
  problem.f.value_and_gradient(start, gradient);
  CertificateScales s{.gradient = gradient.norm()};
  if (problem.has_G() && options.driver.normalise && options.x_update.step != XStep::exact) {
    LimitOptions limits = options.limits;
    limits.seconds = infinity;
    Monitor monitor(limits, {}, {});
    s.feasibility = feasibility_unit(normalise(problem, start, monitor).scaling, y);
  }
  return s;
}

std::vector<Claim> verify(const Problem& problem, In start, const Result& result) {
  require_dimension("verify: start.size()", start.size(), problem.dimension());
  require_finite("verify: start", start);
  return Verification(problem, start, result).run();
}

std::vector<Claim> verify(const PairProgram& program, In start, const PairResult& p) {
  const Problem problem = program.with_slacks();
  const Result& r = p.result;
  std::vector<Claim> claims = verify(problem, program.with_slacks(start), r);
  if (!usable(r, problem.dimension())) return claims;
  const Vector x = r.y.head(program.dimension());
  const bool same = p.x.size() == x.size() && (p.x - x).norm() <= 1e-9 * x.norm();
  claims.push_back({"pairs.x", "as written", "different from the first entries of y", same});
  verify_table(p.pairs, detail::pair_table(program, r), 1.0 + x.norm(), 1.0 + r.lambda.norm(), claims);
  const PairStationarity shown = detail::shown_by_multipliers(program, r);
  claims.push_back({"pairs.stationarity", std::string(to_string(p.stationarity)),
                    fmt::format("{} by the multipliers", to_string(shown)), p.stationarity <= shown});
  return claims;
}

std::vector<Claim> verify(const Problem& problem, In start, const DisjunctiveResult& d) {
  std::vector<Claim> claims = verify(problem, start, d.result);
  if (!usable(d.result, problem.dimension())) return claims;
  const Set D = problem.completed().D;
  const auto* parts = D.as<UnionOf>();
  const Index count = parts ? std::ssize(parts->parts) : 1;
  const auto claim_part = [&](const char* found, bool holds) {
    claims.push_back({"disjunctive.part", to_text(d.part), found, holds});
  };
  const bool proved = d.result.status == Status::optimal || d.result.status == Status::gap_limit;
  if (d.part < -1 || d.part >= count)
    claim_part("no such part", false);
  else if (d.part == -1)
    claim_part("a proved optimum lies in a part", !proved);
  else
    claim_part("y lies outside of it",
               detail::lies_in(parts ? parts->parts[static_cast<std::size_t>(d.part)] : D, d.result.y));
  const PartCounts& c = d.parts;
  const Index counted = c.screened + c.bounded + c.infeasible + c.solved + c.unresolved;
  claims.push_back({"disjunctive: parts counted", to_text(counted), to_text(count) + ", or none without certificate",
                    counted == count || (counted == 0 && d.bounds.size() == 0)});
  claims.push_back(
      {"disjunctive.bounds.size()", to_text(d.bounds.size()), to_text(counted), d.bounds.size() == counted});
  verify_bound(problem, d, claims);
  return claims;
}

}  // namespace pendec
