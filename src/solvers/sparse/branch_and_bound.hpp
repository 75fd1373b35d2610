// Best-first branch and bound on the perspective relaxation.
#pragma once

#include <functional>

#include "relaxation.hpp"
#include "supports.hpp"

namespace pendec::sparse {

constexpr Index report_interval = 64;  // nodes

struct Limits {
  double gap = 1e-9;  // relative
  Index nodes = 0;
  std::function<bool()> expired;                          // time, stop token, observer
  std::function<void(Index nodes, double bound)> report;  // after every report_interval nodes
};

struct SearchOutcome {
  double bound = -infinity;  // of the whole problem, valid also when the search was stopped; infinity: infeasible
  Index nodes = 0;
  double rounding = 0.0;  // what rounding alone keeps apart f and the bound, if all nodes were closed
};

/// The relaxation has been solved at the root: `root_x` is its point.
SearchOutcome branch_and_bound(const Model& model, Relaxation& relaxation, Supports& supports, const Vector& root_x,
                               const Limits& limits);

}  // namespace pendec::sparse
