// The rank of a matrix that rounding has touched.
#pragma once

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// The number of singular values, or of positive eigenvalues, that are not rounding errors of the largest in
/// magnitude.
inline Index numerical_rank(const Vector& spectrum) {
  constexpr double tolerance = 1e-11;
  return (spectrum.array() > tolerance * spectrum.lpNorm<Eigen::Infinity>()).count();
}

}  // namespace pendec::detail
