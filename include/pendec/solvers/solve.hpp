// The front door.
#pragma once

#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/methods/run.hpp"

namespace pendec {

/// Solves min f(x) s.t. G(x) ∈ C, x ∈ D from x0. Misuse throws InvalidArgument before the first iteration; what
/// happens later is told by Result::status.
PENDEC_EXPORT Result solve(const Problem& problem, In x0, const Options& options = {}, const Hooks& hooks = {});

/// The same, going on from an earlier result of the same problem: its points, multipliers and penalty parameter.
PENDEC_EXPORT Result solve(const Problem& problem, const Result& warm, const Options& options = {},
                           const Hooks& hooks = {});

/// The same into the caller's object, which holds the best point also when a callback throws.
PENDEC_EXPORT void solve(const Problem& problem, RunStart start, const Options& options, const Hooks& hooks,
                         Result& result);

}  // namespace pendec
