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

void Map::derivative(In x, In d, Out out) const {
  if (!self_->derivative(x, d, out)) out.noalias() = jacobian(x) * d;
}

void Map::hessian_times(In x, In w, In d, Out out) const {
  if (self_->has_hessian()) return self_->hessian_times(x, w, d, out);
  out.setZero();
}

Matrix Map::hessian(In x, In w) const {
  Matrix out(input_dimension(), input_dimension());
  if (is_affine()) return out.setZero();
  if (self_->hessian(x, w, out)) return out;
  Vector unit = Vector::Zero(input_dimension());
  for (Index j = 0; j < unit.size(); ++j) {
    unit[j] = 1.0;
    self_->hessian_times(x, w, unit, out.col(j));
    unit[j] = 0.0;
  }
  return out;
}

}  // namespace pendec
