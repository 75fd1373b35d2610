#include "pendec/sets/stiefel.hpp"

#include <fmt/format.h>

#include "../subsolvers/dense.hpp"
#include "pendec/core/error.hpp"

namespace pendec {

Stiefel::Stiefel(Index rows_, Index cols_) : rows(rows_), cols(cols_) {
  require(cols >= 1, "Stiefel.cols", cols, "at least 1");
  require(rows >= cols, "Stiefel.rows", rows, fmt::format("at least cols = {}", cols));
}

void Stiefel::project(In z, Out y) const {
  const detail::ThinSvd svd = detail::thin_svd(ConstMatrixView(z.data(), rows, cols));
  MatrixView(y.data(), rows, cols) = detail::times_transpose(svd.U, svd.V);
}

double Stiefel::normal_residual(In x, In v) const {
  const ConstMatrixView X(x.data(), rows, cols), V(v.data(), rows, cols);
  const Matrix S = detail::transpose_times(X, V);
  return (V - detail::times(X, 0.5 * (S + S.transpose()))).norm();
}

bool Stiefel::projection_is_unique(In z, double tol) const {
  return detail::singular_values(ConstMatrixView(z.data(), rows, cols))[cols - 1] > tol;
}

}  // namespace pendec
