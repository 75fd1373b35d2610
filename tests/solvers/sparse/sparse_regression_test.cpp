#include "pendec/solvers/sparse/sparse_regression.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "pendec/certificates/check.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/csv.hpp"
#include "tests/reference/linear_algebra.hpp"
#include "tests/support/data.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

/// m observations of a model with the given coefficients on p features, shifted and scaled out of their comfort.
struct RegressionSample {
  Matrix A;
  Vector t;  // predictions
};

RegressionSample regression_sample(Index m, Index p, const std::vector<std::pair<Index, double>>& coefficients,
                                   Random& random) {
  RegressionSample s{random.normal_matrix(m, p), Vector::Constant(m, 0.7)};
  for (Index j = 0; j < p; ++j)
    s.A.col(j) = (s.A.col(j) * std::pow(10.0, j % 3 - 1)).array() + 0.3 * static_cast<double>(j);
  for (const auto& [j, value] : coefficients) s.t += value * s.A.col(j);
  return s;
}

/// Least squares on every subset of at most s features, by normal equations with an intercept.
double best_subset(const Matrix& A, const Vector& b, Index s) {
  Matrix X(A.rows(), 1 + A.cols());
  X << Vector::Ones(A.rows()), A;
  const Matrix N = X.transpose() * X;
  const Vector c = X.transpose() * b;
  double best = infinity;
  for (unsigned choice = 0; choice < (1U << A.cols()); ++choice) {
    if (std::popcount(choice) > static_cast<int>(s)) continue;
    std::vector<Index> columns{0};
    for (Index j = 0; j < A.cols(); ++j)
      if (choice >> j & 1U) columns.push_back(1 + j);
    const Vector x = reference::pseudo_inverse(Matrix(N(columns, columns))) * c(columns);
    best = std::min(best, 0.5 * (b.squaredNorm() - x.dot(c(columns))));
  }
  return best;
}

TEST(SparseRegression, AnInterpolatingModelHasNoNegativeLoss) {
  Random random(6);
  const Matrix A = 100.0 * random.normal_matrix(5, 9);
  const Vector b = 100.0 * random.normal_vector(5);
  for (const Index s : {4, 5}) {
    const Result fit = sparse_regression(A, b, s);
    EXPECT_GE(fit.f, 0.0);
    EXPECT_GE(fit.bound, 0.0);
    EXPECT_LE(fit.bound, fit.f);
    EXPECT_EQ(fit.f, fit.sparse().model->loss);
  }
}

TEST(SparseRegression, FindsTheBestSubset) {
  Random random(11);
  const RegressionSample s = regression_sample(40, 8, {{1, 2.0}, {4, -1.0}, {6, 0.5}}, random);
  const Vector b = s.t + 0.8 * random.normal_vector(40);
  for (Index size = 0; size <= 8; ++size) {
    const Result fit = sparse_regression(s.A, b, size);
    const double best = best_subset(s.A, b, size);
    EXPECT_TRUE((fit.status == Status::optimal)) << size << to_string(fit.status);
    EXPECT_NEAR(fit.f, best, 1e-7 * best) << size;
    EXPECT_LE(fit.bound, best * (1.0 + 1e-10)) << size;
    EXPECT_LE(static_cast<Index>(fit.sparse().support.size()), size);
    const Vector residual =
        ((s.A * fit.y.head(s.A.cols())).array() + fit.sparse().model->intercept - b.array()).matrix();
    EXPECT_NEAR(fit.sparse().model->loss, 0.5 * residual.squaredNorm(), 1e-9 * best)
        << "coefficients are in the units of the data";
  }
}

TEST(SparseRegression, PathCriteriaAndFoldsChooseTheTrueSize) {
  Random random(12);
  const RegressionSample s = regression_sample(600, 12, {{0, 3.0}, {5, -2.0}, {7, 4.0}}, random);
  const Vector b = s.t + 0.5 * random.normal_vector(600);
  SparseRegressionOptions options;
  options.folds = 5;
  const auto path = sparse_path(s.A, b, {1, 2, 3, 4, 5, 6}, options);
  for (std::size_t k = 1; k < path.size(); ++k) EXPECT_LE(path[k].f, path[k - 1].f * (1.0 + 1e-12));
  for (const Criterion criterion : {Criterion::bic, Criterion::ebic, Criterion::gic}) {
    const Result& chosen = path[choose(path, criterion)];
    EXPECT_EQ(chosen.sparse().support, (std::vector<Index>{0, 5, 7})) << to_string(criterion);
  }
  EXPECT_GE(path[choose(path, Criterion::aic)].sparse().s, 3);
  EXPECT_GE(path[choose(path, Criterion::cv)].sparse().s, 3);
  EXPECT_GT(path[0].sparse().model->cv_mean, 2.0 * path[2].sparse().model->cv_mean);
  EXPECT_GT(path[2].sparse().model->cv_error, 0.0);
}

TEST(SparseRegression, SparseDataGiveTheSameModelAsDense) {
  Random random(13);
  Matrix A = random.normal_matrix(60, 10);
  for (Index j = 0; j < 10; ++j)
    for (Index i = 0; i < 60; ++i)
      if (random.uniform() < 0.7) A(i, j) = 0.0;
  const Vector b = A.col(2) - 2.0 * A.col(8) + 0.1 * random.normal_vector(60);
  const Operator sparse = SparseMatrix(A.sparseView());
  for (const Loss loss : {Loss::squared, Loss::huber}) {
    const SparseRegressionOptions options{.loss = loss};
    const Result dense_fit = sparse_regression(A, b, 2, options),
                 sparse_fit = sparse_regression(sparse, b, 2, options);
    EXPECT_EQ(dense_fit.sparse().support, (std::vector<Index>{2, 8}));
    EXPECT_EQ(sparse_fit.sparse().support, dense_fit.sparse().support);
    EXPECT_NEAR(sparse_fit.f, dense_fit.f, 1e-9 * dense_fit.f);
  }
}

TEST(SparseRegression, OtherLossesFindTheTrueFeaturesWithoutClaimingACertificate) {
  Random random(14);
  const RegressionSample s = regression_sample(300, 8, {{1, 0.6}, {3, -8.0}}, random);
  Vector labels(300), counts(300), outliers = s.t + 0.2 * random.normal_vector(300);
  for (Index k = 0; k < 300; ++k) {
    labels[k] = random.uniform() < 1.0 / (1.0 + std::exp(-3.0 * (s.t[k] - s.t.mean()))) ? 1.0 : -1.0;
    counts[k] = std::floor(4.0 * std::exp(0.7 * (s.t[k] - s.t.mean())) + random.uniform());
    if (k % 10 == 0) outliers[k] += 30.0;
  }
  const std::vector<std::pair<Loss, Vector>> cases{
      {Loss::logistic, labels}, {Loss::poisson, counts}, {Loss::huber, outliers}};
  for (const auto& [loss, b] : cases) {
    SparseRegressionOptions options;
    options.loss = loss;
    options.ridge = loss == Loss::logistic ? 1e-3 : 0.0;
    const Result fit = sparse_regression(s.A, b, 2, options);
    EXPECT_EQ(fit.status, Status::converged) << to_string(loss);
    EXPECT_FALSE((fit.status == Status::optimal));
    EXPECT_EQ(fit.bound, -infinity);
    EXPECT_EQ(fit.sparse().support, (std::vector<Index>{1, 3})) << to_string(loss);
    EXPECT_TRUE(fit.search.exchange_optimal) << to_string(loss);
  }
}

TEST(SparseRegression, ForcedFeaturesAndSignsHold) {
  Random random(15);
  const RegressionSample s = regression_sample(80, 6, {{0, -2.0}, {2, 1.0}}, random);
  const Vector b = s.t + 0.1 * random.normal_vector(80);
  for (const Loss loss : {Loss::squared, Loss::huber}) {
    SparseRegressionOptions options;
    options.loss = loss;
    options.nonnegative = true;
    options.forced_in = {5};
    options.forced_out = {2};
    const Result fit = sparse_regression(s.A, b, 3, options);
    EXPECT_GE(fit.y.head(s.A.cols()).minCoeff(), 0.0);
    EXPECT_EQ(fit.y[2], 0.0);
    EXPECT_LE(fit.sparse().support.size(), 3U);
  }
}

TEST(SparseRegression, DerivativesOfTheLossesAreRight) {
  Random random(16);
  const Matrix A = random.normal_matrix(9, 4);
  Vector labels = random.normal_vector(9);
  for (double& v : labels) v = v > 0.0 ? 1.0 : -1.0;
  const Vector counts = random.uniform_vector(9, 0.0, 3.0);
  for (const Loss loss : {Loss::squared, Loss::logistic, Loss::huber, Loss::poisson}) {
    const LinearModel f(Operator(A).scaled({}, random.uniform_vector(4, 0.5, 2.0)),
                        loss == Loss::logistic ? labels : counts, loss,
                        {.intercept = true, .ridge = 0.3, .huber = 0.7, .centre = random.normal_vector(4)});
    const auto report = check_objective(f, random.normal_vector(5));
    EXPECT_TRUE(report.ok) << to_string(loss) << ": " << fmt::format("{}", fmt::join(report.failures, "; "));
  }
}

TEST(SparseRegression, CertifiesTheDiabetesData) {
  PENDEC_REQUIRE_DATA(data);
  const Matrix table = io::read_csv(data / "regression" / "diabetes.csv").numbers();
  const Matrix A = table.leftCols(10);
  const Vector b = table.col(10);
  for (Index s = 1; s <= 10; s += testing::rounds(1, 4)) {
    const Result fit = sparse_regression(A, b, s);
    EXPECT_TRUE((fit.status == Status::optimal)) << s;
    EXPECT_NEAR(fit.f, best_subset(A, b, s), 1e-7 * fit.f) << s;
  }
}

TEST(SparseRegression, RefusesWhatMakesNoSense) {
  const Matrix A = Matrix::Random(5, 3);
  const Vector b = Vector::Random(5);
  EXPECT_THROW(sparse_regression(A, Vector::Ones(4), 1), InvalidArgument);
  EXPECT_THROW(sparse_regression(A, b, -1), InvalidArgument);
  EXPECT_THROW(sparse_regression(A, b, 1, {.loss = Loss::logistic}), InvalidArgument);
  EXPECT_THROW(sparse_regression(A, b, 1, {.ridge = -1.0}), InvalidArgument);
  EXPECT_THROW(sparse_regression(A, b, 1, {.folds = 1}), InvalidArgument);
  EXPECT_THROW(sparse_regression(A, b, 1, {.folds = 6}), InvalidArgument);
  EXPECT_THROW(sparse_regression(A, b, 1, {.forced_in = {3}}), InvalidArgument);
}

}  // namespace
}  // namespace pendec
