#include "general_solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/long_vectors.hpp"
#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/methods/normalise.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/search/local_search.hpp"
#include "pendec/search/polish.hpp"
#include "pendec/search/recession.hpp"
#include "pendec/subsolvers/nlp.hpp"
#include "pendec/transform/restricted.hpp"
#include "pendec/transform/scaled.hpp"

namespace pendec::detail {
namespace {

/// G(y) ∈ C and y ∈ D as exactly as numbers of this size allow: a violation that only looks small beside a huge y may
/// grow with it.
bool feasible_up_to_rounding(const Problem& problem, In y) {
  constexpr double rounding = 1e-10;
  if (!(problem.D.distance(y) <= rounding * y.norm())) return false;
  if (!problem.has_G()) return true;
  Vector G(problem.G.output_dimension());
  problem.G.evaluate(y, G);
  Vector terms(G.size());  // which may cancel in G
  problem.G.jacobian(y).magnitude_times(y, terms);
  return problem.C.distance(G) <= rounding * std::max(G.norm(), terms.norm());
}

/// t such that f curves alike along all entries of z at x = t ∘ z. Nothing if it does so for equal ones, up to a
/// factor of 2.
std::optional<Vector> units_of_curvature(const Objective& f, In x) {
  const Vector curvature = f.hessian(x).diagonal();
  Vector units = curvature.cwiseAbs().cwiseSqrt().cwiseInverse();
  double least = infinity, most = 0.0;
  for (const double t : units)
    if (std::isfinite(t) && t > 0.0) least = std::min(least, t), most = std::max(most, t);
  if (!(most > 2.0 * least)) return std::nullopt;
  for (double& t : units)  // f is flat, or unknown
    if (!std::isfinite(t) || t == 0.0) t = most;
  return units;
}

/// How large y is in the units of a solve; no smaller than 10⁻³, since zero has no size of its own, and no larger
/// than 1.
double share_of_unit(In y) { return std::clamp(y.size() > 0 ? y.lpNorm<Eigen::Infinity>() : 0.0, 1e-3, 1.0); }

}  // namespace

class GeneralSolve::Driver {
 public:
  Driver(const Problem& problem, const RunStart& start, const Options& options, const Hooks& hooks, Result& result)
      : problem_(problem),
        start_(start),
        options_(options),
        hooks_(hooks),
        result_(result),
        monitor_(options.limits, hooks.stop, hooks.observer) {
    scaling_.rows = Vector::Ones(problem.has_G() ? problem.G.output_dimension() : 0);
  }

  /// The settings that a route begins with; none: those of the general methods.
  void set_route(std::optional<Options> settings) { route_ = std::move(settings); }

  /// Also in units of curvature.
  void use_units_of_curvature() { units_of_curvature_ = true; }

  const Deadline& deadline() const { return monitor_.deadline(); }

  void execute() {
    try {
      if (!within(deadline(), [&] { find_ends(); })) monitor_.expired(0);
    } catch (...) {
      finish();
      result_.status = Status::interrupted;
      result_.message = "a callback threw an exception";
      throw;
    }
    finish();
  }

  /// The unit of x that normalisation found; 0 if there was none.
  double point_scale() const { return normalises() ? scaling_.point : 0.0; }

  /// Is the best point feasible, and f so low there that it falls for ever?
  bool bottomless() const { return bottomless_; }

  /// What `automatic` picked, and why.
  std::string pick(bool feasible) const {
    if (options_.method != Method::automatic || ends_ == 0) return "";
    return fmt::format("; picked {}: of {} points found, {}", best_.method, ends_,
                       feasible ? "the feasible one with the least f" : "the least infeasible one");
  }

 private:
  void find_ends() {
    if (normalises()) normalise_problem();
    if (monitor_.reason()) return;
    working_ = normalises() ? scaled(problem_, scaling_) : problem_;
    if (options_.method == Method::automatic) {
      run_automatic();
    } else {
      run_one(options_, scaled_start(), std::string(to_string(options_.method)));
    }
    search_branches();
    if (units_of_curvature_) run_in_units_of_curvature();
    if (options_.driver.polish && ends_ > 0 && best_.status == Status::stalled && !monitor_.reason())
      if (const auto branch = working_.D.branch(best_.candidate.y, best_.candidate.origin()))
        follow_from(*branch, best_.method);
  }

  /// One end of a method, with the name of what led there.
  struct End {
    Candidate candidate;
    std::string method;
    Status status = Status::stalled;
    std::string message;
    double tau = 0.0;  // in scaled units
  };

  /// f below this falls for ever: −10¹² times what f and its changes are at the start and in the units found for it.
  double bottom() const {
    Vector gradient(problem_.dimension());
    const double f = problem_.f.value_and_gradient(start_.x, gradient);
    return -1e12 * std::max({scaling_.objective, std::abs(f), gradient.norm() * (1.0 + start_.x.norm())});
  }

  /// A user's own x-update or preconditioner speaks the user's units, and exact x-updates need none.
  bool normalises() const {
    return options_.driver.normalise && !hooks_.exact_x_update && !hooks_.preconditioner &&
           options_.x_update.step != XStep::exact;
  }
  /// How far a subproblem may go before it counts as unbounded: on D itself and without G it is the problem.
  double radius(const Options& options) const {
    if (options.inner.method == Inner::projected && options.method == Method::alm && problem_.D.convex() &&
        !problem_.has_G())
      return infinity;
    return normalises() ? 100.0 * std::sqrt(static_cast<double>(problem_.dimension())) : infinity;
  }

  void normalise_problem() {
    const Normalisation n = normalise(problem_, start_.x, monitor_);
    scaling_ = n.scaling;
    if (vectors_to_keep(n.feasible.size(), 0, 1) > 0) feasible_ = n.feasible / scaling_.point;
    result_.counts += n.counts;
  }

  RunStart scaled_start() const {
    RunStart s = start_;
    s.x /= scaling_.point;
    if (s.y) *s.y /= scaling_.point;
    if (s.lambda) *s.lambda = s.lambda->cwiseProduct(scaling_.rows) / scaling_.objective;
    if (s.mu) *s.mu *= scaling_.point / scaling_.objective;
    if (s.tau) *s.tau *= scaling_.point * scaling_.point / scaling_.objective;
    return s;
  }

  /// The settings of a route for the general methods, on a convex D. True: that settles it.
  bool run_route(const Options& settings) {
    run_one(settings, scaled_start(), "projected");
    if (ends_ == 0 || monitor_.reason()) return ends_ > 0;
    const bool certified =
        best_.status == Status::tests_met_uncertified && uncertainty(best_.candidate) <= options_.driver.tolerance;
    if (certified || problem_.has_G()) return certified;
    // penalties for x = y know no better way on a convex set; second derivatives may
    if (options_.driver.polish && problem_.f.has_hessian()) {
      const Candidate end = best_.candidate;
      polish_all({&end}, "projected + polish");
    }
    return true;
  }

  /// What the certificate has to bring below the tolerance, relative.
  double uncertainty(const Candidate& candidate) const {
    const Certificate c = certify(problem_, candidate.y * scaling_.point, in_own_units(candidate.lambda));
    return std::max({c.relative_infeasibility(), c.relative_z(), c.relative_stationarity()});
  }

  /// Three starts, each polished: PDLM from x0, the feasible point, ALM from the feasible point.
  void run_automatic() {
    if (route_ && run_route(*route_)) return;
    Options pdlm = options_;
    pdlm.method = Method::pdlm;
    run_one(pdlm, scaled_start(), "pdlm");
    if (bottomless_ || !options_.driver.several_starts || monitor_.reason()) return;
    if (feasible_.size() == 0) feasible_ = feasibility_point(working_, start_.x, monitor_, result_.counts);
    if (options_.driver.polish) {
      Candidate feasible;
      feasible.x = feasible_;
      feasible.y = working_.D.projection(feasible_);
      polish_all({&feasible}, "polish of a feasible point");
    }
    if (bottomless_ || monitor_.reason()) return;
    Options alm = options_;
    alm.method = Method::alm;
    alm.penalty.tau0 = 1.0;
    alm.penalty.alpha_tau = 5.0;
    alm.penalty.progress = 0.7;
    alm.limits.outer -= result_.counts.outer;  // of both together
    if (alm.limits.outer > 0) run_one(alm, {.x = std::move(feasible_)}, "alm from a feasible point");
    if (bottomless_ || monitor_.reason() || working_.D.convex() || ends_ == 0) return;
    // Where nothing moved, the start may be a saddle point, or a maximum, by its symmetry.
    const RunStart start = scaled_start();
    const Vector first = working_.D.projection(start.x);
    if ((best_.candidate.y - first).norm() > 1e-9 * (1.0 + first.norm())) return;
    constexpr double nearby = 0.1;  // of the unit
    Vector step = Random(4).normal_vector(first.size());
    run_one(pdlm, {.x = start.x + nearby / step.norm() * step}, "pdlm from beside the start");
  }

  /// The whole once more where f curves alike in all variables at the best point: what a projection onto few entries
  /// keeps does not depend on the user's units then.
  void run_in_units_of_curvature() {
    if (ends_ == 0 || bottomless_ || best_.status == Status::not_finite || monitor_.expired(0)) return;
    const auto units = units_of_curvature(problem_.f, best_.candidate.y * scaling_.point);
    const auto D = units ? problem_.D.scaled(*units) : std::nullopt;
    Options options = options_;
    options.driver.route = Route::general;
    options.limits.seconds = deadline().left();  // limits are those of both together
    options.limits.outer -= result_.counts.outer;
    options.limits.projections -= result_.counts.project_D;
    if (!D || options.limits.outer <= 0 || options.limits.projections <= 0) return;
    Branch chart;
    chart.chart = Affine(Operator::diagonal(*units));
    chart.domain = *D;
    const auto observer = [&](OuterIterate iterate) {
      iterate.x.array() *= units->array();
      iterate.y.array() *= units->array();
      monitor_.report(std::move(iterate));
      return !monitor_.reason();
    };
    Result there;
    const Problem on_chart = restricted(problem_, chart);
    const RunStart start{.x = start_.x.cwiseQuotient(*units)};
    const Hooks hooks{.observer = monitor_.watched() ? Observer(observer) : Observer(), .stop = hooks_.stop};
    Driver driver(on_chart, start, options, hooks, there);
    driver.execute();
    monitor_.add_projections(there.counts.project_D);
    monitor_.expired(0);
    result_.counts += there.counts;
    result_.times.project_D += there.times.project_D;
    result_.times.polish += there.times.polish;
    result_.trace.insert(result_.trace.end(), there.trace.begin(), there.trace.end());
    if (driver.bottomless() || driver.ends_ == 0) return;
    Candidate c;
    c.y = problem_.D.projection(units->cwiseProduct(there.y)) / scaling_.point;
    c.f = working_.f.value(c.y);
    c.violation = 0.0;
    if (!(c.f < best_.candidate.f)) return;
    const std::string method = there.method + " in units of curvature";
    keep({c, method, Status::stalled, polished_message, best_.tau});
    result_.search = there.search;
    if (options_.driver.polish) polish_all({&c}, method);
  }

  void run_one(const Options& options, RunStart start, const std::string& name) {
    RunOutcome outcome;
    const auto keep_outcome = [&] {
      result_.counts += outcome.counts;
      result_.times.project_D += outcome.times.project_D;
      tau_ = outcome.tau;
      result_.trace.insert(result_.trace.end(), outcome.trace.begin(), outcome.trace.end());
      const bool met = outcome.status == Status::tests_met_uncertified;
      if (outcome.best.y.size() > 0) {
        keep({met ? outcome.last : outcome.best, name, outcome.status, outcome.message, tau_});
      } else {  // it failed before its first point: what there is stays
        result_.status = outcome.status;
        result_.message = outcome.message;
      }
    };
    try {
      run(working_, std::move(start), options, hooks_, monitor_, radius(options), scaling_, outcome);
      tighten(options, outcome);
      if (options_.method == Method::automatic) certify_by_tighter_tests(options, outcome);
    } catch (...) {
      keep_outcome();
      throw;
    }
    keep_outcome();
    if (outcome.status == Status::not_finite || monitor_.reason()) return;
    if (outcome.escape.size() > 0) {
      const Vector d = outcome.escape - outcome.best.y;
      follow([&](double t) { return working_.D.projection(outcome.best.y + t * d); }, name);
      outcome.visited.emplace_back();
      outcome.visited.back().y = outcome.escape;
    }
    if (!options.driver.polish) return;
    std::vector<const Candidate*> seen;
    for (const Candidate& one : outcome.visited) seen.push_back(&one);
    seen.push_back(&outcome.last);
    seen.push_back(&outcome.best);
    polish_all(seen, name + " + polish");
  }

  /// Tests in units of the start are loose beside a much smaller point. Where no polish follows, it is gone on from
  /// there with tests as much tighter.
  void tighten(const Options& options, RunOutcome& outcome) {
    if (!normalises() || outcome.status != Status::tests_met_uncertified) return;
    const Candidate& last = outcome.last;
    const double share = share_of_unit(last.y);
    if (share == 1.0 || (options_.driver.polish && working_.D.branch(last.y, last.origin()))) return;
    go_on(options, share, outcome);
  }

  /// The tests of a method are relative to its start, certificates to the point: where no polish follows, tests
  /// become tighter until the certificate holds or they cannot be met any more.
  void certify_by_tighter_tests(const Options& options, RunOutcome& outcome) {
    constexpr int rounds = 3;
    double share = 1.0;
    for (int round = 0; round < rounds; ++round) {
      if (outcome.status != Status::tests_met_uncertified || monitor_.reason()) return;
      const Candidate& last = outcome.last;
      if (options.driver.polish && working_.D.branch(last.y, last.origin())) return;
      const double missing = options_.driver.tolerance / uncertainty(last);
      if (missing >= 1.0) return;
      share = std::max(share * std::min(0.3 * missing, 0.1), 1e-6);
      RunOutcome before = outcome;
      go_on(options, share, outcome);
      if (outcome.status == Status::tests_met_uncertified) continue;
      before.counts = outcome.counts;
      before.times = outcome.times;
      before.trace = std::move(outcome.trace);
      outcome = std::move(before);
      return;
    }
  }

  /// From the last point, with tests that are tighter by `share`.
  void go_on(Options options, double share, RunOutcome& outcome) {
    const Candidate& last = outcome.last;
    options.penalty.eps_out *= share;
    options.inner.delta_min *= share;
    options.inner.delta0 = options.inner.delta_min;
    options.limits.outer -= outcome.counts.outer;
    if (options.limits.outer <= 0) return;
    RunOutcome more;
    RunStart start{last.origin(), last.y, last.lambda, {}, outcome.tau};
    if (last.mu.size() > 0) start.mu = last.mu;
    run(working_, std::move(start), options, hooks_, monitor_, radius(options), scaling_, more);
    more.counts += outcome.counts;
    more.times.project_D += outcome.times.project_D;
    more.trace.insert(more.trace.begin(), outcome.trace.begin(), outcome.trace.end());
    outcome = std::move(more);
  }

  /// Points of D ever farther on a way, as long as f falls: does it fall for ever?
  void follow(const std::function<Vector(double)>& point, const std::string& name) {
    double before = infinity;
    for (double t = 1.0; t < 1e100 && !bottomless_ && !monitor_.reason(); t *= 10.0) {
      Candidate c;
      c.y = point(t);
      c.f = working_.f.value(c.y);
      if (!(c.f < before)) return;
      before = c.f;
      notice_bottomless({std::move(c), name, Status::stalled, polished_message, tau_});
    }
  }

  void follow_from(const Branch& branch, const std::string& name) {
    if (monitor_.expired(0)) return;
    const auto d = falling_direction(working_, branch);
    if (!d) return;
    const double size = 1.0 + branch.t.norm();
    follow(
        [&](double t) {
          Vector y(working_.dimension());
          branch.chart.evaluate(branch.t + t * size * *d, y);
          return y;
        },
        name);
  }

  /// A quadratic falls for ever only along directions in which it does not curve upwards, not even little.
  bool curves_upwards(const Vector& y) const {
    if (!problem_.f.is_quadratic()) return false;
    const Vector d = y - start_.x;
    const Operator& H = *problem_.f.constant_hessian();
    Vector sizes(d.size());
    H.magnitude_times(d, sizes);
    if (d.dot(H.times(d)) < -rounding_unit(H.summands()) * sizes.dot(d.cwiseAbs())) return false;  // it curves down
    const auto branch = problem_.D.branch(y, y);
    return !branch || !is_bottomless(problem_, *branch);
  }

  /// y is feasible, D does not end on the way there, and a thousand times farther f has fallen in proportion.
  bool falls_for_ever(const Vector& y) const {
    if (!feasible_up_to_rounding(problem_, y) || curves_upwards(y)) return false;
    const auto rows = problem_.D.linear_constraints();
    if (rows && rows->lower.allFinite() && rows->upper.allFinite()) return false;
    const Vector far = problem_.D.projection(y + 1e3 * (y - start_.x));
    return problem_.f.value(far) < 500.0 * problem_.f.value(y) && feasible_up_to_rounding(problem_, far) &&
           is_feasible_nearby(y);
  }

  /// Beside numbers like those of y any row seems to hold. Has the branch of y a feasible point of ordinary size?
  bool is_feasible_nearby(const Vector& y) const {
    constexpr double feasible = 1e-9;
    if (!problem_.has_G() || feasible_up_to_rounding(problem_, problem_.D.projection(start_.x))) return true;
    const auto branch = problem_.D.branch(y, y);
    if (!branch) return false;
    Problem nearest = problem_;
    nearest.f = SquaredDistance(start_.x);
    const Problem on_branch = restricted(nearest, *branch);
    const Vector t = Vector::Zero(on_branch.dimension());
    if (!suits_nlp(on_branch, t)) return false;
    const NlpResult found = nlp(on_branch, t, {.stop = [this] { return monitor_.deadline().passed(); }});
    return found.relative_violation <= feasible;
  }

  /// Such a point shows that f is unbounded below, and ends the search.
  bool notice_bottomless(End end) {
    if (bottomless_ || !(end.candidate.f * scaling_.objective < bottom())) return bottomless_;
    if (!falls_for_ever(end.candidate.y * scaling_.point)) return false;
    best_ = std::move(end);
    ++ends_;
    return bottomless_ = true;
  }

  /// The smooth problem on each distinct branch of the points given.
  void polish_all(const std::vector<const Candidate*>& points, const std::string& name) {
    std::vector<std::vector<Index>> keys;
    for (const Candidate* from : points) {
      const auto branch = working_.D.branch(from->y, from->origin());
      if (bottomless_ || monitor_.reason()) return;
      if (!branch) continue;
      if (std::find(keys.begin(), keys.end(), branch->key) != keys.end()) continue;
      keys.push_back(branch->key);
      const double begin = monitor_.seconds();
      auto end = solve_on_branch(working_, *branch, from->lambda, monitor_, result_.counts, options_.driver.nlp);
      if (end && !end->converged)
        if (const auto there = working_.D.branch_at(branch->key, end->point.y)) follow_from(*there, name);
      result_.times.polish += monitor_.seconds() - begin;
      if (end) keep_solution({std::move(end->point), name, Status::stalled, polished_message, tau_});
    }
  }

  /// From every end to better ones on branches nearby, for as long as it took to get there.
  void search_branches() {
    constexpr double at_least = 1.0;  // small problems are searched through, however busy the machine is
    if (!options_.driver.polish || options_.driver.branch_search == 0 || monitor_.reason() || ends_ == 0) return;
    if (bottomless_ || best_.status == Status::not_finite) return;
    if (working_.D.convex()) return;  // one branch
    const auto branch = working_.D.branch(best_.candidate.y, best_.candidate.origin());
    if (!branch) return;
    const double begin = monitor_.seconds();
    const LocalSearchOptions search{.budget = options_.driver.branch_search,
                                    .feasible = feasibility(),
                                    .seconds = std::max(begin, at_least),
                                    .nlp = options_.driver.nlp};
    const std::span<const Candidate> starts = found_.empty() ? std::span(&best_.candidate, 1) : std::span(found_);
    LocalSearchResult found = local_search(working_, starts, search, monitor_);
    result_.times.polish += monitor_.seconds() - begin;
    result_.counts += found.counts;
    result_.search.solved = found.search.solved;
    if (found.best.y.size() == 0) return;
    const std::string method = best_.method + " + branch search";
    // what was searched around has to be what is returned
    if (keep_solution({std::move(found.best), method, Status::stalled, polished_message, best_.tau}))
      result_.search = found.search;
  }

  void keep(End end) {
    if (notice_bottomless(end)) return;
    count(end);
    if (ends_ == 1 || end.candidate.better_than(best_.candidate, feasibility())) best_ = std::move(end);
  }

  /// The solution on a branch has multipliers that fit: it is preferred to an equally good point of a method. True:
  /// it is the best point now.
  bool keep_solution(End end) {
    if (notice_bottomless(end)) return true;
    count(end);
    const Candidate &a = end.candidate, &b = best_.candidate;
    const bool as_good = a.violation <= feasibility() && a.f - b.f <= 1e-9 * std::max(1.0, std::abs(b.f));
    if (ends_ > 1 && !as_good && !a.better_than(b, feasibility())) return false;
    best_ = std::move(end);
    return true;
  }

  void count(const End& end) {
    ++ends_;
    if (!options_.driver.polish || options_.driver.branch_search == 0) return;
    const Index most = vectors_to_keep(end.candidate.y.size(), 0, 100);
    if (most == 0) return;  // the best one will do
    found_.push_back(end.candidate);
    const auto better = [&](const Candidate& a, const Candidate& b) { return a.better_than(b, feasibility()); };
    if (std::ssize(found_) > most) found_.erase(std::max_element(found_.begin(), found_.end(), better));
  }

  /// Violations up to this count as feasible when points are compared.
  double feasibility() const {
    return normalises() ? std::max(options_.driver.tolerance, options_.penalty.eps_out) : options_.penalty.eps_out;
  }

  void finish() {
    result_.times.total = monitor_.seconds();
    if (ends_ > 0) take_best();  // else the result still holds the start
    if (!monitor_.reason()) return;
    result_.status = *monitor_.reason();
    result_.message = "stopped early; y is the best point so far";
    // to seek multipliers where there are none yet may take longer than the solve
    if (result_.lambda.size() == 0) result_.lambda = Vector::Zero(scaling_.rows.size());
  }

  /// A multiplier of the scaled problem as one of the user's.
  Vector in_own_units(const Vector& lambda) const {
    return lambda.cwiseQuotient(scaling_.rows.head(lambda.size())) * scaling_.objective;
  }

  void take_best() {
    const Candidate& c = best_.candidate;
    result_.x = c.origin() * scaling_.point;
    result_.y = c.y * scaling_.point;
    result_.lambda = in_own_units(c.lambda);
    result_.mu = Vector::Zero(c.y.size());
    if (c.mu.size() > 0) result_.mu = c.mu * (scaling_.objective / scaling_.point);
    result_.f = c.f * scaling_.objective;
    result_.tau = best_.tau * scaling_.objective / (scaling_.point * scaling_.point);
    result_.method = best_.method;
    result_.status = best_.status;
    result_.message = best_.message;
  }

  static constexpr const char* polished_message = "polished on its branch of D, but not certified";

  const Problem& problem_;
  const RunStart& start_;
  const Options& options_;
  const Hooks& hooks_;
  Result& result_;
  Monitor monitor_;
  std::optional<Options> route_;
  bool units_of_curvature_ = false;
  Scaling scaling_;
  Problem working_;
  Vector feasible_;  // x_f, in scaled units
  End best_;
  Index ends_ = 0;                // points compared
  std::vector<Candidate> found_;  // they themselves, for the branch search
  double tau_ = 0.0;              // last penalty parameter of the run under way, in scaled units
  bool bottomless_ = false;       // best_ is a feasible point below bottom()
};

GeneralSolve::GeneralSolve(const Problem& problem, const RunStart& start, const Options& options, const Hooks& hooks,
                           Result& result)
    : driver_(std::make_unique<Driver>(problem, start, options, hooks, result)) {}
GeneralSolve::~GeneralSolve() = default;

void GeneralSolve::set_route(std::optional<Options> settings) { driver_->set_route(std::move(settings)); }
void GeneralSolve::use_units_of_curvature() { driver_->use_units_of_curvature(); }
void GeneralSolve::execute() { driver_->execute(); }
const Deadline& GeneralSolve::deadline() const { return driver_->deadline(); }
double GeneralSolve::point_scale() const { return driver_->point_scale(); }
bool GeneralSolve::bottomless() const { return driver_->bottomless(); }
std::string GeneralSolve::pick(bool feasible) const { return driver_->pick(feasible); }

}  // namespace pendec::detail
