// Limits, observers, interruption, exceptions, warm starts: the best point is never lost.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "tests/problems/small_problems.hpp"
#include "tests/support/patience.hpp"

namespace pendec {
namespace {

using testing_support::SmallProblem;
using testing_support::sparse_portfolio;

bool sparse_and_finite(const Result& r, Index s) { return r.y.allFinite() && (r.y.array() != 0.0).count() <= s; }

TEST(Running, ObserverSeesEveryOuterIterationAndMayStop) {
  const SmallProblem p = sparse_portfolio();
  Index rows = 0;
  Hooks hooks;
  hooks.observer = [&](const Progress& progress) {
    EXPECT_GE(progress.seconds, 0.0);
    return ++rows < 5;
  };
  const Result r = solve(p.problem, p.start, paper_preset(Method::pd), hooks);
  EXPECT_EQ(rows, 5);
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_EQ(r.counts.outer, 5);
  EXPECT_TRUE(sparse_and_finite(r, 3));
}

TEST(Running, ObserverSeesTheIteratesInTheUsersUnits) {
  const SmallProblem p = sparse_portfolio();
  for (const Method method : {Method::pd, Method::pdlm, Method::alm}) {
    Options options = default_preset(method);
    options.driver.polish = false;
    options.driver.branch_search = 0;
    Vector last;
    Hooks hooks;
    hooks.observer = [&](const OuterIterate& iterate) {
      EXPECT_TRUE(p.problem.D.contains(iterate.y, 1e-12));
      EXPECT_NEAR(iterate.f, p.problem.f.value(iterate.x), 1e-12);
      EXPECT_NEAR(iterate.f_y, p.problem.f.value(iterate.y), 1e-12);
      last = iterate.y;
      return true;
    };
    const Result r = solve(p.problem, p.start, options, hooks);
    EXPECT_LT((last - r.y).norm(), 1e-6) << to_string(method);
  }
}

TEST(Running, StopTokenEndsTheSolveWithAPointInD) {
  const SmallProblem p = sparse_portfolio();
  std::stop_source source;
  source.request_stop();
  Hooks hooks;
  hooks.stop = source.get_token();
  for (const Options& o : {paper_preset(Method::pd), paper_preset(Method::alm), Options{}}) {
    const Result r = solve(p.problem, p.start, o, hooks);
    EXPECT_EQ(r.status, Status::interrupted);
    EXPECT_TRUE(sparse_and_finite(r, 3));
  }
}

TEST(Running, StopTokenIsSeenWhereverTheSolveIs) {
  const SmallProblem p = sparse_portfolio();
  const auto stopped_at = [&](Index stop_at, const Options& options) {
    std::stop_source source;
    Index calls = 0;
    Problem problem = p.problem;
    problem.f = make_objective(p.problem.dimension(), [&](In x, Out gradient) {
      if (++calls == stop_at) source.request_stop();
      return p.problem.f.value_and_gradient(x, gradient);
    });
    Hooks hooks;
    hooks.stop = source.get_token();
    const Result r = solve(problem, p.start, options, hooks);
    EXPECT_TRUE(sparse_and_finite(r, 3));
    return std::pair(calls, r.status);
  };
  for (const Options& o : {paper_preset(Method::pd), paper_preset(Method::alm), Options{}}) {
    const auto [all, undisturbed] = stopped_at(0, o);
    for (Index stop_at = 1; stop_at < all; stop_at += 1 + all / testing::rounds(200, 40)) {
      const auto [calls, status] = stopped_at(stop_at, o);
      EXPECT_LE(calls, stop_at + 100) << "of " << all;  // a line search, a certificate
      EXPECT_TRUE(status == Status::interrupted || (status == undisturbed && all - stop_at < 100))
          << to_string(status);
    }
  }
}

TEST(Running, TheResultLiesInDExactly) {
  const Problem p{.f = SquaredDistance(Vector{{2.9, -0.3, 7.3}}),
                  .D = Integer(Vector::Constant(3, -5.0), Vector::Constant(3, 5.0))};
  for (const double size : {0.1, 0.7, 3.3, 1234.5}) {
    const Result r = solve(p, Vector::Constant(3, size));
    EXPECT_EQ(r.y, p.D.projection(r.y));
    EXPECT_EQ(r.certificate.distance_D, 0.0);
  }
}

TEST(Running, LimitsEndTheSolveAndSayWhich) {
  const SmallProblem p = sparse_portfolio();
  Options o = paper_preset(Method::pd);
  o.limits.outer = 3;
  EXPECT_EQ(solve(p.problem, p.start, o).status, Status::max_iterations);
  o = paper_preset(Method::pd);
  o.limits.projections = 10;
  const Result r = solve(p.problem, p.start, o);
  EXPECT_EQ(r.status, Status::max_iterations);
  EXPECT_LE(r.counts.project_D, 11);
  o = paper_preset(Method::pd);
  o.limits.seconds = 0.0;
  EXPECT_EQ(solve(p.problem, p.start, o).status, Status::max_time);
}

TEST(Running, TheLimitOfOuterIterationsIsOneOfAllStartsTogether) {
  const SmallProblem p = sparse_portfolio();
  Options o = default_preset(Method::automatic);
  o.driver.route = Route::general;
  o.trace = true;
  const Index all = solve(p.problem, p.start, o).counts.outer;
  ASSERT_GT(all, 3);
  for (Index most = 1; most <= all; ++most) {
    o.limits.outer = most;
    const Result r = solve(p.problem, p.start, o);
    EXPECT_LE(r.counts.outer, most);
    EXPECT_EQ(static_cast<Index>(r.trace.size()), r.counts.outer);
  }
}

/// The whole space, but only for a number of projections; then NaN.
struct BreaksAfter {
  Index dimension() const { return 2; }
  std::string name() const { return "breaks"; }
  void project(In z, Out y) const { y = (*left)-- > 0 ? Vector(z) : Vector::Constant(2, NAN); }
  std::shared_ptr<int> left;
};

TEST(Running, AProjectionThatIsNotFiniteIsReportedAtAPointOfTheProblemsDimension) {
  const auto problem = [](int projections) {
    return Problem{.f = make_objective(2,
                                       [](In x, Out g) {
                                         EXPECT_TRUE(x.size() == 2 && x.allFinite());
                                         g = 2.0 * x;
                                         return x.squaredNorm();
                                       }),
                   .D = BreaksAfter{std::make_shared<int>(projections)}};
  };
  const Vector x0 = Vector::Ones(2);
  EXPECT_THROW(solve(problem(0), x0), InvalidArgument);
  for (int projections = 1; projections <= 12; ++projections) {
    const Result r = solve(problem(projections), x0);
    EXPECT_EQ(r.status, Status::not_finite) << projections;
    EXPECT_NE(r.message.find("breaks"), std::string::npos) << r.message;
    EXPECT_TRUE(r.y.size() == 2 && r.y.allFinite());
  }
}

TEST(Running, WithoutASingleIterationTheStartIsTheResult) {
  const SmallProblem p = sparse_portfolio();
  for (const Method method : {Method::automatic, Method::pd, Method::alm}) {
    Options o = default_preset(method);
    o.limits.outer = 0;
    EXPECT_TRUE(sparse_and_finite(solve(p.problem, p.start, o), 3)) << to_string(method);
  }
}

TEST(Running, TraceHasOneRowPerOuterIteration) {
  const SmallProblem p = sparse_portfolio();
  Options o = paper_preset(Method::pdlm);
  o.trace = true;
  const Result r = solve(p.problem, p.start, o);
  ASSERT_EQ(static_cast<Index>(r.trace.size()), r.counts.outer);
  EXPECT_LT(r.trace.back().coupling, 1e-5);
  EXPECT_EQ(r.trace.back().inner, r.counts.inner);
}

TEST(Running, WarmStartFromAResultEndsAtOnce) {
  const SmallProblem p = sparse_portfolio();
  const Result cold = solve(p.problem, p.start, paper_preset(Method::pdlm));
  const Result warm = solve(p.problem, cold, paper_preset(Method::pdlm));
  EXPECT_LE(warm.counts.outer, 3);
  EXPECT_NEAR(warm.f, cold.f, 1e-5);
}

struct UsersError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A quadratic that misbehaves from its n-th call on, and counts its calls.
Objective spoiled_after(Index calls, bool throws, const std::shared_ptr<Index>& count = std::make_shared<Index>(0)) {
  return make_objective(8, [=](In x, Out g) {
    if (++*count > calls) {
      if (throws) throw UsersError("mine");
      g.setConstant(std::nan(""));
      return std::nan("");
    }
    g = x - Vector::Ones(8);
    return 0.5 * g.squaredNorm();
  });
}

TEST(Running, UsersExceptionPassesThroughAfterTheResultHasBeenFilled) {
  SmallProblem p = sparse_portfolio();
  p.problem.f = spoiled_after(300, true);
  Result r;
  try {
    solve(p.problem, RunStart{.x = p.start}, paper_preset(Method::pd), {}, r);
    FAIL() << "the exception was swallowed";
  } catch (const UsersError& e) {
    EXPECT_STREQ(e.what(), "mine");
  }
  EXPECT_EQ(r.status, Status::interrupted);
  EXPECT_TRUE(sparse_and_finite(r, 3));
  EXPECT_GT(r.counts.outer, 0);
}

TEST(Running, TheResultIsFilledWheneverACallbackThrows) {
  for (Index calls = 2; calls < 60; ++calls) {
    for (const Method method : {Method::automatic, Method::pd, Method::alm}) {
      SmallProblem p = sparse_portfolio();
      p.problem.f = spoiled_after(calls, true);
      Result r;
      try {
        solve(p.problem, RunStart{.x = p.start}, default_preset(method), {}, r);
      } catch (const UsersError&) {
        if (r.y.size() == 0 && calls < 4) continue;  // thrown while the start was being checked
        EXPECT_EQ(r.status, Status::interrupted) << calls;
        EXPECT_TRUE(sparse_and_finite(r, 3)) << calls;
        EXPECT_EQ(r.y.size(), 8) << calls;
      }
    }
  }
}

TEST(Running, ASmallStartFarFromTheSolutionIsNotCalledUnbounded) {
  const Problem far{.f = SquaredDistance(Vector::Constant(4, 1e3)), .D = Sparse(4, 2)};
  const Result r = solve(far, Vector::Constant(4, 1.0), {.driver = {.route = Route::general}});
  EXPECT_EQ(r.status, Status::converged) << summary(r);
  EXPECT_NEAR(r.y.maxCoeff(), 1e3, 1e-6);
}

TEST(Running, AnInfeasibleEndThatIsNotStationaryIsNotCalledSo) {
  // stopped on its way to feasibility, with G in tiny units
  const Problem p{.f = SquaredDistance(Vector::Constant(3, 1.0)),
                  .G = Affine(1e-7 * Matrix::Ones(1, 3)),
                  .C = Singleton(Vector::Constant(1, 1e-6)),
                  .D = Sparse(3, 2)};
  Options o = paper_preset(Method::pd);
  o.penalty.tau_max = o.penalty.tau0;
  o.penalty.bound_iterations = 2;
  const Result r = solve(p, Vector::Zero(3), o);
  EXPECT_NE(r.status, Status::stationary_infeasible) << summary(r);
  EXPECT_NE(r.status, Status::converged) << summary(r);
}

TEST(Running, SolvesMayBeNested) {
  const Objective outer = make_objective(3, [](In x, Out g) {
    const Result inner = solve({.f = SquaredDistance(Vector::Ones(2)), .D = Sparse(2, 1)}, Vector::Zero(2));
    g = x - Vector::Constant(3, inner.f);
    return 0.5 * g.squaredNorm();
  });
  const Result r = solve({.f = outer, .D = Sparse(3, 1)}, Vector::Zero(3));
  EXPECT_EQ(r.status, Status::converged);
  EXPECT_NEAR(r.y.maxCoeff(), 0.5, 1e-6);
}

TEST(Running, NotFiniteEndsWithTheLastGoodPoint) {
  for (const Method method : {Method::pd, Method::pdlm, Method::alm}) {
    for (const Options& o : {paper_preset(method), default_preset(method)}) {
      SmallProblem p = sparse_portfolio();
      const auto calls = std::make_shared<Index>(0);
      p.problem.f = spoiled_after(std::numeric_limits<Index>::max(), false, calls);
      solve(p.problem, p.start, o);
      p.problem.f = spoiled_after(*calls / 2, false);
      const Result r = solve(p.problem, p.start, o);
      EXPECT_EQ(r.status, Status::not_finite) << to_string(method);
      EXPECT_TRUE(sparse_and_finite(r, 3));
    }
  }
}

TEST(Running, ProjectionThatReturnsNanIsNoticed) {
  SmallProblem p = sparse_portfolio();
  auto count = std::make_shared<Index>(0);
  p.problem.D = make_set(8, [=](In z, Out y) {
    y = z;
    if (++*count > 20) y[3] = std::nan("");
  });
  EXPECT_EQ(solve(p.problem, p.start, paper_preset(Method::pd)).status, Status::not_finite);
}

TEST(Running, AnInfeasibleProblemIsStationaryForItsInfeasibility) {
  // two nonzeros cannot sum to 3 inside the box, on any support
  const Problem p{.f = SquaredDistance(Vector::Zero(4)),
                  .G = Affine(Matrix::Ones(1, 4)),
                  .C = Singleton(Vector::Constant(1, 3.0)),
                  .D = BoxSwitching(Vector::Zero(2), Vector::Ones(2), Vector::Zero(2), Vector::Ones(2))};
  const Result r = solve(p, Vector::Zero(4), {.driver = {.route = Route::general}});
  EXPECT_EQ(r.status, Status::stationary_infeasible) << summary(r);
  EXPECT_NEAR(r.certificate.distance_C, 1.0, 1e-6);
  EXPECT_EQ(solve(p, Vector::Zero(4)).status, Status::infeasible) << "its four pieces prove it";
}

TEST(Running, AnUnboundedObjectiveIsNeverCalledSolved) {
  const Problem p{.f = make_objective(3,
                                      [](In x, Out g) {
                                        g.setConstant(-1.0);
                                        return -x.sum();
                                      }),
                  .D = Sparse(3, 2)};
  for (const Method method : {Method::automatic, Method::pd, Method::pdlm}) {
    const Result r = solve(p, Vector::Zero(3), default_preset(method));
    EXPECT_EQ(r.status, Status::unbounded) << summary(r);
  }
}

/// Beside numbers as large as a falling f leads to, rows that contradict each other seem to hold.
TEST(Running, WhatHasNoFeasiblePointIsNotCalledUnbounded) {
  int unbounded = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Index n = 2 + static_cast<Index>(seed % 3);
    const bool integers = seed % 2 == 0;
    const auto numbers = [&] {
      const Vector v = 3.0 * random.normal_vector(n);
      return integers ? Vector(v.array().round() + 0.5) : v;
    };
    Matrix A(2, n);
    A.row(0) = A.row(1) = numbers();
    const double gap = std::exp2(-static_cast<double>(random.below(10)));
    const auto rows = [&](double upper) { return Box(Vector{{1.0, -infinity}}, Vector{{infinity, upper}}); };
    const Set D = seed % 4 < 2 ? Set(Free(n)) : Set(Sparse(n, n - 1));
    const Problem p{.f = Linear(numbers()), .G = Affine(A), .C = rows(1.0 - gap), .D = D};
    const Result r = solve(p, Vector::Zero(n));
    EXPECT_FALSE(r.success() || r.status == Status::unbounded) << seed << ": " << summary(r);
    const Result falls = solve({.f = p.f, .G = p.G, .C = rows(1.0 + gap), .D = D}, Vector::Zero(n));
    EXPECT_FALSE(falls.status == Status::stationary_infeasible || falls.status == Status::infeasible) << seed;
    unbounded += falls.status == Status::unbounded;
  }
  EXPECT_GE(unbounded, 20) << "those of integers have exact rays";
}

TEST(Running, MethodPdHasNoMultipliers) {
  const SmallProblem p = sparse_portfolio();
  const Result r = solve(p.problem, p.start, {.method = Method::pd});
  EXPECT_EQ(r.options.penalty.multipliers, Multipliers::none);
}

TEST(Running, WarmStartFromAResultWithoutMultipliersIsAColdOne) {
  const SmallProblem p = sparse_portfolio();
  Result previous;
  previous.x = p.start;
  EXPECT_TRUE(solve(p.problem, previous, {.driver = {.route = Route::general}}).success());
  previous.lambda = Vector::Ones(3);
  EXPECT_THROW(solve(p.problem, previous), InvalidArgument);
}

TEST(Running, ADegenerateConstraintIsNotCalledInfeasible) {
  // x² = 0 has no multiplier; x = 0 is feasible to any tolerance that is not relative to x itself
  struct Square {
    Index input_dimension() const { return 1; }
    Index output_dimension() const { return 1; }
    void evaluate(In x, Out out) const { out[0] = x[0] * x[0]; }
    void adjoint(In x, In w, Out out) const { out[0] = 2.0 * x[0] * w[0]; }
  };
  const Problem p{.f = SquaredDistance(Vector::Constant(1, -1.0)), .G = Square{}, .C = Singleton(Vector::Zero(1))};
  const Result r = solve(p, Vector::Ones(1));
  EXPECT_NE(r.status, Status::stationary_infeasible) << summary(r);
  EXPECT_LE(std::abs(r.y[0]), 1e-2);
}

TEST(Running, AUsersPreconditionerIsUsed) {
  const SmallProblem p = sparse_portfolio();
  Index calls = 0;
  Hooks hooks;
  hooks.preconditioner = [&](In, double, In g, Out out) {
    ++calls;
    out = 0.1 * g;
  };
  solve(p.problem, p.start, paper_preset(Method::pd), hooks);
  EXPECT_GT(calls, 0);
}

TEST(Running, SameInputGivesTheSameBits) {
  for (const SmallProblem& p : testing_support::small_problems()) {
    const Result a = solve(p.problem, p.start);
    const Result b = solve(p.problem, p.start);
    EXPECT_EQ(a.y, b.y) << p.name;
    EXPECT_EQ(a.f, b.f) << p.name;
  }
}

TEST(Running, AFarStartDoesNotExcuseViolations) {
  // a user's set, which cannot be polished: the method's own tests decide, in units that the start suggests
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Set sparse = Sparse(5, 3);
    const Matrix A = random.normal_matrix(2, 5);
    const Problem p{.f = SquaredDistance(random.normal_vector(5)),
                    .G = Affine(A),
                    .C = Singleton(A * sparse.projection(random.normal_vector(5))),
                    .D = make_set(5, [=](In z, Out y) { sparse.project(z, y); })};
    const Result r = solve(p, 300.0 * random.normal_vector(5));
    if (r.status != Status::converged) continue;
    EXPECT_LE(r.certificate.distance_C, 2e-6 * A.norm() * r.y.norm()) << trial << summary(r);
  }
}

TEST(Running, ACertificateIsThatOfItsPointWhereverTheSolveBegan) {
  for (const SmallProblem& p : testing_support::small_problems()) {
    for (const double size : {1.0, 1e6}) {
      SCOPED_TRACE(::testing::Message() << p.name << ", start times " << size);
      const Vector start = size * (p.start + 0.1 * Vector::Ones(p.start.size()));
      const Result r = solve(p.problem, start, {.driver = {.route = Route::general}});
      const bool given = r.lambda.size() > 0 || !p.problem.has_G();
      const Certificate c = certify(p.problem, r.y, given ? std::optional(r.lambda) : std::nullopt);
      EXPECT_EQ(r.certificate.gradient_scale, c.gradient_scale);
      EXPECT_EQ(r.certificate.feasibility_scale, c.feasibility_scale);
      EXPECT_EQ(r.certificate.point_scale, c.point_scale);
      EXPECT_EQ(r.certificate.epsilon, c.epsilon);
      EXPECT_TRUE(r.status != Status::converged || c.holds(r.options.driver.tolerance)) << to_text(c);
    }
  }
}

TEST(Running, AWildStartTurnsNoPointIntoAConvergedOne) {
  // D is one point, which misses C by 1e-3: whatever the start, the result is that point, and infeasible
  const Problem p{.f = SquaredDistance(Vector::Zero(3)),
                  .G = Affine(Matrix::Ones(1, 3)),
                  .C = Singleton(Vector::Constant(1, 3.001)),
                  .D = Singleton(Vector::Ones(3))};
  const Result near = solve(p, 0.5 * Vector::Ones(3));
  for (const double size : {1e3, 1e6, 1e9}) {
    const Result far = solve(p, size * Vector::Ones(3));
    ASSERT_EQ(far.y, near.y);
    EXPECT_EQ(far.status, near.status) << size << summary(far);
    EXPECT_NE(far.status, Status::converged) << size << summary(far);
    EXPECT_EQ(far.certificate.feasibility_scale, near.certificate.feasibility_scale) << size;
    EXPECT_EQ(far.certificate.relative_infeasibility(), near.certificate.relative_infeasibility()) << size;
  }
}

TEST(Running, EntriesThatAreRoundingErrorsAreZero) {
  // the minimum is the origin, which is found up to 1e-34
  Random random(939);
  const Matrix A = random.normal_matrix(1, 4);
  const Problem p{.f = SquaredDistance(random.normal_vector(4)),
                  .G = Affine(A),
                  .C = Singleton(Vector::Zero(1)),
                  .D = BoxSwitching::complementarity(2)};
  random.normal_vector(4);
  for (int i = 0; i < 4; ++i) random.uniform(0.0, 1.0);
  const Result r = solve(p, random.normal_vector(4), {.driver = {.route = Route::general}});
  EXPECT_EQ(r.status, Status::converged) << summary(r);
  for (const double entry : r.y) EXPECT_TRUE(entry == 0.0 || std::abs(entry) > 1e-12) << r.y.transpose();
}

}  // namespace
}  // namespace pendec
