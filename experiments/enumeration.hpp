// The paper's reference for disjunctive programs: one nonlinear program for each part, by NLopt's SLSQP.
#pragma once

#include <functional>

#include "pendec/core/problem.hpp"
#include "pendec/core/types.hpp"

namespace pendec::experiments {

struct Enumeration {
  Vector x;  // empty if no part has a feasible point
  double f = infinity;
  Index part = -1;
  Index solved = 0;  // parts with a feasible point
};

/// min f(x) s.t. G(x) ≤ 0 on each part of the union of polyhedra D = {x : A x ≤ b}, with analytic gradients and 1e-8
/// for the relative changes of x and f and for the constraints. A part counts as feasible up to 1e-6.
/// SLSQP may end early; with `restarts` it goes on from its own end so many times. `stop` is asked before each part.
Enumeration enumerate_parts(const Problem& problem, In start, int restarts = 0,
                            const std::function<bool()>& stop = {});

}  // namespace pendec::experiments
