// What solvers of classes say about their results is found again from the problem, and nothing else is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pendec/core/random.hpp"
#include "pendec/solvers/verify.hpp"

namespace pendec {
namespace {

std::string broken(const std::vector<Claim>& claims) {
  std::string all;
  for (const Claim& c : claims)
    if (!c.holds) all += c.name + " is " + c.claimed + "; found " + c.found + "\n";
  return all;
}

TEST(VerifyClasses, SparseQpsOfAllKindsKeepWhatTheyClaim) {
  Random random(3);
  Index unproved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 3 + random.below(6), rank = random.below(2) == 0 ? n + 2 : 1 + random.below(n);
    const Matrix B = random.normal_matrix(n, rank);
    const double unit = std::pow(10.0, random.uniform(-8.0, 8.0));
    SparseQp p{.Q = Matrix(unit * B * B.transpose()), .c = unit * random.normal_vector(n), .s = 1 + random.below(n)};
    if (random.below(4) == 0) p.c.setZero();
    p.constraints = LinearConstraints::none(n);
    const Index kind = random.below(4);
    if (kind == 1) p.constraints.lower.setConstant(-1.0), p.constraints.upper.setConstant(1.0);
    if (kind == 2)
      p.constraints.lower.setZero(), p.constraints.E = Matrix::Ones(1, n), p.constraints.d = Vector::Ones(1);
    if (kind == 3) p.constraints.lower.setConstant(0.1), p.constraints.upper.setConstant(0.8);
    if (random.below(3) == 0) p.constraints.A = random.normal_matrix(1, n), p.constraints.b = Vector::Ones(1);
    if (random.below(4) == 0 && kind < 3) p.groups = {{0, 2}, {1}};
    if (random.below(4) == 0) p.forced_in = {0};
    if (random.below(3) == 0) p.constant = unit * random.normal();
    Result r = solve_sparse_qp(p, {.certify = random.below(4) > 0});
    unproved += r.status == Status::converged;
    EXPECT_EQ(broken(verify(p, r)), "") << trial << ": " << to_string(r.status) << ", " << r.message;
    if (!r.has_point() || r.status == Status::unbounded) continue;
    const double f = r.f;
    r.f -= 1e-3 * (std::abs(f) + unit);
    EXPECT_NE(broken(verify(p, r)), "") << trial;
    r.f = f;
    if (r.status != Status::optimal || std::abs(f) < 1e-6 * unit) continue;
    r.bound = f - 1e-3 * std::abs(f);
    EXPECT_NE(broken(verify(p, r)), "") << trial << ": optimal with a gap";
  }
  EXPECT_GT(unproved, 10);
}

TEST(VerifyClasses, ModelsOfAllLossesKeepWhatTheyClaim) {
  Random random(4);
  for (int trial = 0; trial < 60; ++trial) {
    const Index m = 12 + random.below(20), p = 3 + random.below(5);
    Matrix A = random.normal_matrix(m, p);
    A.array().rowwise() *= (random.normal_vector(p).array() * 3.0).exp().transpose();
    if (random.below(3) == 0) A.col(p - 1) = A.col(0);
    if (random.below(3) == 0) A.col(1).setConstant(2.0);
    Vector b = random.normal_vector(m);
    SparseRegressionOptions options{.intercept = random.below(2) == 0, .ridge = random.below(2) == 0 ? 0.0 : 0.1};
    const Index loss = random.below(3);
    options.loss = loss == 0 ? Loss::squared : loss == 1 ? Loss::huber : Loss::logistic;
    if (loss == 2) options.ridge = 0.1, b = (b.array() > 0.0).select(Vector::Ones(m), -Vector::Ones(m));
    if (random.below(3) == 0) options.nonnegative = true;
    if (random.below(3) == 0) options.forced_in = {1};
    Result r = sparse_regression(A, b, 2, options);
    EXPECT_EQ(broken(verify(Operator(A), b, options, r)), "") << trial << ": " << r.message;
    ASSERT_TRUE(r.has_point());
    r.y[r.sparse().support.empty() ? 0 : r.sparse().support.front()] += 10.0;
    EXPECT_NE(broken(verify(Operator(A), b, options, r)), "") << trial;
  }
}

TEST(VerifyClasses, MatricesOfLowRankKeepWhatTheyClaim) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const Index n = 4 + random.below(8);
    Matrix A = random.normal_matrix(n, n);
    A = Matrix(A + A.transpose()) * std::pow(10.0, random.uniform(-2.0, 2.0));
    CorrelationOptions options;
    if (random.below(2) == 0) {
      const Matrix W = random.normal_matrix(n, n).cwiseAbs().array() + 0.01;
      options.weights = W + W.transpose();
    }
    const std::optional<Index> rank = random.below(2) == 0 ? std::optional(1 + random.below(n)) : std::nullopt;
    Result r = nearest_correlation(A, rank, options);
    EXPECT_EQ(broken(verify(A, rank, options, r)), "") << trial << ": " << to_string(r.status) << ", " << r.message;
    std::get<CorrelationDetails>(r.details).V.row(0) *= -1.0;
    if (rank != 1) {
      EXPECT_NE(broken(verify(A, rank, options, r)), "") << trial;
    }

    Graph graph{n, {}};
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < j; ++i) graph.edges.push_back({i, j, random.normal()});
    Result cut = max_cut(graph, {.rank = random.below(2) == 0 ? std::optional(1 + random.below(3)) : std::nullopt});
    EXPECT_EQ(broken(verify(graph, cut)), "") << trial << ": " << cut.message;
    cut.y[0] = -cut.y[0];
    EXPECT_NE(broken(verify(graph, cut)), "") << trial;

    CompletionProblem entries{
        .rows = n, .cols = 6, .seen = {}, .kappa = 1 + random.below(2), .gamma = random.below(2) == 0 ? 0.0 : 0.1};
    const Matrix L = random.normal_matrix(n, 2) * random.normal_matrix(2, 6);
    for (Index j = 0; j < 6; ++j)
      for (Index i = 0; i < n; ++i)
        if (random.below(4) > 0) entries.seen.push_back({i, j, L(i, j)});
    if (random.below(3) == 0) entries.box = {-1.0, 1.0};
    Result completed = complete_matrix(entries);
    EXPECT_EQ(broken(verify(entries, completed)), "") << trial << ": " << completed.message;
    std::get<CompletionDetails>(completed.details).C *= 1.1;
    EXPECT_NE(broken(verify(entries, completed)), "") << trial;

    MultitaskProblem tasks{.tasks = {}, .eta = 0.5, .kappa = 1};
    for (int t = 0; t < 3; ++t) {
      Vector labels(20);
      for (double& label : labels) label = random.below(2) == 0 ? -1.0 : 1.0;
      tasks.tasks.push_back({std::to_string(t), random.normal_matrix(20, 3), labels});
    }
    Result models = multitask_logistic(tasks);
    EXPECT_EQ(broken(verify(tasks, models)), "") << trial << ": " << models.message;
    std::get<MultitaskDetails>(models.details).W *= 1.1;
    EXPECT_NE(broken(verify(tasks, models)), "") << trial;
  }
}

}  // namespace
}  // namespace pendec
