#include "split.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/verified.hpp"
#include "pendec/core/random.hpp"

namespace pendec::sparse {
namespace {

/// The largest eigenvalue of M Mᵀ, by a few steps of Lanczos: from below, as a rule by less than a percent.
double nearly_largest_eigenvalue(const Matrix& M) {
  const Index n = M.rows(), most = std::min<Index>(n, 20);
  Matrix T = Matrix::Zero(most, most);
  Vector before = Vector::Zero(n), v = Random(1).normal_vector(n).normalized(), next(n), product(n);
  Index steps = 0;
  for (double beta = 0.0; steps < most; ++steps) {
    product.noalias() = M.transpose() * v;
    next.noalias() = M * product;
    next -= beta * before;
    T(steps, steps) = v.dot(next);
    next -= T(steps, steps) * v;
    beta = next.norm();
    if (!(beta > 1e-8 * T(0, 0)) || steps + 1 == most) break;
    T(steps + 1, steps) = beta;
    before.swap(v);
    v = next / beta;
  }
  return detail::symmetric_eigenvalues(T.topLeftCorner(steps + 1, steps + 1))[steps];
}

}  // namespace

Split::Split(MatrixIn Q, Vector delta_) : delta(std::move(delta_)), Q0(Q) {
  Q0.diagonal() -= delta;
  magnitude = Q0.cwiseAbs().rowwise().maxCoeff();
}

std::optional<Split> verified_split(MatrixIn Q, const Vector& delta, const Deadline& deadline) {
  Split split(Q, delta);
  Matrix shifted = split.Q0;
  if (!detail::verified_semidefinite(shifted, deadline)) return std::nullopt;
  return split;
}

std::optional<Split> first_split(MatrixIn Q, const Deadline& deadline) {
  const Index n = Q.rows();
  std::vector<Index> curved;
  for (Index i = 0; i < n; ++i)
    if ((Q.col(i).array() != 0.0).any()) curved.push_back(i);
  if (curved.empty()) return Split(Q, Vector::Zero(n));
  if (std::ssize(curved) < n) return first_split(Q, curved, deadline);
  detail::Cholesky cholesky;
  if (cholesky.compute(Q, deadline)) {
    Matrix inverse = Matrix::Identity(n, n);
    cholesky.divide_from_right(inverse, deadline);  // L⁻ᵀ: the rows' squared norms are the diagonal of Q⁻¹
    const Vector shape = inverse.rowwise().squaredNorm().cwiseInverse();
    inverse.array().colwise() *= shape.array().sqrt();
    const double most = 1.0 / nearly_largest_eigenvalue(inverse);  // Q ⪰ most · diag(shape), nearly
    for (double lost = 1e-3; lost < 1.0; lost *= 3.0)
      if (auto split = verified_split(Q, (1.0 - lost) * most * shape, deadline)) return split;
  }
  // singular up to rounding: δ < 0 by no more than rounding explains
  for (double factor = 2.0; factor < 100.0; factor *= 4.0)
    if (auto split = verified_split(Q, Vector::Constant(n, -factor * detail::rounding_margin(Q)), deadline))
      return split;
  return std::nullopt;
}

std::optional<Split> first_split(MatrixIn Q, std::span<const Index> variables, const Deadline& deadline) {
  const std::vector<Index> chosen(variables.begin(), variables.end());
  const auto local = first_split(Matrix(Q(chosen, chosen)), deadline);
  if (!local) return std::nullopt;
  Vector delta = Vector::Zero(Q.rows());
  delta(chosen) = local->delta;
  return Split(Q, std::move(delta));
}

}  // namespace pendec::sparse
