// Dense SQP and Ipopt on the same smooth programs: where does one begin to beat the other?
//   control    a membrane that is pushed upwards, sparse equations and bounds, a convex quadratic f
//   curved     Rosenbrock's valley with bounds and sparse quadratic rows
//   portfolio  a dense covariance on the simplex
#include <benchmark/benchmark.h>

#include "pendec/core/random.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/subsolvers/ipopt.hpp"
#include "pendec/subsolvers/nlp.hpp"
#include "tests/problems/obstacle_control.hpp"

namespace {

using namespace pendec;

Problem control(Index n) {
  const PairProgram program = testing::obstacle_control(static_cast<Index>(std::sqrt(static_cast<double>(n) / 3.0)));
  LinearConstraints bounds = *program.X.linear_constraints();
  bounds.lower.head(program.dimension() / 3).setConstant(-0.3);
  bounds.lower.tail(program.dimension() / 3).setZero();
  return {.f = program.f, .G = program.G, .C = program.C, .D = Box(bounds.lower, bounds.upper)};
}

struct Valley {
  Index n;
  Index dimension() const { return n; }
  double value_and_gradient(In x, Out g) const {
    double f = 0.0;
    g.setZero();
    for (Index i = 0; i + 1 < n; ++i) {
      const double a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
      f += 10.0 * a * a + b * b;
      g[i] -= 40.0 * a * x[i] + 2.0 * b;
      g[i + 1] += 20.0 * a;
    }
    return f;
  }
  void hessian_times(In x, In d, Out out) const { hessian(x).times(d, out); }
  Operator hessian(In x) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i + 1 < n; ++i) {
      entries.emplace_back(i, i, 120.0 * x[i] * x[i] - 40.0 * x[i + 1] + 2.0);
      entries.emplace_back(i, i + 1, -40.0 * x[i]);
      entries.emplace_back(i + 1, i, -40.0 * x[i]);
      entries.emplace_back(i + 1, i + 1, 20.0);
    }
    SparseMatrix H(n, n);
    H.setFromTriplets(entries.begin(), entries.end());
    return H;
  }
};

/// x_i² + x_{i+1}² ≤ 1.5 for every second i.
struct Discs {
  Index n;
  Index input_dimension() const { return n; }
  Index output_dimension() const { return n / 2; }
  void evaluate(In x, Out out) const {
    for (Index i = 0; i < n / 2; ++i) out[i] = x.segment(2 * i, 2).squaredNorm();
  }
  void adjoint(In x, In w, Out out) const {
    out.setZero();
    for (Index i = 0; i < n / 2; ++i) out.segment(2 * i, 2) = 2.0 * w[i] * x.segment(2 * i, 2);
  }
  Operator jacobian(In x) const {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < 2 * (n / 2); ++i) entries.emplace_back(i / 2, i, 2.0 * x[i]);
    SparseMatrix J(n / 2, n);
    J.setFromTriplets(entries.begin(), entries.end());
    return J;
  }
  void hessian_times(In x, In w, In d, Out out) const { hessian(x, w).times(d, out); }
  Operator hessian(In, In w) const {
    Vector twice = Vector::Zero(n);
    for (Index i = 0; i < 2 * (n / 2); ++i) twice[i] = 2.0 * w[i / 2];
    return Operator::diagonal(std::move(twice));
  }
};

Problem curved(Index n) {
  return {.f = Valley{n},
          .G = Discs{n},
          .C = Box(Vector::Constant(n / 2, -infinity), Vector::Constant(n / 2, 1.5)),
          .D = Box(Vector::Constant(n, -1.0), Vector::Constant(n, 0.9))};
}

Problem portfolio(Index n) {
  Random random(static_cast<std::uint64_t>(n));
  const Matrix returns = random.normal_matrix(2 * n, n);
  return {.f = Quadratic(Matrix(returns.transpose() * returns / static_cast<double>(2 * n)),
                         0.1 * random.normal_vector(n)),
          .D = Simplex(n)};
}

void run(benchmark::State& state, Problem (*make)(Index), Nlp solver) {
  const Problem problem = make(state.range(0));
  const Vector start = Vector::Constant(problem.dimension(), 0.1);
  NlpResult r;
  for (auto _ : state) r = nlp(problem, start, {.solver = solver});
  state.counters["iterations"] = static_cast<double>(r.iterations);
  state.counters["kkt"] = r.kkt_error;
}

void sizes(benchmark::internal::Benchmark* of) {
  of->Unit(benchmark::kMillisecond);
  for (const int n : {12, 48, 108, 192, 300, 432}) of->Arg(n);
}

#define COMPARE(family)                                                 \
  BENCHMARK_CAPTURE(run, family##_sqp, family, Nlp::sqp)->Apply(sizes); \
  BENCHMARK_CAPTURE(run, family##_ipopt, family, Nlp::ipopt)->Apply(sizes)
COMPARE(control);
COMPARE(curved);
COMPARE(portfolio);

}  // namespace
