#include "gram_inverse.hpp"

#include "unit_rows.hpp"

namespace pendec::detail {

void GramInverse::update(const Matrix& V, const SymmetricEigen& S) {
  constexpr double least = 1e-8;  // relative: smaller eigenvalues are raised to it
  const double largest = S.values.maxCoeff();
  const Vector inverse = S.values.cwiseMax(least * largest).cwiseInverse();
  inverse_ = times_transpose(S.vectors * inverse.asDiagonal(), S.vectors);
  V_inverse_ = times(V, inverse_);
  lengths_ = row_products(V, V_inverse_);
  deficient_updates_ = S.values[0] <= 1e-6 * largest ? deficient_updates_ + 1 : 0;
}

void GramInverse::apply(const Matrix& V, Matrix& D) const {
  D = times(D, inverse_);
  subtract_rows(row_products(V, D).cwiseQuotient(lengths_), V_inverse_, D);
}

}  // namespace pendec::detail
