// Projections onto every set of the library, over sizes, with the fitted growth: stateless and by a projector along a
// slowly converging sequence. --benchmark_filter=Sparse picks one.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "pendec/core/random.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/box_switching.hpp"
#include "pendec/sets/free.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/psd_low_rank.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/sets/sparse.hpp"
#include "pendec/sets/union_of.hpp"

namespace {

using namespace pendec;

Index side(Index n) { return std::lround(std::sqrt(static_cast<double>(n))); }

Vector ones(Index n) { return Vector::Ones(n); }

Polyhedron random_polyhedron(Index n) {
  Random random(1);
  return {random.normal_matrix(n, n), ones(n)};
}

double linear(benchmark::IterationCount n) { return static_cast<double>(n); }
double cube_of_side(benchmark::IterationCount n) { return std::pow(static_cast<double>(n), 1.5); }
double cubic(benchmark::IterationCount n) { return std::pow(static_cast<double>(n), 3.0); }

constexpr Index vectors = 1 << 20, matrices = 1 << 14, programs = 1 << 6;

struct Entry {
  const char* name;
  Set (*make)(Index n);
  benchmark::BigOFunc* cost;
  Index largest;
};

// One line a set.
const Entry entries[] = {
    {"Free", [](Index n) -> Set { return Free(n); }, linear, vectors},
    {"Singleton", [](Index n) -> Set { return Singleton(ones(n)); }, linear, vectors},
    {"Box", [](Index n) -> Set { return Box(-ones(n), ones(n)); }, linear, vectors},
    {"BoxSwitching", [](Index n) -> Set { return BoxSwitching::switching(n / 2); }, linear, vectors},
    {"Simplex, radius 1", [](Index n) -> Set { return Simplex(n); }, linear, vectors},
    {"Simplex, radius n/10", [](Index n) -> Set { return Simplex(n, 0.1 * static_cast<double>(n)); }, linear,
     vectors},
    {"Sparse, s = n/100", [](Index n) -> Set { return Sparse(n, n / 100); }, linear, vectors},
    {"Sparse, s = n/10", [](Index n) -> Set { return Sparse(n, n / 10); }, linear, vectors},
    {"Sparse, s = n/2", [](Index n) -> Set { return Sparse(n, n / 2); }, linear, vectors},
    {"Product",
     [](Index n) -> Set {
       return Product({Sparse(n / 2, n / 20), Free(n - n / 2)});
     },
     linear, vectors},
    {"UnionOf",
     [](Index n) -> Set {
       return UnionOf({Sparse(n, n / 10), Singleton(ones(n))});
     },
     linear, vectors},
    {"LowRank, kappa = 2", [](Index n) -> Set { return LowRank(side(n), side(n), 2); }, cube_of_side, matrices},
    {"PsdLowRank, kappa = 2", [](Index n) -> Set { return PsdLowRank(side(n), 2); }, cube_of_side, matrices},
    {"Polyhedron", [](Index n) -> Set { return random_polyhedron(n); }, cubic, programs},
};

std::vector<Vector> converging_sequence(Index n) {
  Random random(2);
  std::vector<Vector> points{random.normal_vector(n)};
  for (const double step : {0.1, 0.03, 0.01}) points.emplace_back(points.back() + step * random.normal_vector(n));
  return points;
}

template <class Project>
void measure(benchmark::State& state, Index n, const Project& project) {
  const std::vector<Vector> points = converging_sequence(n);
  Vector y = Vector::Zero(n);
  std::size_t k = 0;
  for (auto _ : state) {
    project(points[k++ % points.size()], y);
    benchmark::ClobberMemory();
  }
  state.SetComplexityN(n);
  state.SetBytesProcessed(state.iterations() * n * Index{2 * sizeof(double)});  // z read, y written
}

void stateless(benchmark::State& state, const Entry& entry) {
  const Set set = entry.make(state.range(0));
  measure(state, set.dimension(), [&](const Vector& z, Vector& y) { set.project(z, y); });
}

void by_projector(benchmark::State& state, const Entry& entry) {
  const Set set = entry.make(state.range(0));
  const auto projector = set.projector();
  measure(state, set.dimension(), [&](const Vector& z, Vector& y) { projector->project(z, y); });
}

using Run = void (*)(benchmark::State&, const Entry&);

void add(const Entry& entry, const std::string& kind, Run run) {
  benchmark::RegisterBenchmark((entry.name + (", " + kind)).c_str(), run, entry)
      ->RangeMultiplier(4)
      ->Range(16, entry.largest)
      ->Complexity(entry.cost);
}

const bool registered = [] {
  for (const Entry& entry : entries) {
    add(entry, "stateless", stateless);
    add(entry, "projector", by_projector);
  }
  return true;
}();

}  // namespace
