#include "pendec/search/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "parts.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/long_vectors.hpp"
#include "pendec/search/polish.hpp"

namespace pendec {
namespace {

/// G'(y)*(G(y) − P_C(G(y))).
Vector infeasibility_gradient(const Problem& problem, In y) {
  Vector G(problem.G.output_dimension()), out(problem.dimension());
  problem.G.evaluate(y, G);
  const Vector residual = G - problem.C.projection(G);
  problem.G.adjoint(y, residual, out);
  return out;
}

class LocalSearch {
 public:
  LocalSearch(const Problem& problem, const LocalSearchOptions& options, Monitor& monitor, LocalSearchResult& result)
      : problem_(problem), options_(options), monitor_(monitor), result_(result) {}

  void run(std::span<const Candidate> starts) {
    std::vector<End> ends = solved_starts(starts);
    if (ends.empty()) return;
    for (End& end : ends) {
      climb(end);
      if (!best_.known() || improves(end, best_)) best_ = end;
      if (exhausted()) break;
    }
    const bool farther = options_.exchanges >= 2 && !all_are_neighbours() && pairs_of_exchanges_fit();
    while (farther && !exhausted() && by_two_exchanges()) climb(best_);
    write_result();
  }

 private:
  struct End {
    Candidate point;
    Branch branch;
    bool converged = false;
    bool known() const { return point.y.size() > 0; }
  };
  using Key = std::vector<Index>;

  /// The distinct branches of the starts, solved; the best first.
  std::vector<End> solved_starts(std::span<const Candidate> starts) {
    std::vector<End> ends;
    for (const Candidate& start : starts) {
      auto branch = problem_.D.branch(start.y, start.origin());
      if (!branch || seen_.contains(branch->key)) continue;
      if (auto end = solve(std::move(*branch), start.lambda)) ends.push_back(std::move(*end));
      if (exhausted()) break;
    }
    std::stable_sort(ends.begin(), ends.end(), [&](const End& a, const End& b) { return improves(a, b); });
    return ends;
  }

  bool exhausted() {
    return result_.search.solved >= options_.budget || monitor_.seconds() - begin_ > options_.seconds ||
           monitor_.expired(0);
  }

  /// Nothing where the solve ends nowhere; `seen_` remembers whether it converged.
  std::optional<End> solve(Branch branch, const Vector& lambda) {
    ++result_.search.solved;
    auto found = solve_on_branch(problem_, branch, lambda, monitor_, result_.counts, options_.nlp);
    seen_[branch.key] = found && found->converged;
    if (!found) return std::nullopt;
    return End{std::move(found->point), std::move(branch), found->converged};
  }

  /// Feasible before infeasible, then clearly smaller.
  bool improves(const End& a, const End& b) const {
    if (!a.point.better_than(b.point, options_.feasible)) return false;
    const bool same_kind = (a.point.violation <= options_.feasible) == (b.point.violation <= options_.feasible);
    if (!same_kind) return true;
    if (a.point.violation <= options_.feasible)
      return b.point.f - a.point.f > options_.decrease * std::max(std::abs(a.point.f), std::abs(b.point.f));
    return b.point.violation - a.point.violation > options_.decrease * b.point.violation;
  }

  /// To the first better branch one exchange away, until there is none.
  void climb(End& end) {
    while (!exhausted()) {
      const Index left = options_.budget - result_.search.solved;
      const Index listed = vectors_to_keep(std::ssize(end.branch.key), 2, left + std::ssize(seen_));
      const auto around = neighbours(end, listed);
      if (!around || !advance(end, around->nearest)) return;
    }
  }

  bool advance(End& end, const std::vector<Neighbour>& candidates) {
    for (const Neighbour& neighbour : candidates) {
      if (seen_.contains(neighbour.key)) continue;
      if (exhausted()) return false;
      auto branch = problem_.D.branch_at(neighbour.key, end.point.y);
      if (!branch) continue;
      auto other = solve(std::move(*branch), end.point.lambda);
      if (!other || !improves(*other, end)) continue;
      end = std::move(*other);
      return true;
    }
    return false;
  }

  /// Convex parts of a union are all one exchange apart: two reach nothing new, and would project onto all parts for
  /// each of them.
  bool all_are_neighbours() const { return detail::parts_of_union(problem_.D).has_value(); }

  /// The keys of all of them are in memory at a time.
  bool pairs_of_exchanges_fit() const {
    constexpr Index most_numbers = 20'000'000;
    return std::ssize(best_.branch.key) * options_.budget * options_.budget <= most_numbers;
  }

  /// Pairs of exchanges from the best end, by the sum of their excesses.
  bool by_two_exchanges() {
    const Index left = options_.budget - result_.search.solved;
    const auto first = neighbours(best_, left);
    if (!first) return false;
    std::map<Key, double> reached;
    const Vector z = target(best_);
    for (const Neighbour& one : first->nearest) {
      if (exhausted()) return false;  // a round may project onto many parts
      const auto second = problem_.D.neighbours(one.key, z, left + 1);
      if (!second) return false;
      for (const Neighbour& two : second->nearest) {
        if (seen_.contains(two.key)) continue;
        const double excess = one.excess + two.excess;
        const auto [at, fresh] = reached.try_emplace(two.key, excess);
        if (!fresh) at->second = std::min(at->second, excess);
      }
    }
    std::vector<Neighbour> candidates;
    for (const auto& [key, excess] : reached) candidates.push_back({key, excess});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Neighbour& a, const Neighbour& b) { return a.excess < b.excess; });
    return advance(best_, candidates);
  }

  std::optional<Neighbours> neighbours(const End& end, Index most) const {
    return problem_.D.neighbours(end.branch.key, target(end), most);
  }

  /// Where a gradient step leads: of the Lagrangian from a feasible point, of the infeasibility otherwise; with the
  /// step length of steepest descent on the quadratic model along the gradient.
  Vector target(const End& end) const {
    const Vector& y = end.point.y;
    const bool feasible = end.point.violation <= options_.feasible;
    const auto gradient_at = [&](const Vector& x) {
      return feasible ? problem_.lagrangian_gradient(x, end.point.lambda) : infeasibility_gradient(problem_, x);
    };
    const Vector g = gradient_at(y);
    const double norm = g.norm(), size = y.norm() > 0.0 ? y.norm() : 1.0;
    if (!(norm > 0.0) || !std::isfinite(norm)) return y;
    const double h = 1e-6 * size / norm;
    const double curvature = g.dot(gradient_at(y - h * g) - g) / (-h * norm * norm);
    const double longest = size / norm;
    const bool usable = std::isfinite(curvature) && curvature * longest > 1.0;
    return y - (usable ? 1.0 / curvature : longest) * g;
  }

  /// `exchange_optimal` needs neighbours, and every one of them listed, seen and converged.
  void write_result() {
    result_.best = best_.point;
    result_.search.branch = best_.branch.label;
    const auto all = neighbours(best_, options_.budget + 1);
    if (!all) return;
    result_.search.neighbours = all->total;
    if (!best_.converged || all->total == 0 || std::ssize(all->nearest) != all->total) return;
    result_.search.exchange_optimal = std::all_of(all->nearest.begin(), all->nearest.end(), [&](const Neighbour& n) {
      const auto at = seen_.find(n.key);
      return at != seen_.end() && at->second;
    });
  }

  const Problem& problem_;
  const LocalSearchOptions& options_;
  Monitor& monitor_;
  LocalSearchResult& result_;
  const double begin_ = monitor_.seconds();
  std::map<Key, bool> seen_;  // branches solved: did the solve converge?
  End best_;
};

void validate(const LocalSearchOptions& options) {
  require(options.budget >= 1, "LocalSearchOptions.budget", options.budget, "at least 1");
  require(options.exchanges == 1 || options.exchanges == 2, "LocalSearchOptions.exchanges", options.exchanges,
          "1 or 2");
  require(options.feasible >= 0.0, "LocalSearchOptions.feasible", options.feasible, "at least 0");
  require(options.decrease >= 0.0, "LocalSearchOptions.decrease", options.decrease, "at least 0");
  require(options.seconds > 0.0, "LocalSearchOptions.seconds", options.seconds, "a positive number");
}

}  // namespace

LocalSearchResult local_search(const Problem& problem, std::span<const Candidate> starts,
                               const LocalSearchOptions& options, Monitor& monitor) {
  validate(options);
  LocalSearchResult result;
  LocalSearch(problem, options, monitor, result).run(starts);
  return result;
}

LocalSearchResult local_search(const Problem& given, In point, const LocalSearchOptions& options,
                               std::stop_token stop) {
  const Problem problem = given.completed();
  require_dimension("point.size()", point.size(), problem.dimension());
  require_finite("point", point);
  LimitOptions limits;
  limits.seconds = options.seconds;
  Monitor monitor(limits, std::move(stop), {});
  Candidate start;
  start.x = point;
  start.y = problem.D.projection(point);
  return local_search(problem, std::span(&start, 1), options, monitor);
}

}  // namespace pendec
