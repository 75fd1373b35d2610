// Projections onto every set of the library, over sizes, with the fitted growth: stateless and by a projector along a
// slowly converging sequence. --benchmark_filter=Sparse picks one.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "pendec/pendec.hpp"

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
    {"SparseBox", [](Index n) -> Set { return SparseBox::nonnegative(n, n / 10); }, linear, vectors},
    {"SparseSimplex", [](Index n) -> Set { return SparseSimplex(n, n / 10 + 1); }, linear, vectors},
    {"GroupSparse", [](Index n) -> Set { return GroupSparse::blocks(n / 4, 4, n / 40); }, linear, vectors},
    {"Sparse on a sphere", [](Index n) -> Set { return on_sphere(Sparse(n, n / 10 + 1)); }, linear, vectors},
    {"Integer", [](Index n) -> Set { return Integer(-ones(n), ones(n)); }, linear, vectors},
    {"FiniteValues",
     [](Index n) -> Set {
       return FiniteValues(n, {-1.0, 0.0, 0.5, 1.0});
     },
     linear, vectors},
    {"PairUnion, vanishing", [](Index n) -> Set { return PairUnion::vanishing(n / 2); }, linear, vectors},
    {"Ball", [](Index n) -> Set { return ball(n); }, linear, vectors},
    {"Slab", [](Index n) -> Set { return Slab(ones(n), -1.0, 1.0); }, linear, vectors},
    {"BoxSlab, capped simplex",
     [](Index n) -> Set { return BoxSlab::capped_simplex(n, 0.1 * static_cast<double>(n)); }, linear, vectors},
    {"L1Ball", [](Index n) -> Set { return L1Ball(n); }, linear, vectors},
    {"SecondOrderCone", [](Index n) -> Set { return SecondOrderCone(n); }, linear, vectors},
    {"Indexed",
     [](Index n) -> Set {
       std::vector<Index> reversed;
       for (Index i = n - 1; i >= 0; --i) reversed.push_back(i);
       return Indexed(n, reversed, Sparse(n, n / 10));
     },
     linear, vectors},
    {"Similarity", [](Index n) -> Set { return Similarity(Sparse(n, n / 10), -2.0, ones(n)); }, linear, vectors},
    {"AffineSubspace, 4 rows", [](Index n) -> Set { return AffineSubspace(Random(1).normal_matrix(4, n), ones(4)); },
     linear, 1 << 16},
    {"Intersection of box and ball",
     [](Index n) -> Set {
       return intersection({Box(-ones(n), 0.1 * ones(n)), ball(n)});
     },
     linear, 1 << 12},
    {"Stiefel", [](Index n) -> Set { return Stiefel(side(n), side(n)); }, cube_of_side, matrices},
    {"Nuclear ball", [](Index n) -> Set { return nuclear_ball(side(n), side(n), 1.0); }, cube_of_side, matrices},
    {"PSD cone", [](Index n) -> Set { return psd_cone(side(n)); }, cube_of_side, matrices},
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
  set_threads(1);  // times are those of a processor, and growth is fitted to them
  for (const Entry& entry : entries) {
    add(entry, "stateless", stateless);
    add(entry, "projector", by_projector);
  }
  return true;
}();

}  // namespace
