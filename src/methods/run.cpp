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
  Run(const Problem& problem, RunStart start, const Options& options, const Hooks& hooks, Monitor& monitor,
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
    if (start.mu && keeps_mu()) q_.mu = std::move(*start.mu);
    if (start.y) project_start_ = false;
    pair_.y = start.y ? std::move(*start.y) : start.x;
    pair_.p = q_.make_point(std::move(start.x));
  }

  void execute() {
    try {
      loop();
    } catch (const NotFinite& e) {
      give_up(Status::not_finite, e.what());
    } catch (const OutOfTime&) {
      monitor_.expired(0);
      give_up(monitor_.reason().value_or(Status::max_time), "stopped within a projection");
    } catch (...) {
      give_up(Status::interrupted, "a callback threw an exception");
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
      return make_spectral_gradient(options_.inner, options_.spectral);
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
    for (Index k = 0; k < options_.limits.outer; ++k) {  // Algorithm 3.1
      if (!solve_subproblem(delta)) {
        outcome_.escape = y();
        return give_up(Status::stalled, "the penalty subproblems run away however large tau");
      }
      still_ = pair_.p.x == pair_.x_before ? still_ + 1 : 0;
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
      if (k + 1 == options_.limits.outer) break;  // the multipliers stay those of the pair
      const double V = update_multipliers();
      update_tau(V, V_old);  // (S.3)
      delta = next_delta(delta, options_.inner);
      V_old = V;
    }
    finish(Status::max_iterations, "limits.outer reached");
  }

  /// (S.2). A subproblem that runs away is restarted with a larger τ, which bounds it if anything does.
  bool solve_subproblem(double delta) {
    constexpr int max_restarts = 8;
    for (int restart = 0; restart <= max_restarts; ++restart) {
      if (inner_->minimise(q_, pair_, delta, radius_, monitor_) != InnerEnd::runaway) return true;
      if (restart == max_restarts) break;
      pair_.p.x.swap(pair_.x_before);
      pair_.p.has_gradient = false;
      if (q_.has_y()) q_.project(pair_.p, pair_.y, pair_.x_before);
      change_tau(std::min(10.0 * q_.tau, std::max(q_.tau, penalty().tau_max)));
    }
    return false;
  }

  /// coupling_ = ‖x − y‖, violation_ = dist_C(G(x)).
  void measure() {
    coupling_ = q_.coupling(pair_.p.x, y());
    violation_ = distance_C(pair_.p.x);
  }

  double distance_C(In x) {
    if (!oracle_.problem().has_G()) return 0.0;
    oracle_.G(x, G_);
    oracle_.project_C(G_, P_);
    return (G_ - P_).norm();
  }

  const Vector& y() const { return q_.has_y() ? pair_.y : pair_.p.x; }

  /// The pair as a candidate, with μ + τ (x − y), the multiplier of Theorem 3.3, a normal by construction.
  void add_point(Candidate& candidate) const {
    candidate.y = y();
    if (!q_.has_y() || !short_) return;
    candidate.x = pair_.p.x;
    candidate.mu = q_.mu;
    add_pull(candidate.mu);
  }

  /// μ += τ (x − y).
  void add_pull(Vector& mu) const {
    for (const Range& r : q_.coupled())
      mu.segment(r.begin, r.size) += q_.tau * (pair_.p.x.segment(r.begin, r.size) - pair_.y.segment(r.begin, r.size));
  }

  /// Whatever happens later, the projected start is a point to return.
  void remember_start() {
    const Set& D = oracle_.problem().D;
    Vector y = D.projection(this->y());
    if (!y.allFinite()) throw NotFinite(fmt::format("the projection onto D ({}) is not finite", D.name()));
    Candidate& best = outcome_.best;
    if (q_.has_y() && short_) best.x = pair_.p.x;
    best.y = std::move(y);
    if (q_.has_G()) best.lambda = Vector::Zero(q_.lambda.size());
    best.f = oracle_.f(best.y, pair_.x_before);  // which is not in use
    best.violation = distance_C(best.y);
  }

  /// What is known of the pair; the pair itself where it is the best one, or the last. λ = τ (w − P_C(w)), a normal
  /// by construction.
  void remember() {
    violation_y_ = q_.has_y() ? distance_C(pair_.y) : violation_;
    known_.f = q_.has_y() ? oracle_.f(pair_.y, pair_.x_before) : pair_.p.f;
    known_.violation = violation_y_;
    // at the lower level the x-update keeps its multiplier to itself
    if (q_.has_G()) known_.lambda = q_.tau * pair_.p.residual;
    if (!known_.better_than(outcome_.best, penalty().eps_out)) return;
    outcome_.best.f = known_.f;
    outcome_.best.violation = known_.violation;
    outcome_.best.lambda = known_.lambda;
    add_point(outcome_.best);
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
      monitor_.report({row, scaling_.point * pair_.p.x, scaling_.point * y(), scaling_.objective * known_.f});
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
    const auto branch = distance <= 0.3 * size ? oracle_.problem().D.branch(y(), pair_.p.x) : std::nullopt;
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
    const auto most = static_cast<std::size_t>(vectors_to_keep(oracle_.dimension(), 0, 10));
    if (most == 0) return;
    std::vector<Candidate>& visited = outcome_.visited;
    auto place = static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), key) - keys_.begin());
    if (place == keys_.size() && place == most) {
      keys_.erase(keys_.begin());
      visited.erase(visited.begin());
      --place;
    }
    if (place == keys_.size()) {
      keys_.push_back(key);
      visited.emplace_back();
    }
    visited[place] = known_;
    add_point(visited[place]);
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
    if (q_.has_y() && (published || keeps_mu())) {
      Vector mu = std::move(q_.mu);
      add_pull(mu);
      clip(mu, penalty().multiplier_bound);
      if (published) V += (pair_.p.x - pair_.y + mu / q_.tau).norm();
      q_.mu = std::move(mu);
      if (!keeps_mu()) q_.mu.setZero();
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

  /// At the pair, as it was remembered.
  void finish(Status status, std::string message) {
    if (oracle_.counts.outer == 0) return give_up(status, std::move(message));
    outcome_.last = std::move(known_);
    outcome_.last.mu = std::move(q_.mu);
    add_pull(outcome_.last.mu);
    outcome_.last.y = std::move(q_.has_y() ? pair_.y : pair_.p.x);
    if (q_.has_y()) outcome_.last.x = std::move(pair_.p.x);
    end(status, std::move(message));
  }

  /// Where the pair means nothing.
  void give_up(Status status, std::string message) {
    outcome_.last = outcome_.best;
    end(status, std::move(message));
  }

  void end(Status status, std::string message) {
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
  Candidate known_;                                                    // of the pair: f, violation and λ
  const bool short_ = vectors_to_keep(oracle_.dimension(), 0, 1) > 0;  // are vectors?
  static constexpr Index max_still = 20;
  Index still_ = 0;  // outer iterations in a row that left x where it was
  double coupling_ = 0.0, violation_ = 0.0, violation_y_ = 0.0;
  bool project_start_ = true;
  std::optional<std::vector<Index>> branch_;  // of the last outer iteration, if near feasibility
  std::vector<std::vector<Index>> keys_;      // of outcome_.visited
};

}  // namespace

void run(const Problem& problem, RunStart start, const Options& options, const Hooks& hooks, Monitor& monitor,
         double radius, const Scaling& scaling, RunOutcome& outcome) {
  Run(problem, std::move(start), options, hooks, monitor, radius, scaling, outcome).execute();
}

}  // namespace pendec
