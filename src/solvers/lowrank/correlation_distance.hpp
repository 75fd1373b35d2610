// The distance of V Vᵀ to a given matrix, as a function of the unit rows of V.
#pragma once

#include <vector>

#include "../../subsolvers/manifold/gram_inverse.hpp"
#include "../../subsolvers/manifold/tangent_inverse.hpp"
#include "../../subsolvers/manifold/unit_rows.hpp"
#include "pendec/core/deadline.hpp"
#include "pendec/core/types.hpp"

namespace pendec::detail {

/// F(V) = ¼‖VVᵀ − A‖² − ¼‖A‖² = ¼‖S‖² − ½⟨AV, V⟩ with S = VᵀV; one product with A an evaluation, VVᵀ is never
/// formed. H₀ of row i is the inverse of S on the tangent space at vᵢ. Where the rate of the last iterations predicts
/// more of them than a TangentInverse costs, that one takes over.
class CorrelationDistance final : public RowFunction {
 public:
  CorrelationDistance(MatrixIn A, Index k, const Deadline& deadline);

  double evaluate(const Matrix& V, Matrix& gradient) override;
  void accept(const Matrix& V, const Vector& radial, double reduction) override;
  bool precondition(const Matrix& V, Matrix& D) override;

  Index products() const { return products_; }
  bool deficient() const { return gram_inverse_.deficient(); }

 private:
  bool tangent_inverse_pays(const Vector& s) const;

  Eigen::Ref<const Matrix> A_;
  const Deadline& deadline_;
  Matrix image_, S_;  // AV and VᵀV of the last point evaluated
  GramInverse gram_inverse_;
  TangentInverse tangent_inverse_;
  bool use_tangent_inverse_ = false;
  Index next_build_ = 0, products_ = 0;
  std::vector<double> reductions_;  // of the iterates so far
};

/// A factor to start from: the k leading eigenpairs of A as far as they are positive, rows normalised. A randomised
/// range finder where the spectrum decays, LAPACK where it does not and there is time for it.
Matrix leading_unit_rows(MatrixIn A, Index k, const Deadline& deadline);

/// Rank one is combinatorial, V a vector of signs v: the best of many local maxima of ⟨v, A v⟩, which no change of a
/// single sign improves.
Matrix best_signs(MatrixIn A, const Deadline& deadline);

/// Up to this n the problem without rank bound is solved where V is of lower rank, up to 1e-6: it may have the same
/// solution.
inline constexpr Index largest_relaxed = 3000;
bool is_deficient(const Matrix& V);

/// The leading part of V Vᵀ, of this rank or, where eigenvalues vanish, a lower one; rows normalised. Without time
/// for it, the last columns of V, which for factors of a decomposition are the leading ones.
Matrix cut_to_rank(const Matrix& V, Index rank, const Deadline& deadline);

}  // namespace pendec::detail
