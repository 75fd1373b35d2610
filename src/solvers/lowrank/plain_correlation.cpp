#include <algorithm>
#include <cmath>

#include "../../subsolvers/manifold/unit_rows.hpp"
#include "correlation_dual.hpp"
#include "correlation_parts.hpp"

namespace pendec::detail {

void plain_correlation(MatrixIn A, const FixedEntries& fixed, double tolerance, const Deadline& deadline, Result& r) {
  const Index n = A.rows();
  CorrelationDetails& at = details_of(r);
  at.V = Matrix::Identity(n, n);  // until there is a better one
  r.lambda = Vector::Zero(n);
  r.f = 0.5 * (A - at.V).squaredNorm();
  CorrelationDual dual(Vector::Ones(n), fixed, entries_of(A, fixed));
  Vector y = Vector::Zero(dual.size());
  y.head(n) = Vector::Ones(n) - A.diagonal();
  double theta = 0.0;
  try {
    theta = dual.minimise(A, tolerance, deadline, y);
  } catch (const OutOfTime&) {
    return;
  }
  r.counts.outer = dual.iterations();
  r.counts.starts = 1;

  // X = factor · factorᵀ up to its diagonal, which normalised rows make exactly one.
  at.V = significant_columns(dual.factor());
  normalise_rows(at.V);
  r.lambda = -y.head(n);
  r.f = half_squared_distance(A, at.V);
  const Matrix shifted = dual.plus_adjoint(A, y);
  // The eigenvalues behind θ are those of a matrix within n ε ‖·‖ of A + E*(y).
  const double squares = shifted.squaredNorm() + A.squaredNorm() + y.lpNorm<1>();
  const double rounding = 8.0 * static_cast<double>(n) * epsilon * squares;
  r.bound = std::max(0.5 * A.squaredNorm() - theta - rounding, 0.0);
  at.global = agree(r.f, r.bound, unavoidable_distance(A), 10.0 * rounding);

  try {
    deadline.check();
    // −∇f(X) + E*(y) = A − X + E*(y) has to be a normal of the cone.
    const Matrix X = at.X(), normal = shifted - X;
    r.certificate = certify_in_cone(at.V, normal, largest_eigenvalue_bound(normal, deadline), -r.lambda,
                                    std::max((X - A).norm(), X.norm()), deadline);
  } catch (const OutOfTime&) {  // without a certificate, then
  }
}

}  // namespace pendec::detail
