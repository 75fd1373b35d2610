// What the outer loop asks of a solver of the penalty subproblem, and what each method starts from.
#pragma once

#include <memory>

#include "pendec/core/options.hpp"
#include "pendec/export.hpp"
#include "pendec/penalty/monitor.hpp"
#include "pendec/penalty/penalty.hpp"
#include "pendec/xupdate/x_update.hpp"

namespace pendec {

/// The pair (x^k, y^k), shared by the outer loop and the subproblem solvers.
struct Pair {
  Point p;                // x-block, evaluated
  Vector y;               // y-block; the ALM has none, and its x lies in D
  Vector x_before;        // x where the last subproblem began
  double q = 0.0;         // q_τ(x, y)
  double gradient = 0.0;  // ‖∇ₓq_τ(x, y)‖, or NaN where the method did not need it
};

/// How a subproblem ended.
enum class InnerEnd {
  solved,   // the inner test holds
  limit,    // iteration limit
  stalled,  // no decrease possible in floating point
  runaway   // left the ball around its start: the subproblem may be unbounded
};

class PENDEC_EXPORT InnerSolver {
 public:
  virtual ~InnerSolver();

  /// Makes `pair` a start of the method: the y-block in D, everything evaluated.
  virtual void start(Penalty& q, Pair& pair, bool project) = 0;

  /// (S.2) of Algorithm 3.1 with tolerance δ, from `pair` in place; `radius` bounds ‖x − start‖.
  virtual InnerEnd minimise(Penalty& q, Pair& pair, double delta, double radius, Monitor& monitor) = 0;

  /// τ changes by `change`; λ and μ may have changed as well.
  virtual void new_penalty(double /*change*/) {}
};

/// The start of methods without a y-block: x, projected if asked.
void start_in_D(Penalty& q, Pair& pair, bool project);

/// Algorithm 4.1: x-update, projection, test.
PENDEC_EXPORT std::unique_ptr<InnerSolver> make_alternating_minimization(const InnerOptions& options,
                                                                         std::unique_ptr<XUpdate> x_update);

/// L-BFGS on φ_τ(x) = min_{y ∈ D} q_τ(x, y), safeguarded by Algorithm 4.1.
PENDEC_EXPORT std::unique_ptr<InnerSolver> make_reduced_penalty(const InnerOptions& inner,
                                                                const XUpdateOptions& x_update, Index n);

/// L-BFGS on a convex D itself (no y-block), one evaluation an iteration as a rule: two-metric projection on boxes,
/// the forward–backward envelope on other sets.
PENDEC_EXPORT std::unique_ptr<InnerSolver> make_projected_lbfgs(const InnerOptions& inner,
                                                                const XUpdateOptions& x_update, Vector lower,
                                                                Vector upper);
PENDEC_EXPORT std::unique_ptr<InnerSolver> make_forward_backward(const InnerOptions& inner,
                                                                 const XUpdateOptions& x_update, Index n);

/// Non-monotone spectral gradient method on D (no y-block).
PENDEC_EXPORT std::unique_ptr<InnerSolver> make_spectral_gradient(const InnerOptions& inner,
                                                                  const SpectralOptions& spectral);

}  // namespace pendec
