#include "pendec/sets/low_rank.hpp"

#include "pendec/sets/psd_low_rank.hpp"
#include "tests/reference/linear_algebra.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

using testing::expect_axioms;
using testing::expect_invalid;
using testing::expect_limiting_normals;

Vector diagonal(std::initializer_list<double> entries) {
  const auto n = static_cast<Index>(entries.size());
  Matrix D = Matrix::Zero(n, n);
  std::copy(entries.begin(), entries.end(), D.diagonal().begin());
  return D.reshaped();
}

void expect_smooth(const Map& chart, const Vector& t) {
  const CheckReport report = check_map(chart, t);
  EXPECT_TRUE(report.ok) << fmt::format("{}", fmt::join(report.failures, "\n"));
}

TEST(LowRank, SatisfiesTheAxioms) {
  expect_axioms(LowRank(1, 1, 1));
  expect_axioms(LowRank(4, 3, 2));
  expect_axioms(LowRank(3, 3, 3));
  expect_axioms(LowRank(3, 20, 1));
  expect_axioms(LowRank(30, 12, 3));
  expect_axioms(LowRank(4, 3, 1), {.scale = 1e150});
  expect_axioms(LowRank(4, 3, 1), {.scale = 1e-150});
}

TEST(PsdLowRank, SatisfiesTheAxioms) {
  expect_axioms(PsdLowRank(1, 1));
  expect_axioms(PsdLowRank(4, 2));
  expect_axioms(PsdLowRank(4, 4));
  expect_axioms(PsdLowRank(24, 3));
  expect_axioms(PsdLowRank(4, 2), {.scale = 1e150});
  expect_axioms(PsdLowRank(4, 2), {.scale = 1e-150});
}

TEST(LowRank, NoMatrixOfThatRankIsNearer) {
  Random random(8);
  const Vector z = random.normal_vector(20);
  const double distance = Set(LowRank(5, 4, 2)).distance(z);
  // Alternating least squares from random factors finds the best rank 2 approximation, or worse.
  for (int trial = 0; trial < 20; ++trial) {
    const ConstMatrixView Z(z.data(), 5, 4);
    Matrix U = random.normal_matrix(5, 2), V(4, 2);
    for (int sweep = 0; sweep < 30; ++sweep) {
      V = Z.transpose() * reference::pseudo_inverse(U).transpose();
      U = Z * reference::pseudo_inverse(V).transpose();
    }
    EXPECT_GE((Z - U * V.transpose()).norm(), distance - 1e-10);
  }
}

TEST(PsdLowRank, DropsNegativeEigenvaluesAndTheSkewPart) {
  const Set set = PsdLowRank(3, 2);
  EXPECT_TRUE(set.projection(diagonal({-5.0, 2.0, -1.0})).isApprox(diagonal({0.0, 2.0, 0.0})));
  Vector z = diagonal({3.0, 2.0, 1.0});
  z[1] = 7.0;
  z[3] = -7.0;  // skew
  EXPECT_TRUE(set.projection(z).isApprox(diagonal({3.0, 2.0, 0.0})));
}

TEST(PsdLowRank, OfZeroOrNegativeMatricesIsZero) {
  const Set set = PsdLowRank(3, 2);
  EXPECT_EQ(set.projection(Vector::Zero(9)), Vector::Zero(9));
  EXPECT_EQ(set.projection(diagonal({-1.0, -1.0, -1.0})).norm(), 0.0);
}

TEST(LowRank, WhatIsNotANumberStaysVisible) {
  const Vector z = Vector::Constant(9, std::nan(""));
  EXPECT_FALSE(Set(LowRank(3, 3, 1)).projection(z).allFinite());
  EXPECT_FALSE(Set(PsdLowRank(3, 1)).projection(z).allFinite());
  Vector y(9);
  Set(PsdLowRank(3, 1)).projector()->project(z, y);
  EXPECT_FALSE(y.allFinite());
}

TEST(LowRank, NormalsAreLimitsOfProximalNormals) {
  expect_limiting_normals(LowRank(2, 2, 1), Vector::Zero(4), 0.25);
  expect_limiting_normals(LowRank(2, 2, 1), diagonal({1.0, 0.0}), 0.02, 500);
  expect_limiting_normals(LowRank(3, 2, 1), Vector{{1.0, 0.0, 0.0, 0.0, 0.0, 0.0}}, 0.05);
}

TEST(LowRank, NormalResidualCountsTheSmallestSingularValuesWhereTheRankIsDeficient) {
  EXPECT_NEAR(LowRank(3, 3, 2).normal_residual(diagonal({1.0, 0.0, 0.0}), diagonal({4.0, 3.0, 9.0})), 5.0, 1e-12);
  EXPECT_NEAR(LowRank(3, 3, 2).normal_residual(diagonal({1.0, 1.0, 0.0}), diagonal({4.0, 3.0, 9.0})), 5.0, 1e-12);
}

TEST(PsdLowRank, NormalsAreLimitsOfProximalNormals) {
  expect_limiting_normals(PsdLowRank(2, 1), Vector::Zero(4), 0.1, 20000, true);
  expect_limiting_normals(PsdLowRank(2, 1), diagonal({1.0, 0.0}), 0.02, 500, true);
  expect_limiting_normals(PsdLowRank(3, 2), diagonal({1.0, 0.0, 0.0}), 0.1, 20000, true);
  expect_limiting_normals(PsdLowRank(3, 1), diagonal({0.0, 1.0, 0.0}), 0.1, 20000, true);
  expect_limiting_normals(PsdLowRank(2, 2), diagonal({1.0, 0.0}), 0.1, 20000, true);
}

TEST(PsdLowRank, NormalsAtDeficientRankAreNegativeOrOfLowRank) {
  const PsdLowRank set(3, 2);
  const Vector x = diagonal({1.0, 0.0, 0.0});
  EXPECT_NEAR(set.normal_residual(x, diagonal({0.0, -3.0, -4.0})), 0.0, 1e-12);  // negative
  EXPECT_NEAR(set.normal_residual(x, diagonal({0.0, 3.0, 0.0})), 0.0, 1e-12);    // rank 1 = n − kappa
  EXPECT_NEAR(set.normal_residual(x, diagonal({0.0, 3.0, -4.0})), 3.0, 1e-12);
  EXPECT_NEAR(set.normal_residual(x, diagonal({4.0, 3.0, 7.0})), 5.0, 1e-12);
}

TEST(LowRank, ProjectionIsUniqueUnlessSingularValuesTie) {
  EXPECT_FALSE(LowRank(2, 2, 1).projection_is_unique(diagonal({1.0, -1.0}), 1e-9));
  EXPECT_TRUE(LowRank(2, 2, 1).projection_is_unique(diagonal({1.0, -0.9}), 1e-9));
  EXPECT_TRUE(LowRank(2, 2, 1).projection_is_unique(Vector::Zero(4), 1e-9));
  EXPECT_NEAR(LowRank(2, 2, 1).spectral_gap(diagonal({1.0, -0.9})), 0.1, 1e-14);
  EXPECT_EQ(LowRank(2, 2, 1).spectral_gap(Vector::Zero(4)), infinity);
  EXPECT_FALSE(PsdLowRank(2, 1).projection_is_unique(diagonal({1.0, 1.0}), 1e-9));
  EXPECT_NEAR(PsdLowRank(2, 1).spectral_gap(diagonal({1.0, 0.75})), 0.25, 1e-14);
  EXPECT_EQ(PsdLowRank(2, 1).spectral_gap(diagonal({1.0, -1.0})), infinity);
  EXPECT_TRUE(PsdLowRank(2, 1).projection_is_unique(diagonal({1.0, -1.0}), 1e-9));
}

TEST(LowRank, BranchIsAPairOfBalancedFactors) {
  const Branch branch = LowRank(2, 2, 1).branch(diagonal({9.0, 0.0}), diagonal({9.0, 0.0})).value();
  EXPECT_EQ(branch.key, (std::vector<Index>{1}));
  EXPECT_EQ(branch.label, "rank 1");
  EXPECT_NEAR(branch.t.head(2).norm(), 3.0, 1e-14);
  EXPECT_NEAR(branch.t.tail(2).norm(), 3.0, 1e-14);
}

TEST(LowRank, ChartsHaveCorrectDerivatives) {
  Random random(5);
  expect_smooth(FactorProduct{4, 3, 2}, random.normal_vector(14));
  expect_smooth(FactorSquare{4, 2}, random.normal_vector(8));
}

TEST(LowRank, RefusesImpossibleRanks) {
  expect_invalid("LowRank.rows", [] { LowRank(0, 2, 1); });
  expect_invalid("LowRank.cols", [] { LowRank(2, 0, 1); });
  expect_invalid("LowRank.kappa", [] { LowRank(3, 2, 3); });
  expect_invalid("LowRank.kappa", [] { LowRank(3, 2, 0); });
  expect_invalid("PsdLowRank.n", [] { PsdLowRank(0, 1); });
  expect_invalid("PsdLowRank.kappa", [] { PsdLowRank(3, 4); });
}

/// dense + low rank + diagonal, known by its products.
class Implicit final : public LinearOperator {
 public:
  Implicit(Matrix dense, Matrix left, Matrix right, Vector diagonal)
      : dense_(std::move(dense)), left_(std::move(left)), right_(std::move(right)), diagonal_(std::move(diagonal)) {}
  Index rows() const override { return dense_.rows(); }
  Index cols() const override { return dense_.cols(); }
  void times(MatrixIn V, MatrixOut out) const override {
    ++products;
    out = dense_ * V + left_ * (right_.transpose() * V);
    if (diagonal_.size() > 0) out += diagonal_.asDiagonal() * V;
  }
  void transpose_times(MatrixIn V, MatrixOut out) const override {
    out = dense_.transpose() * V + right_ * (left_.transpose() * V);
    if (diagonal_.size() > 0) out += diagonal_.asDiagonal() * V;
  }
  double squared_norm() const override { return formed().squaredNorm(); }
  Matrix formed() const {
    Matrix Z = dense_ + left_ * right_.transpose();
    if (diagonal_.size() > 0) Z.diagonal() += diagonal_;
    return Z;
  }

  mutable int products = 0;

 private:
  Matrix dense_, left_, right_;
  Vector diagonal_;
};

void expect_factors(const Set& set, const Implicit& Z, Projector& projector) {
  const auto factors = projector.project(Z);
  ASSERT_TRUE(factors.has_value());
  const Matrix formed = Z.formed();
  const Vector expected = set.projection(formed.reshaped());
  const Matrix Y = factors->U * factors->sigma.asDiagonal() * factors->V.transpose();
  EXPECT_LE((Y.reshaped() - expected).norm(), 1e-9 * (1.0 + formed.norm()));
}

TEST(PsdLowRank, ProjectsAnOperatorAsTheMatrixItIs) {
  Random random(21);
  const Index n = 60, kappa = 3;
  const Set set = PsdLowRank(n, kappa);
  const auto projector = set.projector();
  const Matrix noise = 0.1 * random.normal_matrix(n, n);
  Matrix L = random.normal_matrix(n, kappa);
  for (int step = 0; step < 4; ++step) {
    L += 1e-2 * random.normal_matrix(n, kappa);
    const Implicit Z(noise, L, L, random.uniform_vector(n, -0.1, 0.1));
    expect_factors(set, Z, *projector);
    EXPECT_LE(Z.products, 40) << "the operator was formed";
  }
}

TEST(LowRank, ProjectsSmallOperatorsOfNearlyFullRankToo) {
  Random random(25);
  for (const Index kappa : {1, 3, 4, 5}) {
    const Set psd = PsdLowRank(5, kappa), general = LowRank(7, 5, kappa);
    const auto psd_projector = psd.projector(), general_projector = general.projector();
    for (int step = 0; step < 3; ++step) {
      const Matrix L = random.normal_matrix(5, 2);
      expect_factors(psd, Implicit(random.normal_matrix(5, 5), L, L, Vector::Ones(5)), *psd_projector);
      expect_factors(general, Implicit(random.normal_matrix(7, 5), random.normal_matrix(7, 2), L, {}),
                     *general_projector);
    }
  }
}

TEST(LowRank, ProjectsAnOperatorAsTheMatrixItIs) {
  Random random(22);
  for (const auto& [rows, cols] : {std::pair{80, 30}, {30, 80}}) {
    const Set set = LowRank(rows, cols, 3);
    const auto projector = set.projector();
    const Matrix noise = 0.1 * random.normal_matrix(rows, cols);
    Matrix L = random.normal_matrix(rows, 3), R = random.normal_matrix(cols, 3);
    for (int step = 0; step < 4; ++step) {
      L += 1e-2 * random.normal_matrix(rows, 3);
      expect_factors(set, Implicit(noise, L, R, {}), *projector);
    }
  }
}

TEST(LowRank, ProjectorFollowsASequenceOfMatrices) {
  Random random(23);
  for (const auto& [rows, cols] : {std::pair{50, 20}, {20, 50}, {24, 24}}) {
    const LowRank set(rows, cols, 2);
    const auto projector = set.projector();
    Matrix Z = random.normal_matrix(rows, 2) * random.normal_matrix(2, cols) + 0.1 * random.normal_matrix(rows, cols);
    Vector y(rows * cols);
    for (int step = 0; step < 12; ++step) {
      Z += 1e-3 * random.normal_matrix(rows, cols);
      projector->project(Z.reshaped(), y);
      EXPECT_LE((y - Set(set).projection(Z.reshaped())).norm(), 1e-9 * Z.norm());
      EXPECT_LE(projector->error(), 1e-12 * Z.norm());
      if (step > 0) {
        EXPECT_GT(projector->error(), 0.0) << "decomposed from scratch";
      }
    }
  }
}

TEST(LowRank, ProjectorNoticesASingularValueThatOvertakesUnseen) {
  // The tracked spaces stay invariant while a singular value orthogonal to them grows past.
  const LowRank set(30, 20, 2);
  const auto projector = set.projector();
  Matrix Z = Matrix::Zero(30, 20);
  Z.diagonal().head(2) << 10.0, 9.0;
  for (const double hidden : {0.0, 5.0, 8.5, 9.5, 20.0, 3.0}) {
    Z(7, 7) = hidden;
    Z(8, 8) = 0.9 * hidden;
    Vector y(600);
    projector->project(Z.reshaped(), y);
    EXPECT_LE((y - Set(set).projection(Z.reshaped())).norm(), 1e-9) << hidden;
  }
}

TEST(PsdLowRank, ProjectorWritesExactlySymmetricMatrices) {
  Random random(24);
  const Index n = 37;
  const auto projector = Set(PsdLowRank(n, 4)).projector();
  for (int step = 0; step < 3; ++step) {
    const Vector z = random.normal_vector(n * n);  // not symmetric
    Vector y(n * n);
    projector->project(z, y);
    const ConstMatrixView Y(y.data(), n, n);
    EXPECT_EQ(Matrix(Y), Matrix(Y.transpose()));
  }
}

}  // namespace
}  // namespace pendec
