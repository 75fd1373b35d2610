// Times projections of one point, for bench/against_numpy.py:
//   projections FILE N REPEATS
// FILE holds N doubles. Prints one JSON object per operation: the least of REPEATS times, and ‖y‖² as a check.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>

#include "bench/arguments.hpp"
#include "pendec/sets/simplex.hpp"
#include "pendec/sets/sparse.hpp"

namespace {

using namespace pendec;

Vector read(const std::string& path, Index n) {
  Vector z(n);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(z.data()), static_cast<std::streamsize>(sizeof(double)) * n);
  if (!file) throw std::runtime_error(fmt::format("{} has no {} doubles", path, n));
  return z;
}

void report(const std::string& operation, const Vector& z, int repeats, const std::function<void(Out)>& run) {
  using Clock = std::chrono::steady_clock;
  Vector y = Vector::Zero(z.size());
  double best = infinity;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = Clock::now();
    run(y);
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  fmt::print("{{\"operation\": \"{}\", \"n\": {}, \"ms\": {:.6g}, \"squares\": {:.17g}}}\n", operation, z.size(),
             best, y.squaredNorm());
}

}  // namespace

int main(int argc, char** argv) try {
  const int n = argc == 4 ? bench::positive(argv[2]) : 0;
  const int repeats = argc == 4 ? bench::positive(argv[3]) : 0;
  if (n < 1000 || repeats == 0) {
    fmt::print(stderr, "usage: projections FILE N REPEATS, N at least 1000\n");
    return 2;
  }
  const Vector z = read(argv[1], n);
  report("copy", z, repeats, [&](Out y) { y = z; });
  const auto project = [&](const std::string& operation, const Set& set) {
    report(operation, z, repeats, [&](Out y) { set.project(z, y); });
  };
  project("Sparse, s = 1000", Sparse(n, 1000));
  project("Sparse, s = n/10", Sparse(n, n / 10));
  project("Sparse, s = n/2", Sparse(n, n / 2));
  project("Simplex, radius 1", Simplex(n, 1.0));
  project("Simplex, radius n/10", Simplex(n, 0.1 * n));
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "projections: {}\n", e.what());
  return 1;
}
