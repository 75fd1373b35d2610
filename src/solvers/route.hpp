// Routes: which solver a problem is given to, by what its parts can tell about themselves.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "pendec/core/deadline.hpp"
#include "pendec/core/options.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/methods/run.hpp"

namespace pendec::detail {

/// What a solver of a class found out, in the terms of the problem as it was stated.
struct Found {
  Status status = Status::stalled;  // optimal, infeasible, converged, or why it ended without
  std::string message = {};
  std::string method = {};
  Vector y = {};                      // in D; empty: no point
  std::optional<Vector> lambda = {};  // multipliers of G(y) ∈ C, if known
  double bound = -infinity;           // of the optimal value
  Set piece = {};                     // the convex piece of D to certify y on; none: D itself
  bool proof_only = false;            // without a proof the general methods may find more
  BranchSearch search = {};
  Counts counts = {};
  Details details = {};
};

struct RouteCall {
  const Problem& problem;  // completed
  const RunStart& start;
  const Options& options;
  const Deadline& deadline;
};

/// Nothing: the problem is not of the class after all, and `reason` says why.
using ClassSolver = std::function<std::optional<Found>(const RouteCall& call, std::string& reason)>;

/// The general methods in units of the user and, if these differ, in such that f curves alike in all variables.
struct UnitsOfCurvature {};

/// The problem as the solver of its class takes it, how to run the general methods, or the reason why not.
using Recognised = std::variant<std::string, ClassSolver, Options, UnitsOfCurvature>;

struct RouteEntry {
  Route route;
  Recognised (*recognise)(const Problem& problem, const Options& options);
};

/// In the order in which they are tried. To recognise a problem costs next to nothing beside its solution; what costs
/// more is left to the solver.
std::span<const RouteEntry> routes();

}  // namespace pendec::detail
