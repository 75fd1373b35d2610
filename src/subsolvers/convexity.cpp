#include "pendec/subsolvers/convexity.hpp"

#include <cmath>

#include "dense.hpp"

namespace pendec {

bool is_convex(const Objective& f) {
  if (f.convex()) return true;
  const auto& hessian = f.constant_hessian();
  if (!hessian) return false;
  if (hessian->is_diagonal()) return (hessian->diagonal().array() >= 0.0).all();
  const Vector values = detail::symmetric_eigenvalues(hessian->dense());
  return values[0] >= -1e-12 * std::abs(values[values.size() - 1]);
}

}  // namespace pendec
