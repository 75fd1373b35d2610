// What the paper compares with on disjunctive programs: SLSQP on every part, by NLopt where it is installed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pendec/core/problem.hpp"

namespace pendec::cli {

struct Enumerated {
  Vector x;  // empty if no part has a feasible point
  double f = infinity;
  double seconds = 0.0;
  std::string status;  // how many parts are feasible
};

/// Nothing unless D is a union of polyhedra {x : A x ≤ b} and C the nonpositive orthant, or where NLopt is not
/// installed. `stop` is asked before each part.
std::optional<Enumerated> enumerated(const Problem& problem, In start, const std::function<bool()>& stop);

}  // namespace pendec::cli
