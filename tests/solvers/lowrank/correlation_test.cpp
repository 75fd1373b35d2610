#include "pendec/solvers/lowrank/correlation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/instances.hpp"
#include "tests/reference/linear_algebra.hpp"
#include "tests/support/data.hpp"

namespace pendec {
namespace {

using experiments::correlation_matrix;

/// A symmetric matrix with ones on the diagonal, usually indefinite.
Matrix random_symmetric(Index n, std::uint64_t seed) {
  Random random(seed);
  const Matrix B = random.normal_matrix(n, n);
  Matrix A = 0.5 * (B + B.transpose());
  A.diagonal().setOnes();
  return A;
}

void expect_correlation_matrix(const Result& r, Index rank) {
  const Matrix X = r.correlation().X();
  EXPECT_LE((X.diagonal() - Vector::Ones(X.rows())).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ((X - X.transpose()).norm(), 0.0);
  EXPECT_LE(r.correlation().V.cols(), rank);
  EXPECT_NEAR((X - r.correlation().V * r.correlation().V.transpose()).norm(), 0.0, 1e-12 * X.norm());
}

struct Reference {
  int which;
  Index n, kappa;
  double f;
};

class TablesOfThePaper : public ::testing::TestWithParam<Reference> {};

TEST_P(TablesOfThePaper, AreSolvedToGlobalOptimality) {
  const auto [which, n, kappa, f] = GetParam();
  const Result r = nearest_correlation(correlation_matrix(which, n), kappa);
  EXPECT_TRUE(r.success()) << r.message;
  EXPECT_LE(r.f, f * (1.0 + 1e-8));
  EXPECT_TRUE(r.correlation().global);
  EXPECT_LE(r.bound, r.f);
  EXPECT_GE(r.bound, r.f * (1.0 - 1e-6));
  EXPECT_LT(r.pair.coupling, 1e-5);
  expect_correlation_matrix(r, kappa);
}

// Tables 6.4 to 6.6, with the best values known.
INSTANTIATE_TEST_SUITE_P(N200, TablesOfThePaper,
                         ::testing::Values(Reference{1, 200, 5, 183.7038211}, Reference{1, 200, 10, 27.6195942},
                                           Reference{1, 200, 20, 3.539717}, Reference{2, 200, 5, 3700.845252},
                                           Reference{2, 200, 10, 1703.1217834}, Reference{2, 200, 20, 711.987925},
                                           Reference{3, 200, 5, 264.9993237}, Reference{3, 200, 10, 56.0673592},
                                           Reference{3, 200, 20, 8.458998014}));
INSTANTIATE_TEST_SUITE_P(N500, TablesOfThePaper,
                         ::testing::Values(Reference{1, 500, 5, 3106.985652}, Reference{1, 500, 10, 748.1708519},
                                           Reference{1, 500, 20, 123.35289}, Reference{2, 500, 5, 24248.21214},
                                           Reference{2, 500, 10, 11749.1371725}, Reference{2, 500, 20, 5502.913666},
                                           Reference{3, 500, 5, 2869.294448}, Reference{3, 500, 10, 981.7581822},
                                           Reference{3, 500, 20, 234.6961615}));

TEST(NearestCorrelation, CertificateFromTheFactorIsThatOfTheMatrix) {
  const Matrix A = random_symmetric(12, 3);
  CorrelationOptions rough;
  rough.tolerance = 1e-2;  // stationary only roughly, so that there is something to compare
  const Result r = nearest_correlation(A, 3, rough);
  const Certificate c = certify(correlation_problem(A, 3), r.correlation().X().reshaped(), r.lambda);
  EXPECT_GT(c.m_residual, 1e-8);
  EXPECT_NEAR(r.certificate.m_residual, c.m_residual, 1e-7 * c.gradient_scale);
  EXPECT_NEAR(r.certificate.gradient_scale, c.gradient_scale, 1e-3 * c.gradient_scale);
  EXPECT_LE(c.distance_C, 1e-12);
  EXPECT_LE(c.distance_D, 1e-12);
}

TEST(NearestCorrelation, LowerBoundIsBelowEveryAdmissibleMatrix) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Index n = 8, kappa = 1 + static_cast<Index>(seed % 3);
    const Matrix A = random_symmetric(n, seed);
    const Result r = nearest_correlation(A, kappa);
    EXPECT_LE(r.bound, r.f);
    double least = infinity;
    Random random(seed);
    for (int trial = 0; trial < 500; ++trial) {
      Matrix V = random.normal_matrix(n, kappa);
      V.rowwise().normalize();
      least = std::min(least, 0.5 * (V * V.transpose() - A).squaredNorm());
    }
    EXPECT_LE(r.bound, least);
    EXPECT_LE(r.f, least * (1.0 + 1e-13)) << "random points beat the solver, seed " << seed;
  }
}

TEST(NearestCorrelation, OfRankOneIsFoundAmongAllSigns) {
  const Index n = 9;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Matrix A = random_symmetric(n, seed);
    double least = infinity;
    for (int bits = 0; bits < (1 << n); ++bits) {
      Vector v(n);
      for (Index i = 0; i < n; ++i) v[i] = (bits >> i) & 1 ? 1.0 : -1.0;
      least = std::min(least, 0.5 * (v * v.transpose() - A).squaredNorm());
    }
    const Result r = nearest_correlation(A, 1);
    EXPECT_LE(r.bound, least * (1.0 + 1e-12));
    if (r.correlation().global) {
      EXPECT_NEAR(r.f, least, 1e-6 * least);
    }
  }
}

TEST(NearestCorrelation, WithoutRankBoundIsHighamsExample) {
  Matrix A(3, 3);
  A << 1, 1, 0, 1, 1, 1, 0, 1, 1;
  const Result r = nearest_correlation(A);
  EXPECT_TRUE(r.success()) << r.message;
  EXPECT_TRUE(r.correlation().global);
  EXPECT_NEAR(r.correlation().X()(0, 1), 0.7607, 5e-5);
  EXPECT_NEAR(r.correlation().X()(0, 2), 0.1573, 5e-5);
  EXPECT_NEAR(std::sqrt(2.0 * r.f), 0.5278, 5e-5);
  expect_correlation_matrix(r, 3);
}

TEST(NearestCorrelation, OfACorrelationMatrixIsItself) {
  const Matrix A = correlation_matrix(2, 30);
  const Result r = nearest_correlation(A);
  EXPECT_LE((r.correlation().X() - A).norm(), 1e-9 * A.norm());
  EXPECT_TRUE(r.correlation().global);
}

TEST(NearestCorrelation, WeightsOfOneChangeNothing) {
  const Matrix A = random_symmetric(20, 7);
  CorrelationOptions ones;
  ones.weights = Matrix::Ones(20, 20);
  const Result plain = nearest_correlation(A), weighted = nearest_correlation(A, std::nullopt, ones);
  EXPECT_TRUE(plain.correlation().global);
  EXPECT_TRUE(weighted.success()) << weighted.message;
  EXPECT_NEAR(weighted.f, plain.f, 1e-7 * plain.f);
  const Result low = nearest_correlation(A, 3), low_weighted = nearest_correlation(A, 3, ones);
  EXPECT_TRUE(low_weighted.success()) << low_weighted.message;
  EXPECT_GE(low_weighted.f, low.bound * (1.0 - 1e-12));
}

TEST(NearestCorrelation, WeightedMinimumBeatsItsNeighbours) {
  const Index n = 10;
  const Matrix A = random_symmetric(n, 5);
  CorrelationOptions o;
  o.weights = Matrix::Ones(n, n);
  o.weights.row(0).setConstant(5.0);
  o.weights.col(0).setConstant(5.0);
  const Result r = nearest_correlation(A, std::nullopt, o);
  EXPECT_TRUE(r.correlation().global) << r.message;
  const auto f = [&](const Matrix& X) { return 0.5 * (o.weights.array() * (X - A).array().square()).sum(); };
  EXPECT_NEAR(r.f, f(r.correlation().X()), 1e-12 * r.f);
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    Matrix V = random.normal_matrix(n, n);
    V.rowwise().normalize();
    EXPECT_GE(f(V * V.transpose()), r.bound);
    const double t = 0.01;  // the set is convex
    EXPECT_GE(f((1.0 - t) * r.correlation().X() + t * (V * V.transpose())), r.f * (1.0 - 1e-7));
  }
}

TEST(NearestCorrelation, MissingEntriesCountForNothing) {
  Matrix A = correlation_matrix(1, 15);
  Matrix holes = A;
  for (const auto& [i, j] : {std::pair<Index, Index>{2, 9}, {0, 14}, {5, 6}})
    holes(i, j) = holes(j, i) = std::nan("");
  const Result r = nearest_correlation(holes);  // A itself fits what is known
  EXPECT_TRUE(r.success()) << r.message;
  EXPECT_LE(r.f, 1e-8);
  EXPECT_TRUE(nearest_correlation(holes, 4).success());
}

TEST(NearestCorrelation, FixedEntriesAreKept) {
  Matrix A = random_symmetric(12, 11);
  A(1, 2) = A(2, 1) = 0.3;
  A(4, 7) = A(7, 4) = -0.5;
  CorrelationOptions o;
  o.fixed = {{1, 2}, {4, 7}};
  for (const std::optional<Index> rank : {std::optional<Index>(), std::optional<Index>(4)}) {
    const Result r = nearest_correlation(A, rank, o);
    EXPECT_TRUE(r.success()) << r.message;
    EXPECT_NEAR(r.correlation().X()(1, 2), 0.3, 1e-7);
    EXPECT_NEAR(r.correlation().X()(4, 7), -0.5, 1e-7);
  }
}

TEST(NearestCorrelation, FixedEntriesThatAdmitNoMatrixAreNotClaimed) {
  Matrix A = Matrix::Identity(3, 3);
  A(0, 1) = A(1, 0) = A(1, 2) = A(2, 1) = 1.0;
  A(0, 2) = A(2, 0) = -1.0;
  CorrelationOptions o;
  o.fixed = {{0, 1}, {1, 2}, {0, 2}};
  const Result plain = nearest_correlation(A, std::nullopt, o);
  EXPECT_EQ(plain.status, Status::infeasible) << plain.message;
  EXPECT_FALSE(plain.correlation().global);
  EXPECT_EQ(nearest_correlation(A, 2, o).status, Status::infeasible);
  o.weights = Matrix::Constant(3, 3, 2.0);
  EXPECT_EQ(nearest_correlation(A, std::nullopt, o).status, Status::infeasible);
}

TEST(NearestCorrelation, ARankBoundThatIsNotActiveChangesNothing) {
  const Matrix A = random_symmetric(30, 3);
  const Result plain = nearest_correlation(A);
  const Index rank = plain.correlation().V.cols();
  for (const Index bound : {rank + 1, Index{25}}) {
    const Result r = nearest_correlation(A, bound);
    EXPECT_TRUE(r.success()) << r.message;
    EXPECT_TRUE(r.correlation().global);
    EXPECT_NEAR(r.f, plain.f, 1e-6 * plain.f);
    EXPECT_LE(r.counts.outer, 2000);
    expect_correlation_matrix(r, bound);
  }
  CorrelationOptions ones;
  ones.weights = Matrix::Ones(30, 30);
  const Result weighted = nearest_correlation(A, 25, ones);
  EXPECT_TRUE(weighted.success()) << weighted.message;
  EXPECT_NEAR(weighted.f, plain.f, 1e-6 * plain.f);
}

TEST(NearestCorrelation, ScaleOfTheWeightsChangesNothing) {
  const Matrix A = random_symmetric(12, 4);
  Random random(5);
  const Matrix B = random.normal_matrix(12, 12).cwiseAbs() + Matrix::Constant(12, 12, 0.1);
  for (const std::optional<Index> rank : {std::optional<Index>(), std::optional<Index>(3)}) {
    CorrelationOptions o;
    o.weights = B + B.transpose();
    const Result one = nearest_correlation(A, rank, o);
    EXPECT_TRUE(one.success()) << one.message;
    o.weights *= 1e-8;
    const Result small = nearest_correlation(A, rank, o);
    EXPECT_TRUE(small.success()) << small.message;
    EXPECT_NEAR(1e8 * small.f, one.f, 1e-5 * one.f);
    o.seconds = 0.0;
    EXPECT_EQ(nearest_correlation(A, rank, o).status, Status::max_time);
  }
}

TEST(NearestCorrelation, AlgorithmsOfThePaperReachItsValues) {
  const Matrix A = correlation_matrix(1, 40);
  const double best = nearest_correlation(A, 5).f;
  using enum CorrelationAlgorithm;
  for (const auto algorithm : {pd_exact_lower_level, pd_exact, pd_cg_accurate, pd_cg_inaccurate, alm}) {
    CorrelationOptions o;
    o.algorithm = algorithm;
    const Result r = nearest_correlation(A, 5, o);
    EXPECT_EQ(by_name<CorrelationAlgorithm>("algorithm", to_string(algorithm)), algorithm);
    EXPECT_NEAR(r.f, best, (algorithm == pd_cg_inaccurate ? 0.1 : 0.01) * best) << to_string(algorithm);
    EXPECT_GE(r.f, best * (1.0 - 1e-9)) << to_string(algorithm);
    EXPECT_EQ(r.method, to_string(algorithm));
    expect_correlation_matrix(r, 5);
  }
}

TEST(NearestCorrelation, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  CorrelationOptions o;
  o.stop = source.get_token();
  const Result r = nearest_correlation(correlation_matrix(2, 100), 3, o);
  EXPECT_EQ(r.status, Status::interrupted);
  expect_correlation_matrix(r, 3);
  CorrelationOptions hasty;
  hasty.seconds = 0.0;
  EXPECT_EQ(nearest_correlation(correlation_matrix(2, 100), 3, hasty).status, Status::max_time);
}

TEST(NearestCorrelation, DegenerateMatricesAreHandled) {
  EXPECT_NEAR(nearest_correlation(Matrix::Zero(5, 5), 2).f, 0.5 * (25.0 / 2.0), 1e-6);  // VVᵀ with VᵀV = (5/2) I
  EXPECT_NEAR(nearest_correlation(Matrix::Ones(6, 6), 3).f, 0.0, 1e-9);                 // rank one: below the bound
  EXPECT_NEAR(nearest_correlation(Matrix::Constant(1, 1, 3.0), 1).f, 2.0, 1e-12);
  EXPECT_TRUE(nearest_correlation(-Matrix::Identity(4, 4), 2).correlation().V.allFinite());
  EXPECT_EQ(nearest_correlation(Matrix::Identity(4, 4), 4).f, 0.0);
  EXPECT_TRUE(nearest_correlation(Matrix::Ones(30, 30), 3).correlation().global);
  EXPECT_LE(nearest_correlation(Matrix::Zero(30, 30), 4).counts.outer, 1000);
  EXPECT_TRUE(nearest_correlation(1e6 * random_symmetric(20, 8)).correlation().global);
  CorrelationOptions hasty;
  hasty.weights = Matrix::Ones(3, 3);
  hasty.seconds = 0.0;
  EXPECT_TRUE(nearest_correlation(-Matrix::Identity(3, 3), std::nullopt, hasty).correlation().V.allFinite());
  CorrelationOptions ones;
  ones.weights = Matrix::Ones(15, 15);
  const Matrix A = random_symmetric(15, 9);
  EXPECT_NEAR(nearest_correlation(A, 1, ones).f, nearest_correlation(A, 1).f, 1e-12);
}

TEST(NearestCorrelation, LargeMatricesAreNotCalledSolvedByTheirSize) {
  const Matrix A{{1.0, 0.9, 0.7}, {0.9, 1.0, -0.4}, {0.7, -0.4, 1.0}};
  for (const double scale : {1e3, 1e5, 1e7, 1e9, 1e12}) {
    const Result plain = nearest_correlation(scale * A), two = nearest_correlation(scale * A, 2);
    EXPECT_LE(plain.bound, std::min(plain.f, two.f));
    if (plain.success()) {
      EXPECT_LE(plain.certificate.relative_stationarity(), 1e-6) << scale;
      EXPECT_NEAR(plain.f, std::min(plain.f, two.f), 1e-12 * plain.f) << scale;
    }
  }
  EXPECT_TRUE(nearest_correlation(1e5 * A).correlation().global);
}

TEST(NearestCorrelation, WeightsOfVeryDifferentSize) {
  const Matrix A{{1.0, 0.9, 0.7}, {0.9, 1.0, -0.4}, {0.7, -0.4, 1.0}};
  const double alone = nearest_correlation(A).f;
  Matrix both = Matrix::Identity(6, 6);
  both.bottomRightCorner(3, 3) = A;
  for (const double heavy : {1e2, 1e4, 1e6, 1e8, 1e12}) {
    CorrelationOptions options;
    options.weights = Matrix::Ones(6, 6);
    options.weights.topLeftCorner(3, 3).setConstant(heavy);
    const Result r = nearest_correlation(both, std::nullopt, options);
    EXPECT_NEAR(r.f, alone, 1e-6 * alone) << heavy;
    EXPECT_LE(r.bound, alone * (1.0 + 1e-9)) << heavy;
    EXPECT_TRUE(r.correlation().global || heavy > 1e6) << heavy;
    EXPECT_NEAR(nearest_correlation(both, 5, options).f, alone, 1e-6 * alone) << heavy;
  }
}

TEST(NearestCorrelation, FixedEntriesUnderARankBoundThatDoesNotBind) {
  const Matrix A = random_symmetric(30, 11) / 4.0 + 0.75 * Matrix::Identity(30, 30);
  CorrelationOptions options;
  options.fixed = {{0, 1}, {2, 3}};
  const Result free = nearest_correlation(A, std::nullopt, options);
  ASSERT_TRUE(free.correlation().global);
  ASSERT_LT(free.correlation().rank(), 30);
  const Result bound = nearest_correlation(A, free.correlation().rank(), options);
  EXPECT_TRUE(bound.correlation().global);
  EXPECT_EQ(bound.f, free.f);
  const Result less = nearest_correlation(A, free.correlation().rank() - 3, options);
  EXPECT_TRUE(less.success());
  EXPECT_GE(less.f, less.bound);
  EXPECT_NEAR(less.bound, free.f, 1e-6 * free.f);
}

TEST(NearestCorrelation, TheRankIsThatOfTheMatrix) {
  Matrix V = Random(4).normal_matrix(20, 3);
  V.rowwise().normalize();
  EXPECT_EQ(nearest_correlation(V * V.transpose()).correlation().rank(), 3);
  EXPECT_EQ(nearest_correlation(Matrix::Ones(8, 8)).correlation().rank(), 1);
}

TEST(NearestCorrelation, OfRankOneOnlySignsAreCompared) {
  const Result r = nearest_correlation(random_symmetric(12, 5), 1);
  EXPECT_EQ(r.status, Status::tests_met_uncertified);
  EXPECT_GT(r.bound, 0.0);
  EXPECT_TRUE(nearest_correlation(Matrix::Ones(5, 5), 1).correlation().global);
}

template <class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "nothing";
}

TEST(NearestCorrelation, MisuseIsNamed) {
  const Matrix A = Matrix::Identity(3, 3);
  Matrix asymmetric = A, nan = A, infinite = A, one_sided = A;
  asymmetric(2, 0) = 0.5;
  nan(1, 1) = std::nan("");
  infinite(0, 1) = infinite(1, 0) = infinity;
  one_sided(0, 1) = std::nan("");
  const auto solve_it = [](const Matrix& M, Index rank) { return complaint([&] { nearest_correlation(M, rank); }); };
  EXPECT_EQ(solve_it(Matrix::Ones(2, 3), 1), "A is 2 x 3; expected a square matrix");
  EXPECT_EQ(solve_it(asymmetric, 1), "A(2, 0) is 0.5; expected A(0, 2) = 0: a symmetric matrix");
  EXPECT_EQ(solve_it(nan, 1), "A(1, 1) is nan; expected a number: the diagonal cannot be missing");
  EXPECT_EQ(solve_it(infinite, 1), "A(1, 0) is inf; expected finite, or NaN if missing");
  EXPECT_EQ(solve_it(one_sided, 1), "A(1, 0) is 0; expected missing on both sides, as A(0, 1)");
  EXPECT_EQ(solve_it(1e154 * A, 2), "A is 1e+154; expected entries of magnitude up to 1e+100");
  EXPECT_EQ(solve_it(A, 0), "rank is 0; expected 1 <= rank <= n = 3");
  EXPECT_EQ(solve_it(A, 4), "rank is 4; expected 1 <= rank <= n = 3");
  const auto with = [&](const CorrelationOptions& o) { return complaint([&] { nearest_correlation(A, 2, o); }); };
  CorrelationOptions zero, small, fixed, unfit;
  zero.weights = Matrix::Zero(3, 3);
  small.weights = Matrix::Ones(2, 2);
  fixed.fixed = {{0, 3}};
  unfit.algorithm = CorrelationAlgorithm::alm;
  unfit.weights = Matrix::Ones(3, 3);
  EXPECT_EQ(with(zero), "weights(0, 0) is 0; expected a positive number, at most 1e100");
  EXPECT_EQ(with(small), "weights is 2 x 2; expected a 3 x 3 matrix, as A");
  EXPECT_EQ(with(fixed), "fixed is (0, 3); expected two different indices below 3");
  EXPECT_EQ(with(unfit),
            "algorithm is ALM; expected fast, where there is no rank bound, or weights, missing or fixed entries");
  EXPECT_EQ(
      complaint([] { by_name<CorrelationAlgorithm>("algorithm", "PD"); }),
      "algorithm is PD; expected one of fast, PD-exact-lower-level, PD-exact, PD-cg-accurate, PD-cg-inaccurate, ALM");
}

}  // namespace
}  // namespace pendec
