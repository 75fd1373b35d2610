// The largest eigenpairs of symmetric matrices, once or along a sequence of matrices that change little.
#pragma once

#include <memory>

#include "pendec/core/deadline.hpp"
#include "pendec/core/projector.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Eigenvalues in decreasing order, with orthonormal eigenvectors as columns.
struct EigenPairs {
  Vector values;
  Matrix vectors;
};

/// The k largest eigenpairs of the symmetric matrix whose lower triangle is Z's (LAPACK). Cost O(n³). NaN everywhere
/// if Z is not finite. Throws OutOfTime soon after the deadline has passed.
PENDEC_EXPORT EigenPairs largest_eigenpairs(MatrixIn Z, Index k, const Deadline& deadline = Deadline());

/// The same for many matrices of one size, with workspaces that are kept.
class PENDEC_EXPORT PartialEigen {
 public:
  PartialEigen(Index n, Index k);
  ~PartialEigen();

  void compute(MatrixIn Z, EigenPairs& pairs, const Deadline& deadline = Deadline());

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

/// Follows the k largest eigenpairs along a sequence of symmetric matrices. A block Lanczos iteration starts from an
/// extrapolation of the last eigenspaces; two or three products with k columns usually suffice. Nothing is taken on
/// trust: with R = Z Q − Q Θ and the remainder Z₂ = (I − QQᵀ) Z (I − QQᵀ), a result is accepted only if ‖R‖_F ≤
/// tolerance · ‖Z‖_F and λ_max(Z₂) ≤ θ_k is proved, by ‖Z₂‖_F ≤ θ_k or by a Cholesky factorisation of θ_k I − Z₂. Q
/// and Θ are then exactly the k largest eigenpairs of Z − E, E = R Qᵀ + Q Rᵀ. Otherwise LAPACK decides.
class PENDEC_EXPORT EigenTracker {
 public:
  struct Options {
    double tolerance = 1e-12;    // of ‖R‖_F, relative to ‖Z‖_F
    bool positive_part = false;  // eigenvalues ≤ 0 need not be found: λ_max(Z₂) ≤ max(θ_k, 0) is enough
  };

  struct Counts {
    Index matrices = 0;        // decomposed
    Index products = 0;        // Z times a block of vectors
    Index factorizations = 0;  // Cholesky tests
    Index fallbacks = 0;       // full decompositions
  };

  EigenTracker(Index n, Index k, Options options);
  EigenTracker(Index n, Index k) : EigenTracker(n, k, Options{}) {}
  ~EigenTracker();

  /// Z symmetric, both triangles stored.
  const EigenPairs& compute(MatrixIn Z) { return compute(Z, Z.squaredNorm()); }
  const EigenPairs& compute(MatrixIn Z, double squared_norm);

  /// Of (Z + Zᵀ)/2, which is formed as a matrix only if the iteration or its test fails.
  const EigenPairs& compute(const LinearOperator& Z);

  /// √2 ‖R‖_F = ‖E‖_F of the last pairs; 0 if they are LAPACK's.
  double error() const;
  const Counts& counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pendec
