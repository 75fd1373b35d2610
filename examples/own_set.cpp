// Your own set: anything you can project onto. Here integer points, in five lines.
#include <cmath>
#include <cstdio>
#include <pendec/certificates/check.hpp>
#include <pendec/pendec.hpp>

using namespace pendec;

struct Integers {
  Index n;
  Index dimension() const { return n; }
  void project(In z, Out y) const { y = z.array().round(); }
};

int main() {
  // does it keep the promises of a projection?
  const CheckReport report = check_set(Integers{3});
  for (const std::string& failure : report.failures) std::printf("check_set: %s\n", failure.c_str());

  // the integer point nearest to a on the plane x + y + z = 4
  const Vector a = (Vector(3) << 1.2, 0.7, 2.4).finished();
  const Problem nearest{.f = SquaredDistance(a),
                        .G = Affine(Matrix::Ones(1, 3)),
                        .C = Singleton(Vector::Constant(1, 4.0)),
                        .D = Integers{3}};
  const Result r = solve(nearest, a);
  std::printf("%s  x = (%g, %g, %g)\n", summary(r).c_str(), r.y[0], r.y[1], r.y[2]);
  return report.ok && r.y == (Vector(3) << 1.0, 1.0, 2.0).finished() ? 0 : 1;
}
