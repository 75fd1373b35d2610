// Steps (S.2)–(S.3) of Algorithm 4.1: bring q_τ(·, v) down in x with v fixed.
#pragma once

#include <functional>
#include <memory>

#include "pendec/export.hpp"
#include "pendec/penalty/monitor.hpp"
#include "pendec/penalty/penalty.hpp"
#include "pendec/xupdate/descent_map.hpp"

namespace pendec {

/// The user's closed form: x = argmin q_τ(·, v) (with lower_level: subject to G(x) ∈ C).
using ExactXUpdate = std::function<void(const Penalty& q, In v, Out x)>;

class PENDEC_EXPORT XUpdate {
 public:
  virtual ~XUpdate();

  /// Moves p.x and leaves p evaluated (value and residual at least). False: no progress is possible any more.
  virtual bool update(Penalty& q, In v, Point& p, Monitor& monitor) = 0;

  virtual void change_tau(double /*change*/) {}
};

/// The x-update that the options name: a descent method, or an exact one for quadratic f with affine G (no G at all,
/// the identity or a selection of coordinates included). Throws InvalidArgument where it does not fit the problem.
PENDEC_EXPORT std::unique_ptr<XUpdate> make_x_update(const XUpdateOptions& options, const Penalty& q,
                                                     bool lower_level, const Preconditioner& preconditioner,
                                                     const ExactXUpdate& exact);

}  // namespace pendec
