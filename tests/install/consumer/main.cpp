// A user's program against the installed package: sets of its own and of the library, and vectors that one side
// allocates and the other frees, grows or moves.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/core/set.hpp"
#include "pendec/version.hpp"
#if __has_include("pendec/sets/sparse.hpp")
#include "pendec/sets/sparse.hpp"
#endif

using namespace pendec;

namespace {

void check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

void check_set(const Set& set, const Vector& z, const Vector& expected) {
  Vector y = set.projection(z);  // allocated in the library …
  check((y - expected).norm() <= 1e-15, set.name().c_str());
  y.conservativeResize(1000);  // … reallocated here …
  Vector stolen = std::move(y);
  stolen.resize(7);  // … and freed here
  check(std::abs(set.distance(z) - (z - expected).norm()) <= 1e-15, "distance");
  check(set.contains(expected, 1e-12), "contains");
}

}  // namespace

int main() {
  for (Index n = 1; n <= 40; ++n) {  // every remainder of every packet size
    const Vector z = Vector::LinSpaced(n, -1.0, 2.0);
    check_set(make_set(n, [](In p, Out y) { y = p.cwiseMax(0.0); }), z, z.cwiseMax(0.0));
    check_set(Free(n), z, z);
#if __has_include("pendec/sets/sparse.hpp")
    Vector largest = Vector::Zero(n);
    largest[n - 1] = z[n - 1];
    check_set(Sparse(n, 1), z, largest);
#endif
  }

  check(Set(Free(3)).as<Free>() != nullptr, "the wrapped set comes back");
  try {
    require_dimension("x", 2, 3);
    check(false, "an exception crosses the library's boundary");
  } catch (const InvalidArgument& error) {
    check(error.field() == "x", "with its fields");
  }
  std::printf("pendec %s: ok\n", version);
  return 0;
}
