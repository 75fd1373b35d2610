#include "pendec/core/map.hpp"

namespace pendec {

Matrix Map::jacobian(In x) const {
  Matrix J;
  if (self_->jacobian(x, J)) return J;
  const Index m = output_dimension();
  Matrix transposed(input_dimension(), m);
  Vector e = Vector::Zero(m);
  for (Index i = 0; i < m; ++i) {
    e[i] = 1.0;
    adjoint(x, e, transposed.col(i));
    e[i] = 0.0;
  }
  return transposed.transpose();
}

bool Map::hessian_times(In x, In w, In d, Out out) const {
  if (self_->hessian_times(x, w, d, out)) return true;
  if (!is_affine()) return false;
  out.setZero();
  return true;
}

}  // namespace pendec
