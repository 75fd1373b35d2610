// The clock of a solve, and the reasons to end it early.
#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include "pendec/report/result.hpp"

namespace pendec::detail {

class Deadline {
 public:
  Deadline(double limit, std::stop_token token) : limit_(limit), token_(std::move(token)) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool passed() const { return token_.stop_requested() || seconds() >= limit_; }
  /// Why a solve ended without success: `otherwise` if it was neither stopped nor out of time.
  Status reason(Status otherwise) const {
    if (token_.stop_requested()) return Status::interrupted;
    return seconds() >= limit_ ? Status::max_time : otherwise;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  double limit_;
  std::stop_token token_;
};

}  // namespace pendec::detail
