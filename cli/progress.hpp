// One line on the terminal while a solve takes its time.
#pragma once

#include <string>

#include "pendec/methods/run.hpp"

namespace pendec::cli {

/// Shows objective, infeasibility and tau on standard error, ten times a second at most and after the first half
/// second; nothing if standard error is no terminal. The line is wiped at the end.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// For Hooks::observer; empty where nothing is shown.
  Observer observer();

 private:
  void show(const Progress& progress);

  bool active_;
  bool shown_ = false;
  double last_ = 0.4;  // seconds at which the line was last drawn
};

}  // namespace pendec::cli
