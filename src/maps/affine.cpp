#include "pendec/maps/affine.hpp"

#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Affine::Affine(Operator A_, Vector b_) : A(std::move(A_)), b(std::move(b_)) {
  if (b.size() == 0) b = Vector::Zero(A.rows());
  require_dimension("Affine.b.size()", b.size(), A.rows());
  A.require_finite("Affine.A");
  require_finite("Affine.b", b);
}

}  // namespace pendec
