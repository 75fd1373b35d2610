#include "pendec/penalty/monitor.hpp"

#include <utility>

namespace pendec {

Monitor::Monitor(const LimitOptions& limits, std::stop_token token, Observer observer)
    : limits_(limits),
      token_(std::move(token)),
      observer_(std::move(observer)),
      start_(std::chrono::steady_clock::now()) {}

double Monitor::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Monitor::expired(Index projections) {
  if (reason_) return true;
  if (token_.stop_requested()) {
    reason_ = Status::interrupted;
  } else if (seconds() >= limits_.seconds) {
    reason_ = Status::max_time;
  } else if (earlier_projections_ + projections >= limits_.projections) {
    reason_ = Status::max_iterations;
  }
  return reason_.has_value();
}

void Monitor::report(OuterIterate iterate) {
  if (!watched()) return;
  iterate.projections += earlier_projections_;
  iterate.seconds = seconds();
  if (!observer_(iterate) && !reason_) reason_ = Status::interrupted;
}

}  // namespace pendec
