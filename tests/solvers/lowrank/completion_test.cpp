#include "pendec/solvers/lowrank/completion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/io/graph_file.hpp"
#include "tests/support/data.hpp"

namespace pendec {
namespace {

/// Entries of a random matrix of rank 2, each seen with probability `density`.
CompletionProblem random_problem(Index rows, Index cols, double density, std::uint64_t seed,
                                 Matrix* truth = nullptr) {
  Random random(seed);
  const Matrix X = random.normal_matrix(rows, 2) * random.normal_matrix(2, cols);
  CompletionProblem p;
  p.rows = rows;
  p.cols = cols;
  p.kappa = 2;
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if (random.uniform() < density) p.seen.push_back({i, j, X(i, j)});
  if (truth) *truth = X;
  return p;
}

TEST(Completion, RecoversAMatrixOfLowRank) {
  Matrix truth;
  const CompletionProblem p = random_problem(40, 60, 0.4, 1, &truth);
  const Result r = complete_matrix(p);
  EXPECT_EQ(r.status, Status::converged) << r.message;
  EXPECT_LE((r.completion().B * r.completion().C.transpose() - truth).norm(), 1e-4 * truth.norm());
  EXPECT_LE((r.completion().B.transpose() * r.completion().B - Matrix::Identity(2, 2)).norm(), 1e-12);
}

TEST(Completion, ResultIsStationaryForTheDenseProblem) {
  CompletionProblem p = random_problem(15, 20, 0.5, 2);
  Random random(5);
  for (Observation& o : p.seen) o.value += random.normal();
  p.gamma = 0.1;
  const Result r = complete_matrix(p);
  const Matrix X = r.completion().B * r.completion().C.transpose();
  const Certificate c = certify(p.problem(), X.reshaped());
  EXPECT_LE(c.relative_stationarity(), 1e-5);
  EXPECT_LE(c.distance_D, 1e-10);
  // The two objectives differ by a constant: compare differences.
  const double at_zero = p.problem().f.value(Vector::Zero(300));
  double squares = 0.0;
  for (const Observation& o : p.seen) squares += 0.5 * o.value * o.value;
  EXPECT_NEAR(p.problem().f.value(X.reshaped()) - at_zero, r.f - squares, 1e-9 * squares);
}

TEST(Completion, BoxIsKept) {
  Matrix truth;
  CompletionProblem p = random_problem(8, 9, 0.7, 3, &truth);
  p.gamma = 0.01;
  p.box = {-1.0, 1.0};
  const Result r = complete_matrix(p);
  EXPECT_LE(r.certificate.distance_C, 1e-5);
  EXPECT_LE(r.completion().B.cols(), 2);
}

TEST(Completion, BoxEndsNoWorseThanTheMatrixBehindNoisyEntries) {
  const Index rows = 60, cols = 80;
  Random random(7);
  const Matrix P = random.normal_matrix(rows, 2).cwiseAbs(), Q = random.normal_matrix(cols, 2).cwiseAbs();
  const Matrix truth = P * Q.transpose(), noise = 0.3 * random.normal_matrix(rows, cols);
  CompletionProblem p{.rows = rows, .cols = cols, .seen = {}, .kappa = 2, .gamma = 1e-3};
  p.box = {0.0, truth.maxCoeff()};  // it holds for the truth, not for the entries seen
  double f_truth = 0.5 * p.gamma * truth.squaredNorm();
  for (Index j = 0; j < cols; ++j) {
    for (Index k = 0; k < 15; ++k) {
      const Index i = (37 * k + 11 * j) % rows;
      p.seen.push_back({i, j, truth(i, j) + noise(i, j)});
      f_truth += 0.5 * noise(i, j) * noise(i, j);
    }
  }
  const Result r = complete_matrix(p, {.seconds = 20.0});
  EXPECT_LE(r.f, f_truth);
  const Matrix X = r.completion().B * r.completion().C.transpose();
  const double violation = std::max(p.box->first - X.minCoeff(), X.maxCoeff() - p.box->second);
  EXPECT_LE(violation, r.certificate.distance_C + 1e-12);
  EXPECT_LE(r.certificate.distance_C, 1e-3 * p.box->second);
}

/// Ratings from 1 to 5 with biases, a tenth of the places, and their centred problem.
CompletionProblem centred_ratings(Index rows, Index cols) {
  Random random(8);
  const Matrix taste = 0.5 * random.normal_matrix(rows, 2) * random.normal_matrix(2, cols);
  const Vector row = 0.3 * random.normal_vector(rows), column = 0.3 * random.normal_vector(cols);
  CompletionProblem p{.rows = rows, .cols = cols, .seen = {}, .kappa = 2, .gamma = 0.05};
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if (random.uniform() < 0.1)
        p.seen.push_back({i, j, std::round(std::clamp(3.0 + row[i] + column[j] + taste(i, j), 1.0, 5.0))});
  p.biases = fit_biases(rows, cols, p.seen);
  for (Observation& o : p.seen) o.value -= p.biases->at(o.row, o.column);
  return p;
}

/// The largest distance of a prediction, biases included, to the box.
double farthest_prediction(const CompletionProblem& p, const Result& r, double lower, double upper) {
  double most = 0.0;
  for (Index j = 0; j < p.cols; ++j)
    for (Index i = 0; i < p.rows; ++i) {
      const double x = r.completion().entry(i, j) + p.biases->at(i, j);
      most = std::max({most, lower - x, x - upper});
    }
  return most;
}

TEST(Completion, BoxHoldsForPredictionsWithTheirBiases) {
  constexpr double lower = 1.2, upper = 4.8;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{60, 50}, {400, 300}}) {  // dense, and by factors
    CompletionProblem p = centred_ratings(rows, cols);
    const Result open = complete_matrix(p);
    EXPECT_GT(farthest_prediction(p, open, lower, upper), 0.05) << "without a box";
    p.box = {lower, upper};
    const Result r = complete_matrix(p);
    EXPECT_EQ(r.status, Status::converged) << r.message;
    EXPECT_LE(farthest_prediction(p, r, lower, upper), 1e-5);
    EXPECT_LT(r.f, 1.05 * open.f);
  }
}

TEST(Completion, OfAnOpenBoxIsNotClaimedWhereTheBoxIsViolated) {
  CompletionProblem p{.rows = 4, .cols = 4, .seen = {{0, 0, 0.0}, {1, 2, 0.0}}, .kappa = 1, .box = {{5.0, infinity}}};
  CompletionOptions hasty;
  hasty.seconds = 0.0;
  const Result r = complete_matrix(p, hasty);
  EXPECT_TRUE(r.status != Status::converged || r.certificate.distance_C <= 1e-5) << r.certificate.distance_C;
}

TEST(Completion, SmallComponentsAreJudgedAsLargeOnes) {
  for (const double offset : {1e2, 1e4}) {  // with the larger one rounding hides the gradient
    CompletionProblem p = random_problem(60, 50, 0.5, 4);
    Random random(6);
    for (Observation& o : p.seen) o.value += offset + 0.05 * random.normal();
    p.kappa = 3;
    const Result r = complete_matrix(p), better = complete_matrix(p, {.tolerance = 1e-13});
    EXPECT_NEAR(r.f, better.f, 1e-3 * better.f) << offset;
    if (offset == 1e2) {
      EXPECT_EQ(r.status, Status::converged) << r.certificate.relative_stationarity();
    }
  }
}

TEST(Completion, MovieRatingsAreCompletedBetterThanByBiases) {
  PENDEC_REQUIRE_DATA(data);
  const io::ObservedEntries ratings = io::read_entries(data / "completion" / "ml-latest-small_ratings.csv");
  ASSERT_EQ(ratings.rows.size(), 610U);
  ASSERT_EQ(ratings.columns.size(), 9724U);
  const auto [train, held] = split(ratings.seen, 0.1, 1);
  CompletionProblem p;
  p.rows = 610;
  p.cols = 9724;
  p.kappa = 2;
  p.gamma = 0.05;
  p.seen = train;
  const Biases biases = fit_biases(p.rows, p.cols, train);
  for (Observation& o : p.seen) o.value -= biases.at(o.row, o.column);
  const Result r = complete_matrix(p);
  EXPECT_EQ(r.status, Status::converged) << r.message;
  EXPECT_LE(rmse(held, biases, &r.completion()), rmse(held, biases));
  EXPECT_LE(rmse(held, biases, &r.completion()), 0.87);
  RecordProperty("milliseconds", static_cast<int>(1e3 * r.times.total));
}

CompletionProblem in_unit(CompletionProblem p, double unit) {
  for (Observation& o : p.seen) o.value *= unit;
  if (p.box) p.box = {unit * p.box->first, unit * p.box->second};
  return p;
}

/// A tolerance that is absolute, a square that overflows or vanishes: each would show.
TEST(Completion, TheUnitOfTheEntriesDoesNotMatter) {
  CompletionProblem noisy = random_problem(12, 14, 0.6, 9);
  Random random(10);
  for (Observation& o : noisy.seen) o.value += 0.1 * random.normal();
  noisy.gamma = 0.05;
  CompletionProblem boxed = noisy;
  boxed.box = {-1.0, 1.0};
  for (const CompletionProblem& p : {noisy, boxed}) {
    const Result r = complete_matrix(p);
    ASSERT_EQ(r.status, Status::converged) << r.message;
    for (const int power : {-1000, -600, -20, 3, 500}) {
      const double unit = std::ldexp(1.0, power);
      const Result other = complete_matrix(in_unit(p, unit));
      EXPECT_EQ(other.status, Status::converged) << power << ": " << other.message;
      EXPECT_DOUBLE_EQ(other.completion().rmse, unit * r.completion().rmse) << power;
      EXPECT_DOUBLE_EQ(other.f, std::ldexp(r.f, 2 * power)) << power;  // may vanish: then it is zero
      EXPECT_DOUBLE_EQ(other.completion().entry(3, 4), unit * r.completion().entry(3, 4)) << power;
    }
    const Result huge = complete_matrix(in_unit(p, std::ldexp(1.0, 700)));
    EXPECT_EQ(huge.status, Status::not_finite) << huge.message;
    EXPECT_FALSE(std::isfinite(huge.f));
    EXPECT_NE(huge.message.find("the largest entry is"), std::string::npos) << huge.message;
  }
}

/// ‖Bᵀ∇f(X)‖, which the solves for C should have made zero, is part of it: of an exact fit, nearly all.
TEST(Completion, StationarityCountsWhatIsLeftOfTheRightFactor) {
  const CompletionProblem p = random_problem(40, 60, 0.4, 1);
  const Result r = complete_matrix(p);
  Matrix gradient = Matrix::Zero(p.rows, p.cols);
  double seen = 0.0;
  for (const Observation& o : p.seen) {
    gradient(o.row, o.column) = r.completion().entry(o.row, o.column) - o.value;
    seen += o.value * o.value;
  }
  const double scale = std::max(gradient.norm(), 1e-6 * std::sqrt(seen));
  EXPECT_GE(r.certificate.relative_stationarity(), (r.completion().B.transpose() * gradient).norm() / scale - 1e-8);
}

TEST(Completion, MisuseIsNamed) {
  const CompletionProblem good = random_problem(4, 5, 1.0, 1);
  const auto complaint = [](const CompletionProblem& p) {
    try {
      complete_matrix(p);
    } catch (const InvalidArgument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  CompletionProblem p = good;
  p.kappa = 5;
  EXPECT_EQ(complaint(p), "CompletionProblem.kappa is 5; expected 1 <= kappa <= min(rows, cols) = 4");
  p = good;
  p.seen.push_back(p.seen.front());
  EXPECT_EQ(complaint(p), "seen is (0, 0); expected each place once");
  p = good;
  p.seen[0].value = std::nan("");
  EXPECT_EQ(complaint(p), "seen(0, 0) is nan; expected a finite number");
  p = good;
  p.seen[0].row = 4;
  EXPECT_EQ(complaint(p), "seen is (4, 0); expected a place of the matrix");
  p = good;
  p.biases = Biases::zero(p.rows + 1, p.cols);
  EXPECT_NE(complaint(p).find("biases.row"), std::string::npos) << complaint(p);
  p.biases.reset();
  p.box = {1.0, 0.0};
  EXPECT_EQ(complaint(p), "box.lower is 1; expected at most box.upper = 0");
  p.box = {infinity, infinity};
  EXPECT_EQ(complaint(p), "box.lower is inf; expected a number or -inf");
  p.box = {-infinity, -infinity};
  EXPECT_EQ(complaint(p), "box.upper is -inf; expected a number or inf");
}

TEST(EntriesFile, ErrorsNameTheLine) {
  const auto complaint = [](std::string_view text) {
    try {
      io::parse_entries(text, "e.csv");
    } catch (const io::FileError& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(complaint("u,i,r\na,b,1\na,b,2\n"), "e.csv:3:1: the entry (a, b) comes twice");
  EXPECT_NE(complaint("a,b,1\na,c,x\n").find("e.csv:2:3"), std::string::npos);
  EXPECT_NE(complaint("a,b\n").find("expected row,column,value"), std::string::npos);
  EXPECT_EQ(complaint("row,column,value\n"), "e.csv: no entries");
}

}  // namespace
}  // namespace pendec
