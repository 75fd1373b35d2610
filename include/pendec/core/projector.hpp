// Stateful speed, stateless meaning: a Set is immutable and shared between threads; what makes its projections
// fast along one solve (last eigenspace, last active set, workspaces) lives in a Projector.
#pragma once

#include <optional>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// A matrix known by its products, for points too large to be formed (sparse + low rank + diagonal, say).
class PENDEC_EXPORT LinearOperator {
 public:
  virtual ~LinearOperator();
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  virtual void times(MatrixIn V, MatrixOut out) const = 0;            // out = Z V
  virtual void transpose_times(MatrixIn V, MatrixOut out) const = 0;  // out = Zᵀ V
  virtual double squared_norm() const = 0;                            // ‖Z‖²_F
};

/// Y = U diag(sigma) Vᵀ.
struct Factors {
  Matrix U;
  Vector sigma;
  Matrix V;
};

/// Projections onto one set along one solve. Not to be shared between threads.
class PENDEC_EXPORT Projector {
 public:
  virtual ~Projector();

  /// y ∈ Π_D(z).
  virtual void project(In z, Out y) = 0;

  /// The last y is an exact projection of some z' with ‖z' − z‖ ≤ error() (0 up to rounding for closed forms).
  virtual double error() const { return 0.0; }

  /// Projects an operator and returns factors, where the set can do so; the point is never formed.
  virtual std::optional<Factors> project(const LinearOperator& z);
};

}  // namespace pendec
