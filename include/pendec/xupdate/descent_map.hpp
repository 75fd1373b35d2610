// The self-adjoint positive definite maps H_ℓ of Algorithm 4.1: d = −H_ℓ(∇ₓq).
#pragma once

#include <functional>
#include <memory>

#include "pendec/core/options.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/penalty/penalty.hpp"
#include "pendec/subsolvers/lbfgs.hpp"
#include "pendec/xupdate/line_search.hpp"

namespace pendec {

/// The user's own H_ℓ (a preconditioner): out = H g at the point x for the penalty parameter τ.
using Preconditioner = std::function<void(In x, double tau, In g, Out out)>;

/// One accepted step, from one evaluated iterate to the next; the y-block may have moved along.
struct Step {
  const Penalty& q;
  const Iterate& at;
  const Iterate& next;
  Eigen::Ref<const Vector> y, y_next;
};

class PENDEC_EXPORT DescentMap {
 public:
  virtual ~DescentMap();

  /// d = −H_ℓ g at p; `v` is the fixed y-block.
  virtual void direction(Penalty& q, const Point& p, In v, In g, Out d) = 0;

  virtual void accept(const Step&) {}

  /// The y-block has changed: forget what depends on it.
  virtual void new_y() {}

  /// τ changes by `change`.
  virtual void change_tau(double /*change*/) {}

  virtual void reset() {}
};

/// L-BFGS. Pairs survive a change of y (the Hessian of q in x does not depend on it) and, corrected by Δτ times the
/// change of q's gradient per unit of τ (exactly as long as λ and the active faces of C stay), a change of τ. What
/// that takes is not kept of long vectors: a new τ drops their pairs.
class PENDEC_EXPORT LbfgsMap final : public DescentMap {
 public:
  LbfgsMap(Index n, Index memory);
  void direction(Penalty& q, const Point& p, In v, In g, Out d) override;
  void apply(In g, Out d);  // d = −H g
  void accept(const Step& step) override;
  void change_tau(double change) override;
  void reset() override { pairs_.clear(); }
  Index pairs() const { return pairs_.size(); }

 private:
  LbfgsPairs pairs_;
  Matrix change_penalty_;  // of each pair; no columns: not kept
};

/// The map that `options.step` names. Newton needs f.has_hessian().
PENDEC_EXPORT std::unique_ptr<DescentMap> make_descent_map(const XUpdateOptions& options, const Problem& problem,
                                                           Preconditioner preconditioner);

}  // namespace pendec
