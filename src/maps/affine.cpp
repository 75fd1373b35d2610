#include "pendec/maps/affine.hpp"

#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Affine::Affine(Matrix A_, Vector b_) : A(std::move(A_)), b(std::move(b_)) {
  if (b.size() == 0) b = Vector::Zero(A.rows());
  require_dimension("Affine.b.size()", b.size(), A.rows());
  require_finite("Affine.A", A);
  require_finite("Affine.b", b);
}

}  // namespace pendec
