#include "pendec/penalty/schedule.hpp"

#include <algorithm>

namespace pendec {

double next_tau(double tau, double V, double V_old, const PenaltyOptions& options) {
  const bool grows = options.always_increase || V >= options.progress * V_old;
  return grows ? std::min(options.alpha_tau * tau, std::max(tau, options.tau_max)) : tau;
}

double next_delta(double delta, const InnerOptions& options) {
  return std::max(options.delta_factor * delta, options.delta_min);
}

void clip(Vector& multiplier, double bound) { multiplier = multiplier.cwiseMax(-bound).cwiseMin(bound); }

}  // namespace pendec
