// Three lines from data to a certified sparse portfolio: at most three of ten assets, weights on the simplex.
#include <cstdio>
#include <pendec/pendec.hpp>

using namespace pendec;

int main() {
  Random random(7);
  const Matrix returns = 0.01 * random.normal_matrix(250, 10);
  const Vector mean = returns.colwise().mean();
  const Matrix centred = returns.rowwise() - mean.transpose();
  const Matrix covariance = centred.transpose() * centred / 249.0;

  const Problem portfolio{
      .f = Quadratic(covariance, -0.1 * mean), .G = Selection::identity(10), .C = Simplex(10), .D = Sparse(10, 3)};
  const Result r = solve(portfolio, Vector::Constant(10, 0.1));

  std::printf("%s", summary(r).c_str());
  for (Index i = 0; i < 10; ++i)
    if (r.y[i] != 0.0) std::printf("  asset %td: %5.1f %%\n", i, 100.0 * r.y[i]);
  return r.success() ? 0 : 1;
}
