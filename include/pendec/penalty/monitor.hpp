// When to stop for reasons that have nothing to do with mathematics.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "pendec/core/deadline.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// An outer iteration as an observer sees it: its row, and the pair of points in the user's units.
struct OuterIterate : Progress {
  Vector x = {};     // the x-block
  Vector y = {};     // the point in D
  double f_y = 0.0;  // f(y)
};

/// Sees every outer iteration; returns false to stop the solve.
using Observer = std::function<bool(const OuterIterate&)>;

/// Limits, stop token and observer of one solve, shared by all its parts.
class PENDEC_EXPORT Monitor {
 public:
  Monitor(const LimitOptions& limits, std::stop_token token, Observer observer);

  /// Should everything end now? Cheap enough for every inner iteration. Remembers why.
  bool expired(Index projections);

  /// Is there anyone to report to?
  bool watched() const { return observer_ && !muted_; }

  /// Shows an iterate to the observer, if there is one.
  void report(OuterIterate iterate);

  /// Auxiliary runs (a feasible point, a polish) are not shown.
  void mute(bool muted) { muted_ = muted; }

  const Deadline& deadline() const { return deadline_; }
  double seconds() const { return deadline_.seconds(); }
  const std::optional<Status>& reason() const { return reason_; }

  /// Projections spent by parts that have already ended count towards the limit.
  void add_projections(Index count) { earlier_projections_ += count; }

 private:
  Deadline deadline_;
  Index projections_;  // at most
  Observer observer_;
  Index earlier_projections_ = 0;
  bool muted_ = false;
  std::optional<Status> reason_;
};

}  // namespace pendec
