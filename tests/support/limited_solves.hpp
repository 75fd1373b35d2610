// Every ready solver on instances that take far longer than a limit allows: how late do they end?
#pragma once

#include <ctime>

#include <chrono>
#include <cmath>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "experiments/instances.hpp"
#include "pendec/pendec.hpp"
#include "tests/problems/obstacle_control.hpp"

namespace pendec::testing {

/// What a solve that was stopped has to say for itself.
struct Limited {
  std::string status, message;
  bool has_point = false;
};

/// Made once, so that only the solve is timed.
using LimitedSolve = std::function<Limited(double seconds, std::stop_token stop)>;

struct LimitedCase {
  std::string name;
  std::function<LimitedSolve(double)> make;  // of a size: 1 is what the documentation names, less is smaller
};

/// CPU seconds of this thread: a busy machine does not change what is done after the limit.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline Index scaled_size(double size, Index full) {
  return std::max<Index>(static_cast<Index>(std::lround(size * static_cast<double>(full))), 4);
}

/// Random numbers in (-1, 1), symmetric, ones on the diagonal: half of the eigenvalues are negative.
inline Matrix estimated_correlations(Index n) {
  Random random(1);
  Matrix A(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) A(i, j) = A(j, i) = i == j ? 1.0 : random.uniform(-1.0, 1.0);
  return A;
}

inline LimitedSolve correlation_case(Matrix A, std::optional<Index> rank, CorrelationOptions options = {}) {
  return [A = std::move(A), rank, options](double seconds, std::stop_token stop) mutable {
    options.seconds = seconds;
    options.stop = std::move(stop);
    const Result r = nearest_correlation(A, rank, options);
    return Limited{std::string(to_string(r.status)), r.message,
                   r.correlation().V.rows() == A.rows() && r.correlation().V.allFinite()};
  };
}

inline LimitedSolve maxcut_case(Index n, std::optional<Index> rank) {
  Random random(1);
  Graph graph{.n = n, .edges = {}};
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i)
      if (random.uniform() < 0.1) graph.edges.push_back({i, j, random.uniform(-1.0, 1.0)});
  return [graph = std::move(graph), rank](double seconds, std::stop_token stop) {
    const Result r = max_cut(graph, {.rank = rank, .roundings = 1'000'000, .seconds = seconds, .stop = stop});
    return Limited{std::string(to_string(r.status)), r.message, r.y.size() == graph.n};
  };
}

inline LimitedSolve completion_case(Index rows, Index cols, Index kappa, Index entries, bool boxed) {
  Random random(1);
  CompletionProblem problem{.rows = rows, .cols = cols, .seen = {}, .kappa = kappa, .gamma = 0.05};
  const double share = static_cast<double>(entries) / static_cast<double>(rows * cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if (random.uniform() < share) problem.seen.push_back({i, j, 0.5 * static_cast<double>(1 + random.below(10))});
  if (boxed) problem.box = {0.5, 5.0};
  return [problem = std::move(problem)](double seconds, std::stop_token stop) {
    const Result r = complete_matrix(problem, {.tolerance = 1e-12, .seconds = seconds, .stop = stop});
    return Limited{std::string(to_string(r.status)), r.message,
                   r.completion().B.rows() == problem.rows && r.completion().B.allFinite()};
  };
}

inline LimitedSolve multitask_case(Index tasks, Index features, Index examples, MultitaskAlgorithm algorithm) {
  Random random(1);
  MultitaskProblem problem{.tasks = {}, .eta = 0.1, .kappa = 2};
  for (Index t = 0; t < tasks; ++t) {
    Vector labels(examples);
    for (double& label : labels) label = random.uniform() < 0.5 ? -1.0 : 1.0;
    problem.tasks.push_back({std::to_string(t), random.normal_matrix(examples, features), labels});
  }
  return [problem = std::move(problem), algorithm](double seconds, std::stop_token stop) {
    const Result r = multitask_logistic(
        problem, {.algorithm = algorithm, .random_starts = 1000, .seconds = seconds, .stop = stop});
    return Limited{std::string(to_string(r.status)), r.message, r.multitask().W.rows() == std::ssize(problem.tasks)};
  };
}

inline LimitedSolve regression_case(Index observations, Index features, Loss loss, Index sizes, Index folds) {
  Random random(1);
  auto A = std::make_shared<Matrix>(random.normal_matrix(observations, features));
  Vector b = random.normal_vector(observations);
  if (loss == Loss::logistic) b = (b.array() > 0.0).select(Vector::Ones(observations), -Vector::Ones(observations));
  std::vector<Index> path;
  for (Index s = 1; s <= sizes; ++s) path.push_back(5 + s);
  return [A, b, loss, path, folds](double seconds, std::stop_token stop) {
    const auto fits = sparse_path(Operator::borrow(ConstMatrixView(A->data(), A->rows(), A->cols())), b, path,
                                  {.loss = loss, .seconds = seconds, .folds = folds, .stop = stop});
    return Limited{std::string(to_string(fits.back().status)), fits.back().message,
                   !fits.empty() && fits.front().has_point()};
  };
}

inline LimitedSolve frontier_case(Index n) {
  Random random(1);
  const Matrix returns = random.normal_matrix(2 * n, n);
  std::vector<std::string> names;
  for (Index j = 0; j < n; ++j) names.push_back(std::to_string(j));
  return [moments = sample_moments(names, returns)](double seconds, std::stop_token stop) {
    PortfolioOptions options{.s = 10};
    options.solver.seconds = seconds;
    options.solver.stop = std::move(stop);
    const auto points = efficient_frontier(moments, 20, options);
    return Limited{std::string(to_string(points.back().status)), points.back().message, points.front().has_point()};
  };
}

inline LimitedSolve sparse_qp_case(Index n, Index sizes) {
  Random random(1);
  const auto qp = experiments::random_sparse_qp(n, 1e4, random);
  std::vector<Index> path;
  for (Index s = 1; s <= sizes; ++s) path.push_back(9 + s);
  return [qp, path](double seconds, std::stop_token stop) {
    const auto all = sparse_qp_path({.Q = qp.Q, .c = qp.c}, path, {.seconds = seconds, .stop = stop});
    return Limited{std::string(to_string(all.back().status)), all.back().message, all.front().has_point()};
  };
}

inline LimitedSolve disjunctive_case(Index n, Index parts, Index rows) {
  Random random(1);
  auto d = experiments::feasible_disjunctive(n, parts, rows, 1, random);
  return [d = std::move(d)](double seconds, std::stop_token stop) {
    DisjunctiveOptions options{.gap = 1e-12};
    options.method.limits.seconds = seconds;
    const Result r = solve_disjunctive(d.problem, d.start, options, {.stop = std::move(stop)});
    return Limited{std::string(to_string(r.status)), r.message, r.y.size() == d.problem.dimension()};
  };
}

/// 0 ≤ x ⊥ M x + q ≥ 0 with a nonconvex objective.
inline LimitedSolve pairs_case(Index n) {
  Random random(1);
  const Matrix M = random.normal_matrix(n, n), Q = random.normal_matrix(n, n);
  PairProgram program{.f = Quadratic(Matrix(Q * Q.transpose() / static_cast<double>(n)), random.normal_vector(n))};
  program.pairs.push_back(
      {PairKind::complementarity, Affine(Matrix(Matrix::Identity(n, n))), Affine(M, random.normal_vector(n))});
  return [program = std::move(program), n](double seconds, std::stop_token stop) {
    Options options;
    options.limits.seconds = seconds;
    const Result r = solve_pairs(program, Vector::Ones(n), options, {.stop = std::move(stop)});
    return Limited{std::string(to_string(r.status)), r.message, r.pairs().x.size() == n};
  };
}

inline LimitedSolve solve_case(Index n) {
  Random random(1);
  const auto qp = experiments::random_sparse_qp(n, 1e6, random);
  Problem problem{.f = Quadratic(qp.Q, qp.c), .D = Sparse(n, n / 10)};
  return [problem = std::move(problem), n](double seconds, std::stop_token stop) {
    Options options;
    options.limits.seconds = seconds;
    const Result r = solve(problem, Vector::Ones(n), options, {.stop = std::move(stop)});
    return Limited{std::string(to_string(r.status)), r.message, r.y.size() == n};
  };
}

/// A program of many variables, by Ipopt, or of many pairs.
inline LimitedSolve obstacle_case(Index k) {
  PairProgram program = obstacle_control(k);
  const Index n = program.dimension();
  return [program = std::move(program), n](double seconds, std::stop_token stop) {
    Options options;
    options.limits.seconds = seconds;
    const Result r = solve_pairs(program, Vector::Zero(n), options, {.stop = std::move(stop)});
    return Limited{std::string(to_string(r.status)), r.message, r.pairs().x.size() == n && r.pairs().x.allFinite()};
  };
}

/// Logistic regression on few of n features, of which each observation has some.
inline LimitedSolve many_variables_case(Index n) {
  Random random(1);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i)
    for (int e = 0; e < 10; ++e) entries.emplace_back(i, random.below(n), random.normal());
  SparseMatrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  const Problem problem{.f = LeastSquares(std::move(A), random.normal_vector(n)), .D = Sparse(n, n / 100)};
  return [problem, n](double seconds, std::stop_token stop) {
    Options options;
    options.limits.seconds = seconds;
    const Result r = solve(problem, Vector::Zero(n), options, {.stop = std::move(stop)});
    return Limited{std::string(to_string(r.status)), r.message, r.y.size() == n && r.y.allFinite()};
  };
}

/// A quadratic on monotone vectors: projections onto a polyhedron with sparse rows.
inline LimitedSolve monotone_case(Index n) {
  Random random(1);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i + 1 < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    entries.emplace_back(i, i + 1, -1.0);
  }
  SparseMatrix rows(n - 1, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  const Problem problem{
      .f = Quadratic(Operator::diagonal(random.uniform_vector(n, 1e-3, 1e3)), random.normal_vector(n)),
      .D = Polyhedron(std::move(rows), Vector::Zero(n - 1))};
  return [problem, n, x0 = Vector(3.0 * random.normal_vector(n))](double seconds, std::stop_token stop) {
    Options options;
    options.limits.seconds = seconds;
    const Result r = solve(problem, x0, options, {.stop = std::move(stop)});
    return Limited{std::string(to_string(r.status)), r.message, r.y.size() == n && r.y.allFinite()};
  };
}

inline std::vector<LimitedCase> limited_cases() {
  const auto n = scaled_size;
  std::vector<LimitedCase> all;
  const auto add = [&](std::string name, std::function<LimitedSolve(double)> make) {
    all.push_back({std::move(name), std::move(make)});
  };
  add("correlation", [=](double s) { return correlation_case(estimated_correlations(n(s, 3000)), std::nullopt); });
  add("correlation_5000",
      [=](double s) { return correlation_case(estimated_correlations(n(s, 5000)), std::nullopt); });
  add("correlation_rank_20", [=](double s) { return correlation_case(estimated_correlations(n(s, 3000)), 20); });
  add("correlation_rank_1", [=](double s) { return correlation_case(estimated_correlations(n(s, 3000)), 1); });
  add("correlation_P2_rank_5",
      [=](double s) { return correlation_case(experiments::correlation_matrix(2, n(s, 3000)), 5); });
  add("correlation_missing", [=](double s) {
    Matrix A = estimated_correlations(n(s, 1500));
    A(0, 1) = A(1, 0) = std::numeric_limits<double>::quiet_NaN();
    return correlation_case(std::move(A), std::nullopt);
  });
  add("correlation_missing_rank_20", [=](double s) {
    Matrix A = estimated_correlations(n(s, 1500));
    A(0, 1) = A(1, 0) = std::numeric_limits<double>::quiet_NaN();
    return correlation_case(std::move(A), 20);
  });
  add("correlation_PD", [=](double s) {
    return correlation_case(experiments::correlation_matrix(2, n(s, 400)), 20,
                            {.algorithm = CorrelationAlgorithm::pd_exact});
  });
  add("maxcut", [=](double s) { return maxcut_case(n(s, 1500), std::nullopt); });
  add("maxcut_3000", [=](double s) { return maxcut_case(n(s, 3000), std::nullopt); });
  add("completion", [=](double s) { return completion_case(n(s, 610), n(s, 9724), 10, n(s * s, 90753), false); });
  add("completion_boxed",
      [=](double s) { return completion_case(n(s, 610), n(s, 9724), 10, n(s * s, 90753), true); });
  add("completion_dense_box",
      [=](double s) { return completion_case(n(s, 300), n(s, 300), 10, n(s * s, 9000), true); });
  add("multitask",
      [=](double s) { return multitask_case(n(s, 100), n(s, 100), n(s, 500), MultitaskAlgorithm::subspace); });
  add("multitask_pd",
      [=](double s) { return multitask_case(n(s, 100), n(s, 100), n(s, 500), MultitaskAlgorithm::pd_accurate); });
  add("regression_path", [=](double s) { return regression_case(n(s, 500), n(s, 1000), Loss::squared, 10, 0); });
  add("regression_folds", [=](double s) { return regression_case(n(s, 500), n(s, 1000), Loss::squared, 5, 5); });
  add("regression_logistic", [=](double s) { return regression_case(n(s, 500), n(s, 1000), Loss::logistic, 10, 5); });
  add("sparse_qp_path", [=](double s) { return sparse_qp_case(n(s, 1000), 10); });
  add("frontier", [=](double s) { return frontier_case(n(s, 500)); });
  add("disjunctive", [=](double s) { return disjunctive_case(20, n(s, 5000), 20); });
  add("pairs", [=](double s) { return pairs_case(n(s, 300)); });
  add("solve", [=](double s) { return solve_case(n(s, 2000)); });
  add("obstacle_5041_pairs", [=](double s) { return obstacle_case(n(std::sqrt(s), 71)); });
  add("many_variables", [=](double s) { return many_variables_case(n(s, 300'000)); });
  add("monotone_5000", [=](double s) { return monotone_case(n(s, 5'000)); });
  add("monotone_100000", [=](double s) { return monotone_case(n(s, 100'000)); });
  return all;
}

}  // namespace pendec::testing
