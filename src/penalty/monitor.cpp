#include "pendec/penalty/monitor.hpp"

#include <utility>

namespace pendec {

Monitor::Monitor(const LimitOptions& limits, std::stop_token token, Observer observer)
    : deadline_(limits.seconds, std::move(token)), projections_(limits.projections), observer_(std::move(observer)) {}

bool Monitor::expired(Index projections) {
  if (reason_) return true;
  if (deadline_.passed())
    reason_ = status_at(deadline_, Status::max_time);
  else if (earlier_projections_ + projections >= projections_)
    reason_ = Status::max_iterations;
  return reason_.has_value();
}

void Monitor::report(OuterIterate iterate) {
  if (!watched()) return;
  iterate.projections += earlier_projections_;
  iterate.seconds = seconds();
  if (!observer_(iterate) && !reason_) reason_ = Status::interrupted;
}

}  // namespace pendec
