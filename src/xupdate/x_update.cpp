#include "pendec/xupdate/x_update.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/xupdate/descent.hpp"
#include "pendec/xupdate/exact.hpp"

namespace pendec {

XUpdate::~XUpdate() = default;

std::unique_ptr<XUpdate> make_x_update(const XUpdateOptions& options, const Penalty& q, bool lower_level,
                                       const Preconditioner& preconditioner, const ExactXUpdate& exact) {
  if (exact) return std::make_unique<UserExactUpdate>(exact);
  require(!lower_level || options.step == XStep::exact, "penalty.lower_level", std::string("true"),
          "x_update.step = exact, or a closed form in Hooks.exact_x_update");
  if (options.step == XStep::exact) return make_quadratic_update(q, lower_level);
  return std::make_unique<DescentUpdate>(options, make_descent_map(options, q.problem(), preconditioner),
                                         q.problem().dimension());
}

}  // namespace pendec
