// Projections onto {x : A x ≤ b}, A and b standard normal: the parts of the disjunctive programs of the paper.
#include <benchmark/benchmark.h>

#include <vector>

#include "pendec/core/random.hpp"
#include "pendec/subsolvers/qp.hpp"

namespace {

using namespace pendec;

struct Instance {
  std::shared_ptr<const PreparedConstraints> part;
  std::vector<Vector> path;  // points of a slowly converging sequence, as along a solve
};

/// Random parts, feasible or empty as asked.
std::vector<Instance> instances(Index n, Index rows, bool feasible) {
  Random random(static_cast<std::uint64_t>(1000 * n + rows));
  std::vector<Instance> found;
  while (found.size() < 20) {
    LinearConstraints c = LinearConstraints::none(n);
    c.A = random.normal_matrix(rows, n);
    c.b = random.normal_vector(rows);
    Instance instance{std::make_shared<const PreparedConstraints>(c), {}};
    DualActiveSet qp(instance.part);
    Vector y(n);
    if ((qp.project(Vector::Zero(n), y) == QpStatus::optimal) != feasible) continue;
    Vector z = 2.0 * random.normal_vector(n);
    for (int k = 0; k < 50; ++k) instance.path.push_back(z += 0.3 / (1 + k) * random.normal_vector(n));
    found.push_back(std::move(instance));
  }
  return found;
}

void run(benchmark::State& state, bool feasible, bool warm) {
  const auto all = instances(state.range(0), state.range(1), feasible);
  std::vector<DualActiveSet> solvers;
  for (const Instance& instance : all) solvers.emplace_back(instance.part);
  Vector y = Vector::Zero(state.range(0));
  Index iterations = 0, projections = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const Vector& z : all[i].path) {
        benchmark::DoNotOptimize(solvers[i].project(z, y, infinity, warm));
        iterations += solvers[i].iterations();
        ++projections;
      }
    }
  }
  state.counters["time"] =
      benchmark::Counter(static_cast<double>(projections), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["steps"] = static_cast<double>(iterations) / static_cast<double>(projections);
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const auto& [n, rows] : {std::pair{5, 7}, {10, 12}, {10, 20}, {20, 30}, {50, 60}, {50, 100}})
    b->Args({n, rows});
}

void cold(benchmark::State& state) { run(state, true, false); }
void warm(benchmark::State& state) { run(state, true, true); }
void empty(benchmark::State& state) { run(state, false, false); }

BENCHMARK(cold)->Apply(sizes);
BENCHMARK(warm)->Apply(sizes);
BENCHMARK(empty)->Args({5, 7})->Args({10, 12})->Args({10, 20})->Args({20, 30})->Args({50, 100});

}  // namespace
