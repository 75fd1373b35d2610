// Your own objective: a struct with two functions. Here the Huber loss of a regression with at most two features.
#include <cmath>
#include <cstdio>
#include <pendec/pendec.hpp>

using namespace pendec;

struct RobustLoss {
  Matrix A;
  Vector b;
  Index dimension() const { return A.cols(); }
  double value_and_gradient(In x, Out g) const {
    const Vector r = A * x - b;
    const Vector clipped = r.cwiseMax(-1.0).cwiseMin(1.0);
    g = A.transpose() * clipped;
    return (clipped.array() * (r - 0.5 * clipped).array()).sum();
  }
};

int main() {
  Random random(1);
  const Matrix A = random.normal_matrix(50, 8);
  Vector b = A.col(2) - 2.0 * A.col(5) + 0.1 * random.normal_vector(50);
  b[7] += 100.0;  // an outlier

  const Result r = solve({.f = RobustLoss{A, b}, .D = Sparse(8, 2)}, Vector::Zero(8));
  std::printf("%s", summary(r).c_str());
  for (Index i = 0; i < 8; ++i)
    if (r.y[i] != 0.0) std::printf("  feature %td: %.3f\n", i, r.y[i]);
  return r.success() && std::abs(r.y[2] - 1.0) < 0.1 && std::abs(r.y[5] + 2.0) < 0.1 ? 0 : 1;
}
