// The front door: solve() finds the class of a problem, however it is stated, and proves what can be proved.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/instances.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/io/result_file.hpp"
#include "pendec/pendec.hpp"
#include "tests/reference/exact_qp.hpp"
#include "tests/reference/sparse_enumeration.hpp"
#include "tests/support/data.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

/// ½‖Ax − b‖², few nonzeros, and rows: what every statement below says in its own way.
struct Instance {
  Matrix A;
  Vector b;
  SparseQp qp;

  Index n() const { return A.cols(); }
  double constant() const { return 0.5 * b.squaredNorm(); }
};

/// Entries of few digits, with which Gram matrices are exact and every statement has the same numbers; or any.
Matrix entries_of(Random& random, Index rows, Index cols, bool plain) {
  Matrix out(rows, cols);
  for (double& entry : out.reshaped()) {
    entry = random.uniform(-3.0, 3.0);
    if (plain) entry = std::round(entry * 4.0) / 4.0;
  }
  return out;
}

Instance random_instance(std::uint64_t seed, bool simplex) {
  Random random(seed);
  Instance out;
  const Index n = 4 + random.below(3);
  const bool plain = random.below(2) == 0;
  out.A = entries_of(random, n + 1 + random.below(3), n, plain);
  out.b = entries_of(random, out.A.rows(), 1, plain);
  out.qp = {.Q = Matrix(out.A.transpose() * out.A),
            .c = -out.A.transpose() * out.b,
            .s = 1 + random.below(3),
            .constraints = LinearConstraints::none(n)};
  if (simplex) out.qp = SparseQp::on_simplex(out.qp.Q, out.qp.c, out.qp.s);
  return out;
}

Objective quadratic(const Instance& p) { return Quadratic(p.qp.Q, p.qp.c); }
Objective least_squares(const Instance& p) { return LeastSquares(p.A, p.b); }
Objective with_ridge_of_zero(const Instance& p) {
  return Sum({{1.0, least_squares(p)}, {0.0, SquaredDistance(Vector::Zero(p.n()))}});
}

/// f at the point, without the constant that the statement may add.
void expect_optimum(const Problem& problem, double constant, long double least, const std::string& statement) {
  const Result r = solve(problem, Vector::Constant(problem.dimension(), 0.1));
  ASSERT_EQ(r.route, "sparse_qp") << statement;
  ASSERT_EQ(r.status, Status::optimal) << statement << ": " << r.message;
  const double best = static_cast<double>(least), size = std::max(1.0, std::abs(best));
  EXPECT_NEAR(r.f - constant, best, 1e-8 * size) << statement;
  EXPECT_LE(r.bound - constant, best + 1e-9 * size) << statement;
  EXPECT_LE(r.certificate.relative_infeasibility(), 1e-9) << statement;
  for (const Claim& claim : verify(problem, r))
    EXPECT_TRUE(claim.holds) << statement << ": " << claim.name << " " << claim.claimed << " / " << claim.found;
}

/// The same problem with its variables in another order.
Problem permuted(const Instance& p, Random& random, const Set& D) {
  std::vector<Index> order(static_cast<std::size_t>(p.n()));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index k = p.n() - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);
  Matrix A(p.A.rows(), p.n());
  A(Eigen::all, order) = p.A;  // variable k of p is variable order[k] here
  return {.f = LeastSquares(A, p.b), .D = Indexed(p.n(), order, D)};
}

nlohmann::json entries(In v) {
  nlohmann::json out = nlohmann::json::array();
  for (const double entry : v) out.push_back(std::isfinite(entry) ? nlohmann::json(entry) : nlohmann::json(nullptr));
  return out;
}

nlohmann::json listed(const Matrix& A) {
  nlohmann::json out = nlohmann::json::array();
  for (Index i = 0; i < A.rows(); ++i) out.push_back(entries(Vector(A.row(i))));
  return out;
}

/// The quadratic with a set and rows as a file says it.
Problem from_file(const Instance& p, nlohmann::json D, nlohmann::json rest = nlohmann::json::object()) {
  rest["pendec"] = 1;
  rest["objective"] = {{"type", "quadratic"}, {"Q", listed(p.qp.Q.dense())}, {"c", entries(p.qp.c)}};
  rest["D"] = std::move(D);
  return io::parse_problem(rest.dump(), ".").problem;
}

class Statements : public ::testing::TestWithParam<int> {};

TEST_P(Statements, OfFewNonzerosTakeOneRouteToTheSameOptimum) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    Random random(977 * seed + static_cast<std::uint64_t>(GetParam()));
    Instance p = random_instance(random.below(1 << 30), false);
    const Index n = p.n(), s = p.qp.s;
    const bool boxed = random.below(2) == 1;
    if (boxed) {
      p.qp.constraints.lower = Vector::Constant(n, -0.5);
      p.qp.constraints.upper = Vector::Constant(n, 0.75);
    }
    const bool row = random.below(2) == 1;
    if (row) {
      p.qp.constraints.A = entries_of(random, 1, n, true);
      p.qp.constraints.b = Vector::Constant(1, 0.5);
    }
    const auto least = reference::enumerate(p.qp, reference::Precision::extended);
    const Set few = Sparse(n, s), box = Box(p.qp.constraints.lower, p.qp.constraints.upper);
    const Set few_in_box = SparseBox(p.qp.constraints.lower, p.qp.constraints.upper, s);
    const auto with_row = [&](Problem problem) {
      if (row) {
        problem.G = Affine(p.qp.constraints.A);
        problem.C = halfspace(Vector::Ones(1), p.qp.constraints.b[0]);
      }
      return problem;
    };
    expect_optimum(with_row({.f = quadratic(p), .D = few_in_box}), 0.0, least, "quadratic, sparse box");
    expect_optimum(with_row({.f = least_squares(p), .D = few_in_box}), p.constant(), least, "least squares");
    expect_optimum(with_row({.f = with_ridge_of_zero(p), .D = few_in_box}), p.constant(), least, "sum");
    const nlohmann::json in_file = boxed ? nlohmann::json{{"type", "sparse_box"},
                                                          {"lower", entries(p.qp.constraints.lower)},
                                                          {"upper", entries(p.qp.constraints.upper)},
                                                          {"s", s}}
                                         : nlohmann::json{{"type", "sparse"}, {"n", n}, {"s", s}};
    nlohmann::json row_in_file = nlohmann::json::object();
    if (row) {
      row_in_file["G"] = {{"type", "affine"}, {"A", listed(p.qp.constraints.A.dense())}};
      row_in_file["C"] = {{"type", "box"}, {"upper", p.qp.constraints.b[0]}, {"n", 1}};
    }
    expect_optimum(from_file(p, in_file, row_in_file), 0.0, least, "file");
    Matrix rows(n + 1, n);
    rows << Matrix::Identity(n, n), (row ? p.qp.constraints.A.dense() : Matrix(Matrix::Zero(1, n)));
    Vector low(n + 1), high(n + 1);
    low << p.qp.constraints.lower, -infinity;
    high << p.qp.constraints.upper, 0.5;
    expect_optimum({.f = quadratic(p), .G = Affine(rows), .C = Box(low, high), .D = few}, 0.0, least,
                   "the box as rows");
    if (!row) {
      expect_optimum(permuted(p, random, few_in_box), p.constant(), least, "permuted");
      const Vector t = Vector::LinSpaced(n, 0.25, 3.0);
      expect_optimum(
          {.f = LeastSquares(p.A * t.asDiagonal(), p.b),
           .D = SparseBox(p.qp.constraints.lower.cwiseQuotient(t), p.qp.constraints.upper.cwiseQuotient(t), s)},
          p.constant(), least, "scaled");
    }
  }
}

TEST_P(Statements, OfTheSimplexTakeOneRouteToTheSameOptimum) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    Random random(1009 * seed + static_cast<std::uint64_t>(GetParam()));
    const Instance p = random_instance(random.below(1 << 30), true);
    const Index n = p.n(), s = p.qp.s;
    const auto least = reference::enumerate(p.qp, reference::Precision::extended);
    const Set few = Sparse(n, s);
    expect_optimum({.f = quadratic(p), .D = SparseSimplex(n, s)}, 0.0, least, "sparse simplex");
    expect_optimum({.f = least_squares(p), .D = SparseSimplex(n, s)}, p.constant(), least, "least squares");
    expect_optimum({.f = quadratic(p), .G = Selection::identity(n), .C = Simplex(n), .D = few}, 0.0, least,
                   "simplex as C");
    expect_optimum({.f = quadratic(p),
                    .G = Stack({Selection::identity(n), Affine(Matrix(Matrix::Ones(1, n)))}),
                    .C = Product({Box::nonnegative(n), Singleton(Vector::Ones(1))}),
                    .D = few},
                   0.0, least, "simplex through rows");
    expect_optimum({.f = least_squares(p),
                    .G = Affine(Matrix(Matrix::Ones(1, n)), Vector::Constant(1, -1.0)),
                    .C = Singleton(Vector::Zero(1)),
                    .D = SparseBox::nonnegative(n, s)},
                   p.constant(), least, "nonnegative, and a row with a shift");
    expect_optimum(permuted(p, random, SparseSimplex(n, s)), p.constant(), least, "permuted");
    expect_optimum(from_file(p, {{"type", "sparse_simplex"}, {"n", n}, {"s", s}}), 0.0, least, "file");
  }
}

INSTANTIATE_TEST_SUITE_P(Route, Statements, ::testing::Range(0, 8));

TEST(Route, GroupsAndFreeCoordinatesAreRecognised) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Instance p = random_instance(seed, false);
    const Index n = p.n();
    p.qp.groups = {{0, 1}, {2}};
    p.qp.s = 1;
    const auto least = reference::enumerate(p.qp, reference::Precision::extended);
    expect_optimum({.f = quadratic(p), .D = GroupSparse(n, p.qp.groups, 1)}, 0.0, least, "groups");
    const Set blocks = Product({GroupSparse(2, {{0, 1}}, 1), Sparse(1, 1), Free(n - 3)});
    const Result r = solve({.f = quadratic(p), .D = blocks}, Vector::Zero(n));
    EXPECT_TRUE(r.success());
  }
}

TEST(Route, SemicontinuousVariablesEqualEnumeration) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Instance p = random_instance(seed, false);
    p.qp.constraints.lower = Vector::Constant(p.n(), 0.5);
    p.qp.constraints.upper = Vector::Constant(p.n(), 2.0);
    const auto least = reference::enumerate(p.qp, reference::Precision::extended);
    const Set D = SparseBox(p.qp.constraints.lower, p.qp.constraints.upper, p.qp.s);
    expect_optimum({.f = quadratic(p), .D = D}, 0.0, least, "semicontinuous");
  }
}

/// Blocks of two or three variables with a count each, some variables in none.
std::vector<std::vector<Index>> blocks_of(Random& random, Index n, std::vector<Index>& counts) {
  std::vector<std::vector<Index>> groups(2);
  for (Index i = 0; i < n; ++i)
    if (const Index g = random.below(5); g < 4) groups[static_cast<std::size_t>(g / 2)].push_back(i);
  counts = {random.below(3), 1 + random.below(2)};
  return groups;
}

TEST(Route, CountsOfGroupsEqualEnumeration) {
  Index compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Instance p = random_instance(seed, seed % 3 == 0);
    const Index n = p.n();
    p.qp.s = 1 + random.below(n);
    std::vector<Index> counts;
    const auto groups = blocks_of(random, n, counts);
    for (std::size_t g = 0; g < groups.size(); ++g) p.qp.budgets.push_back({groups[g], counts[g]});
    const bool semicontinuous = seed % 3 == 1;
    if (semicontinuous) {
      p.qp.constraints.lower = Vector::Constant(n, 0.25);
      p.qp.constraints.upper = Vector::Constant(n, 1.5);
    }
    const auto least = reference::enumerate(p.qp, reference::Precision::extended);
    if (std::isinf(least)) continue;  // Σx = 1 and nothing to choose
    Problem problem{
        .f = quadratic(p),
        .D = GroupCounts(p.qp.constraints.lower, p.qp.constraints.upper, groups, counts, std::min(p.qp.s, n))};
    if (problem.D.convex()) continue;  // no count is less than there are variables
    if (seed % 3 == 0) problem.G = Affine(Matrix(Matrix::Ones(1, n))), problem.C = Singleton(Vector::Ones(1));
    expect_optimum(problem, 0.0, least, "counts, seed " + std::to_string(seed));
    Problem other = permuted(p, random, problem.D);
    other.G = problem.G, other.C = problem.C;  // Σx, in any order
    expect_optimum(other, p.constant(), least, "counts in another order, seed " + std::to_string(seed));
    ++compared;
  }
  EXPECT_GE(compared, 100);
}

TEST(Route, ProductsOfSparseSetsHaveACountEach) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Instance p = random_instance(seed, false);
    const Index n = p.n();
    p.qp.s = n;
    p.qp.budgets = {{{0, 1}, 1}, {{2, 3}, 1}};
    p.qp.groups.clear();
    for (Index i = 0; i < 4; ++i) p.qp.groups.push_back({i});
    const auto least = reference::enumerate(p.qp, reference::Precision::extended);
    std::vector<Set> blocks{Sparse(2, 1), Sparse(2, 1)};
    if (n > 4) blocks.push_back(Free(n - 4));
    expect_optimum({.f = quadratic(p), .D = Product(blocks)}, 0.0, least, "product");
  }
}

TEST(Route, SectorsWithTwoAssetsEachAreProved) {
  PENDEC_REQUIRE_DATA(data);
  for (const char* name : {"DTS3", "FF48"}) {
    const auto qp = experiments::read_portfolio(data, name);
    const Index n = qp.c.size(), sectors = 10;
    std::vector<std::vector<Index>> groups(static_cast<std::size_t>(sectors));
    for (Index i = 0; i < n; ++i) groups[static_cast<std::size_t>(i * sectors / n)].push_back(i);
    const Problem problem{.f = Quadratic(qp.Q, qp.nu * qp.c),
                          .G = Affine(Matrix(Matrix::Ones(1, n))),
                          .C = Singleton(Vector::Ones(1)),
                          .D = GroupCounts(Vector::Zero(n), Vector::Constant(n, infinity), groups,
                                           std::vector<Index>(groups.size(), 2), std::min<Index>(n, 10))};
    const Result r = solve(problem, Vector::Constant(n, 1.0 / static_cast<double>(n)));
    EXPECT_EQ(r.status, Status::optimal) << name << ": " << r.message;
    for (const auto& group : groups) EXPECT_LE((r.y(group).array() != 0.0).count(), 2);
  }
}

TEST(Route, TheWorkOfTheSolverIsTheResults) {
  Random random(3);
  const Matrix A = random.normal_matrix(40, 20);
  const Result r = solve({.f = LeastSquares(A, random.normal_vector(40)), .D = Sparse(20, 3)}, Vector::Zero(20));
  EXPECT_EQ(r.status, Status::optimal);
  EXPECT_GT(r.counts.nodes, 0);
}

TEST(Route, ToBoundTheRoundingOfAGramMatrixTakesNoTime) {
  Random random(1);
  const Index n = testing::rounds(800, 100);
  const Matrix A = random.normal_matrix(5 * n, n);
  const Objective f = Quadratic(Operator(A).gram(), random.normal_vector(n));
  const Result r = solve({.f = f, .D = Sparse(n, 10)}, Vector::Zero(n), {.limits = {.seconds = 0.2}});
  EXPECT_LE(r.times.total, (0.2 * 1.1 + 0.5) * testing::patience);
}

TEST(Route, AProofEndsAtTheGapThatIsAskedFor) {
  Random random(5);
  const Index n = 30;
  const Matrix B = random.normal_matrix(n, n);
  const Problem problem{.f = Quadratic(Matrix(B.transpose() * B), Vector(3.0 * random.normal_vector(n))),
                        .D = SparseBox(Vector::Constant(n, -1.0), Vector::Constant(n, 1.0), 6)};
  const Result whole = solve(problem, Vector::Zero(n));
  ASSERT_EQ(whole.status, Status::optimal) << summary(whole);
  Options options;
  options.driver.gap = 0.3;
  const Result part = solve(problem, Vector::Zero(n), options);
  EXPECT_EQ(part.status, Status::gap_limit) << summary(part);
  EXPECT_LE(part.gap(), 0.3);
  EXPECT_LE(part.bound, whole.f);
  EXPECT_LT(part.counts.nodes, whole.counts.nodes);
}

TEST(Route, AProvedZeroHasAGap) {
  const Result r = solve({.f = SquaredDistance(Vector{{0.2, 0.0}}), .D = Sparse(2, 1)}, Vector::Zero(2));
  EXPECT_EQ(r.status, Status::optimal);
  EXPECT_LE(r.bound, r.f);
  EXPECT_LE(r.gap(), 1e-12);
}

TEST(Route, WhatIsVerifiedIsSaidOnce) {
  Random random(3);
  const Matrix A = random.normal_matrix(40, 30);
  Options options;
  options.driver.proof_seconds = 1e-9;
  const Result r =
      solve({.f = LeastSquares(A, random.normal_vector(40)), .D = Sparse(30, 5)}, Vector::Zero(30), options);
  EXPECT_EQ(r.message.find("verified"), r.message.rfind("verified")) << r.message;
}

TEST(Route, ConstraintsWithoutAPointAreInfeasible) {
  const Result r = solve({.f = SquaredDistance(Vector::Ones(3)),
                          .G = Selection::identity(3),
                          .C = Box(Vector::Constant(3, 0.5), Vector::Ones(3)),
                          .D = Sparse(3, 2)},
                         Vector::Zero(3));
  EXPECT_NE(r.status, Status::optimal);
  Matrix rows(2, 3);
  rows << 1, 1, 1, 1, 1, 1;
  const Result contradiction = solve({.f = SquaredDistance(Vector::Ones(3)),
                                      .G = Affine(rows),
                                      .C = Singleton(Vector::LinSpaced(2, 0.0, 1.0)),
                                      .D = Sparse(3, 2)},
                                     Vector::Zero(3));
  EXPECT_EQ(contradiction.status, Status::infeasible) << contradiction.message;
  EXPECT_EQ(contradiction.route, "sparse_qp");
}

/// Rows of C combine those of G, all but cancel, and are computed with an error far larger than what is left of them:
/// a point that satisfies them exactly is never excluded.
TEST(Route, RowsThatHadToBeComputedExcludeNoFeasiblePoint) {
  Index proved = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const Index n = 3;
    Matrix J(2, n);
    J.row(0) = random.normal_vector(n).transpose();
    J.row(1) = J.row(0) + 1e-13 * random.normal_vector(n).transpose();
    Matrix weights{{0.1, -0.1}};
    weights(0, 1) *= 1.0 + 1e-13 * random.normal();
    Vector point = Vector::Zero(n);
    point[random.below(n)] = random.uniform(-1.0, 1.0);
    reference::Quad value = 0;
    for (Index j = 0; j < 2; ++j)
      for (Index i = 0; i < n; ++i) value += reference::Quad(weights(0, j)) * J(j, i) * point[i];
    const double right = std::nextafter(static_cast<double>(value), infinity);
    const Map G =
        seed % 2 == 0 ? Map(Affine(J)) : Map(Composition(Affine(J), Affine(Matrix(Matrix::Identity(n, n)))));
    const Problem problem{.f = SquaredDistance(point),
                          .G = G,
                          .C = Polyhedron(weights, Vector::Constant(1, right)),
                          .D = SparseBox(Vector::Constant(n, -2.0), Vector::Constant(n, 2.0), 1)};
    const Result r = solve(problem, Vector::Zero(n));
    EXPECT_NE(r.status, Status::infeasible) << seed;
    EXPECT_LE(r.bound, 0.0) << seed;
    EXPECT_LE(r.f, 1e-12) << seed << ": " << r.message;
    proved += r.status == Status::optimal;
  }
  EXPECT_EQ(proved, 100) << "and they do prove";
}

TEST(Route, NothingIsProvedByComputedRowsOfUnboundedVariables) {
  const Matrix J{{0.1, 0.3}, {0.7, 0.9}};
  const Problem problem{.f = SquaredDistance(Vector::Ones(2)),
                        .G = Affine(J),
                        .C = Polyhedron(Matrix{{0.3, 0.1}}, Vector::Ones(1)),
                        .D = Sparse(2, 1)};
  const Result r = solve(problem, Vector::Zero(2));
  EXPECT_EQ(r.status, Status::converged) << r.message;
  EXPECT_EQ(r.bound, 0.0);  // as every sum of squares has
}

TEST(Route, AnIndefiniteQuadraticGoesToTheGeneralMethods) {
  Matrix Q = Matrix::Identity(4, 4);
  Q(0, 0) = -1.0;
  const Problem problem{.f = Quadratic(Q, Vector::Ones(4)),
                        .D = SparseBox(Vector::Constant(4, -1.0), Vector::Ones(4), 2)};
  const Result r = solve(problem, Vector::Zero(4));
  EXPECT_EQ(r.route, "general");
  ASSERT_FALSE(r.why_not.empty());
  EXPECT_EQ(r.why_not.front().route, "sparse_qp");
  EXPECT_EQ(r.why_not.front().reason, "f is quadratic, but not convex");
  EXPECT_EQ(r.status, Status::converged) << r.message;
}

TEST(Route, AUnionOfPolyhedraIsProved) {
  const std::vector<Set> parts{Box(Vector::Constant(2, 1.0), Vector::Constant(2, 2.0)),
                               Box(Vector::Constant(2, -3.0), Vector::Constant(2, -0.5)),
                               Polyhedron(Matrix(Matrix::Ones(1, 2)), Vector::Constant(1, -4.0))};
  const Problem problem{.f = SquaredDistance(Vector::Zero(2)), .D = UnionOf(parts)};
  const Result r = solve(problem, Vector::Constant(2, 3.0));
  EXPECT_EQ(r.route, "disjunctive");
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.f, 0.25, 1e-8);
  EXPECT_LE(r.bound, 0.25 + 1e-12);
}

/// Many pairs, however they are stated: as D itself, or as F and H of a program.
TEST(Route, PairsOfCoordinatesTakeTheWaysOfPairs) {
  const Index n = 40;
  Random random(3);
  const Matrix B = random.normal_matrix(2 * n, 2 * n);
  const Objective f =
      Quadratic(Matrix(B.transpose() * B + Matrix::Identity(2 * n, 2 * n)), random.normal_vector(2 * n));
  const Map G = Affine(Matrix::Ones(1, 2 * n));
  std::vector<Index> first, second;
  for (Index i = 0; i < n; ++i) first.push_back(i), second.push_back(n + i);
  const auto with = [&](const Set& D) {
    return Problem{.f = f, .G = G, .C = Box(Vector{{1.0}}, Vector{{2.0}}), .D = D};
  };
  const std::vector<std::pair<PairKind, Set>> all{{PairKind::complementarity, BoxSwitching::complementarity(n)},
                                                  {PairKind::switching, BoxSwitching::switching(n)},
                                                  {PairKind::vanishing, PairUnion::vanishing(n)},
                                                  {PairKind::either, PairUnion::either(n)}};
  for (const auto& [kind, D] : all) {
    const Problem problem = with(D);
    const Result r = solve(problem, Vector::Zero(2 * n));
    EXPECT_EQ(r.route, "pairs") << summary(r);
    EXPECT_TRUE(r.success()) << summary(r);
    for (const Claim& c : verify(problem, r)) EXPECT_TRUE(c.holds) << c.name << " " << c.found;
    const Result same = solve_pairs(
        {.f = f, .G = G, .C = problem.C, .pairs = {{kind, Selection(2 * n, first), Selection(2 * n, second)}}},
        Vector::Zero(2 * n));
    EXPECT_NEAR(r.f, same.f, 1e-6 * (1.0 + std::abs(same.f))) << to_string(kind);
    const Result general = solve(problem, Vector::Zero(2 * n), {.driver = {.route = Route::general}});
    EXPECT_LE(r.f, general.f + 1e-6 * (1.0 + std::abs(general.f))) << to_string(kind);
  }
}

TEST(Route, TheNearestCorrelationMatrixIsAGlobalMinimumWhereTheReadyFunctionSaysSo) {
  for (const double weight : {1.0, 3.0}) {
    const Matrix A = experiments::correlation_matrix(1, 20);
    Problem problem = correlation_problem(A, 5);
    problem.f = Sum({{weight, problem.f}});
    const Result ready = nearest_correlation(A, 5);
    const Result r = solve(problem, Matrix(Matrix::Identity(20, 20)).reshaped());
    EXPECT_EQ(r.route, "correlation");
    EXPECT_EQ(r.status, ready.correlation().global ? Status::optimal : Status::converged) << r.message;
    EXPECT_NEAR(r.f, weight * ready.f, 1e-8 * weight * ready.f);
    EXPECT_LE(r.certificate.relative_infeasibility(), 1e-12);
    EXPECT_LE(r.certificate.relative_stationarity(), 1e-6);
  }
}

TEST(Route, CompletionFromEntriesIsRecognised) {
  const auto X = Matrix(Vector::LinSpaced(6, 1.0, 2.0) * Vector::LinSpaced(5, -1.0, 1.0).transpose());
  CompletionProblem completion{.rows = 6, .cols = 5, .seen = {}, .kappa = 1, .gamma = 0.125};
  for (Index j = 0; j < 5; ++j)
    for (Index i = 0; i < 6; ++i)
      if ((i + 2 * j) % 3 != 0) completion.seen.push_back({i, j, X(i, j)});
  const Result r = solve(completion.problem(), Vector::Zero(30));
  EXPECT_EQ(r.route, "completion");
  EXPECT_EQ(r.status, Status::converged) << r.message;
  double at_zero = 0.0;
  for (const Observation& o : completion.seen) at_zero += 0.5 * o.value * o.value;
  EXPECT_NEAR(r.f - completion.problem().f.value(Vector::Zero(30)), complete_matrix(completion).f - at_zero, 1e-9);
}

TEST(Route, AConvexSetNeedsNoBranches) {
  const Result r = solve({.f = SquaredDistance(Vector::LinSpaced(5, -1.0, 1.0)), .D = Simplex(5)}, Vector::Zero(5));
  EXPECT_EQ(r.route, "convex");
  EXPECT_EQ(r.status, Status::converged) << r.message;
}

TEST(Route, SecondDerivativesOfConstraintsAreUsed) {
  // the least distance to (2, …, 2) in the unit ball, as a row ½‖x‖² ≤ ½ between bounds
  for (const Index n : {3, 300}) {
    const Map half_square = QuadraticRows({Matrix::Identity(n, n)}, Matrix::Zero(1, n), Vector::Zero(1));
    const Problem ball{.f = SquaredDistance(Vector::Constant(n, 2.0)),
                       .G = half_square,
                       .C = Box(Vector::Constant(1, -infinity), Vector::Constant(1, 0.5)),
                       .D = Box(Vector::Zero(n), Vector::Ones(n))};
    const Result r = solve(ball, Vector::Zero(n));
    EXPECT_EQ(r.route, "smooth");
    EXPECT_EQ(r.status, Status::converged) << r.message;
    for (const double x : r.y) EXPECT_NEAR(x, 1.0 / std::sqrt(static_cast<double>(n)), 1e-8);
    EXPECT_GT(r.counts.f, 0);
    EXPECT_LT(r.counts.f, 100);
  }
}

TEST(Route, ThatIsForcedIsTakenOrSaysWhyNot) {
  const Instance p = random_instance(3, false);
  const Problem sparse{.f = quadratic(p), .D = Sparse(p.n(), 2)};
  Options options;
  options.driver.route = Route::general;
  const Result general = solve(sparse, Vector::Zero(p.n()), options);
  EXPECT_EQ(general.route, "general");
  EXPECT_EQ(general.bound, -infinity);
  options.driver.route = Route::disjunctive;
  try {
    solve(sparse, Vector::Zero(p.n()), options);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.field(), "driver.route");
    EXPECT_EQ(error.value(), "disjunctive");
    EXPECT_NE(error.expected().find("not known to be a union"), std::string::npos) << error.expected();
  }
  options.method = Method::pdlm;
  EXPECT_THROW(solve(sparse, Vector::Zero(p.n()), options), InvalidArgument);
}

TEST(Route, WithoutSecondsForAProofEndsConverged) {
  Random random(5);
  const Index n = 30;
  const Objective f = LeastSquares(random.normal_matrix(n, n), random.normal_vector(n));
  Options options;
  options.driver.proof_seconds = 0.0;
  const Result r = solve({.f = f, .D = Sparse(n, 6)}, Vector::Constant(n, 0.1), options);
  EXPECT_EQ(r.route, "sparse_qp");
  EXPECT_EQ(r.status, Status::converged) << r.message;
}

TEST(Route, AndReasonsAreWrittenAndRead) {
  const Instance p = random_instance(7, false);
  const Result r = solve({.f = quadratic(p), .D = Box::nonnegative(p.n())}, Vector::Zero(p.n()));
  const Result again = io::parse_result(to_json(r)).result;
  EXPECT_EQ(again.route, r.route);
  ASSERT_EQ(again.why_not.size(), r.why_not.size());
  EXPECT_EQ(again.why_not.front().reason, "D is convex");
}

}  // namespace
}  // namespace pendec
