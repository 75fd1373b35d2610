#include "remainder.hpp"

#include <cmath>

#include "dense.hpp"
#include "lapack.hpp"

namespace pendec::detail {

/// M = σI − Z + Q (Θ − σ + ‖Z‖) Qᵀ is ‖Z‖ on span Q and σ − Z₂ on its complement, up to √2 · residual. A Cholesky
/// factorisation that succeeds proves λ_min(M) ≥ −(n + 1) ε trace(M) (Rump 2006); forming M costs ε‖Z‖ an operation.
bool remainder_is_below(MatrixIn Z, double norm, const Matrix& Q, const Vector& values, double residual, double bound,
                        Matrix& work, const Deadline& deadline) {
  const double n = static_cast<double>(Z.rows()), k = static_cast<double>(Q.cols());
  const double trace = std::abs(n * bound - Z.trace()) + k * (2.0 * norm + std::abs(bound));
  const double rounding = 2.0 * (n + 1.0) * epsilon * trace + 4.0 * (k + 4.0) * epsilon * norm;
  const double sigma = bound - std::sqrt(2.0) * residual - rounding;
  work = -Z;
  work.diagonal().array() += sigma;
  multiply('N', Q * (values.array() - sigma + norm).matrix().asDiagonal(), 'T', Q, 1.0, work);
  return cholesky_in_place(work, deadline);
}

}  // namespace pendec::detail
