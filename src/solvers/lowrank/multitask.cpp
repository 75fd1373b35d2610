#include "pendec/solvers/lowrank/multitask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/manifold/grassmann.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/solvers/solve.hpp"
#include "task_loss.hpp"

namespace pendec {
namespace {

using detail::times;
using detail::times_transpose;
using detail::transpose_times;

constexpr double multitask_tolerance = 1e-6;

/// Φ(B) = Σ_t min_w loss_t(w) + η/2 ‖(I − BBᵀ)w‖² over orthonormal B ∈ ℝ^{p × κ}, a function of span B. With W(B) the
/// rows of minimisers, U = W(I − BBᵀ), A = WB, N = ηU = −∇loss(W), which a large η leaves of moderate size:
///   grad Φ = −NᵀA,
///   Hess Φ[Δ] = −(I − BBᵀ)(ṄᵀA + Nᵀ(ẆB + UΔ)),   ṅ_t = −∇²loss_t ẇ_t,   H_t ẇ_t = ηΔa_t + BΔᵀn_t,
/// H_t = ∇²loss_t + η(I − BBᵀ).
class SharedSubspace final : public detail::SubspaceFunction {
 public:
  SharedSubspace(const MultitaskProblem& problem, Matrix W, const Deadline& deadline)
      : problem_(&problem),
        deadline_(&deadline),
        hessians_(problem.tasks.size()),
        factors_(problem.tasks.size()),
        W_(std::move(W)) {}

  std::unique_ptr<SubspaceFunction> copy() const override { return std::make_unique<SharedSubspace>(*this); }
  Matrix U() const { return N_ / problem_->eta; }
  const Matrix& A() const { return A_; }

  double evaluate(const Matrix& B) override {
    const Index p = problem_->features();
    const Matrix R = problem_->eta * (Matrix::Identity(p, p) - times_transpose(B, B));
    double sum = 0.0;
    N_.resize(W_.rows(), p);
    for (Index t = 0; t < tasks(); ++t) {
      if (t > 0 && t % 16 == 0) deadline_->check();
      const auto k = static_cast<std::size_t>(t);
      Vector w = W_.row(t);
      detail::Proximal at = detail::proximal_step(problem_->tasks[k], R, Vector::Zero(p), w);
      factors_[k].compute(at.hessian + R);
      N_.row(t) = problem_->eta <= at.hessian.trace() ? Vector(R * w) : Vector(-at.gradient);  // what cancels less
      hessians_[k] = std::move(at.hessian);
      W_.row(t) = w;
      sum += at.loss;
    }
    A_ = times(W_, B);
    N_ -= times_transpose(times(N_, B), B);
    return sum + 0.5 * problem_->eta * U().squaredNorm();
  }

  Matrix gradient(const Matrix& B) const override { return -detail::without(B, transpose_times(N_, A_)); }

  /// The derivative of W(B) along D.
  Matrix response(const Matrix& B, const Matrix& D) const {
    Matrix dW = problem_->eta * times_transpose(A_, D) + times_transpose(times(N_, D), B);
    for (Index t = 0; t < tasks(); ++t) {
      Vector row = dW.row(t);
      factors_[static_cast<std::size_t>(t)].solve_in_place(row);
      dW.row(t) = row;
    }
    return dW;
  }

  Matrix hessian_times(const Matrix& B, const Matrix& D) const override {
    const Matrix dW = response(B, D);
    Matrix dN(dW.rows(), dW.cols());
    for (Index t = 0; t < tasks(); ++t) dN.row(t).noalias() = -dW.row(t) * hessians_[static_cast<std::size_t>(t)];
    const Matrix dA = times(dW, B) + times(N_, D) / problem_->eta;
    return -detail::without(B, transpose_times(dN, A_) + transpose_times(N_, dA));
  }

  void predict(const Matrix& B, const Matrix& D) override { W_ += response(B, D); }

 private:
  Index tasks() const { return static_cast<Index>(problem_->tasks.size()); }

  const MultitaskProblem* problem_;
  const Deadline* deadline_;
  std::vector<Matrix> hessians_;           // of loss_t
  std::vector<detail::Cholesky> factors_;  // of H_t
  Matrix W_, A_, N_;
};

/// The κ leading right singular vectors.
Matrix leading_directions(const Matrix& W, Index kappa) { return detail::thin_svd(W).V.leftCols(kappa); }

/// Subspaces to start from: that of the single-task weights, that of their directions, then random ones.
Matrix start(Index k, const Matrix& single, Index kappa, Random& random) {
  if (k == 0) return leading_directions(single, kappa);
  if (k > 1) return detail::orthonormal_columns(random.normal_matrix(single.cols(), kappa));
  Matrix directions = single;
  for (Index t = 0; t < directions.rows(); ++t)
    if (const double norm = directions.row(t).norm(); norm > 0.0) directions.row(t) /= norm;
  return leading_directions(directions, kappa);
}

Result assessed(const MultitaskProblem& problem, Matrix W, Matrix U, Matrix V) {
  Result r = Result::of_class("multitask_logistic", "", infinity,
                              MultitaskDetails{.W = std::move(W), .U = std::move(U), .V = std::move(V)});
  detail::assess_tasks(problem, r);
  return r;
}

/// W as it is, its part in span B as V.
Result split(const MultitaskProblem& problem, const Matrix& W, const Matrix& B) {
  const Matrix V = times_transpose(times(W, B), B);
  return assessed(problem, W, W - V, V);
}

Result split(const MultitaskProblem& problem, const SharedSubspace& at, const Matrix& B) {
  const Matrix U = at.U(), V = times_transpose(at.A(), B);
  return assessed(problem, U + V, U, V);
}

bool verified(const Result& r) { return r.certificate.holds(multitask_tolerance); }

/// The gradient of Φ is ηUᵀWB, and ηU is at most about the size of the losses' gradients, however large η.
double gradient_size(const MultitaskProblem& problem, const Matrix& W) {
  double squared = 0.0;
  for (const Task& task : problem.tasks)
    squared += detail::gradient_terms(task, Vector::Zero(problem.features())).squaredNorm();
  return W.norm() * std::min(problem.eta * W.norm(), std::sqrt(squared));
}

Index starts(const MultitaskOptions& options) { return 2 + options.random_starts; }

/// Returns how many starts came to their end.
Index run_subspace(const MultitaskProblem& problem, const MultitaskOptions& options, const Deadline& deadline,
                   Result& r) {
  const Matrix single = problem.single_task(1e-6, deadline);
  const double tolerance = options.tolerance * gradient_size(problem, single);
  std::optional<Result> best;
  std::vector<double> values;
  Index iterations = 0, finished = 0;
  Random random(1);
  for (Index k = 0; k < starts(options) && !(best && deadline.passed()); ++k) {
    const Matrix B = start(k, single, problem.kappa, random);
    detail::SubspaceEnd end;
    try {
      end = detail::minimise_over_subspaces(SharedSubspace(problem, single, deadline), B, tolerance, 500, deadline);
    } catch (const OutOfTime&) {
      if (!best) best = split(problem, single, B);
      break;
    }
    iterations += end.iterations;
    if (end.gradient <= tolerance || !deadline.passed()) ++finished;
    Result at = split(problem, static_cast<const SharedSubspace&>(*end.at), end.B);
    if (verified(at)) values.push_back(at.f);
    if (!best || std::isnan(best->f) || at.f < best->f) best = std::move(at);
  }
  std::sort(values.begin(), values.end());
  const auto same = [](double a, double b) { return b - a <= 1e-8 * std::abs(a); };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  r = std::move(*best);
  std::get<MultitaskDetails>(r.details).stationary_values = std::move(values);
  r.counts.outer = iterations;
  r.counts.starts = finished;
  return finished;
}

void run_general(const MultitaskProblem& problem, const MultitaskOptions& options, const Deadline& deadline,
                 Result& r) {
  const Index m = static_cast<Index>(problem.tasks.size()), p = problem.features();
  const Matrix single = problem.single_task(1e-6, deadline);
  Vector start(3 * m * p);
  start << single.reshaped(), single.reshaped(), Vector::Zero(m * p);
  Options settings = multitask_options(options.algorithm);
  settings.limits.seconds = deadline.left();
  const Result run = solve(problem.problem(), start, settings, {.stop = deadline.token()});
  const auto block = [&](Index k) { return Matrix(ConstMatrixView(run.y.data() + k * m * p, m, p)); };
  r = assessed(problem, block(0), block(1), block(2));
  if (verified(r)) std::get<MultitaskDetails>(r.details).stationary_values = {r.f};
  r.counts = run.counts;
  r.options = run.options;
  r.status = run.status;
  r.message = run.message;
}

/// How many tasks V alone separates: f falls while their rows of V grow.
Index separated_tasks(const MultitaskProblem& problem, const Matrix& V) {
  Index count = 0;
  for (Index t = 0; t < V.rows(); ++t)
    if (detail::separates(problem.tasks[static_cast<std::size_t>(t)], V.row(t).transpose())) ++count;
  return count;
}

}  // namespace

/// With λ = ηU the multiplier of W = U + V, ∇loss(W) + λ = 0 and λ is
/// a normal of LowRank at V. Where tasks do not share, both terms vanish: the residual is relative to what cancels in
/// the gradients of the losses.
void detail::assess_tasks(const MultitaskProblem& problem, Result& r) {
  const auto& [tasks, features, W, U, V, values] = r.multitask();
  const Matrix lambda = problem.eta * U;
  Matrix gradient(W.rows(), W.cols()), terms(W.rows(), W.cols());
  r.f = 0.5 * problem.eta * U.squaredNorm();
  for (Index t = 0; t < W.rows(); ++t) {
    const Task& task = problem.tasks[static_cast<std::size_t>(t)];
    Vector g(W.cols());
    r.f += task_loss(task, W.row(t).transpose(), &g);
    gradient.row(t) = g;
    terms.row(t) = gradient_terms(task, W.row(t).transpose());
  }

  const LowRank D(V.rows(), V.cols(), problem.kappa);
  Certificate& c = r.certificate;
  c.lambda = r.lambda = lambda.reshaped();
  c.z_vector = (W - U - V).reshaped();
  c.z = c.distance_C = c.natural = c.infeasibility_gradient = (W - U - V).norm();
  c.distance_D = Set(D).distance(V.reshaped());
  const double normal = D.normal_residual(V.reshaped(), lambda.reshaped());
  c.epsilon = c.m_residual = std::hypot((gradient + lambda).blueNorm(), normal);
  c.gradient_scale = std::max(std::hypot(terms.blueNorm(), lambda.blueNorm()), 1e-300);
  if (!std::isfinite(c.gradient_scale)) c.epsilon = c.m_residual = infinity;
  c.feasibility_scale = c.point_scale = std::max(W.norm(), 1e-300);
}

void MultitaskProblem::validate() const {
  require(!tasks.empty(), "MultitaskProblem.tasks", Index{0}, "at least one task");
  require(features() >= 1, "MultitaskProblem.features", features(), "at least 1");
  require(eta > 0.0 && std::isfinite(eta), "MultitaskProblem.eta", eta, "a positive number");
  const Index most = std::min<Index>(static_cast<Index>(tasks.size()), features());
  require(kappa >= 1 && kappa <= most, "MultitaskProblem.kappa", kappa,
          fmt::format("1 <= kappa <= min(tasks, features) = {}", most));
  for (const Task& task : tasks) {
    const std::string name = fmt::format("task {}", task.name);
    require_dimension(name + ": features", task.X.cols(), features());
    require_dimension(name + ": labels", task.labels.size(), task.X.rows());
    require(task.X.rows() >= 1, name + ": examples", task.X.rows(), "at least 1");
    require_finite(name + ": X", task.X);
    for (const double label : task.labels) require(std::abs(label) == 1.0, name + ": label", label, "-1 or 1");
  }
}

Matrix MultitaskProblem::single_task(double ridge, const Deadline& deadline) const {
  const Index p = features();
  Matrix W = Matrix::Zero(static_cast<Index>(tasks.size()), p);
  for (Index t = 0; t < W.rows() && !(t > 0 && deadline.passed()); ++t) {
    Vector w = Vector::Zero(p);
    detail::proximal_step(tasks[static_cast<std::size_t>(t)], ridge * Matrix::Identity(p, p), Vector::Zero(p), w);
    W.row(t) = w;
  }
  return W;
}

Result multitask_logistic(const MultitaskProblem& problem, const MultitaskOptions& options) {
  const Deadline deadline(options.seconds, options.stop);
  problem.validate();
  detail::check_ranges(options, "MultitaskOptions.");
  Result r;
  const bool subspace = options.algorithm == MultitaskAlgorithm::subspace;
  Index finished = starts(options);
  if (subspace) {
    finished = run_subspace(problem, options, deadline, r);
  } else {
    run_general(problem, options, deadline, r);
  }
  auto& details = std::get<MultitaskDetails>(r.details);
  for (const Task& task : problem.tasks) details.tasks.push_back(task.name);
  r.method = to_string(options.algorithm);
  r.options.limits.seconds = options.seconds;
  r.times.total = deadline.seconds();
  if (!std::isfinite(r.f) || !std::isfinite(r.certificate.epsilon)) {
    r.status = Status::not_finite;
    r.message = "f or its gradient overflows: eta or the features are too large";
    return r;
  }
  if (verified(r)) {
    const bool interrupted = finished < starts(options) && options.stop.stop_requested();
    r.status = interrupted ? Status::interrupted : Status::converged;
    r.message = "stationary, verified";
    if (const std::size_t values = details.stationary_values.size(); values > 1)
      r.message += fmt::format("; the best of {} stationary values", values);
  } else if (subspace) {
    r.status = status_at(deadline, Status::stalled);
    r.message = "not certified";
  } else if (r.status == Status::converged) {
    r.status = Status::tests_met_uncertified;
  }
  if (finished < starts(options))
    r.message += fmt::format("; stopped after {} of {} starts", finished, starts(options));
  if (const Index count = separated_tasks(problem, details.V); count > 0)
    r.message +=
        fmt::format("; V separates the examples of {} of {} tasks: f falls while V grows", count, details.V.rows());
  return r;
}

}  // namespace pendec
