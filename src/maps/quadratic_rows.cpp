#include "pendec/maps/quadratic_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

QuadraticRows::QuadraticRows(std::vector<Matrix> Q_, Matrix A_, Vector b_)
    : Q(std::move(Q_)), A(std::move(A_)), b(std::move(b_)) {
  require_dimension("QuadraticRows.Q.size()", std::ssize(Q), A.rows());
  require_dimension("QuadraticRows.b.size()", b.size(), A.rows());
  require_finite("QuadraticRows.A", A);
  require_finite("QuadraticRows.b", b);
  for (std::size_t j = 0; j < Q.size(); ++j) {
    const auto field = fmt::format("QuadraticRows.Q[{}]", j);
    require_dimension(field + ".rows()", Q[j].rows(), A.cols());
    require_dimension(field + ".cols()", Q[j].cols(), A.cols());
    require_finite(field, Q[j]);
    const double asymmetry = (Q[j] - Q[j].transpose()).cwiseAbs().maxCoeff();
    require(asymmetry <= 1e-12 * Q[j].cwiseAbs().maxCoeff(), field, asymmetry, "a symmetric matrix");
  }
}

void QuadraticRows::evaluate(In x, Out out) const {
  out = A * x + b;
  for (std::size_t j = 0; j < Q.size(); ++j) out[static_cast<Index>(j)] += 0.5 * x.dot(Q[j] * x);
}

void QuadraticRows::adjoint(In x, In w, Out out) const { out = A.transpose() * w + hessian(x, w) * x; }

Matrix QuadraticRows::jacobian(In x) const {
  Matrix J = A;
  for (std::size_t j = 0; j < Q.size(); ++j) J.row(static_cast<Index>(j)) += (Q[j] * x).transpose();
  return J;
}

Matrix QuadraticRows::hessian(In, In w) const {
  Matrix H = Matrix::Zero(A.cols(), A.cols());
  for (std::size_t j = 0; j < Q.size(); ++j)
    if (w[static_cast<Index>(j)] != 0.0) H += w[static_cast<Index>(j)] * Q[j];
  return H;
}

std::optional<Operator> QuadraticRows::constant_jacobian() const {
  if (!std::all_of(Q.begin(), Q.end(), [](const Matrix& one) { return one.isZero(0.0); })) return std::nullopt;
  return A;
}

void QuadraticRows::magnitude(In x, Out values, Out slopes) const {
  const Vector size = x.cwiseAbs();
  for (Index j = 0; j < A.rows(); ++j) {
    const Vector linear = A.row(j).cwiseAbs(), curved = Q[static_cast<std::size_t>(j)].cwiseAbs() * size;
    values[j] = size.dot(linear + curved) + std::abs(b[j]);
    slopes[j] = (linear + curved).maxCoeff();
  }
}

}  // namespace pendec
