// Nearest low-rank correlation matrices: nearest_correlation() against plain PD-exact-lower-level, both in this
// program and on one thread, in seconds of the processor.
//   correlation_speed [--full] [N...]       sizes N of P1, P2, P3 with kappa = 5, 10, 20 (500 unless given)
//   correlation_speed --large             P1(2000,20) and P1(5000,20), without PD
// Plain PD projects by LAPACK's dsyevr, or by Spectra where it is installed. Its projections are counted by a run to
// the end with the library's own projector, which finds the same points; its seconds are that count times the seconds
// of one iteration, measured over the first 200. With --full the run with dsyevr goes to the end as well (an
// hour). Ends with 1 if a required ratio is missed, or a point is not a global minimum.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string_view>

#include "experiments/instances.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/subsolvers/eigen.hpp"
#if __has_include(<Spectra/SymEigsSolver.h>)
#include <Spectra/SymEigsSolver.h>
#define PENDEC_HAS_SPECTRA 1
#else
#define PENDEC_HAS_SPECTRA 0
#endif

namespace {

using namespace pendec;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class Call>
double timed(const Call& call) {
  const double begin = cpu_seconds();
  call();
  return cpu_seconds() - begin;
}

/// When projections began, in seconds of the processor, and what the decompositions among them took.
struct Clock {
  double first = 0.0, last = 0.0, decomposing = 0.0;
  Index calls = 0;
};

/// PsdLowRank with a projector that decomposes afresh each time: Decompose()(n, kappa, Z, pairs).
template <class Decompose>
struct PlainPsdLowRank {
  struct Plain final : Projector {
    using Projector::project;
    explicit Plain(const PlainPsdLowRank& s) : set(s), decompose(s.n, s.kappa) {}
    void project(In z, Out y) override {
      if (clock.calls++ == 0) clock.first = cpu_seconds();
      clock.last = cpu_seconds();
      clock.decomposing += timed([&] { decompose(ConstMatrixView(z.data(), set.n, set.n), pairs); });
      const Matrix V = pairs.vectors * pairs.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
      MatrixView(y.data(), set.n, set.n).noalias() = V * V.transpose();
    }
    PlainPsdLowRank set;
    Decompose decompose;
    EigenPairs pairs;
  };

  Index dimension() const { return n * n; }
  std::string name() const { return "PsdLowRank"; }
  void project(In z, Out y) const { Plain(*this).project(z, y); }
  std::unique_ptr<Projector> projector() const { return std::make_unique<Plain>(*this); }
  double normal_residual(In x, In v) const { return PsdLowRank(n, kappa).normal_residual(x, v); }

  static inline Clock clock;

  Index n, kappa;
};

struct Dsyevr {
  Dsyevr(Index n, Index k) : partial(n, k) {}
  void operator()(MatrixIn Z, EigenPairs& pairs) { partial.compute(Z, pairs); }
  PartialEigen partial;
};

#if PENDEC_HAS_SPECTRA
struct WithSpectra {
  WithSpectra(Index, Index k_) : k(k_) {}
  void operator()(MatrixIn Z, EigenPairs& pairs) const {
    Spectra::DenseSymMatProd<double> product(Z);
    Spectra::SymEigsSolver solver(product, k, std::min<Index>(2 * k + 10, Z.rows()));
    solver.init();
    solver.compute(Spectra::SortRule::LargestAlge, 1000, 1e-10);
    pairs = {solver.eigenvalues(), solver.eigenvectors()};
  }
  Index k;
};
#endif

struct Baseline {
  double iteration;      // seconds of the whole method, per projection
  double decomposition;  // of these, in eigendecompositions
};

/// From the first projection to the last: what comes before and after does not count.
template <class D>
Baseline measure(const Matrix& A, const D& set, Index projections) {
  Problem problem = correlation_problem(A, set.kappa);
  problem.D = set;
  Options options = correlation_options(CorrelationAlgorithm::pd_exact_lower_level);
  options.limits.projections = projections;
  D::clock = {};
  solve(problem, Matrix(Matrix::Identity(A.rows(), A.rows())).reshaped(), options);
  const Clock& c = D::clock;
  return {(c.last - c.first) / static_cast<double>(c.calls - 1), c.decomposing / static_cast<double>(c.calls)};
}

double fastest(const Matrix& A, Index kappa, int repeats, Result& r) {
  double least = infinity;
  for (int k = 0; k < repeats; ++k) least = std::min(least, timed([&] { r = nearest_correlation(A, kappa); }));
  return least;
}

/// The ratio to plain PD with dsyevr that is asked for; 0: none.
double required_ratio(int which, Index n, Index kappa) {
  if (n != 500 || kappa == 10) return 0.0;
  return which == 2 ? 150.0 : kappa == 5 ? 5000.0 : 1500.0;
}

/// Does the ratio reach what is required, at a point that is proved to be a global minimum? (Plain PD may end below
/// f, at a point that is not quite a correlation matrix.)
bool compare(int which, Index n, Index kappa, bool full) {
  const Matrix A = experiments::correlation_matrix(which, n);
  Result r;
  const double fast = fastest(A, kappa, 5, r);
  const Result tracked = solve(correlation_problem(A, kappa), Matrix(Matrix::Identity(n, n)).reshaped(),
                               correlation_options(CorrelationAlgorithm::pd_exact_lower_level));
  const auto projections = static_cast<double>(tracked.counts.project_D);
  EigenPairs pairs;
  PartialEigen bare(n, kappa);
  const double dsyevr = timed([&] {
                          for (int k = 0; k < 20; ++k) bare.compute(A, pairs);
                        }) /
                        20.0;
  const Baseline plain = measure(A, PlainPsdLowRank<Dsyevr>{n, kappa}, full ? tracked.counts.project_D : 200);
  const double ratio = projections * plain.iteration / fast, required = required_ratio(which, n, kappa);
  fmt::print(
      "P{}({},{}): f {:.10g} in {:.1f} ms, {} products, gap {:.0e}{}; plain PD: f {:.7f}, {:.0f} projections, {:.1f} "
      "ms each ({:.2f} in dsyevr, bare {:.2f}), {:.0f} s, {:.0f} x",
      which, n, kappa, r.f, 1e3 * fast, r.counts.products, (r.f - r.bound) / r.f,
      r.correlation().global ? " (global)" : "", tracked.f, projections, 1e3 * plain.iteration,
      1e3 * plain.decomposition, 1e3 * dsyevr, projections * plain.iteration, ratio);
  if (required > 0.0) fmt::print(" [{:.0f}]", required);
#if PENDEC_HAS_SPECTRA
  const Baseline spectra = measure(A, PlainPsdLowRank<WithSpectra>{n, kappa}, 200);
  fmt::print("; with Spectra {:.1f} ms each, {:.0f} x", 1e3 * spectra.iteration,
             projections * spectra.iteration / fast);
#endif
  fmt::print("\n");
  std::fflush(stdout);
  return ratio >= required && r.correlation().global;
}

void large(Index n) {
  const Matrix A = experiments::correlation_matrix(1, n);
  Result r;
  const double fast = fastest(A, 20, 1, r);
  fmt::print("P1({},20): f {:.10g} in {:.2f} s, {} products{}\n", n, r.f, fast, r.counts.products,
             r.correlation().global ? ", a global minimum" : "");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  bool full = false, hold = true;
  std::vector<Index> sizes;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--large") {
      large(2000);
      large(5000);
      return 0;
    }
    if (word == "--full") {
      full = true;
    } else if (const Index n = std::atoll(argv[k]); n >= 80) {
      sizes.push_back(n);
    } else {
      fmt::print(stderr, "usage: correlation_speed [--full] [N...] | --large\n");
      return 2;
    }
  }
  if (sizes.empty()) sizes = {500};
  for (const Index n : sizes)
    for (const int which : {1, 2, 3})
      for (const Index kappa : {5, 10, 20}) hold = compare(which, n, kappa, full) && hold;
  fmt::print("required ratios: {}\n", hold ? "all hold" : "MISSED");
  return hold ? 0 : 1;
} catch (const std::exception& e) {
  fmt::print(stderr, "correlation: {}\n", e.what());
  return 1;
}
