#include "experiments/reproduce/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "pendec/solvers/solve.hpp"

namespace pendec::experiments {
namespace {

/// At most `most` rows, evenly, the first and the last among them.
std::vector<Progress> thinned(const std::vector<Progress>& trace, std::size_t most) {
  if (trace.size() <= most) return trace;
  std::vector<Progress> out;
  for (std::size_t k = 0; k < most; ++k) out.push_back(trace[k * (trace.size() - 1) / (most - 1)]);
  return out;
}

}  // namespace

void timed(Row& row, const std::function<void()>& work) {
  constexpr double short_run = 0.02;
  constexpr int repeats = 5;
  row.seconds = row.cpu_seconds = infinity;
  for (int k = 0; k < repeats; ++k) {
    const std::clock_t cpu = std::clock();
    const auto wall = std::chrono::steady_clock::now();
    work();
    row.seconds =
        std::min(row.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count());
    row.cpu_seconds = std::min(row.cpu_seconds, static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
    if (row.seconds > short_run) break;
  }
}

Result run_method(Row& row, const Problem& problem, In start, Options options, std::stop_token stop, bool trace) {
  options.trace = trace;
  Result result;
  timed(row, [&] { result = solve(problem, start, options, {.stop = stop}); });
  take_over(row, problem, result);
  row.trace = thinned(result.trace, 80);
  return result;
}

void take_over(Row& row, const Problem& problem, const Result& result) {
  const Certificate& c = result.certificate;
  row.f = result.f;
  row.infeasibility = std::max(c.distance_C, c.distance_D);
  row.explained = 0.0;
  if (problem.has_G() && c.lambda.size() == problem.G.output_dimension()) {
    Vector value(problem.G.output_dimension());
    problem.G.evaluate(result.y, value);
    row.explained = std::abs(c.lambda.dot(value - problem.C.projection(value)));
  }
  row.stationarity = c.relative_stationarity();
  if (std::isfinite(result.bound)) row.lower_bound = result.bound;
  row.status = to_string(result.status);
  row.outer = result.counts.outer;
  row.inner = result.counts.inner;
  row.projections = result.counts.project_D;
  row.projection_seconds = result.times.project_D;
}

void take_over(Row& row, const Result& result) {
  row.f = result.f;
  row.infeasibility = row.explained = 0.0;
  row.stationarity = result.certificate.relative_stationarity();
  row.lower_bound = result.bound;
  row.status = to_string(result.status);
  row.outer = result.counts.nodes;
  row.inner = result.counts.supports;
}

}  // namespace pendec::experiments
