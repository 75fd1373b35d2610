#include "pendec/subsolvers/nlp.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/core/random.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/subsolvers/sqp.hpp"
#include "tests/problems/obstacle_control.hpp"

namespace pendec {
namespace {

#define NEEDS_IPOPT() \
  if (!has_ipopt()) GTEST_SKIP() << "built without Ipopt"

/// x₀ x₁ − 1 and x₀² + x₁² as rows, with whatever a test gets wrong about their derivatives.
struct Curved {
  std::function<SparseMatrix(In)> J;
  std::function<SparseMatrix(In, In)> H = nullptr;

  Index input_dimension() const { return 2; }
  Index output_dimension() const { return 2; }
  void evaluate(In x, Out out) const { out << x[0] * x[1] - 1.0, x.squaredNorm(); }
  void adjoint(In x, In w, Out out) const { out << w[0] * x[1] + 2.0 * w[1] * x[0], w[0] * x[0] + 2.0 * w[1] * x[1]; }
  Operator jacobian(In x) const { return J(x); }
  bool has_hessian() const { return static_cast<bool>(H); }
  void hessian_times(In x, In w, In d, Out out) const { hessian(x, w).times(d, out); }
  Operator hessian(In x, In w) const { return H(x, w); }
};

SparseMatrix sparse(std::initializer_list<double> entries) {
  Matrix M(2, 2);
  auto entry = entries.begin();
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j) M(i, j) = *entry++;
  return M.sparseView();
}
SparseMatrix right_jacobian(In x) { return sparse({x[1], x[0], 2.0 * x[0], 2.0 * x[1]}); }
SparseMatrix right_hessian(In, In w) { return sparse({2.0 * w[1], w[0], w[0], 2.0 * w[1]}); }

/// min x₀ + 2x₁ s.t. x₀ x₁ ≥ 1, ‖x‖² ≤ 10, x ≥ 0: x = (√2, 1/√2).
Problem curved(Curved rows) {
  return {.f = Linear(Vector{{1.0, 2.0}}),
          .G = std::move(rows),
          .C = Box(Vector{{0.0, -infinity}}, Vector{{infinity, 10.0}}),
          .D = Box(Vector::Zero(2), Vector::Constant(2, infinity))};
}

const Vector near_start{{2.0, 2.0}};

TEST(Nlp, SolversAgreeOnACurvedProgram) {
  NEEDS_IPOPT();
  for (const auto& hessian : {std::function<SparseMatrix(In, In)>(right_hessian), {}}) {
    const Problem problem = curved({right_jacobian, hessian});
    for (const Nlp solver : {Nlp::sqp, Nlp::ipopt}) {
      const NlpResult r = nlp(problem, near_start, {.solver = solver, .tolerance = 1e-9});
      EXPECT_EQ(r.status, NlpStatus::converged) << static_cast<int>(solver) << " " << r.kkt_error;
      EXPECT_NEAR(r.x[0], std::sqrt(2.0), 1e-8);
      EXPECT_NEAR(r.x[1], std::sqrt(0.5), 1e-8);
      EXPECT_NEAR(r.lambda[0], -std::sqrt(2.0), 1e-7);
      EXPECT_EQ(r.lambda[1], 0.0);
    }
  }
}

TEST(Nlp, IpoptEndsOnItsBoundsAndNotBesideThem) {
  NEEDS_IPOPT();
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const Index n = 12, m = 6;
    const Matrix B = random.normal_matrix(n, n);
    const Problem problem{.f = Quadratic(B.transpose() * B + Matrix::Identity(n, n), 5.0 * random.normal_vector(n)),
                          .G = Affine(random.normal_matrix(m, n), -random.normal_vector(m).cwiseAbs()),
                          .C = Box::nonpositive(m),
                          .D = Box(Vector::Constant(n, -0.3), Vector::Constant(n, 0.3))};
    const NlpResult a = sqp(problem, Vector::Zero(n)), b = ipopt(problem, Vector::Zero(n));
    EXPECT_EQ(b.status, NlpStatus::converged);
    EXPECT_LE((a.x - b.x).norm(), 1e-10);
    EXPECT_LE((a.mu - b.mu).norm() + (a.lambda - b.lambda).norm(), 1e-8 * (1.0 + a.mu.norm()));
    for (Index j = 0; j < n; ++j)
      if (std::abs(a.x[j]) == 0.3) {
        EXPECT_EQ(a.x[j], b.x[j]);
      }
  }
}

TEST(Nlp, RowsOfPolyhedraAreKept) {
  NEEDS_IPOPT();
  // min ‖x − (2, 2)‖² s.t. x₀ + x₁ ≤ 1 as D, and x₀ = 0.7 as C
  const Problem problem{.f = SquaredDistance(Vector{{2.0, 2.0}}),
                        .G = Affine(Matrix{{1.0, 0.0}}, Vector::Zero(1)),
                        .C = Singleton(Vector{{0.7}}),
                        .D = Polyhedron(Matrix{{1.0, 1.0}}, Vector{{1.0}})};
  const NlpResult r = ipopt(problem, Vector::Zero(2));
  EXPECT_EQ(r.status, NlpStatus::converged);
  EXPECT_NEAR(r.x[1], 0.3, 1e-12);
  EXPECT_NEAR(r.mu[0], 1.7, 1e-9);
  EXPECT_NEAR(r.mu[1], 1.7, 1e-9);
  EXPECT_NEAR(r.lambda[0], -0.4, 1e-9);
}

TEST(Nlp, InfeasibleProgramsAreToldApart) {
  NEEDS_IPOPT();
  Problem problem = curved({right_jacobian, right_hessian});
  problem.C = Box(Vector{{9.0, -infinity}}, Vector{{infinity, 10.0}});
  const NlpResult r = ipopt(problem, near_start);
  EXPECT_EQ(r.status, NlpStatus::infeasible_stationary);
  EXPECT_GT(r.violation, 1.0);
}

TEST(Nlp, ExceptionsPassThroughUnharmed) {
  NEEDS_IPOPT();
  int calls = 0;
  const auto fails = [&](In x) {
    if (++calls == 5) throw std::runtime_error("the user's own");
    return right_jacobian(x);
  };
  EXPECT_THROW(
      {
        try {
          ipopt(curved({fails, right_hessian}), near_start);
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), "the user's own");
          throw;
        }
      },
      std::runtime_error);
  EXPECT_EQ(ipopt(curved({right_jacobian, right_hessian}), near_start).status, NlpStatus::converged)
      << "and leave nothing";
}

void expect_refused(const Problem& problem, const std::string& words) {
  try {
    const NlpResult r = ipopt(problem, near_start);
    ADD_FAILURE() << "not refused: " << to_string(r.status) << ", expected " << words;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Nlp, BadDerivativesAreNamed) {
  NEEDS_IPOPT();
  expect_refused(curved({[](In x) {
                           return sparse({x[1], NAN, 2.0 * x[0], 2.0 * x[1]});
                         },
                         right_hessian}),
                 "Jacobian of G[0, 1]");
  expect_refused(curved({right_jacobian,
                         [](In, In w) {
                           return sparse({2.0 * w[1], w[0], 2.0 * w[0], 2.0 * w[1]});
                         }}),
                 "symmetric");
  expect_refused(curved({right_jacobian,
                         [](In, In w) {
                           return sparse({INFINITY, w[0], w[0], w[1]});
                         }}),
                 "Hessian of G[0, 0]");
}

TEST(Nlp, DerivativesThatAreNotFiniteAreTurnedBackFrom) {
  NEEDS_IPOPT();
  // steps go outside of the circle, along its tangents, where f and G are finite and derivatives are not
  int met = 0;
  const auto far = [](In x) { return x.squaredNorm() > 10.5; };
  const Problem problem{.f = SquaredDistance(Vector{{30.0, 30.0}}),
                        .G = Curved{[&](In x) {
                                      if (far(x)) ++met;
                                      return far(x) ? sparse({NAN, NAN, NAN, NAN}) : right_jacobian(x);
                                    },
                                    right_hessian},
                        .C = Box(Vector::Constant(2, -infinity), Vector{{infinity, 10.0}}),
                        .D = Free(2)};
  const NlpResult r = ipopt(problem, Vector{{0.1, 0.2}});
  EXPECT_GT(met, 0) << "nothing was tried";
  EXPECT_EQ(r.status, NlpStatus::converged);
  EXPECT_NEAR(r.x[0], std::sqrt(5.0), 1e-7);
  EXPECT_NEAR(r.x[1], std::sqrt(5.0), 1e-7);
}

TEST(Nlp, CallsAreCounted) {
  Index f = 0, gradient = 0;
  Objective counted = make_objective(2, [&](In x, Out g) {
    ++f, ++gradient;
    g = Vector{{1.0, 2.0}};
    return x[0] + 2.0 * x[1];
  });
  Problem problem = curved({right_jacobian, right_hessian});
  problem.f = counted;
  for (const Nlp solver : {Nlp::sqp, Nlp::ipopt}) {
    if (solver == Nlp::ipopt && !has_ipopt()) continue;
    f = 0;
    const NlpResult r = nlp(problem, near_start, {.solver = solver, .tolerance = 1e-8});
    EXPECT_GT(r.counts.f, 0);
    EXPECT_GT(r.counts.gradient, 0);
    EXPECT_GT(r.counts.G, 0);
    EXPECT_LE(r.counts.f, f) << "what only measures the end is not counted";
    EXPECT_GE(r.counts.f, f / 2);
  }
}

TEST(Nlp, APatternMayGrowButNotForEver) {
  NEEDS_IPOPT();
  // entries that are zero near the start appear later
  const Problem grows{.f = SquaredDistance(Vector{{3.0, 3.0}}),
                      .G = Curved{right_jacobian, right_hessian},
                      .C = Box(Vector::Constant(2, -infinity), Vector{{infinity, 10.0}}),
                      .D = Free(2)};
  EXPECT_EQ(ipopt(grows, Vector::Zero(2)).status, NlpStatus::converged);

  const Index n = 40;  // one entry more at every call
  struct Growing {
    Index size;
    std::shared_ptr<Index> calls = std::make_shared<Index>(0);
    Index input_dimension() const { return size; }
    Index output_dimension() const { return 1; }
    void evaluate(In x, Out out) const { out[0] = x.array().sin().sum(); }
    void adjoint(In x, In w, Out out) const { out = w[0] * x.array().cos(); }
    Operator jacobian(In x) const {
      SparseMatrix J(1, size);
      *calls = std::min(size, *calls + 1);
      for (Index j = 0; j < *calls; ++j) J.insert(0, j) = std::cos(x[j]);
      return J;
    }
  };
  const Problem ever{
      .f = SquaredDistance(Vector::LinSpaced(n, -2.0, 1.0)), .G = Growing{n}, .C = Box::nonpositive(1), .D = Free(n)};
  try {
    ipopt(ever, Vector::Zero(n));
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("stored, and was not before"), std::string::npos) << error.what();
  }
}

TEST(Nlp, StopsWhenToldTo) {
  NEEDS_IPOPT();
  const PairProgram program = testing::obstacle_control(20);
  const Problem problem{.f = program.f, .G = program.G, .C = program.C, .D = program.X};
  int asked = 0;
  const NlpResult r = ipopt(problem, Vector::Zero(program.dimension()), {.stop = [&] { return ++asked > 5; }});
  EXPECT_EQ(r.status, NlpStatus::stopped);
  EXPECT_TRUE(r.x.allFinite());
}

TEST(Nlp, RunsOfSeveralThreadsDoNotDisturbEachOther) {
  NEEDS_IPOPT();
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      const NlpResult r = ipopt(curved({right_jacobian, right_hessian}), near_start);
      if (std::abs(r.x[0] - std::sqrt(2.0)) < 1e-8) ++good;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
}

TEST(Nlp, AGoodGuessSavesIterations) {
  NEEDS_IPOPT();
  const PairProgram program = testing::obstacle_control(15);
  LinearConstraints bounds = *program.X.linear_constraints();
  bounds.lower.head(15 * 15).setConstant(-0.3);
  bounds.lower.tail(15 * 15).setZero();
  const Problem problem{.f = program.f, .G = program.G, .C = program.C, .D = Box(bounds.lower, bounds.upper)};
  const NlpResult cold = ipopt(problem, Vector::Zero(program.dimension()));
  const NlpResult warm = ipopt(problem, cold.x, {.lambda = cold.lambda, .mu = cold.mu, .barrier = 1e-8});
  EXPECT_EQ(warm.status, NlpStatus::converged) << warm.kkt_error << " after " << warm.iterations;
  EXPECT_LT(warm.iterations, cold.iterations);
  EXPECT_NEAR(warm.f, cold.f, 1e-9 * std::abs(cold.f));
}

TEST(Nlp, WithoutAnEntryOfItsDerivativesALargeProblemIsLeftAlone) {
  struct ByProducts {
    Index n;
    Index input_dimension() const { return n; }
    Index output_dimension() const { return n; }
    void evaluate(In x, Out out) const { out = x.array().square(); }
    void adjoint(In x, In w, Out out) const { out = 2.0 * x.cwiseProduct(w); }
  };
  const Index n = 5000;
  EXPECT_FALSE(
      suits_nlp({.f = SquaredDistance(Vector::Ones(n)), .G = ByProducts{n}, .C = Box::nonpositive(n), .D = Free(n)},
                Vector::Zero(n)));
  EXPECT_EQ(suits_nlp({.f = SquaredDistance(Vector::Ones(n)), .D = Free(n)}, Vector::Zero(n)), has_ipopt());
}

TEST(Nlp, WhatTakesTooLongToFactoriseIsLeftAlone) {
  NEEDS_IPOPT();
  const Index n = 20'000, each = 10;
  const auto rows = [&](const auto& place) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < each; ++k) entries.emplace_back(i, place(i, k), 1.0);
    SparseMatrix A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    return Problem{.f = SquaredDistance(Vector::Ones(n)),
                   .G = Affine(std::make_shared<const SparseMatrix>(std::move(A))),
                   .C = Box::nonpositive(n),
                   .D = Free(n)};
  };
  Random random(3);
  EXPECT_TRUE(suits_nlp(rows([&](Index i, Index k) { return std::min(i + k, n - 1); }), Vector::Zero(n)));
  EXPECT_FALSE(suits_nlp(rows([&](Index, Index) { return random.below(n); }), Vector::Zero(n)));
}

TEST(Nlp, WhatStopThrowsPassesThrough) {
  NEEDS_IPOPT();
  const Index n = 20;
  const Problem on_box{.f = SquaredDistance(Vector::Ones(n)), .D = Box(Vector::Zero(n), Vector::Constant(n, 0.5))};
  for (int last = 1; last < 8; ++last) {
    int asked = 0;
    const auto stop = [&] { return ++asked > last ? throw std::runtime_error("enough") : false; };
    EXPECT_THROW(ipopt(on_box, Vector::Zero(n), {.stop = stop}), std::runtime_error) << last;
  }
  const NlpResult r = ipopt(on_box, Vector::Zero(n), {.stop = [] { return true; }});
  EXPECT_EQ(r.status, NlpStatus::stopped);
  EXPECT_EQ(r.mu.size(), r.x.size());
}

/// Σ (√x_i − c_i)², which throws where x is negative.
struct Roots {
  Index n;
  Index dimension() const { return n; }
  double value_and_gradient(In x, Out g) const {
    double f = 0.0;
    for (Index i = 0; i < n; ++i) {
      if (x[i] < 0.0) throw std::domain_error("a negative number has no root");
      const double off = std::sqrt(x[i] + 1e-3) - (i % 2 == 0 ? 1.0 : -1.0);
      f += off * off;
      g[i] = off / std::sqrt(x[i] + 1e-3);
    }
    return f;
  }
};

TEST(Nlp, FunctionsAreCalledBetweenTheBoundsOrTheirExceptionsDoNoHarm) {
  NEEDS_IPOPT();
  const Index n = 50;
  const NlpResult r =
      ipopt({.f = Roots{n}, .D = Box(Vector::Zero(n), Vector::Constant(n, infinity))}, Vector::Ones(n));
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(r.x[i], i % 2 == 0 ? 0.999 : 0.0, 1e-6);
}

TEST(Nlp, DenseDerivativesMayVanishAnywhere) {
  NEEDS_IPOPT();
  /// Σ max(0, x_i − c_i)² ≤ 1, with a dense row.
  struct Hinges {
    Index n;
    Index input_dimension() const { return n; }
    Index output_dimension() const { return 1; }
    double above(In x, Index i) const { return std::max(0.0, x[i] - 0.1 * static_cast<double>(i)); }
    void evaluate(In x, Out out) const {
      out[0] = 0.0;
      for (Index i = 0; i < n; ++i) out[0] += std::pow(above(x, i), 2);
    }
    void adjoint(In x, In w, Out out) const {
      for (Index i = 0; i < n; ++i) out[i] = 2.0 * w[0] * above(x, i);
    }
    Operator jacobian(In x) const {
      Vector row(n);
      adjoint(x, Vector::Ones(1), row);
      return Matrix(row.transpose());
    }
  };
  const Index n = 40;
  const Problem problem{.f = SquaredDistance(Vector::Constant(n, 3.0)),
                        .G = Hinges{n},
                        .C = Box(Vector::Constant(1, -infinity), Vector::Ones(1)),
                        .D = Free(n)};
  const NlpResult a = sqp(problem, Vector::Zero(n)), b = ipopt(problem, Vector::Zero(n));
  EXPECT_LE(b.violation, 1e-6);
  EXPECT_NEAR(a.f, b.f, 1e-3 * a.f);
}

}  // namespace
}  // namespace pendec
