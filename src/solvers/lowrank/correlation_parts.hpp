// The parts nearest_correlation() is made of: one solver for each kind of problem.
#pragma once

#include <utility>
#include <vector>

#include "pendec/core/deadline.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"

namespace pendec::detail {

inline constexpr double rank_tolerance = 1e-11;  // eigenvalues of X below, relative to the largest, are zero

inline constexpr double certificate_tolerance = 1e-6;  // relative, behind status converged

using FixedEntries = std::vector<std::pair<Index, Index>>;

/// A result that says nothing yet; f ≥ 0 is a bound.
Result correlation_result();
inline CorrelationDetails& details_of(Result& r) { return std::get<CorrelationDetails>(r.details); }

/// A with zeros for missing entries, and the weights, which are zero there; none given: all one.
struct WeightedEntries {
  Matrix known, weights;
};
WeightedEntries weighted_entries(MatrixIn A, const Matrix& weights);

/// Rank bound, all entries of weight one.
void correlation_of_rank(MatrixIn A, Index rank, double tolerance, const Deadline& deadline, Result& result);

/// No rank bound, all entries of weight one, some of them fixed.
void plain_correlation(MatrixIn A, const FixedEntries& fixed, double tolerance, const Deadline& deadline,
                       Result& result);

/// Rank bound, weights, missing entries (weight zero, any finite number in A) and fixed ones.
/// `result` may bring a factor V of this rank to start from.
void weighted_correlation_of_rank(MatrixIn A, const Matrix& weights, Index rank, const FixedEntries& fixed,
                                  double tolerance, const Deadline& deadline, Result& result);

/// The same without a rank bound.
void weighted_correlation(MatrixIn A, const Matrix& weights, const FixedEntries& fixed, double tolerance,
                          const Deadline& deadline, Result& result);

/// ½ Σ wᵢⱼ (VVᵀ − A)ᵢⱼ² for symmetric A and w, without forming VVᵀ. No weights: all one.
double half_squared_distance(MatrixIn A, const Matrix& V, const Matrix& weights = {});

/// What of ½ Σ wᵢⱼ (xᵢⱼ − aᵢⱼ)² no correlation matrix avoids: xᵢᵢ = 1 and |xᵢⱼ| ≤ 1. No weights: all one.
double unavoidable_distance(MatrixIn A, const Matrix& weights = {});

/// Is f a global minimum up to 1e-6 of what correlation matrices can change of it, or up to rounding, where that is
/// more, but not more than 1e-3? Or is f up to rounding what cannot be avoided?
bool agree(double f, double lower_bound, double unavoidable, double rounding);

/// The columns of a factor, whose squared lengths are the eigenvalues of X in ascending order, without those that are
/// zero up to rounding.
Matrix significant_columns(const Matrix& factor);

/// V = Q R with Q orthonormal; R⁻¹ is `inverse`. Q has fewer columns than V where V is of lower rank numerically.
struct OrthonormalFactor {
  Matrix Q, inverse;  // Q = V inverse
};
OrthonormalFactor orthonormal_factor(const Matrix& V, const Deadline& deadline = Deadline());

/// The certificate at X = VVᵀ for diag(X) = e and X ∈ D, in the terms of certify(), but from the factor: `gradient`
/// is ∇f(X) V − Diag(radial) V and vanishes at stationary points; `gradient_scale` is the size of ∇f(X) or, where
/// that may vanish, of its terms; `positive_part` bounds what normals of D at a matrix of rank below the bound must
/// not have.
Certificate certify_factor(const Matrix& V, const Matrix& gradient, const Vector& radial, double gradient_scale,
                           double positive_part, const Deadline& deadline = Deadline());

/// The same without a rank bound, for any ∇f(X): with the multiplier M of the diagonal, `radial`, and of fixed
/// entries, B = M − ∇f(X) has to be a normal. `largest` bounds its eigenvalues from above.
Certificate certify_in_cone(const Matrix& V, const Matrix& B, double largest, const Vector& radial,
                            double gradient_scale, const Deadline& deadline);

/// The entries of A at these places.
Vector entries_of(MatrixIn A, const FixedEntries& places);

/// An upper bound of the largest eigenvalue of a symmetric matrix, rounding included.
double largest_eigenvalue_bound(MatrixIn B, const Deadline& deadline);

}  // namespace pendec::detail
