// The one clock of a solve: how long it may take, and whether it has been asked to stop.
#pragma once

#include <chrono>
#include <exception>
#include <stop_token>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Leaves long computations that a deadline cuts short. Solvers catch it where the best point so far is at hand; no
/// caller of the library ever sees it.
struct PENDEC_EXPORT OutOfTime final : std::exception {
  const char* what() const noexcept override { return "the time is up"; }
};

/// Begins when it is made. A solve within a solve gets one that ends with it: Deadline(outer.left(), outer.token()).
class PENDEC_EXPORT Deadline {
 public:
  explicit Deadline(double seconds = infinity, std::stop_token token = {});

  double seconds() const;  // since the beginning
  double left() const;     // at least 0
  bool interrupted() const { return token_.stop_requested(); }
  bool passed() const { return over_ || interrupted() || left() <= 0.0; }

  /// Throws OutOfTime once it has passed. What cannot be cut short says how many seconds it takes: if it would end
  /// too late, it is not begun, and the deadline passes at once.
  void check(double next = 0.0) const;

  /// For the next of `count` solves that are still to come: an equal share of what is left.
  Deadline share(Index count) const;

  const std::stop_token& token() const { return token_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  double limit_;
  mutable bool over_ = false;  // nothing more can be done in the time left
  std::stop_token token_;
};

/// While it lives, long evaluations on this thread that have no deadline of their own, of a projection say, end with
/// this one.
class PENDEC_EXPORT DeadlineScope {
 public:
  explicit DeadlineScope(const Deadline& deadline);
  ~DeadlineScope();
  DeadlineScope(const DeadlineScope&) = delete;
  DeadlineScope& operator=(const DeadlineScope&) = delete;

  static bool passed();
  static void check();  // throws OutOfTime once it has passed

 private:
  const Deadline* outer_;
};

/// Did the work come to its end before the deadline?
template <class Work>
bool within(const Deadline& deadline, Work&& work) {
  const DeadlineScope scope(deadline);
  try {
    work();
    return true;
  } catch (const OutOfTime&) {
    return false;
  }
}

}  // namespace pendec
