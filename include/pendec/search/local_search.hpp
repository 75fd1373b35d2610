// Local search among the branches of D: is a support, a pattern of pairs or a part one exchange away better?
#pragma once

#include <span>
#include <stop_token>

#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/methods/run.hpp"
#include "pendec/penalty/monitor.hpp"

namespace pendec {

struct LocalSearchOptions {
  Index budget = 60;          // ≥ 1: branches solved at most
  Index exchanges = 2;        // 1 or 2: exchanges made at once where single ones do not help any more
  double feasible = 1e-7;     // ≥ 0: dist_C(G(y)) up to this counts as feasible
  double decrease = 1e-9;     // ≥ 0: f, or the violation, has to fall by more than this, relative to its size
  double seconds = infinity;  // > 0
  Nlp nlp = Nlp::automatic;   // what solves the problem on a branch
};

struct LocalSearchResult {
  Candidate best;
  BranchSearch search;  // what was done, and whether `best` is optimal among the branches one exchange away
  Counts counts;        // of solves that are not by SQP
};

/// Solves the problem on the branch of each start and goes on, from the best to the worst, to better ones among the
/// branches one exchange away (Set::neighbours), those first that are nearest to a gradient step; then, from the best
/// end, to those two exchanges away. Better means: feasible before infeasible, then the smaller f; among infeasible
/// points the smaller violation, so that a branch which cannot meet G(x) ∈ C is left. No branch is solved twice.
///
/// The solves are local where f and G are not convex; `exchange_optimal` says that each neighbour's solve converged
/// and gave nothing better, no more. Nothing is searched where D does not know its neighbours.
PENDEC_EXPORT LocalSearchResult local_search(const Problem& problem, std::span<const Candidate> starts,
                                             const LocalSearchOptions& options, Monitor& monitor);

/// The same from any point, which is projected onto D first. Throws InvalidArgument on misuse.
PENDEC_EXPORT LocalSearchResult local_search(const Problem& problem, In point, const LocalSearchOptions& options = {},
                                             std::stop_token stop = {});

}  // namespace pendec
