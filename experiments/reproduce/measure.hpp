// From results of solvers to rows.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "experiments/reproduce/row.hpp"
#include "pendec/core/options.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec::experiments {

/// The seconds of `work`, of the wall and of the processor. Work of milliseconds is done again a few times, and the
/// least counts: what disturbs a run makes it slower, never faster.
void timed(Row& row, const std::function<void()>& work);

/// solve(problem, start, options), measured; with its trace, thinned, if `trace`.
Result run_method(Row& row, const Problem& problem, In start, Options options, std::stop_token stop, bool trace);

/// What the certificate of a result says, with its counts.
void take_over(Row& row, const Problem& problem, const Result& result);
void take_over(Row& row, const Result& result);  // of a solver of a class, feasible by contract

/// A value made at its first use and kept for the runs that share it.
template <class T>
std::function<const T&()> made_once(std::function<T()> make) {
  const auto kept = std::make_shared<std::optional<T>>();
  return [kept, make = std::move(make)]() -> const T& {
    if (!*kept) *kept = make();
    return **kept;
  };
}

}  // namespace pendec::experiments
