#include "pendec/methods/run.hpp"

#include "pendec/core/long_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/penalty/schedule.hpp"

namespace pendec {

bool Candidate::better_than(const Candidate& other, double feasible) const {
  if (!std::isfinite(f) || !std::isfinite(violation)) return false;
  if (!std::isfinite(other.f) || !std::isfinite(other.violation)) return true;
  const bool here = violation <= feasible;
  const bool there = other.violation <= feasible;
  if (here != there) return here;
  const auto merit = [](const Candidate& c) { return c.f + 2.0 * c.lambda.norm() * c.violation; };
  return here ? merit(*this) < merit(other) : violation < other.violation;
}

namespace {

/// The coordinates that get a y of their own.
std::vector<Range> coupled_ranges(const Problem& problem, const Options& options) {
  if (options.method == Method::alm) return {};
  const Index n = problem.dimension();
  if (options.penalty.duplicate_free) return {{0, n}};
  std::vector<Range> coupled;
  Index begin = 0;
  for (const Range& free : problem.D.free_ranges()) {
    if (free.begin > begin) coupled.push_back({begin, free.begin - begin});
    begin = free.begin + free.size;
  }
  if (begin < n) coupled.push_back({begin, n - begin});
  return coupled;
}

class Run {
 public:
  Run(const Problem& problem, const RunStart& start, const Options& options, const Hooks& hooks, Monitor& monitor,
      double radius, const Scaling& scaling, RunOutcome& outcome)
      : options_(options),
        monitor_(monitor),
        radius_(radius),
        scaling_(scaling),
        outcome_(outcome),
        oracle_(problem),
        q_(oracle_, coupled_ranges(problem, options), !options.penalty.lower_level),
        inner_(make_inner(hooks)),
        G_(q_.lambda.size()),
        P_(q_.lambda.size()) {
    q_.tau = start.tau.value_or(options.penalty.tau0);
    if (start.lambda && keeps_lambda()) q_.lambda = *start.lambda;
    q_.use_mu = keeps_mu();
    if (start.mu && keeps_mu()) q_.mu = *start.mu;
    pair_.p = q_.make_point(start.x);
    pair_.y = start.y.value_or(start.x);
    if (start.y) project_start_ = false;
  }

  void execute() {
    try {
      loop();
    } catch (const NotFinite& e) {
      finish(Status::not_finite, e.what());
    } catch (...) {
      finish(Status::interrupted, "a callback threw an exception");
      throw;
    }
  }

 private:
  const PenaltyOptions& penalty() const { return options_.penalty; }
  bool keeps_lambda() const { return penalty().multipliers != Multipliers::none; }
  bool keeps_mu() const { return penalty().multipliers == Multipliers::all && q_.has_y(); }

  std::unique_ptr<InnerSolver> make_inner(const Hooks& hooks) {
    const Index n = oracle_.dimension();
    q_.tau = penalty().tau0;
    if (options_.method == Method::alm) {
      if (options_.inner.method == Inner::projected && oracle_.problem().D.convex()) return make_projected();
      return make_spectral_gradient(options_.inner, options_.spectral, n);
    }
    XUpdateOptions x_update = options_.x_update;
    if (hooks.preconditioner) x_update.step = XStep::preconditioner;
    if (options_.inner.method != Inner::alternating && x_update.step == XStep::lbfgs && !hooks.exact_x_update)
      return make_reduced_penalty(options_.inner, x_update, n);
    return make_alternating_minimization(options_.inner, make_x_update(x_update, q_, penalty().lower_level,
                                                                       hooks.preconditioner, hooks.exact_x_update));
  }

  std::unique_ptr<InnerSolver> make_projected() {
    const auto rows = oracle_.problem().D.linear_constraints();
    if (rows && rows->b.size() == 0 && rows->d.size() == 0)
      return make_projected_lbfgs(options_.inner, options_.x_update, rows->lower, rows->upper);
    return make_forward_backward(options_.inner, options_.x_update, oracle_.dimension());
  }

  void loop() {
    inner_->start(q_, pair_, penalty().project_start && project_start_);
    remember_start();
    double delta = options_.inner.delta0;
    double V_old = infinity;
    Index at_bound = 0;
    for (Index k = 0;; ++k) {  // Algorithm 3.1
      if (k >= options_.limits.outer) return finish(Status::max_iterations, "limits.outer reached");
      x_before_ = pair_.p.x;
      if (!solve_subproblem(delta)) {
        outcome_.escape = pair_.y;
        return finish(Status::stalled, "the penalty subproblems run away however large tau");
      }
      still_ = pair_.p.x == x_before_ ? still_ + 1 : 0;
      ++oracle_.counts.outer;
      measure();
      remember();
      if (report(k); monitor_.reason()) return finish(*monitor_.reason(), "stopped before the tests were met");
      if (tests_met(delta)) return finish(Status::tests_met_uncertified, "the stopping tests hold");  // (S.1)
      if (options_.inner.method == Inner::projected && !q_.has_G() && !q_.has_y())  // there is no other subproblem
        return finish(Status::stalled, "the subproblem could not be solved to accuracy");
      if (branch_repeats()) return finish(Status::stalled, "the branch of D repeats near feasibility");
      if (still_ >= max_still) return finish(Status::stalled, "x does not move any more");
      at_bound += q_.tau >= penalty().tau_max;
      if (at_bound > penalty().bound_iterations) return finish(Status::penalty_limit, "tau is at its bound");
      const double V = update_multipliers();
      update_tau(V, V_old);  // (S.3)
      delta = next_delta(delta, options_.inner);
      V_old = V;
    }
  }

  /// (S.2). A subproblem that runs away is restarted with a larger τ, which bounds it if anything does.
  bool solve_subproblem(double delta) {
    constexpr int max_restarts = 8;
    const Vector x = pair_.p.x;
    const Vector y = pair_.y;
    for (int restart = 0; restart <= max_restarts; ++restart) {
      if (inner_->minimise(q_, pair_, delta, radius_, monitor_) != InnerEnd::runaway) return true;
      if (restart == max_restarts) break;
      pair_.p.x = x;
      pair_.p.has_gradient = false;
      pair_.y = y;
      change_tau(std::min(10.0 * q_.tau, std::max(q_.tau, penalty().tau_max)));
    }
    return false;
  }

  /// coupling_ = ‖x − y‖, violation_ = dist_C(G(x)).
  void measure() {
    coupling_ = q_.coupling(pair_.p.x, pair_.y);
    violation_ = distance_C(pair_.p.x);
  }

  double distance_C(In x) {
    if (!oracle_.problem().has_G()) return 0.0;
    oracle_.G(x, G_);
    oracle_.project_C(G_, P_);
    return (G_ - P_).norm();
  }

  /// λ = τ (w − P_C(w)) and μ + τ (x − y): the multipliers of Theorem 3.3, normals by construction.
  void fill(Candidate& candidate, double f, double violation) {
    candidate.x = pair_.p.x;
    candidate.y = pair_.y;
    // at the lower level the x-update keeps its multiplier to itself
    candidate.lambda = q_.has_G() ? Vector(q_.tau * pair_.p.residual) : Vector();
    candidate.mu = Vector::Zero(pair_.y.size());
    for (const Range& r : q_.coupled())
      candidate.mu.segment(r.begin, r.size) =
          q_.mu.segment(r.begin, r.size) +
          q_.tau * (pair_.p.x.segment(r.begin, r.size) - pair_.y.segment(r.begin, r.size));
    candidate.f = f;
    candidate.violation = violation;
  }

  /// Whatever happens later, the projected start is a point to return.
  void remember_start() {
    const Set& D = oracle_.problem().D;
    Vector y = D.projection(pair_.y);
    if (!y.allFinite()) throw NotFinite(fmt::format("the projection onto D ({}) is not finite", D.name()));
    Candidate& best = outcome_.best;
    best.x = pair_.p.x;
    best.y = std::move(y);
    if (q_.has_G()) best.lambda = Vector::Zero(q_.lambda.size());
    best.mu = Vector::Zero(q_.mu.size());
    best.f = oracle_.f(best.y);
    best.violation = distance_C(best.y);
    outcome_.last = best;
  }

  void remember() {
    violation_y_ = distance_C(pair_.y);
    fill(outcome_.last, oracle_.f(pair_.y), violation_y_);
    if (outcome_.last.better_than(outcome_.best, penalty().eps_out)) outcome_.best = outcome_.last;
  }

  void report(Index k) {
    Progress row{.outer = k + 1,
                 .inner = oracle_.counts.inner,
                 .projections = oracle_.counts.project_D,
                 .tau = q_.tau,
                 .f = pair_.p.f * scaling_.objective,
                 .coupling = coupling_,
                 .violation = violation_,
                 .gradient = pair_.gradient,
                 .seconds = monitor_.seconds()};
    if (options_.trace) outcome_.trace.push_back(row);
    if (monitor_.watched())
      monitor_.report(
          {row, scaling_.point * pair_.p.x, scaling_.point * pair_.y, scaling_.objective * outcome_.last.f});
  }

  bool tests_met(double delta) const {
    const double infeasibility = std::max(coupling_, penalty().lower_level ? 0.0 : violation_);
    if (!(infeasibility < penalty().eps_out)) return false;
    if (options_.inner.test == InnerTest::decrease) return true;
    return violation_y_ < penalty().eps_out && delta <= options_.inner.delta_min && pair_.gradient <= delta;
  }

  /// With a polish to follow, the branch is all that matters: branches seen on the way are kept, and one that repeats
  /// near feasibility ends the run. On a curved one, a rank, the point matters as much, and a small problem goes on.
  bool branch_repeats() {
    if (!options_.driver.polish) return false;
    const double size = std::max(1.0, pair_.p.x.norm());
    const double distance = std::max(coupling_, violation_);
    const auto branch = distance <= 0.3 * size ? oracle_.problem().D.branch(pair_.y, pair_.p.x) : std::nullopt;
    if (!branch) return branch_.reset(), false;
    visit(branch->key);
    constexpr Index small = 100;
    const bool decides = branch->chart.is_affine() || branch->t.size() > small;
    const bool near = decides && distance <= 1e-2 * size;
    const bool repeats = near && branch_ && *branch_ == branch->key;
    branch_ = near ? std::optional(branch->key) : std::nullopt;
    return repeats && options_.driver.stop_on_branch;
  }

  void visit(const std::vector<Index>& key) {
    const auto most = static_cast<std::size_t>(vectors_to_keep(pair_.y.size(), 1, 10));
    if (const auto known = std::find(keys_.begin(), keys_.end(), key); known != keys_.end()) {
      outcome_.visited[static_cast<std::size_t>(known - keys_.begin())] = outcome_.last;
      return;
    }
    if (keys_.size() == most) {
      keys_.erase(keys_.begin());
      outcome_.visited.erase(outcome_.visited.begin());
    }
    keys_.push_back(key);
    outcome_.visited.push_back(outcome_.last);
  }

  /// λ⁺ = clip(τ (w − P_C(w))), μ⁺ = clip(μ + τ (x − y)); returns the infeasibility measure V.
  double update_multipliers() {
    const bool published = penalty().measure == Measure::published;
    double V = published ? 0.0 : std::max(coupling_, residual_G(q_.lambda));
    if (!keeps_lambda()) return published ? infinity : V;
    if (q_.has_G()) {
      q_.lambda = q_.tau * pair_.p.residual;
      clip(q_.lambda, penalty().multiplier_bound);
      pair_.p.has_gradient = false;
    }
    if (published) V = residual_G(q_.lambda);
    if (q_.has_y()) {
      Vector mu = outcome_.last.mu;
      clip(mu, penalty().multiplier_bound);
      if (published) V += (pair_.p.x - pair_.y + mu / q_.tau).norm();
      if (keeps_mu()) q_.mu = std::move(mu);
    }
    return V;
  }

  /// ‖G(x) − P_C(G(x) + λ/τ)‖.
  double residual_G(const Vector& lambda) {
    if (!q_.has_G()) return 0.0;
    oracle_.G(pair_.p.x, G_);
    oracle_.project_C(G_ + lambda / q_.tau, P_);
    return (G_ - P_).norm();
  }

  void update_tau(double V, double V_old) { change_tau(next_tau(q_.tau, V, V_old, penalty())); }

  void change_tau(double tau) {
    if (q_.has_G() && tau != q_.tau) pair_.p.has_gradient = false;
    const double change = tau - q_.tau;
    q_.tau = tau;
    inner_->new_penalty(change);
  }

  void finish(Status status, std::string message) {
    outcome_.status = status;
    outcome_.message = std::move(message);
    outcome_.tau = q_.tau;
    outcome_.counts += oracle_.counts;
    outcome_.times.project_D += oracle_.times.project_D;
    monitor_.add_projections(oracle_.counts.project_D);
  }

  const Options& options_;
  Monitor& monitor_;
  double radius_;
  const Scaling& scaling_;
  RunOutcome& outcome_;
  Oracle oracle_;
  Penalty q_;
  std::unique_ptr<InnerSolver> inner_;
  Pair pair_;
  Vector G_, P_;
  static constexpr Index max_still = 20;
  Vector x_before_;
  Index still_ = 0;  // outer iterations in a row that left x where it was
  double coupling_ = 0.0, violation_ = 0.0, violation_y_ = 0.0;
  bool project_start_ = true;
  std::optional<std::vector<Index>> branch_;  // of the last outer iteration, if near feasibility
  std::vector<std::vector<Index>> keys_;      // of outcome_.visited
};

}  // namespace

void run(const Problem& problem, const RunStart& start, const Options& options, const Hooks& hooks, Monitor& monitor,
         double radius, const Scaling& scaling, RunOutcome& outcome) {
  Run(problem, start, options, hooks, monitor, radius, scaling, outcome).execute();
}

}  // namespace pendec
