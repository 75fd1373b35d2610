#include "pendec/solvers/multitask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "../subsolvers/dense.hpp"
#include "deadline.hpp"
#include "grassmann.hpp"
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
/// rows of minimisers, M = WᵀW, P = BBᵀ:
///   grad Φ = −η (I − P) M B,
///   Hess Φ[Δ] = −η ((I − P)(Ṁ B + M Δ) − Δ BᵀMB),   Ṁ from H_t ẇ_t = η (ΔBᵀ + BΔᵀ) w_t,   H_t = ∇²loss_t + η(I − P).
class SharedSubspace final : public detail::SubspaceFunction {
 public:
  SharedSubspace(const MultitaskProblem& problem, Matrix W)
      : problem_(&problem), factors_(problem.tasks.size()), W_(std::move(W)) {}

  std::unique_ptr<SubspaceFunction> copy() const override { return std::make_unique<SharedSubspace>(*this); }
  const Matrix& W() const { return W_; }

  double evaluate(const Matrix& B) override {
    const Index p = problem_->features();
    const Matrix complement = Matrix::Identity(p, p) - times_transpose(B, B);
    const Matrix R = problem_->eta * complement;
    double sum = 0.0;
    for (Index t = 0; t < tasks(); ++t) {
      Vector w = W_.row(t);
      const detail::Proximal at = detail::proximal_step(task(t), R, Vector::Zero(p), w);
      factors_[static_cast<std::size_t>(t)].compute(at.hessian);
      W_.row(t) = w;
      sum += at.loss;
    }
    return sum + 0.5 * problem_->eta * times(W_, complement).squaredNorm();
  }

  Matrix gradient(const Matrix& B) const override {
    return -problem_->eta * detail::without(B, transpose_times(W_, times(W_, B)));
  }

  /// The derivative of W(B) along D.
  Matrix response(const Matrix& B, const Matrix& D) const {
    const Matrix WB = times(W_, B), WD = times(W_, D);
    Matrix dW = problem_->eta * (times_transpose(WB, D) + times_transpose(WD, B));
    for (Index t = 0; t < tasks(); ++t) {
      Vector row = dW.row(t);
      factors_[static_cast<std::size_t>(t)].solve_in_place(row);
      dW.row(t) = row;
    }
    return dW;
  }

  Matrix hessian_times(const Matrix& B, const Matrix& D) const override {
    const Matrix WB = times(W_, B), dW = response(B, D);
    const Matrix change =
        transpose_times(dW, WB) + transpose_times(W_, times(dW, B)) + transpose_times(W_, times(W_, D));
    return -problem_->eta * (detail::without(B, change) - times(D, transpose_times(WB, WB)));
  }

  void predict(const Matrix& B, const Matrix& D) override { W_ += response(B, D); }

 private:
  Index tasks() const { return static_cast<Index>(problem_->tasks.size()); }
  const Task& task(Index t) const { return problem_->tasks[static_cast<std::size_t>(t)]; }

  const MultitaskProblem* problem_;
  std::vector<detail::Cholesky> factors_;  // of H_t
  Matrix W_;
};

/// The κ leading right singular vectors.
Matrix leading_directions(const Matrix& W, Index kappa) { return detail::thin_svd(W).V.leftCols(kappa); }

/// Subspaces to start from: that of the single-task weights, that of their directions, and random ones.
std::vector<Matrix> starts(const Matrix& single, Index kappa, Index random_starts) {
  Matrix directions = single;
  for (Index t = 0; t < directions.rows(); ++t)
    if (const double norm = directions.row(t).norm(); norm > 0.0) directions.row(t) /= norm;
  std::vector<Matrix> all{leading_directions(single, kappa), leading_directions(directions, kappa)};
  Random random(1);
  for (Index k = 0; k < random_starts; ++k)
    all.push_back(detail::orthonormal_columns(random.normal_matrix(single.cols(), kappa)));
  return all;
}

/// f at the split W = U + V, and its certificate: with λ = ηU the multiplier of W = U + V, ∇loss(W) + λ = 0 and λ is
/// a normal of LowRank at V. Where tasks do not share, both terms vanish: the residual is relative to what cancels in
/// the gradients of the losses.
void assess(const MultitaskProblem& problem, MultitaskResult& r) {
  const Matrix lambda = problem.eta * r.U;
  Matrix gradient(r.W.rows(), r.W.cols()), terms(r.W.rows(), r.W.cols());
  r.f = 0.5 * problem.eta * r.U.squaredNorm();
  for (Index t = 0; t < r.W.rows(); ++t) {
    const Task& task = problem.tasks[static_cast<std::size_t>(t)];
    Vector g(r.W.cols());
    r.f += detail::task_loss(task, r.W.row(t).transpose(), &g);
    gradient.row(t) = g;
    terms.row(t) = detail::gradient_terms(task, r.W.row(t).transpose());
  }
  r.feasibility = (r.W - r.U - r.V).norm();

  const LowRank D(r.V.rows(), r.V.cols(), problem.kappa);
  Certificate& c = r.certificate;
  c.lambda = lambda.reshaped();
  c.z_vector = (r.W - r.U - r.V).reshaped();
  c.z = c.distance_C = c.natural = c.infeasibility_gradient = r.feasibility;
  c.distance_D = Set(D).distance(r.V.reshaped());
  const double normal = D.normal_residual(r.V.reshaped(), lambda.reshaped());
  c.epsilon = c.m_residual = std::hypot((gradient + lambda).stableNorm(), normal);
  c.gradient_scale = std::max(std::hypot(terms.stableNorm(), lambda.stableNorm()), 1e-300);
  c.feasibility_scale = c.point_scale = std::max(r.W.norm(), 1e-300);
}

/// The best U and V for the weights W, if V lies in span B.
MultitaskResult split(const MultitaskProblem& problem, const Matrix& W, const Matrix& B) {
  MultitaskResult r;
  r.W = W;
  r.V = times_transpose(times(W, B), B);
  r.U = W - r.V;
  assess(problem, r);
  return r;
}

bool verified(const MultitaskResult& r) { return r.certificate.holds(multitask_tolerance); }

/// The gradient of Φ is ηUᵀWB, and ηU is at most about the size of the losses' gradients, however large η.
double gradient_size(const MultitaskProblem& problem, const Matrix& W) {
  double squared = 0.0;
  for (const Task& task : problem.tasks)
    squared += detail::gradient_terms(task, Vector::Zero(problem.features())).squaredNorm();
  return W.norm() * std::min(problem.eta * W.norm(), std::sqrt(squared));
}

/// Returns how many starts came to their end.
Index run_subspace(const MultitaskProblem& problem, const MultitaskOptions& options,
                   const std::function<bool()>& stop, MultitaskResult& r) {
  const Matrix single = problem.single_task();
  const double tolerance = options.tolerance * gradient_size(problem, single);
  std::optional<MultitaskResult> best;
  std::vector<double> values;
  Index iterations = 0, finished = 0;
  for (const Matrix& B : starts(single, problem.kappa, options.random_starts)) {
    if (best && stop()) break;
    const detail::SubspaceEnd end =
        detail::minimise_over_subspaces(SharedSubspace(problem, single), B, tolerance, 500, stop);
    iterations += end.iterations;
    if (end.gradient <= tolerance || !stop()) ++finished;
    MultitaskResult at = split(problem, static_cast<const SharedSubspace&>(*end.at).W(), end.B);
    if (verified(at)) values.push_back(at.f);
    if (!best || std::isnan(best->f) || at.f < best->f) best = std::move(at);
  }
  std::sort(values.begin(), values.end());
  const auto same = [](double a, double b) { return b - a <= 1e-8 * std::abs(a); };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  r = std::move(*best);
  r.stationary_values = std::move(values);
  r.iterations = iterations;
  return finished;
}

void run_general(const MultitaskProblem& problem, const MultitaskOptions& options, MultitaskResult& r) {
  const Index m = static_cast<Index>(problem.tasks.size()), p = problem.features();
  const Matrix single = problem.single_task();
  Vector start(3 * m * p);
  start << single.reshaped(), single.reshaped(), Vector::Zero(m * p);
  Options settings = multitask_options(options.algorithm);
  settings.limits.seconds = options.seconds;
  const Result run = solve(problem.problem(), start, settings, {.stop = options.stop});
  const auto block = [&](Index k) { return Matrix(ConstMatrixView(run.y.data() + k * m * p, m, p)); };
  r.W = block(0);
  r.U = block(1);
  r.V = block(2);
  r.iterations = run.counts.inner;
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

Matrix MultitaskProblem::single_task(double ridge) const {
  const Index p = features();
  Matrix W(static_cast<Index>(tasks.size()), p);
  for (Index t = 0; t < W.rows(); ++t) {
    Vector w = Vector::Zero(p);
    detail::proximal_step(tasks[static_cast<std::size_t>(t)], ridge * Matrix::Identity(p, p), Vector::Zero(p), w);
    W.row(t) = w;
  }
  return W;
}

MultitaskResult multitask_logistic(const MultitaskProblem& problem, const MultitaskOptions& options) {
  problem.validate();
  require(options.random_starts >= 0, "MultitaskOptions.random_starts", options.random_starts, "at least 0");
  require(options.tolerance > 0.0 && options.tolerance < 1.0, "MultitaskOptions.tolerance", options.tolerance,
          "between 0 and 1");
  require(options.seconds >= 0.0, "MultitaskOptions.seconds", options.seconds, "at least 0");
  const detail::Deadline deadline(options.seconds, options.stop);
  const auto stop = [&] { return deadline.passed(); };
  MultitaskResult r;
  const bool subspace = options.algorithm == MultitaskAlgorithm::subspace;
  const Index starts = 2 + options.random_starts;
  Index finished = starts;
  if (subspace) {
    finished = run_subspace(problem, options, stop, r);
  } else {
    run_general(problem, options, r);
    assess(problem, r);
    if (verified(r)) r.stationary_values = {r.f};
  }
  r.seconds = deadline.seconds();
  if (!std::isfinite(r.f) || !std::isfinite(r.certificate.epsilon)) {
    r.status = Status::not_finite;
    r.message = "f or its gradient overflows: eta or the features are too large";
    return r;
  }
  if (verified(r)) {
    const bool interrupted = finished < starts && options.stop.stop_requested();
    r.status = interrupted ? Status::interrupted : Status::converged;
    r.message = "stationary, verified";
    if (r.stationary_values.size() > 1)
      r.message += fmt::format("; the best of {} stationary values", r.stationary_values.size());
  } else if (subspace) {
    r.status = deadline.reason(Status::stalled);
    r.message = "not certified";
  } else if (r.status == Status::converged) {
    r.status = Status::tests_met_uncertified;
  }
  if (finished < starts) r.message += fmt::format("; stopped after {} of {} starts", finished, starts);
  if (const Index count = separated_tasks(problem, r.V); count > 0)
    r.message +=
        fmt::format("; V separates the examples of {} of {} tasks: f falls while V grows", count, r.V.rows());
  return r;
}

}  // namespace pendec
