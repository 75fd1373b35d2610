#include "pendec/subsolvers/qp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "tests/reference/linear_algebra.hpp"

namespace pendec {
namespace {

struct Kkt {
  double stationarity = 0.0, feasibility = 0.0, complementarity = 0.0, sign = 0.0;
  double worst() const { return std::max({stationarity, feasibility, complementarity, sign}); }
};

/// Each condition relative to the size of what is added up in it; rows are normalised first.
Kkt kkt(const Matrix& H, const Vector& g, const LinearConstraints& c, const QpResult& r) {
  const Index n = g.size();
  const DenseMatrix A(c.A), E(c.E);
  Kkt k;
  Vector residual = H * r.x + g + r.bounds;
  double dual = std::max({g.norm(), (H * r.x).norm(), r.bounds.norm()});
  const double primal = 1e-300 + r.x.norm();
  const auto row = [&](const auto& a, double rhs, double y, bool equality) {
    residual += y * a.transpose();
    const double norm = a.norm();
    dual = std::max(dual, std::abs(y) * norm);
    if (norm == 0.0) return;
    const double slack = (rhs - a.dot(r.x)) / norm, size = primal + std::abs(rhs) / norm;
    k.feasibility = std::max(k.feasibility, (equality ? std::abs(slack) : -slack) / size);
    if (!equality) k.complementarity = std::max(k.complementarity, std::abs(y * norm) * std::abs(slack) / size);
    if (!equality) k.sign = std::max(k.sign, -y * norm);
  };
  for (Index i = 0; i < c.b.size(); ++i) row(A->row(i), c.b[i], r.rows[i], false);
  for (Index i = 0; i < c.d.size(); ++i) row(E->row(i), c.d[i], r.equalities[i], true);
  for (Index j = 0; j < n; ++j) {
    k.feasibility = std::max({k.feasibility, (c.lower[j] - r.x[j]) / primal, (r.x[j] - c.upper[j]) / primal});
    if (r.bounds[j] == 0.0) continue;
    const double slack = r.bounds[j] > 0.0 ? c.upper[j] - r.x[j] : r.x[j] - c.lower[j];
    k.complementarity = std::max(k.complementarity, std::abs(r.bounds[j]) * std::abs(slack) / primal);
  }
  k.stationarity = residual.norm() / dual;
  k.complementarity /= dual;
  k.sign /= dual;
  return k;
}

/// The multipliers of an infeasible result must combine the constraints to 0 ≤ negative.
void expect_proof_of_infeasibility(const LinearConstraints& c, const QpResult& r) {
  ASSERT_EQ(r.status, QpStatus::infeasible);
  const DenseMatrix A(c.A), E(c.E);
  Vector combination = r.bounds;
  double total = 0.0, size = 0.0;
  for (Index i = 0; i < c.b.size(); ++i) {
    EXPECT_GE(r.rows[i], 0.0);
    combination += r.rows[i] * A->row(i).transpose();
    total += r.rows[i] * c.b[i];
    size += r.rows[i] * A->row(i).norm();
  }
  for (Index i = 0; i < c.d.size(); ++i) {
    combination += r.equalities[i] * E->row(i).transpose();
    total += r.equalities[i] * c.d[i];
    size += std::abs(r.equalities[i]) * E->row(i).norm();
  }
  for (Index j = 0; j < r.bounds.size(); ++j) {
    if (r.bounds[j] != 0.0) total += r.bounds[j] * (r.bounds[j] > 0.0 ? c.upper[j] : c.lower[j]);
    size += std::abs(r.bounds[j]);
  }
  EXPECT_LT(total, 0.0);
  EXPECT_LE(combination.norm(), 1e-12 * size);
}

/// Random constraints that the point `inside` satisfies, many of them with equality.
LinearConstraints random_constraints(Random& random, Index n, Index rows, Index equalities, bool bounds) {
  LinearConstraints c = LinearConstraints::none(n);
  const Vector inside = random.normal_vector(n);
  c.A = random.normal_matrix(rows, n);
  c.b = c.A.times(inside);
  for (Index i = 0; i < rows; ++i) c.b[i] += std::max(0.0, random.normal());
  c.E = random.normal_matrix(equalities, n);
  c.d = c.E.times(inside);
  for (Index j = 0; bounds && j < n; ++j) {
    const double kind = random.uniform();
    if (kind < 0.6) c.lower[j] = inside[j] - std::max(0.0, random.normal());
    if (kind > 0.3) c.upper[j] = inside[j] + std::max(0.0, random.normal());
    if (kind > 0.95) c.lower[j] = c.upper[j] = inside[j];
  }
  return c;
}

Matrix random_hessian(Random& random, Index n, double condition) {
  const Matrix B = random.normal_matrix(n, n);
  Matrix H = B * B.transpose() / static_cast<double>(n);
  H.diagonal().array() += 1.0 / condition;
  return H;
}

/// min ½‖x − z‖² over {A x ≤ b} by trying every set of at most n active rows.
std::optional<Vector> brute_force(const Matrix& A, const Vector& b, const Vector& z) {
  const Index n = z.size(), m = b.size();
  std::optional<Vector> best;
  double best_distance = infinity;
  for (unsigned set = 0; set < (1u << m); ++set) {
    std::vector<Index> rows;
    for (Index i = 0; i < m; ++i)
      if (set >> i & 1u) rows.push_back(i);
    if (static_cast<Index>(rows.size()) > n) continue;
    const Matrix N = A(rows, Eigen::all).transpose();
    Vector x = z;
    if (!rows.empty()) x -= reference::pseudo_inverse(N.transpose()) * (N.transpose() * z - b(rows));
    if ((A * x - b).maxCoeff() > 1e-9 * (1.0 + x.norm())) continue;
    if ((x - z).norm() < best_distance) best = x, best_distance = (x - z).norm();
  }
  return best;
}

TEST(DualActiveSet, EndsWhenAsked) {
  LinearConstraints box = LinearConstraints::none(40);
  box.lower.setZero();
  DualActiveSet qp(box);
  const Vector g = Vector::Ones(40);
  int asked = 0;
  EXPECT_EQ(qp.solve(g, {.stop = [&] { return ++asked == 2; }}).status, QpStatus::stopped);
  EXPECT_LT(qp.iterations(), 40);
  EXPECT_EQ(qp.solve(g).status, QpStatus::optimal) << "and goes on from there";
}

TEST(DualActiveSet, SatisfiesTheKktConditionsOnRandomProblems) {
  Random random(1);
  const std::vector<std::array<Index, 3>> sizes = {{1, 3, 0},   {2, 5, 1},     {5, 7, 2},     {10, 40, 3},
                                                   {30, 60, 5}, {80, 100, 10}, {200, 400, 20}};
  for (const auto& [n, rows, equalities] : sizes) {
    for (int repeat = 0; repeat < (n < 100 ? 20 : 2); ++repeat) {
      const LinearConstraints c = random_constraints(random, n, rows, n > 1 ? equalities : 0, repeat % 2 == 1);
      const Matrix H = random_hessian(random, n, repeat % 3 == 0 ? 1e6 : 10.0);
      const Vector g = 10.0 * random.normal_vector(n);
      DualActiveSet qp(c);
      const QpResult general = qp.solve(H, g);
      ASSERT_EQ(general.status, QpStatus::optimal) << n << ' ' << rows << ' ' << repeat;
      EXPECT_LE(kkt(H, g, c, general).worst(), 1e-11) << n << ' ' << rows << ' ' << repeat;
      EXPECT_NEAR(general.value, 0.5 * general.x.dot(H * general.x) + g.dot(general.x),
                  1e-10 * std::abs(general.value));
      qp.set_identity_hessian();
      const QpResult projection = qp.solve(g, {.warm_start = repeat % 4 < 2});
      ASSERT_EQ(projection.status, QpStatus::optimal) << n << ' ' << rows << ' ' << repeat;
      EXPECT_LE(kkt(Matrix::Identity(n, n), g, c, projection).worst(), 1e-11) << n << ' ' << rows << ' ' << repeat;
    }
  }
}

TEST(DualActiveSet, FindsTheNearestPointOfAllActiveSets) {
  Random random(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Index n = 1 + random.below(3), rows = 1 + random.below(6);
    LinearConstraints c = LinearConstraints::none(n);
    Matrix A = random.normal_matrix(rows, n);
    c.b = random.normal_vector(rows);
    if (rows > 2) A.row(2) = 2.0 * A.row(0);  // dependent rows as well
    c.A = A;
    const Vector z = 2.0 * random.normal_vector(n);
    const auto nearest = brute_force(A, c.b, z);
    DualActiveSet qp(c);
    const QpResult& r = qp.solve(-z);
    if (!nearest) {
      expect_proof_of_infeasibility(c, r);
    } else {
      ASSERT_EQ(r.status, QpStatus::optimal);
      EXPECT_LE((r.x - *nearest).norm(), 1e-9 * (1.0 + z.norm() + r.x.norm()));
    }
  }
}

TEST(DualActiveSet, WarmStartsReachTheColdSolution) {
  Random random(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Index n = 2 + random.below(20);
    const LinearConstraints c = random_constraints(random, n, 3 * n, n / 4, true);
    DualActiveSet warm(c), cold(c);
    Vector z = random.normal_vector(n), a(n), b(n);
    for (int k = 0; k < 60; ++k) {
      z += (k % 20 == 0 ? 5.0 : 0.2) * random.normal_vector(n);
      ASSERT_EQ(warm.project(z, a), QpStatus::optimal);
      ASSERT_EQ(cold.project(z, b, infinity, false), QpStatus::optimal);
      ASSERT_LE((a - b).norm(), 1e-11 * (1.0 + z.norm()));
    }
  }
}

TEST(DualActiveSet, WarmStartsAtTheSameProblemTakeNoStep) {
  Random random(4);
  const LinearConstraints c = random_constraints(random, 20, 40, 2, true);
  DualActiveSet qp(c);
  const Vector g = 5.0 * random.normal_vector(20);
  EXPECT_GT(qp.solve(g).iterations, 0);
  const Vector x = qp.solve(g).x;
  EXPECT_EQ(qp.iterations(), 0);

  DualActiveSet other(c);
  other.suggest(qp.working_set());
  EXPECT_LE((other.solve(g).x - x).norm(), 1e-12 * x.norm());
  EXPECT_EQ(other.iterations(), 0);
}

TEST(DualActiveSet, AnySuggestionLeadsToTheSolution) {
  Random random(5);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const LinearConstraints c = random_constraints(random, 8, 15, 2, true);
    const Matrix H = random_hessian(random, 8, 100.0);
    const Vector g = 3.0 * random.normal_vector(8);
    DualActiveSet qp(c);
    std::vector<Index> codes;
    for (int k = 0; k < 12; ++k) codes.push_back(random.below(50) - 5);
    qp.suggest(codes);
    const QpResult& r = qp.solve(H, g);
    ASSERT_EQ(r.status, QpStatus::optimal);
    EXPECT_LE(kkt(H, g, c, r).worst(), 1e-11);
  }
}

TEST(DualActiveSet, StaysAccurateOverThousandsOfWarmStarts) {
  Random random(6);
  const LinearConstraints c = random_constraints(random, 10, 30, 1, true);
  DualActiveSet qp(c);
  for (int k = 0; k < 5000; ++k) {
    const Vector g = 4.0 * random.normal_vector(10);
    const QpResult& r = qp.solve(g);
    ASSERT_EQ(r.status, QpStatus::optimal);
    ASSERT_LE(kkt(Matrix::Identity(10, 10), g, c, r).worst(), 1e-12) << k;
  }
}

TEST(DualActiveSet, ProvesEmptiness) {
  Random random(7);
  int empty = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Index n = 2 + random.below(10);
    LinearConstraints c = LinearConstraints::none(n);
    c.A = random.normal_matrix(3 * n, n);
    c.b = random.normal_vector(3 * n).array() - 0.5;
    if (repeat % 2 == 0) c.lower.setConstant(-5.0);
    const Matrix H = random_hessian(random, n, 1e3);
    DualActiveSet qp(c);
    const QpResult& r = repeat % 3 == 0 ? qp.solve(H, random.normal_vector(n)) : qp.solve(random.normal_vector(n));
    if (r.status == QpStatus::optimal) {
      EXPECT_LE(c.violation(r.x), 1e-10);
    } else {
      ++empty;
      expect_proof_of_infeasibility(c, r);
    }
  }
  EXPECT_GT(empty, 20);
}

TEST(DualActiveSet, ProvesThatZeroRowsEqualitiesAndBoundsContradict) {
  LinearConstraints zero = LinearConstraints::none(2);
  zero.A = Matrix::Zero(2, 2);
  zero.b = Vector::Zero(2);
  EXPECT_EQ(DualActiveSet(zero).solve(Vector::Ones(2)).status, QpStatus::optimal);
  zero.b[1] = -1e-3;
  expect_proof_of_infeasibility(zero, DualActiveSet(zero).solve(Vector::Ones(2)));

  LinearConstraints zero_equality = LinearConstraints::none(2);
  zero_equality.E = Matrix::Zero(1, 2);
  zero_equality.d = Vector::Constant(1, 2.0);
  expect_proof_of_infeasibility(zero_equality, DualActiveSet(zero_equality).solve(Vector::Ones(2)));

  LinearConstraints equalities = LinearConstraints::none(3);
  equalities.E = Matrix{{1.0, 2.0, 3.0}, {0.0, 1.0, -1.0}, {2.0, 5.0, 5.0}};  // third = 2·first + second
  equalities.d = Vector{{1.0, 2.0, 4.0}};
  EXPECT_EQ(DualActiveSet(equalities).solve(Vector::Ones(3)).status, QpStatus::optimal);
  for (const double wrong : {4.1, 3.9}) {
    equalities.d[2] = wrong;
    expect_proof_of_infeasibility(equalities, DualActiveSet(equalities).solve(Vector::Ones(3)));
  }

  LinearConstraints against_bounds = LinearConstraints::none(2);
  against_bounds.A = Matrix{{-1.0, -1.0}};
  against_bounds.b = Vector::Constant(1, -3.0);
  against_bounds.upper = Vector::Ones(2);
  against_bounds.lower = Vector::Constant(2, -1.0);
  expect_proof_of_infeasibility(against_bounds, DualActiveSet(against_bounds).solve(Vector::Zero(2)));
}

TEST(DualActiveSet, CopesWithRepeatedRedundantAndFixedConstraints) {
  Random random(8);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Index n = 6;
    LinearConstraints c = random_constraints(random, n, 12, 3, true);
    Matrix A = c.A.dense(), E = c.E.dense();
    A.row(1) = A.row(0), c.b[1] = c.b[0];
    A.row(2) = 7.0 * A.row(0), c.b[2] = 7.0 * c.b[0];
    A.row(3) = A.row(4) + A.row(5), c.b[3] = c.b[4] + c.b[5];
    A.row(6) = E.row(0), c.b[6] = c.d[0];
    E.row(2) = E.row(0) - 2.0 * E.row(1), c.d[2] = c.d[0] - 2.0 * c.d[1];
    A.row(7).setZero(), c.b[7] = 0.0;
    c.A = A, c.E = E;
    c.upper[0] = c.lower[0] = std::max(c.lower[0], -1e3);
    const Vector g = 10.0 * random.normal_vector(n);
    DualActiveSet qp(c);
    const QpResult& r = qp.solve(g);
    if (r.status == QpStatus::infeasible) {
      expect_proof_of_infeasibility(c, r);
    } else {
      ASSERT_EQ(r.status, QpStatus::optimal);
      EXPECT_LE(kkt(Matrix::Identity(n, n), g, c, r).worst(), 1e-11);
    }
  }
}

TEST(DualActiveSet, SolvesDegenerateVertices) {
  // {x : x_j ≤ 0, Σ_{j∈S} x_j ≤ 0 for 200 random S}: everything is active at the origin.
  Random random(9);
  const Index n = 10;
  LinearConstraints c = LinearConstraints::none(n);
  c.upper.setZero();
  Matrix A = Matrix::Zero(200, n);
  for (Index i = 0; i < 200; ++i)
    for (Index j = 0; j < n; ++j) A(i, j) = static_cast<double>(random.below(2));
  c.A = A;
  c.b = Vector::Zero(200);
  DualActiveSet qp(c);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Vector z = random.uniform_vector(n, 0.0, 1.0);
    const QpResult& r = qp.solve(-z, {.warm_start = repeat % 2 == 0});
    ASSERT_EQ(r.status, QpStatus::optimal);
    EXPECT_LE(r.x.norm(), 1e-13);
    EXPECT_LE((z - r.bounds - A.transpose() * r.rows).norm(), 1e-12);
  }
}

TEST(DualActiveSet, IsIndifferentToTheScaleOfRowsAndOfSpace) {
  Random random(10);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Index n = 8;
    const LinearConstraints c = random_constraints(random, n, 16, 2, true);
    const Vector z = 3.0 * random.normal_vector(n);
    const Vector x = DualActiveSet(c).solve(-z).x;

    LinearConstraints rows = c;
    Vector factors(16);
    for (double& factor : factors) factor = std::pow(10.0, random.uniform(-8.0, 8.0));
    rows.A = c.A.scaled(factors, {});
    rows.b.array() *= factors.array();
    rows.E = c.E.scaled(Vector{{1e8, 1.0}}, {}), rows.d[0] *= 1e8;
    const QpResult scaled = DualActiveSet(rows).solve(-z);
    ASSERT_EQ(scaled.status, QpStatus::optimal);
    EXPECT_LE((scaled.x - x).norm(), 1e-11 * z.norm());

    for (const double factor : {1e-9, 1e9}) {
      LinearConstraints space = c;
      for (Vector* v : {&space.b, &space.d, &space.lower, &space.upper}) *v *= factor;
      const QpResult far = DualActiveSet(space).solve(-factor * z);
      ASSERT_EQ(far.status, QpStatus::optimal);
      EXPECT_LE((far.x - factor * x).norm(), 1e-11 * factor * z.norm());
    }
  }
}

TEST(DualActiveSet, HandlesNearlyParallelRows) {
  Random random(11);
  for (const double angle : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14}) {
    const Index n = 5;
    LinearConstraints c = LinearConstraints::none(n);
    Matrix A = random.normal_matrix(8, n);
    for (Index i = 4; i < 8; ++i) A.row(i) = A.row(i - 4) + angle * random.normal_vector(n).transpose();
    c.A = A;
    c.b = Vector::Ones(8);  // 0 is inside
    const Vector g = 10.0 * random.normal_vector(n);
    DualActiveSet qp(c);
    const QpResult& r = qp.solve(g);
    ASSERT_EQ(r.status, QpStatus::optimal) << angle;
    EXPECT_LE(kkt(Matrix::Identity(n, n), g, c, r).worst(), 1e-10) << angle;
  }
}

TEST(DualActiveSet, CutsOffExactlyTheProblemsWhoseValueExceedsTheCutoff) {
  Random random(12);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Index n = 7;
    const LinearConstraints c = random_constraints(random, n, 20, 1, false);
    const Matrix H = random_hessian(random, n, 100.0);
    const Vector g = 5.0 * random.normal_vector(n);
    DualActiveSet qp(c);
    const double value = qp.solve(H, g).value;
    const double margin = 1e-6 * (1.0 + std::abs(value));
    EXPECT_EQ(qp.solve(H, g, {.cutoff = value + margin, .warm_start = false}).status, QpStatus::optimal);
    const QpResult& cut = qp.solve(H, g, {.cutoff = value - margin, .warm_start = false});
    EXPECT_EQ(cut.status, QpStatus::cutoff);
    EXPECT_GT(cut.value, value - margin);
    EXPECT_LE(cut.value, value + 1e-9 * (1.0 + std::abs(value)));

    // The multipliers are the proof: they are dual feasible.
    const Vector gradient =
        H * cut.x + g + c.A.transpose_times(cut.rows) + c.E.transpose_times(cut.equalities) + cut.bounds;
    EXPECT_LE(gradient.norm(), 1e-10 * g.norm());
    EXPECT_GE(cut.rows.minCoeff(), 0.0);

    const Vector z = 5.0 * random.normal_vector(n);
    Vector y(n), untouched = Vector::Constant(n, 42.0);
    ASSERT_EQ(qp.project(z, y), QpStatus::optimal);
    const double distance = (z - y).norm();
    EXPECT_EQ(qp.project(z, untouched, 0.999 * distance, repeat % 2 == 0), QpStatus::cutoff);
    EXPECT_EQ(untouched, Vector::Constant(n, 42.0));
    EXPECT_EQ(qp.project(z, y, 1.001 * distance, repeat % 2 == 0), QpStatus::optimal);
  }
}

TEST(DualActiveSet, StopsAtTheIterationLimit) {
  Random random(13);
  const LinearConstraints c = random_constraints(random, 20, 60, 0, true);
  DualActiveSet qp(c);
  const Vector g = 10.0 * random.normal_vector(20);
  EXPECT_EQ(qp.solve(g, {.max_iterations = 2}).status, QpStatus::iteration_limit);
  EXPECT_EQ(qp.solve(g).status, QpStatus::optimal);
}

TEST(DualActiveSet, RefusesWhatIsNotStrictlyConvexOrNotFinite) {
  DualActiveSet qp(LinearConstraints::none(2));
  const Vector g = Vector::Ones(2);
  EXPECT_EQ(qp.solve(Matrix{{1.0, 0.0}, {0.0, -1.0}}, g).status, QpStatus::not_convex);
  EXPECT_EQ(qp.solve(Matrix{{1.0, 1.0}, {1.0, 1.0}}, g).status, QpStatus::not_convex);
  EXPECT_EQ(qp.solve(Matrix::Zero(2, 2), g).status, QpStatus::not_convex);
  EXPECT_EQ(qp.pivot_ratio(), 0.0);
  EXPECT_TRUE(qp.set_hessian(Matrix{{16.0, 0.0}, {0.0, 4.0}}));
  EXPECT_EQ(qp.pivot_ratio(), 0.5);
  Random random(15);
  // Singular, though rounding often leaves a positive pivot. The leading block is kept well conditioned: where it is
  // nearly singular itself, the last pivot is as large as that of a definite matrix.
  for (int repeat = 0; repeat < 20; ++repeat) {
    Matrix B = random.normal_matrix(6, 5);
    B.topRows(5) += 4.0 * Matrix::Identity(5, 5);
    DualActiveSet six(LinearConstraints::none(6));
    EXPECT_EQ(six.solve(B * B.transpose(), Vector::Ones(6)).status, QpStatus::not_convex);
  }
  EXPECT_EQ(qp.solve(Matrix::Constant(2, 2, std::nan("")), g).status, QpStatus::not_finite);
  EXPECT_EQ(qp.solve(Matrix{{1e-20, 0.0}, {0.0, 1e20}}, g).status, QpStatus::optimal);
  qp.set_identity_hessian();
  EXPECT_EQ(qp.solve(Vector{{1.0, infinity}}).status, QpStatus::not_finite);
  EXPECT_EQ(qp.solve(g).status, QpStatus::optimal);
}

TEST(DualActiveSet, ForgetsNothingWhenConstraintsOrHessianChange) {
  Random random(14);
  DualActiveSet qp(LinearConstraints::none(1));
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Index n = 1 + random.below(12);
    const LinearConstraints c = random_constraints(random, n, 2 * n, n / 3, repeat % 2 == 0);
    qp.bind(std::make_shared<const PreparedConstraints>(c));
    for (int k = 0; k < 4; ++k) {
      const Matrix H = k % 2 == 0 ? random_hessian(random, n, 50.0) : Matrix(Matrix::Identity(n, n));
      const Vector g = 4.0 * random.normal_vector(n);
      if (k % 2 == 1) qp.set_identity_hessian();
      const QpResult& r = k % 2 == 0 ? qp.solve(H, g) : qp.solve(g);
      ASSERT_EQ(r.status, QpStatus::optimal);
      EXPECT_LE(kkt(H, g, c, r).worst(), 1e-11);
    }
  }
}

TEST(DualActiveSet, ThrowsOnMisuse) {
  LinearConstraints c = LinearConstraints::none(2);
  c.lower[1] = 1.0, c.upper[1] = 0.0;
  EXPECT_THROW(DualActiveSet{c}, InvalidArgument);
  c = LinearConstraints::none(2);
  c.b = Vector::Ones(1);
  EXPECT_THROW(DualActiveSet{c}, InvalidArgument);
  c.A = Matrix::Ones(1, 3);
  EXPECT_THROW(DualActiveSet{c}, InvalidArgument);
  c.A = Matrix::Constant(1, 2, std::nan(""));
  EXPECT_THROW(DualActiveSet{c}, InvalidArgument);
  DualActiveSet qp(LinearConstraints::none(2));
  EXPECT_THROW(qp.solve(Vector::Ones(3)), InvalidArgument);
}

TEST(DualActiveSet, ProjectionsFromFarAwayLieInTheSet) {
  const Set narrow = Polyhedron(Matrix{{-1.0}, {1.0}}, Vector{{-1.4, 1.61}});
  const Set slanted = Polyhedron(Matrix{{1.0, 3.0}, {-2.0, 1.0}}, Vector{{1.0, 0.5}});
  for (const double far : {1e6, 1e9, 1e12}) {
    EXPECT_NEAR(narrow.projection(Vector{{-far}})[0], 1.4, 1e-12) << far;
    EXPECT_NEAR(narrow.projection(Vector{{far}})[0], 1.61, 1e-12) << far;
    const Vector corner = slanted.projection(Vector{{-0.1 * far, far}});
    EXPECT_LE(slanted.linear_constraints()->violation(corner), 1e-12 * (1.0 + corner.norm())) << far;
  }
}

}  // namespace
}  // namespace pendec
