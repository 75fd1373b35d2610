// One line on the terminal while a solve takes its time.
#pragma once

#include <string>

#include "pendec/methods/run.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec::cli {

/// A line on standard error that is drawn over itself; nothing if that is no terminal. It is wiped at the end.
class TerminalLine {
 public:
  explicit TerminalLine(bool wanted);
  ~TerminalLine();
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  void draw(const std::string& text);
  void wipe();

  /// The same after the first half second, and ten times a second at most; always true, as observers say to go on.
  bool draw_at(double seconds, const std::string& text);

  /// For solve() and solve_sparse_qp(); empty where nothing is shown.
  Observer observer();
  std::function<bool(const SparseQpProgress&)> node_observer();

 private:
  bool active_;
  bool shown_ = false;
  double last_ = 0.4;  // seconds at which the line was last drawn
};

}  // namespace pendec::cli
