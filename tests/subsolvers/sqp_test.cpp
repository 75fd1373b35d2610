#include "pendec/subsolvers/sqp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/sets/polyhedron.hpp"

namespace pendec {
namespace {

/// A function with hand-written derivatives, as an objective or as one row of a map.
struct Smooth {
  std::function<double(In)> value;
  std::function<Vector(In)> gradient;
  std::function<Matrix(In)> hessian;
};

struct WithHessian {
  Index n;
  Smooth s;
  Index dimension() const { return n; }
  double value_and_gradient(In x, Out g) const {
    g = s.gradient(x);
    return s.value(x);
  }
  void hessian_times(In x, In d, Out out) const { out = s.hessian(x) * d; }
};

Objective objective(Index n, Smooth s, bool hessian) {
  if (hessian) return WithHessian{n, s};
  return make_objective(n, [s](In x, Out g) {
    g = s.gradient(x);
    return s.value(x);
  });
}

struct Stack {
  Index n;
  std::vector<Smooth> rows;
  Index input_dimension() const { return n; }
  Index output_dimension() const { return std::ssize(rows); }
  void evaluate(In x, Out out) const {
    for (Index i = 0; i < output_dimension(); ++i) out[i] = rows[i].value(x);
  }
  void adjoint(In x, In w, Out out) const {
    out.setZero();
    for (Index i = 0; i < output_dimension(); ++i) out += w[i] * rows[i].gradient(x);
  }
  void hessian_times(In x, In w, In d, Out out) const {
    out.setZero();
    for (Index i = 0; i < output_dimension(); ++i) out += w[i] * (rows[i].hessian(x) * d);
  }
};

Set interval(Vector lower, Vector upper) {
  LinearConstraints c = LinearConstraints::none(lower.size());
  c.lower = std::move(lower);
  c.upper = std::move(upper);
  return Polyhedron(c);
}
Set cube(Index n, double lower, double upper) {
  return interval(Vector::Constant(n, lower), Vector::Constant(n, upper));
}

struct Case {
  const char* name;
  Index n;
  Smooth f;
  std::vector<Smooth> G;
  Set C, D;
  Vector x0, solution;
  double value;
  double accuracy = 1e-7;

  Problem problem(bool hessian) const {
    Problem p{.f = objective(n, f, hessian), .D = D};
    if (!G.empty()) p.G = Stack{n, G}, p.C = C;
    return p;
  }
};

Matrix diagonal_hessian(std::initializer_list<double> values) {
  Vector v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v.asDiagonal();
}

/// From W. Hock and K. Schittkowski, "Test Examples for Nonlinear Programming Codes" (1981).
std::vector<Case> cases() {
  const Matrix zero2 = Matrix::Zero(2, 2);
  std::vector<Case> all;
  all.push_back({"HS6",
                 2,
                 {[](In x) { return (1 - x[0]) * (1 - x[0]); },
                  [](In x) {
                    return Vector{{-2 * (1 - x[0]), 0.0}};
                  },
                  [](In) {
                    return diagonal_hessian({2.0, 0.0});
                  }},
                 {{[](In x) { return 10 * (x[1] - x[0] * x[0]); },
                   [](In x) {
                     return Vector{{-20 * x[0], 10.0}};
                   },
                   [](In) {
                     return diagonal_hessian({-20.0, 0.0});
                   }}},
                 cube(1, 0, 0),
                 {},
                 Vector{{-1.2, 1.0}},
                 Vector{{1.0, 1.0}},
                 0.0});
  all.push_back({"HS7",
                 2,
                 {[](In x) { return std::log(1 + x[0] * x[0]) - x[1]; },
                  [](In x) {
                    return Vector{{2 * x[0] / (1 + x[0] * x[0]), -1.0}};
                  },
                  [](In x) {
                    const double s = 1 + x[0] * x[0];
                    return diagonal_hessian({(2 - 2 * x[0] * x[0]) / (s * s), 0.0});
                  }},
                 {{[](In x) { return std::pow(1 + x[0] * x[0], 2) + x[1] * x[1]; },
                   [](In x) {
                     return Vector{{4 * x[0] * (1 + x[0] * x[0]), 2 * x[1]}};
                   },
                   [](In x) {
                     return diagonal_hessian({4 + 12 * x[0] * x[0], 2.0});
                   }}},
                 cube(1, 4, 4),
                 {},
                 Vector{{2.0, 2.0}},
                 Vector{{0.0, std::sqrt(3.0)}},
                 -std::sqrt(3.0)});
  all.push_back({"HS21",
                 2,
                 {[](In x) { return 0.01 * x[0] * x[0] + x[1] * x[1] - 100; },
                  [](In x) {
                    return Vector{{0.02 * x[0], 2 * x[1]}};
                  },
                  [](In) {
                    return diagonal_hessian({0.02, 2.0});
                  }},
                 {{[](In x) { return 10 * x[0] - x[1]; },
                   [](In) {
                     return Vector{{10.0, -1.0}};
                   },
                   [zero2](In) { return zero2; }}},
                 cube(1, 10, infinity),
                 interval(Vector{{2.0, -50.0}}, Vector{{50.0, 50.0}}),
                 Vector{{-1.0, -1.0}},
                 Vector{{2.0, 0.0}},
                 -99.96});
  all.push_back({"HS26",
                 3,
                 {[](In x) { return std::pow(x[0] - x[1], 2) + std::pow(x[1] - x[2], 4); },
                  [](In x) {
                    const double a = 2 * (x[0] - x[1]), b = 4 * std::pow(x[1] - x[2], 3);
                    return Vector{{a, b - a, -b}};
                  },
                  [](In x) {
                    const double b = 12 * std::pow(x[1] - x[2], 2);
                    return Matrix{{2.0, -2.0, 0.0}, {-2.0, 2.0 + b, -b}, {0.0, -b, b}};
                  }},
                 {{[](In x) { return (1 + x[1] * x[1]) * x[0] + std::pow(x[2], 4); },
                   [](In x) {
                     return Vector{{1 + x[1] * x[1], 2 * x[0] * x[1], 4 * std::pow(x[2], 3)}};
                   },
                   [](In x) {
                     return Matrix{{0.0, 2 * x[1], 0.0}, {2 * x[1], 2 * x[0], 0.0}, {0.0, 0.0, 12 * x[2] * x[2]}};
                   }}},
                 cube(1, 3, 3),
                 {},
                 Vector{{-2.6, 2.0, 2.0}},
                 Vector{{1.0, 1.0, 1.0}},
                 0.0,
                 5e-3});  // the fourth power leaves x undetermined to the fourth root of the tolerance
  all.push_back(
      {"HS35",
       3,
       {[](In x) {
          return 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] * x[0] + 2 * x[1] * x[1] + x[2] * x[2] +
                 2 * x[0] * x[1] + 2 * x[0] * x[2];
        },
        [](In x) {
          return Vector{{-8 + 4 * x[0] + 2 * x[1] + 2 * x[2], -6 + 4 * x[1] + 2 * x[0], -4 + 2 * x[2] + 2 * x[0]}};
        },
        [](In) {
          return Matrix{{4.0, 2.0, 2.0}, {2.0, 4.0, 0.0}, {2.0, 0.0, 2.0}};
        }},
       {{[](In x) { return x[0] + x[1] + 2 * x[2]; },
         [](In) {
           return Vector{{1.0, 1.0, 2.0}};
         },
         [](In) { return Matrix(Matrix::Zero(3, 3)); }}},
       cube(1, -infinity, 3),
       cube(3, 0, infinity),
       Vector::Constant(3, 0.5),
       Vector{{4.0 / 3.0, 7.0 / 9.0, 4.0 / 9.0}},
       1.0 / 9.0});
  all.push_back({"HS39",
                 4,
                 {[](In x) { return -x[0]; },
                  [](In) {
                    return Vector{{-1.0, 0.0, 0.0, 0.0}};
                  },
                  [](In) { return Matrix(Matrix::Zero(4, 4)); }},
                 {{[](In x) { return x[1] - std::pow(x[0], 3) - x[2] * x[2]; },
                   [](In x) {
                     return Vector{{-3 * x[0] * x[0], 1.0, -2 * x[2], 0.0}};
                   },
                   [](In x) {
                     return diagonal_hessian({-6 * x[0], 0.0, -2.0, 0.0});
                   }},
                  {[](In x) { return x[0] * x[0] - x[1] - x[3] * x[3]; },
                   [](In x) {
                     return Vector{{2 * x[0], -1.0, 0.0, -2 * x[3]}};
                   },
                   [](In) {
                     return diagonal_hessian({2.0, 0.0, 0.0, -2.0});
                   }}},
                 cube(2, 0, 0),
                 {},
                 Vector::Constant(4, 2.0),
                 Vector{{1.0, 1.0, 0.0, 0.0}},
                 -1.0});
  const auto shifted_square = [](Vector a, Vector b, double c) {  // aᵀx² + bᵀx + c
    return Smooth{[=](In x) { return a.dot(x.cwiseAbs2()) + b.dot(x) + c; },
                  [=](In x) { return Vector(2 * a.cwiseProduct(x) + b); },
                  [=](In) { return Matrix((2 * a).asDiagonal()); }};
  };
  all.push_back({"HS43",
                 4,
                 shifted_square(Vector{{1.0, 1.0, 2.0, 1.0}}, Vector{{-5.0, -5.0, -21.0, 7.0}}, 0.0),
                 {shifted_square(Vector{{1.0, 1.0, 1.0, 1.0}}, Vector{{1.0, -1.0, 1.0, -1.0}}, -8.0),
                  shifted_square(Vector{{1.0, 2.0, 1.0, 2.0}}, Vector{{-1.0, 0.0, 0.0, -1.0}}, -10.0),
                  shifted_square(Vector{{2.0, 1.0, 1.0, 0.0}}, Vector{{2.0, -1.0, 0.0, -1.0}}, -5.0)},
                 cube(3, -infinity, 0),
                 {},
                 Vector::Zero(4),
                 Vector{{0.0, 1.0, 2.0, -1.0}},
                 -44.0});
  all.push_back({"HS71",
                 4,
                 {[](In x) { return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]; },
                  [](In x) {
                    const double s = x[0] + x[1] + x[2];
                    return Vector{{x[3] * (s + x[0]), x[0] * x[3], x[0] * x[3] + 1, x[0] * s}};
                  },
                  [](In x) {
                    Matrix H = Matrix::Zero(4, 4);
                    H(0, 0) = 2 * x[3];
                    H(0, 1) = H(1, 0) = H(0, 2) = H(2, 0) = x[3];
                    H(0, 3) = H(3, 0) = 2 * x[0] + x[1] + x[2];
                    H(1, 3) = H(3, 1) = H(2, 3) = H(3, 2) = x[0];
                    return H;
                  }},
                 {{[](In x) { return x.prod(); },
                   [](In x) {
                     return Vector{{x[1] * x[2] * x[3], x[0] * x[2] * x[3], x[0] * x[1] * x[3], x[0] * x[1] * x[2]}};
                   },
                   [](In x) {
                     Matrix H = Matrix::Zero(4, 4);
                     for (Index i = 0; i < 4; ++i)
                       for (Index j = 0; j < 4; ++j)
                         if (i != j) H(i, j) = x.prod() / (x[i] * x[j]);
                     return H;
                   }},
                  shifted_square(Vector::Ones(4), Vector::Zero(4), 0.0)},
                 interval(Vector{{25.0, 40.0}}, Vector{{infinity, 40.0}}),
                 cube(4, 1, 5),
                 Vector{{1.0, 5.0, 5.0, 1.0}},
                 Vector{{1.0, 4.74299963, 3.82114998, 1.37940829}},
                 17.0140173});
  // The Maratos effect: from any point of the circle the full Newton step increases f and the violation.
  all.push_back({"Maratos",
                 2,
                 shifted_square(Vector{{2.0, 2.0}}, Vector{{-1.0, 0.0}}, -2.0),
                 {shifted_square(Vector::Ones(2), Vector::Zero(2), 0.0)},
                 cube(1, 1, 1),
                 {},
                 Vector{{std::cos(1.0), std::sin(1.0)}},
                 Vector{{1.0, 0.0}},
                 -1.0});
  return all;
}

void expect_kkt(const Problem& p, const NlpResult& r, double tol) {
  Vector gradient(r.x.size());
  p.f.value_and_gradient(r.x, gradient);
  const double scale = 1.0 + gradient.norm();
  gradient += r.mu;
  if (p.has_G()) {
    Vector reaction(r.x.size()), G(r.lambda.size());
    p.G.adjoint(r.x, r.lambda, reaction);
    gradient += reaction;
    p.G.evaluate(r.x, G);
    EXPECT_TRUE(p.C.contains(G, tol * (1.0 + G.norm())));
    EXPECT_LE(*p.C.normal_residual(p.C.projection(G), r.lambda), tol * (1.0 + r.lambda.norm()));
  }
  EXPECT_LE(gradient.norm(), tol * scale);
  if (p.D) {
    EXPECT_LE(*p.D.normal_residual(r.x, r.mu), tol * scale);
  }
}

TEST(Sqp, SolvesHockAndSchittkowskiProblemsWithExactHessians) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const NlpResult r = sqp(c.problem(true), c.x0);
    EXPECT_EQ(to_string(r.status), "converged");
    EXPECT_NEAR(r.f, c.value, 1e-7 * (1.0 + std::abs(c.value)));
    EXPECT_LE((r.x - c.solution).norm(), c.accuracy * (1.0 + c.solution.norm()));
    EXPECT_LE(r.iterations, 40);
    expect_kkt(c.problem(true), r, 1e-7);
  }
}

TEST(Sqp, SolvesHockAndSchittkowskiProblemsWithBfgs) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const NlpResult r = sqp(c.problem(false), c.x0, {.tolerance = 1e-8});
    EXPECT_EQ(to_string(r.status), "converged");
    EXPECT_NEAR(r.f, c.value, 1e-6 * (1.0 + std::abs(c.value)));
    EXPECT_LE((r.x - c.solution).norm(), 10.0 * c.accuracy * (1.0 + c.solution.norm()));
    EXPECT_LE(r.iterations, 100);
    expect_kkt(c.problem(false), r, 1e-5);
  }
}

TEST(Sqp, StopsWhenAskedTo) {
  for (const Case& c : cases()) {
    int asked = 0;
    const NlpResult r = sqp(c.problem(true), c.x0, {.stop = [&] { return ++asked > 1; }});
    if (r.status == NlpStatus::converged) continue;  // in one step
    EXPECT_EQ(to_string(r.status), "stopped") << c.name;
    EXPECT_EQ(r.iterations, 1) << c.name;
    EXPECT_TRUE(r.x.allFinite());
  }
}

TEST(Sqp, ConvergesFastWhereTheLagrangianIsNotConvexAndWhereTheFullStepIsRefused) {
  for (Case c : cases()) {
    SCOPED_TRACE(c.name);
    const std::string name = c.name;
    if (name != "HS71" && name != "Maratos") continue;
    // HS71: 10 steps without the exact Hessian on the active set. Maratos: 8 without the second-order correction.
    if (name == "Maratos") c.x0 = Vector{{std::cos(0.1), std::sin(0.1)}};
    const NlpResult r = sqp(c.problem(true), c.x0);
    EXPECT_EQ(to_string(r.status), "converged");
    EXPECT_LE(r.iterations, 6);
  }
}

TEST(Sqp, GoodMultipliersMakeTheFirstStepsNewtonSteps) {
  for (Case c : cases()) {
    if (std::string(c.name) != "HS71") continue;
    const NlpResult cold = sqp(c.problem(true), c.x0);
    const Vector near = cold.x + 1e-3 * (c.x0 - cold.x);
    const Index without = sqp(c.problem(true), near).iterations;
    EXPECT_LT(sqp(c.problem(true), near, {.lambda = cold.lambda}).iterations, without);
    EXPECT_THROW(sqp(c.problem(true), near, {.lambda = Vector::Ones(7)}), InvalidArgument);
    EXPECT_THROW(sqp(c.problem(true), near, {.lambda = Vector::Constant(cold.lambda.size(), NAN)}), InvalidArgument);
  }
}

TEST(Sqp, SolvesConvexQuadraticProgramsInOneStep) {
  Random random(1);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Index n = 8, m = 5;
    const Matrix B = random.normal_matrix(n, n), H = B * B.transpose() + Matrix::Identity(n, n);
    const Vector g = 5.0 * random.normal_vector(n);
    Stack G{n, {}};
    for (Index i = 0; i < m; ++i) {
      const Vector a = random.normal_vector(n);
      G.rows.push_back(
          {[a](In x) { return a.dot(x); }, [a](In) { return a; }, [n](In) { return Matrix(Matrix::Zero(n, n)); }});
    }
    const Smooth f{[=](In x) { return 0.5 * x.dot(H * x) + g.dot(x); }, [=](In x) { return Vector(H * x + g); },
                   [=](In) { return H; }};
    const Problem p{.f = objective(n, f, true), .G = G, .C = cube(m, -0.5, 0.5), .D = cube(n, -1.0, 1.0)};
    const NlpResult r = sqp(p, random.normal_vector(n));
    EXPECT_EQ(to_string(r.status), "converged");
    EXPECT_EQ(r.iterations, 1);
    expect_kkt(p, r, 1e-9);
  }
}

TEST(Sqp, IsIndifferentToTheScaleOfTheObjective) {
  for (const double factor : {1e-6, 1e6}) {
    for (Case c : cases()) {
      SCOPED_TRACE(c.name);
      const Smooth f = c.f;
      c.f = {[=](In x) { return factor * f.value(x); }, [=](In x) { return Vector(factor * f.gradient(x)); },
             [=](In x) { return Matrix(factor * f.hessian(x)); }};
      const NlpResult r = sqp(c.problem(true), c.x0);
      EXPECT_EQ(to_string(r.status), "converged");
      EXPECT_LE((r.x - c.solution).norm(), c.accuracy * (1.0 + c.solution.norm()));
    }
  }
}

TEST(Sqp, ReportsAMinimiserOfTheInfeasibility) {
  // x₁² + x₂² ≤ 1 cannot hold with x₁ ≥ 3; the violation is least at (3, 0).
  const Smooth circle{[](In x) { return x.squaredNorm(); }, [](In x) { return Vector(2 * x); },
                      [](In) { return Matrix(2 * Matrix::Identity(2, 2)); }};
  const Smooth f{[](In x) { return x[1]; },
                 [](In) {
                   return Vector{{0.0, 1.0}};
                 },
                 [](In) { return Matrix(Matrix::Zero(2, 2)); }};
  const Problem p{.f = objective(2, f, true),
                  .G = Stack{2, {circle}},
                  .C = cube(1, -infinity, 1),
                  .D = interval(Vector{{3.0, -infinity}}, Vector{{infinity, infinity}})};
  const NlpResult r = sqp(p, Vector{{5.0, 4.0}});
  EXPECT_EQ(to_string(r.status), "infeasible_stationary");
  EXPECT_LE((r.x - Vector{{3.0, 0.0}}).norm(), 1e-3);
  EXPECT_NEAR(r.violation, 8.0, 1e-3);

  // The linearisation at (5, 4) with x₁ = x₂ + 1 ≥ 3 is inconsistent.
  LinearConstraints diagonal_ray = LinearConstraints::none(2);
  diagonal_ray.E = Matrix{{1.0, -1.0}};
  diagonal_ray.d = Vector::Ones(1);
  diagonal_ray.lower[0] = 3.0;
  const Problem ray{.f = p.f, .G = p.G, .C = p.C, .D = Polyhedron(diagonal_ray)};
  const NlpResult nearest = sqp(ray, Vector{{5.0, 4.0}});
  EXPECT_EQ(to_string(nearest.status), "infeasible_stationary");
  EXPECT_LE((nearest.x - Vector{{3.0, 2.0}}).norm(), 1e-6);

  // Without a bound: x² + 1 ≤ 0.
  const Smooth parabola{[](In x) { return x[0] * x[0] + 1; }, [](In x) { return Vector(2 * x); },
                        [](In) { return Matrix(2 * Matrix::Identity(1, 1)); }};
  const Smooth line{[](In x) { return x[0]; }, [](In) { return Vector::Ones(1); },
                    [](In) { return Matrix::Zero(1, 1); }};
  const NlpResult q = sqp({.f = objective(1, line, false), .G = Stack{1, {parabola}}, .C = cube(1, -infinity, 0)},
                          Vector::Constant(1, 3.0));
  EXPECT_EQ(to_string(q.status), "infeasible_stationary");
  EXPECT_NEAR(q.x[0], 0.0, 1e-3);
}

TEST(Sqp, LeavesAPointWhereTheLinearisationIsInconsistent) {
  // At x = 0 the linearisation of x² = 4 is 0 = 4; nearby it is not.
  const Smooth square{[](In x) { return x[0] * x[0]; }, [](In x) { return Vector(2 * x); },
                      [](In) { return Matrix(2 * Matrix::Identity(1, 1)); }};
  const Smooth line{[](In x) { return x[0]; }, [](In) { return Vector::Ones(1); },
                    [](In) { return Matrix::Zero(1, 1); }};
  const Problem p{
      .f = objective(1, line, true), .G = Stack{1, {square}}, .C = cube(1, 4, 4), .D = cube(1, -1.0, 3.0)};
  const NlpResult r = sqp(p, Vector::Constant(1, 0.1));  // linearised: x ≈ 20, outside D
  EXPECT_EQ(to_string(r.status), "converged");
  EXPECT_NEAR(r.x[0], 2.0, 1e-9);
}

TEST(Sqp, BacktracksFromPointsWhereFunctionsAreUndefined) {
  // −ln x + x: from 3 the Newton step leads to −3.
  const Smooth f{[](In x) { return x[0] - std::log(x[0]); }, [](In x) { return Vector{{1 - 1 / x[0]}}; },
                 [](In x) { return Matrix{{1 / (x[0] * x[0])}}; }};
  const NlpResult r = sqp({.f = objective(1, f, true)}, Vector::Constant(1, 3.0));
  EXPECT_EQ(to_string(r.status), "converged");
  EXPECT_NEAR(r.x[0], 1.0, 1e-8);
  EXPECT_EQ(to_string(sqp({.f = objective(1, f, true)}, Vector::Constant(1, -1.0)).status), "not_finite");
}

TEST(Sqp, SurvivesDependentConstraints) {
  // x₁² + x₂² = 2 three times over, once scaled; LICQ fails everywhere.
  const Smooth circle{[](In x) { return x.squaredNorm() / 3; }, [](In x) { return Vector(2 * x / 3); },
                      [](In) { return Matrix(2.0 / 3.0 * Matrix::Identity(2, 2)); }};
  const Smooth scaled{[](In x) { return 7 * x.squaredNorm(); }, [](In x) { return Vector(14 * x); },
                      [](In) { return Matrix(14 * Matrix::Identity(2, 2)); }};
  const Smooth f{[](In x) { return x.sum(); }, [](In) { return Vector::Ones(2); },
                 [](In) { return Matrix::Zero(2, 2); }};
  const Problem p{.f = objective(2, f, true),
                  .G = Stack{2, {circle, circle, scaled}},
                  .C = interval(Vector{{2.0 / 3.0, 2.0 / 3.0, 14.0}}, Vector{{2.0 / 3.0, 2.0 / 3.0, 14.0}})};
  const NlpResult r = sqp(p, Vector{{-2.0, 0.5}});
  EXPECT_EQ(to_string(r.status), "converged");
  EXPECT_LE((r.x + Vector::Ones(2)).norm(), 1e-8);
}

TEST(Sqp, KeepsItsStepsWithinTheRadius) {
  const Smooth f{[](In x) { return 0.5 * x.squaredNorm(); }, [](In x) { return Vector(x); },
                 [](In) { return Matrix(Matrix::Identity(2, 2)); }};
  const NlpResult r = sqp({.f = objective(2, f, true)}, Vector{{10.0, 0.0}}, {.radius = 2.0});
  EXPECT_EQ(to_string(r.status), "converged");
  EXPECT_EQ(r.iterations, 5);
  EXPECT_EQ(
      to_string(sqp({.f = objective(2, f, true)}, Vector{{10.0, 0.0}}, {.max_iterations = 3, .radius = 2.0}).status),
      "max_iterations");
}

TEST(Sqp, RefusesSetsThatAreNotPolyhedra) {
  const Smooth f{[](In x) { return x.sum(); }, [](In x) { return Vector(Vector::Ones(x.size())); }, {}};
  const Set ball = make_set(2, [](In z, Out y) { y = z / std::max(1.0, z.norm()); });
  EXPECT_THROW(sqp({.f = objective(2, f, false), .D = ball}, Vector::Zero(2)), InvalidArgument);
  EXPECT_THROW(sqp({.f = objective(2, f, false), .D = cube(2, 0, 1)}, Vector::Zero(3)), InvalidArgument);
  EXPECT_THROW(sqp({.f = objective(2, f, false), .D = cube(2, 0, 1)}, Vector::Zero(2), {.tolerance = 0.0}),
               InvalidArgument);
}

TEST(Sqp, LeavesAPointWhereTheRowsAreFlat) {
  // x² = ¼ from almost 0: a step as long as x promises nothing, one across D does
  const Smooth square{[](In x) { return x[0] * x[0]; }, [](In x) { return Vector(2 * x); },
                      [](In) { return Matrix(2 * Matrix::Identity(1, 1)); }};
  const Smooth line{[](In x) { return x[0]; }, [](In) { return Vector::Ones(1); },
                    [](In) { return Matrix::Zero(1, 1); }};
  const Problem p{
      .f = objective(1, line, true), .G = Stack{1, {square}}, .C = cube(1, 0.25, 0.25), .D = cube(1, -1.0, 1.0)};
  for (const double start : {1e-2, 1e-5, 1e-7}) {
    const NlpResult r = sqp(p, Vector::Constant(1, start));
    EXPECT_EQ(to_string(r.status), "converged") << start;
    EXPECT_NEAR(std::abs(r.x[0]), 0.5, 1e-9) << start;
  }
}

TEST(Sqp, ViolationsAreAlsoReportedRelativeToTheirRows) {
  const Smooth small{[](In x) { return 1e-9 * x[0]; }, [](In) { return Vector::Constant(1, 1e-9); },
                     [](In) { return Matrix::Zero(1, 1); }};
  const Smooth line{[](In x) { return x[0]; }, [](In) { return Vector::Ones(1); },
                    [](In) { return Matrix::Zero(1, 1); }};
  const Problem p{
      .f = objective(1, line, true), .G = Stack{1, {small}}, .C = cube(1, -infinity, 0), .D = cube(1, 1.0, 2.0)};
  const NlpResult r = sqp(p, Vector::Ones(1));
  EXPECT_LE(r.violation, 2e-9);
  EXPECT_GE(r.relative_violation, 0.5);
}

}  // namespace
}  // namespace pendec
