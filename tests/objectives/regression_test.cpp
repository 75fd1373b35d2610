// Losses of A x: every loss, with and without an intercept, on dense and sparse data.
#include "pendec/objectives/regression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pendec/certificates/check.hpp"
#include "pendec/core/random.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

constexpr Loss every_loss[] = {Loss::squared, Loss::logistic, Loss::huber, Loss::poisson};

/// Observations that the loss allows; as many as do not fit into one block of terms.
struct Data {
  Matrix A;
  Vector b;
};

Data data_for(Loss loss, Index rows, Random& random) {
  Data out{random.normal_matrix(rows, 4), 2.0 * random.normal_vector(rows)};
  if (loss == Loss::logistic) out.b = (out.b.array() > 0.0).select(Vector::Ones(rows), -Vector::Ones(rows));
  if (loss == Loss::poisson) out.b = out.b.cwiseAbs().array().round();
  return out;
}

/// ℓ(t; b) as its definition says.
double by_definition(Loss loss, double t, double b, double M) {
  const double r = std::abs(t - b);
  switch (loss) {
    case Loss::squared:
      return 0.5 * r * r;
    case Loss::logistic:
      return std::log1p(std::exp(-b * t));
    case Loss::huber:
      return r <= M ? 0.5 * r * r : M * (r - 0.5 * M);
    case Loss::poisson:
      return std::exp(t) - b * t;
  }
  return 0.0;
}

TEST(LinearModel, IsTheSumOfItsLosses) {
  Random random(1);
  for (const Loss loss : every_loss) {
    const auto [A, b] = data_for(loss, 70, random);
    const LinearModel f(A, b, loss, {.intercept = true, .ridge = 0.5, .huber = 0.7});
    const Vector x = random.normal_vector(5);
    double sum = 0.0;
    for (Index k = 0; k < b.size(); ++k) sum += by_definition(loss, A.row(k).dot(x.head(4)) + x[4], b[k], 0.7);
    EXPECT_NEAR(f.loss_at(x), sum, 1e-12 * sum) << to_string(loss);
    EXPECT_NEAR(f.value(x), sum + 0.25 * x.head(4).squaredNorm(), 1e-12 * sum) << to_string(loss);
    Vector g(5);
    EXPECT_EQ(f.value_and_gradient(x, g), f.value(x)) << to_string(loss) << ": to the last digit";
  }
}

TEST(LinearModel, KeepsThePromisesOfAnObjective) {
  Random random(2);
  for (const Loss loss : every_loss)
    for (const bool intercept : {false, true})
      for (const double ridge : {0.0, 0.3})
        for (const bool sparse : {false, true}) {
          const auto [A, b] = data_for(loss, 70, random);
          LinearModelOptions options{.intercept = intercept, .ridge = ridge, .huber = 0.7};
          const Operator data = sparse ? Operator(SparseMatrix(A.sparseView())) : Operator(A);
          const Objective f = LinearModel(data, b, loss, options);
          const CheckReport report = check_objective(f, random.normal_vector(f.dimension()));
          EXPECT_TRUE(report.ok) << to_string(loss) << ::testing::PrintToString(report.failures);
          EXPECT_TRUE(f.convex() && f.has_value() && f.has_hessian());
          EXPECT_EQ(f.is_quadratic(), loss == Loss::squared);
          EXPECT_EQ(f.has_quadratic_form(), loss == Loss::squared);
          if (!intercept) continue;
          options.centre = random.normal_vector(4);
          const Objective centred = LinearModel(data, b, loss, options);
          const CheckReport other = check_objective(centred, random.normal_vector(5));
          EXPECT_TRUE(other.ok) << to_string(loss) << ::testing::PrintToString(other.failures);
        }
}

TEST(LinearModel, OfSquaresIsItsQuadraticForm) {
  Random random(3);
  const auto [A, b] = data_for(Loss::squared, 9, random);
  for (const bool intercept : {false, true}) {
    const LinearModel f(A, b, Loss::squared, {.intercept = intercept, .ridge = 0.3});
    const QuadraticForm form = *f.quadratic_form();
    const Vector x = random.normal_vector(f.dimension());
    Vector Qx(x.size());
    form.Q.times(x, Qx);
    EXPECT_NEAR(x.dot(0.5 * Qx + form.c) + form.constant, f.value(x), 1e-12 * f.value(x));
  }
}

TEST(LinearModel, StaysAboveItsParabolasWhereverABoxReaches) {
  Random random(4);
  for (const Loss loss : every_loss)
    for (int round = 0; round < 300; ++round) {
      const auto [A, b] = data_for(loss, 5, random);
      const Objective f = LinearModel(A, b, loss, {.huber = 0.7});
      const double width = std::pow(10.0, random.uniform(-4.0, 1.0));
      const Vector at = random.normal_vector(4), low = at - width * random.uniform_vector(4, 0.0, 1.0),
                   high = at + width * random.uniform_vector(4, 0.0, 1.0);
      const Matrix H = *f.curvature_below(at, low, high);
      Vector g(4);
      const double value = f.value_and_gradient(at, g);
      for (int k = 0; k < 20; ++k) {
        Vector x = low + random.uniform_vector(4, 0.0, 1.0).cwiseProduct(high - low);
        if (k % 2 == 0) x = (x.array() > at.array()).select(high, low);
        const Vector d = x - at;
        EXPECT_GE(f.value(x), value + g.dot(d) + 0.5 * d.dot(H * d) - 1e-12 * (1.0 + std::abs(f.value(x))))
            << to_string(loss);
      }
    }
}

TEST(LinearModel, KnowsTheCurvatureOfHuberAndPoissonWhereItIsThere) {
  const Matrix one = Matrix::Ones(1, 1);
  const auto below = [&](Loss loss, double b, double at, double low, double high) {
    return (*Objective(LinearModel(one, Vector::Constant(1, b), loss, {.huber = 1.0}))
                 .curvature_below(Vector::Constant(1, at), Vector::Constant(1, low), Vector::Constant(1, high)))(0,
                                                                                                                 0);
  };
  EXPECT_NEAR(below(Loss::huber, 0.0, 0.2, -0.9, 0.9), 1.0, 1e-12) << "the quadratic part";
  EXPECT_EQ(below(Loss::huber, 0.0, 5.0, 4.0, 6.0), 0.0) << "the linear part";
  EXPECT_NEAR(below(Loss::huber, 0.0, 0.0, 0.0, 2.0), 2.0 * 1.5 / 4.0, 1e-12) << "up to the far end";
  EXPECT_NEAR(below(Loss::poisson, 2.0, 0.0, 0.0, 1.0), 1.0, 1e-12);
  EXPECT_NEAR(below(Loss::poisson, 2.0, 1.0, 0.0, 1.0), 2.0, 1e-12) << "2 (1 - e + e)";
  EXPECT_EQ(below(Loss::poisson, 2.0, 0.0, -infinity, 1.0), 0.0);
}

TEST(LinearModel, ShowsNumbersThatAreNone) {
  Random random(5);
  for (const Loss loss : every_loss) {
    const auto [A, b] = data_for(loss, 70, random);
    Vector g(4);
    EXPECT_TRUE(std::isnan(LinearModel(A, b, loss).value_and_gradient(Vector::Constant(4, NAN), g)));
    EXPECT_TRUE(g.array().isNaN().all()) << to_string(loss);
  }
}

TEST(LinearModel, HasANameForEachLoss) {
  Random random(6);
  const Vector x = random.normal_vector(4);
  for (const Loss loss : every_loss) {
    const auto [A, b] = data_for(loss, 9, random);
    const Objective named = loss == Loss::squared    ? Objective(LeastSquares(A, b))
                            : loss == Loss::logistic ? Objective(Logistic(A, b))
                            : loss == Loss::huber    ? Objective(Huber(A, b))
                                                     : Objective(Poisson(A, b));
    EXPECT_EQ(named.value(x), LinearModel(A, b, loss).value(x));
    EXPECT_EQ(by_name<Loss>("loss", to_string(loss)), loss);
  }
  testing::expect_invalid("loss", [] { by_name<Loss>("loss", "cubic"); });
  testing::expect_invalid("Logistic.labels[1]", [] { Logistic(Matrix::Ones(2, 1), Vector{{1.0, 0.5}}); });
  testing::expect_invalid("Poisson.counts[0]", [] { Poisson(Matrix::Ones(2, 1), Vector{{-1.0, 0.5}}); });
  testing::expect_invalid("LeastSquares.b.size()", [] { LeastSquares(Matrix::Ones(2, 1), Vector::Ones(3)); });
}

}  // namespace
}  // namespace pendec
