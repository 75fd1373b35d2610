#include "pendec/solvers/sparse/sparse_qp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/solvers/sparse/sparse_regression.hpp"
#include "tests/reference/sparse_enumeration.hpp"
#include "tests/support/data.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

/// A small random problem; `kind` picks the combination of options.
SparseQp random_sparse_qp(Random& random, std::uint64_t kind) {
  const auto flag = [&kind] {
    const bool on = (kind & 1U) != 0;
    kind >>= 1U;
    return on;
  };
  const Index n = 3 + random.below(3);
  const bool singular = flag(), bounded = flag(), nonnegative = flag(), semicontinuous = flag(), budget = flag(),
             target = flag(), row = flag(), grouped = flag(), forced = flag();
  const Index rank = singular ? std::max<Index>(1, n - 2) : n;
  const Matrix B = random.normal_matrix(n, rank);
  Matrix Q = B * B.transpose();
  Q = 0.5 * (Q + Q.transpose()).eval();
  SparseQp p{.Q = Q, .c = -(B * random.normal_vector(rank)), .s = random.below(n + 1)};  // bounded below
  p.constraints = LinearConstraints::none(n);
  LinearConstraints& rows = p.constraints;
  if (nonnegative) rows.lower.setZero();
  if (bounded) {
    rows.upper = random.uniform_vector(n, 0.2, 1.5);
    if (!nonnegative) rows.lower = -random.uniform_vector(n, 0.2, 1.5);
  }
  if (semicontinuous && !grouped) {
    rows.lower = random.uniform_vector(n, 0.05, 0.4);
    rows.upper = rows.lower + random.uniform_vector(n, 0.0, 1.0);
  }
  if (budget) {
    rows.E = Matrix::Ones(1, n);
    rows.d = Vector::Ones(1);
  }
  if (target || row) {
    const Index count = (target ? 1 : 0) + (row ? 1 : 0);
    rows.A = random.normal_matrix(count, n);
    rows.b = random.uniform_vector(count, -0.4, 1.0);
  }
  if (grouped)
    p.groups = n > 4 ? std::vector<std::vector<Index>>{{0, 2}, {1}, {3, 4}} : std::vector<std::vector<Index>>{{0, 1}};
  if (forced && p.s > 0) {
    p.forced_in = {random.below(n)};
    if (!grouped) p.forced_out = {(p.forced_in[0] + 1) % n};
  }
  return p;
}

bool has_unbounded_variables(const SparseQp& p) {
  return std::isinf(p.constraints.lower.minCoeff()) || std::isinf(p.constraints.upper.maxCoeff());
}

TEST(SparseQp, AgreesWithEnumerationOnEveryCombinationOfOptions) {
  const int rounds = testing::rounds(6, 1);
  Index certified = 0, infeasible = 0, uncertified = 0, full = 0;
  for (std::uint64_t kind = 0; kind < 512; ++kind) {
    for (int round = 0; round < rounds; ++round) {
      Random random(1000 * kind + static_cast<std::uint64_t>(round));
      const SparseQp p = random_sparse_qp(random, kind);
      SCOPED_TRACE(fmt::format("kind {}, round {}, n {}, s {}", kind, round, p.dimension(), p.s));
      const double best = static_cast<double>(reference::enumerate(p, reference::Precision::extended));
      const Result result = solve_sparse_qp(p);
      if (best == infinity) {
        EXPECT_EQ(result.status, Status::infeasible) << result.message;
        ++infeasible;
        continue;
      }
      const double scale = 1.0 + std::abs(best);
      EXPECT_LE(result.bound, best + 1e-11 * scale) << to_string(result.status);
      ASSERT_TRUE(result.has_point()) << to_string(result.status) << ": " << result.message;
      EXPECT_NEAR(result.f, best, 1e-7 * scale) << to_string(result.status) << ": " << result.message;
      // singular Q, no bounds; or f = 0, beside which nothing is small
      const bool hard =
          ((kind & 1U) != 0 && has_unbounded_variables(p)) || (result.f == 0.0 && result.bound > -1e-60);
      if (result.status != Status::optimal) {
        EXPECT_TRUE(hard) << to_string(result.status) << ": " << result.message << ", f " << result.f << ", bound "
                          << result.bound;
        EXPECT_TRUE(result.status == Status::converged || result.status == Status::stalled);
        EXPECT_EQ(result.status == Status::converged, result.certificate.holds(1e-6));
        ++uncertified;
        continue;
      }
      ++certified;
      EXPECT_LE(result.gap(), 2e-9);
      EXPECT_TRUE(result.search.exchange_optimal);
      const Certificate certificate = certify(p.problem().completed(), result.y);
      EXPECT_LE(certificate.relative_infeasibility(), 1e-7);
      // with fewer nonzeros than s multipliers are not unique, and the right ones may not be found
      if (static_cast<Index>(result.sparse().support.size()) != p.s || !p.groups.empty()) continue;
      EXPECT_LE(result.certificate.relative_stationarity(), 1e-6);
      ++full;
    }
  }
  EXPECT_GT(certified, 512 * rounds / 3);
  EXPECT_GT(infeasible, 0);
  EXPECT_GT(full, 64 * rounds);
  EXPECT_LT(uncertified, 512 * rounds / 8);
}

/// Rows of a table of optima; columns by name.
std::vector<std::map<std::string, std::string>> table_of_optima(const std::filesystem::path& path) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> header;
  std::ifstream file(path);
  for (std::string line, cell; std::getline(file, line);) {
    std::istringstream stream(line);
    std::vector<std::string> cells;
    while (std::getline(stream, cell, ',')) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    rows.emplace_back();
    for (std::size_t k = 0; k < cells.size() && k < header.size(); ++k) rows.back()[header[k]] = cells[k];
  }
  return rows;
}

void expect_certified(const experiments::SparseQp& qp, double nu, Index s, double optimum) {
  const Result result = solve_sparse_qp(SparseQp::on_simplex(qp.Q, nu * qp.c, s));
  EXPECT_EQ(result.status, Status::optimal) << qp.name;
  EXPECT_NEAR(result.f, optimum, 1e-9 * std::abs(optimum)) << qp.name;
  EXPECT_LE(result.bound, optimum + 1e-12 * std::abs(optimum)) << qp.name;
}

TEST(SparseQp, CertifiesTheSyntheticPortfolios) {
  PENDEC_REQUIRE_DATA(data);
  int seen = 0;
  for (auto& row : table_of_optima(data / "qp" / "reference_optima.csv")) {
    if (row["problem"] != "simplex") continue;
    const auto qp = experiments::read_sparse_qp(data, row["file"].substr(0, row["file"].size() - 4));
    expect_certified(qp, std::stod(row["nu"]), std::stol(row["s"]), std::stod(row["optimum"]));
    ++seen;
  }
  EXPECT_EQ(seen, 120);
}

TEST(SparseQp, CertifiesTheRealPortfolios) {
  PENDEC_REQUIRE_DATA(data);
  int seen = 0;
  for (auto& row : table_of_optima(data / "portfolio" / "reference_optima.csv")) {
    const auto qp = experiments::read_portfolio(data, row["name"]);
    expect_certified(qp, qp.nu, qp.s, std::stod(row["optimum"]));
    ++seen;
  }
  EXPECT_EQ(seen, 6);
}

SparseQp sixty_assets(std::uint64_t seed) {
  Random random(seed);
  const auto qp = experiments::random_sparse_qp(60, 500.0, random);
  return SparseQp::on_simplex(qp.Q, qp.c, 9);
}

TEST(SparseQp, BoundStaysValidWhenStopped) {
  const SparseQp p = sixty_assets(3);
  const Result whole = solve_sparse_qp(p);
  ASSERT_EQ(whole.status, Status::optimal);
  ASSERT_GT(whole.counts.nodes, 10);
  for (const Index nodes : {0, 1, 2, 5, 10}) {
    const Result part = solve_sparse_qp(p, {.nodes = nodes});
    EXPECT_EQ(part.status, Status::node_limit);
    EXPECT_LE(part.counts.nodes, nodes);
    EXPECT_LE(part.bound, whole.f * (1.0 + (whole.f < 0 ? -1e-12 : 1e-12)));
    EXPECT_GE(part.f, whole.bound);
  }
  const Result late = solve_sparse_qp(p, {.seconds = 0.0});
  EXPECT_EQ(late.status, Status::max_time);
  EXPECT_LE(late.bound, whole.f);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(solve_sparse_qp(p, {.stop = stop.get_token()}).status, Status::interrupted);
  const Result coarse = solve_sparse_qp(p, {.gap = 0.05});
  EXPECT_EQ(coarse.status, Status::gap_limit);
  EXPECT_LE(coarse.gap(), 0.05);
}

TEST(SparseQp, CertifiesLinearObjectives) {
  Random random(4);
  const Vector c = 0.01 * random.normal_vector(8);
  SparseQp p = SparseQp::on_simplex(Matrix(Matrix::Zero(8, 8)), c, 3);
  const Result best = solve_sparse_qp(p);
  EXPECT_EQ(best.status, Status::optimal) << best.message;
  EXPECT_NEAR(best.f, c.minCoeff(), 1e-12);
}

TEST(SparseQp, TheTimeLimitReachesTheRoot) {
  Random random(5);
  const Matrix B = random.normal_matrix(900, 900);
  const SparseQp p{
      .Q = Matrix(B * B.transpose() / 900.0 + Matrix::Identity(900, 900)), .c = random.normal_vector(900), .s = 10};
  const Result whole = solve_sparse_qp(p, {.seconds = 0.0});
  EXPECT_EQ(whole.status, Status::max_time);
  EXPECT_TRUE(whole.has_point());
  EXPECT_LE(whole.bound, whole.f);
  EXPECT_LE(whole.times.total, 2.0 * testing::patience);
}

TEST(SparseQp, ObserverSeesTheGapCloseAndMayStop) {
  const SparseQp p = sixty_assets(3);
  double last = -infinity;
  SparseQpOptions options;
  int calls = 0;
  options.observer = [&](const SparseQpProgress& progress) {
    EXPECT_GE(progress.bound, last - 1e-12);
    EXPECT_LE(progress.bound, progress.f);
    last = progress.bound;
    ++calls;
    return progress.nodes < 64;
  };
  const Result result = solve_sparse_qp(p, options);
  EXPECT_EQ(calls > 0, result.counts.nodes >= 64);
  EXPECT_TRUE(calls == 0 || result.status == Status::interrupted);
  EXPECT_TRUE(result.has_point());
}

TEST(SparseQp, ScalesOverManyOrdersOfMagnitude) {
  const SparseQp p = sixty_assets(5);
  const Result base = solve_sparse_qp(p);
  for (const double factor : {1e-12, 1e-6, 1e6, 1e12}) {
    SparseQp scaled = p;
    scaled.Q = factor * p.Q.dense();
    scaled.c = factor * p.c;
    const Result result = solve_sparse_qp(scaled);
    EXPECT_EQ(result.status, Status::optimal) << factor;
    EXPECT_EQ(result.sparse().support, base.sparse().support) << factor;
    EXPECT_NEAR(result.f / factor, base.f, 1e-9 * std::abs(base.f)) << factor;
  }
}

TEST(SparseQp, PathFallsWithEverySize) {
  const SparseQp p = sixty_assets(7);
  const auto path = sparse_qp_path(p, {1, 2, 3, 5, 60});
  for (std::size_t k = 0; k < path.size(); ++k) {
    EXPECT_EQ(path[k].status, Status::optimal) << k;
    EXPECT_LE(path[k].f, k == 0 ? infinity : path[k - 1].f);
  }
  EXPECT_EQ(path[2].sparse().support, solve_sparse_qp([&] {
                                        SparseQp three = p;
                                        three.s = 3;
                                        return three;
                                      }())
                                          .sparse()
                                          .support);
}

TEST(SparseQp, SaysWhyNothingIsFeasible) {
  SparseQp p = SparseQp::on_simplex(Matrix(Matrix::Identity(4, 4)), Vector::Zero(4), 2);
  p.constraints.A = -Matrix::Ones(1, 4);
  p.constraints.b = Vector::Constant(1, -2.0);  // Σx ≥ 2 and Σx = 1
  const Result whatever = solve_sparse_qp(p);
  EXPECT_EQ(whatever.status, Status::infeasible);
  EXPECT_NE(whatever.message.find("A[0], E[0]"), std::string::npos) << whatever.message;
  p.constraints.A = Matrix(0, 4);
  p.constraints.b = Vector(0);
  p.constraints.upper = Vector::Constant(4, 0.3);  // needs four of them
  const Result few = solve_sparse_qp(p);
  EXPECT_EQ(few.status, Status::infeasible);
  EXPECT_NE(few.message.find("at most s = 2"), std::string::npos) << few.message;
}

TEST(SparseQp, AStartNeverAddsToWhatSAllows) {
  const Matrix I = Matrix::Identity(6, 6);
  Vector c(6);
  c << 0.0, -1.0, -2.0, -3.0, -4.0, -5.0;
  const SparseQp p{.Q = I, .c = c, .s = 2, .forced_in = {0}};
  const Result started = solve_sparse_qp(p, {.start = {1, 2}});
  EXPECT_DOUBLE_EQ(started.f, -12.5);
  EXPECT_EQ(started.sparse().support, (std::vector<Index>{5}));
  const auto path = sparse_qp_path(p, {4, 3, 2});
  EXPECT_DOUBLE_EQ(path[1].f, -20.5);
  EXPECT_DOUBLE_EQ(path[2].f, -12.5);
}

TEST(SparseQp, OneBadlyScaledVariableExcusesNoGap) {
  Random random(4);
  const Matrix B = random.normal_matrix(20, 20);
  Matrix Q = B * B.transpose() + 0.1 * Matrix::Identity(20, 20);
  Q.row(0).setZero();
  Q.col(0).setZero();
  Q(0, 0) = 1e-16;
  Vector c = 3.0 * random.normal_vector(20);
  c[0] = 0.1;
  SparseQp p{.Q = 0.5 * (Q + Q.transpose()), .c = c, .s = 5, .constraints = LinearConstraints::none(20)};
  p.constraints.lower.setConstant(-1.0);
  p.constraints.upper.setConstant(1.0);
  p.constraints.lower[0] = -1e-3;
  p.constraints.upper[0] = 1e-3;
  const Result with = solve_sparse_qp(p);
  p.forced_out = {0};
  const Result without = solve_sparse_qp(p);
  ASSERT_EQ(without.status, Status::optimal);
  EXPECT_LE(with.bound, without.f + 1e-9);
  EXPECT_LE(with.f, without.f + 1e-8 * std::abs(without.f));
}

TEST(SparseQp, LinearProblemsOverBoundedSetsAreCertified) {
  Random random(9);
  for (int k = 0; k < 10; ++k) {
    SparseQp p = SparseQp::on_simplex(Matrix(Matrix::Zero(20, 20)), random.normal_vector(20), 3);
    p.constraints.upper.setConstant(0.5);
    const Result result = solve_sparse_qp(p);
    Vector sorted = p.c;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(result.status, Status::optimal) << result.message << " bound " << result.bound;
    EXPECT_NEAR(result.f, 0.5 * (sorted[0] + sorted[1]), 1e-12);
  }
}

TEST(SparseQp, HugeSIsNoConstraint) {
  SparseQp p = sixty_assets(5);
  p.s = 60;
  const double f = solve_sparse_qp(p).f;
  p.s = std::numeric_limits<Index>::max();
  const Result result = solve_sparse_qp(p);
  EXPECT_EQ(result.status, Status::optimal);
  EXPECT_EQ(result.f, f);
}

TEST(SparseQp, ContradictionsFoundLateCrashNothing) {
  SparseQp p{.Q = Matrix(Matrix::Zero(3, 3)),
             .c = (Vector(3) << -0.5, 0.2, -0.1).finished(),
             .s = 2,
             .constraints = LinearConstraints::none(3)};
  p.constraints.lower.setConstant(-2.0);
  p.constraints.upper.setConstant(2.0);
  p.constraints.E = (Matrix(1, 3) << 0.0, -3.0, 0.0).finished();
  p.constraints.d = Vector::Constant(1, 0.05);
  const Result result = solve_sparse_qp(p, {.penalty_start = false});
  EXPECT_NEAR(result.f, -1.0 - 0.2 * 0.05 / 3.0, 1e-9) << result.message;
}

TEST(SparseQp, AsksPdlmWhereBranchAndBoundCannotHelp) {
  Random random(31);
  const Index rows = 50, n = 150, s = 6;  // no bound: Q is singular
  Matrix A = random.normal_matrix(rows, n);
  for (Index j = 1; j < n; ++j) A.col(j) = 0.9 * A.col(j - 1) + 0.4 * A.col(j);
  Vector x = Vector::Zero(n);
  for (Index k = 0; k < s; ++k) x[(7 * k + 31) % n] = k % 2 == 0 ? -1.0 : 1.0;
  const Vector b = A * x + 2.0 * random.normal_vector(rows);
  const SparseQp p{.Q = Matrix(A.transpose() * A / rows), .c = -A.transpose() * b / rows, .s = s};
  for (const Index nodes : {Index{100}, std::numeric_limits<Index>::max()})
    EXPECT_LT(solve_sparse_qp(p, {.nodes = nodes}).f,
              solve_sparse_qp(p, {.penalty_start = false, .nodes = nodes}).f - 0.1);
}

TEST(SparseQp, TellsThatFIsUnbounded) {
  const SparseQp p{.Q = Matrix(Matrix::Zero(3, 3)), .c = Vector::Constant(3, 1.0), .s = 1};
  EXPECT_EQ(solve_sparse_qp(p).status, Status::unbounded);
}

/// −0.8 z ≤ x ≤ 0.6 z with z ∈ {0, 1}², z before x.
SparseQp two_switches(const Vector& q, const Vector& c) {
  SparseQp p{.Q = Operator::diagonal((Vector(4) << 0.0, 0.0, q).finished()), .c = c, .s = 2, .groups = {{0}, {1}}};
  p.constraints = LinearConstraints::none(4);
  p.constraints.lower.head(2).setOnes();
  p.constraints.upper.head(2).setOnes();
  const Matrix I = Matrix::Identity(2, 2);
  p.constraints.A = (Matrix(4, 4) << -0.6 * I, I, -0.8 * I, -I).finished();
  p.constraints.b = Vector::Zero(4);
  return p;
}

TEST(SparseQp, SwitchesThatAreOffLeaveRowsOfNothingButZeros) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const Vector q = random.uniform_vector(2, 1.0, 6.0), c = random.normal_vector(4);
    SparseQp p = two_switches(q, c);
    double best = 0.0;
    for (Index i = 0; i < 2; ++i) {
      const double x = std::clamp(-c[2 + i] / q[i], -0.8, 0.6);
      best += std::min(0.0, c[i] + 0.5 * q[i] * x * x + c[2 + i] * x);
    }
    Result result = solve_sparse_qp(p);
    EXPECT_NEAR(result.f, best, 1e-9);
    EXPECT_TRUE(result.status == Status::optimal || (best == 0.0 && result.bound > -1e-15)) << result.message;

    p.constraints.E = (Matrix(1, 4) << 0.0, 0.0, 1.0, 1.0).finished();  // x₁ + x₂ = 0.27
    p.constraints.d = Vector::Constant(1, 0.27);
    best = infinity;
    for (const auto& [on, off] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}}) {
      const double low = std::max(-0.8 * on, 0.27 - 0.6 * off), high = std::min(0.6 * on, 0.27 + 0.8 * off);
      const double x = std::clamp((0.27 * q[1] - c[2] + c[3]) / (q[0] + q[1]), low, high), y = 0.27 - x;
      best = std::min(best, c[0] * on + c[1] * off + 0.5 * (q[0] * x * x + q[1] * y * y) + c[2] * x + c[3] * y);
    }
    result = solve_sparse_qp(p);
    EXPECT_NEAR(result.f, best, 1e-9);
    EXPECT_EQ(result.status, Status::optimal) << result.message;
  }
}

TEST(SparseQp, SurvivesNumbersWhoseProductsOverflowOrUnderflow) {
  const auto solve = [](double Q, double c) {
    return solve_sparse_qp({.Q = Matrix(Matrix::Constant(1, 1, Q)), .c = Vector::Constant(1, c), .s = 1});
  };
  for (const auto& r : {solve(1e-160, 1e150), solve(5e-324, 5e-324), solve(1e150, 1e-160), solve(1e-310, 1e300)}) {
    EXPECT_FALSE(std::isnan(r.f)) << r.message;
    EXPECT_LE(r.bound, r.f);
  }
}

TEST(SparseQp, RoundingBeyondTheGapAskedForIsNoProof) {
  Matrix Q = Matrix::Identity(2, 2);
  Q(1, 1) = -1e-16;
  SparseQp p{.Q = Q, .c = Vector::Zero(2), .s = 1, .constraints = LinearConstraints::none(2)};
  p.constraints.lower.setConstant(-1e9);
  p.constraints.upper.setConstant(1e9);
  const Result wide = solve_sparse_qp(p);                     // the minimum is −50
  EXPECT_EQ(wide.status, Status::converged) << wide.message;  // 0 is stationary, and nothing is proved
  EXPECT_GT(wide.gap(), 1.0);
  EXPECT_LE(wide.bound, -50.0);
  p.constraints.lower.setConstant(-1.0);
  p.constraints.upper.setConstant(1.0);
  const Result narrow = solve_sparse_qp(p);  // the minimum is −5e-17
  EXPECT_TRUE(narrow.status != Status::optimal || narrow.f < 0.0) << narrow.message;
  EXPECT_LE(narrow.bound, -5e-17);
}

TEST(SparseQp, AConstantDoesNotProveWhatWasNotSearched) {
  Random random(9);
  const Index n = 15;
  const Matrix B = random.normal_matrix(n, n);
  SparseQp p{.Q = Matrix(B * B.transpose()),
             .c = Vector::Zero(n),
             .s = 4,
             .constraints = LinearConstraints::none(n),
             .constant = -5.0};
  p.constraints.lower.setZero();
  p.constraints.upper.setConstant(1.0);
  p.constraints.E = Matrix::Ones(1, n);
  p.constraints.d = Vector::Ones(1);
  const Result early = solve_sparse_qp(p, {.nodes = 0}), late = solve_sparse_qp(p);
  EXPECT_LE(early.bound, late.f);
  EXPECT_TRUE(early.status != Status::optimal || early.f <= late.f + 1e-9 * std::abs(late.f));
  EXPECT_LT(early.bound, early.f - 1e-6);
}

TEST(SparseQp, BoundsHoldForAllDataWithinTheErrorGiven) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const Index n = 4;
    const Matrix B = random.normal_matrix(n, n + 2);
    SparseQp p{.Q = Matrix(B * B.transpose()), .c = random.normal_vector(n), .s = 2, .constant = 1.0};
    p.error = {.Q = 1e-3, .c = Vector::Constant(n, 1e-2), .constant = 1e-2};
    const double bound = solve_sparse_qp(p).bound;
    SparseQp other = p;
    const Vector root = p.Q.dense().diagonal().cwiseSqrt();
    Matrix noise = random.normal_matrix(n, n).array().max(-1.0).min(1.0).matrix();
    noise = (0.5 * (noise + noise.transpose())).eval();
    other.Q = Matrix(p.Q.dense() + 1e-3 * root.asDiagonal() * noise * root.asDiagonal());
    other.c += 1e-2 * random.uniform_vector(n, -1.0, 1.0);
    other.constant -= 1e-2;
    other.error = {};
    EXPECT_LE(bound, solve_sparse_qp(other).f);
  }
}

/// Correlated features, low signal: y = Xβ + noise with cov(x_i, x_j) = ρ^|i−j|.
struct WeakSignal {
  Matrix X;
  Vector y;
};

WeakSignal weak_signal(Index m, Index p, Index s, double rho, double ratio, std::uint64_t seed) {
  Random random(seed);
  WeakSignal w{random.normal_matrix(m, p), {}};
  for (Index j = 1; j < p; ++j) w.X.col(j) = rho * w.X.col(j - 1) + std::sqrt(1.0 - rho * rho) * w.X.col(j);
  Vector beta = Vector::Zero(p);
  for (Index k = 0; k < s; ++k) beta[k * p / s] = 1.0;
  const Vector signal = w.X * beta;
  const double noise = std::sqrt(signal.squaredNorm() / static_cast<double>(m) / ratio);
  w.y = signal + noise * random.normal_vector(m);
  return w;
}

TEST(SparseQp, AConstantChangesNothingAndRegressionTakesTheSameNodes) {
  const auto [X, y] = weak_signal(200, 60, 8, 0.5, 0.5, 1);
  SparseQp p{.Q = Matrix(X.transpose() * X), .c = -X.transpose() * y, .s = 8};
  const Result plain = solve_sparse_qp(p);
  ASSERT_EQ(plain.status, Status::optimal) << plain.message;
  p.constant = 0.5 * y.squaredNorm();
  const Result shifted = solve_sparse_qp(p);
  EXPECT_EQ(shifted.status, Status::optimal);
  EXPECT_EQ(shifted.counts.nodes, plain.counts.nodes);
  EXPECT_EQ(shifted.sparse().support, plain.sparse().support);
  const Result fit = sparse_regression(X, y, 8, {.intercept = false, .nodes = 2 * plain.counts.nodes});
  EXPECT_TRUE(fit.status == Status::optimal) << to_string(fit.status);
  EXPECT_EQ(fit.sparse().support, plain.sparse().support);
}

TEST(SparseQp, RefusesWhatMakesNoSense) {
  const Matrix I = Matrix::Identity(3, 3);
  const Vector c = Vector::Ones(3);
  const auto field = [](const SparseQp& p) -> std::string {
    try {
      solve_sparse_qp(p);
    } catch (const InvalidArgument& error) {
      return error.field();
    }
    return "accepted";
  };
  Matrix indefinite = I;
  indefinite(2, 2) = -1.0;
  Matrix asymmetric = I;
  asymmetric(0, 1) = 0.5;
  Vector nan = c;
  nan[1] = std::nan("");
  EXPECT_EQ(field({.Q = indefinite, .c = c, .s = 1}), "SparseQp.Q");
  EXPECT_EQ(field({.Q = asymmetric, .c = c, .s = 1}), "SparseQp.Q(0, 1)");
  EXPECT_EQ(field({.Q = I, .c = nan, .s = 1}).substr(0, 10), "SparseQp.c");
  EXPECT_EQ(field({.Q = I, .c = c, .s = -1}), "SparseQp.s");
  EXPECT_EQ(field({.Q = I, .c = c, .s = 1, .groups = {{0, 1}, {1, 2}}}), "SparseQp.groups");
  EXPECT_EQ(field({.Q = I, .c = c, .s = 1, .forced_in = {3}}), "SparseQp.forced_in");
  EXPECT_EQ(field({.Q = I, .c = c, .s = 1, .forced_in = {0, 1}}), "SparseQp.forced_in");
  EXPECT_EQ(field({.Q = I, .c = c, .s = 1, .forced_in = {0}, .forced_out = {0}}), "SparseQp.forced_out");
  LinearConstraints wrong = LinearConstraints::none(3);
  wrong.A = Matrix::Ones(2, 3);
  EXPECT_EQ(field({.Q = I, .c = c, .s = 1, .constraints = wrong}), "SparseQp.constraints.b");
  EXPECT_EQ(field({.Q = I, .c = c, .s = 4}), "accepted");  // s > n is no constraint
}

}  // namespace
}  // namespace pendec
