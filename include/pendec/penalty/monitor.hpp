// When to stop for reasons that have nothing to do with mathematics.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "pendec/export.hpp"
#include "pendec/report/result.hpp"

namespace pendec {

/// Sees one row per outer iteration; returns false to stop the solve.
using Observer = std::function<bool(const Progress&)>;

/// Limits, stop token and observer of one solve, shared by all its parts.
class PENDEC_EXPORT Monitor {
 public:
  Monitor(const LimitOptions& limits, std::stop_token token, Observer observer);

  /// Should everything end now? Cheap enough for every inner iteration. Remembers why.
  bool expired(Index projections);

  /// Shows a row to the observer, unless muted.
  void report(Progress progress);

  /// Auxiliary runs (a feasible point, a polish) are not shown.
  void mute(bool muted) { muted_ = muted; }

  double seconds() const;
  const std::optional<Status>& reason() const { return reason_; }

  /// Projections spent by parts that have already ended count towards the limit.
  void add_projections(Index count) { earlier_projections_ += count; }

 private:
  LimitOptions limits_;
  std::stop_token token_;
  Observer observer_;
  std::chrono::steady_clock::time_point start_;
  Index earlier_projections_ = 0;
  bool muted_ = false;
  std::optional<Status> reason_;
};

}  // namespace pendec
