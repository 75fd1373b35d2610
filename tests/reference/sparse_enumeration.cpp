#include "tests/reference/sparse_enumeration.hpp"

#include <algorithm>

namespace pendec::reference {
namespace {

bool holds(const std::vector<Index>& list, const std::vector<Index>& group) {
  return std::any_of(group.begin(), group.end(),
                     [&](Index i) { return std::find(list.begin(), list.end(), i) != list.end(); });
}

}  // namespace

long double enumerate(const SparseQp& problem, Precision precision) {
  const ExactQuadratic f(problem.Q.dense(), problem.c, problem.constant);
  std::vector<std::vector<Index>> groups = problem.groups;
  std::vector<Index> always;
  for (Index i = 0; i < problem.dimension(); ++i) {
    if (problem.groups.empty())
      groups.push_back({i});
    else if (std::none_of(groups.begin(), groups.end(), [&](const auto& g) { return holds({i}, g); }))
      always.push_back(i);
  }
  long double best = std::numeric_limits<long double>::infinity();
  for (unsigned choice = 0; choice < (1U << groups.size()); ++choice) {
    std::vector<Index> columns = always;
    Index count = 0;
    bool allowed = true;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const bool in = (choice >> g & 1U) != 0;
      if (in) columns.insert(columns.end(), groups[g].begin(), groups[g].end()), ++count;
      allowed =
          allowed && !(in && holds(problem.forced_out, groups[g])) && !(!in && holds(problem.forced_in, groups[g]));
    }
    for (const Budget& budget : problem.budgets) {
      const auto chosen = [&](Index g) { return (choice >> g & 1U) != 0; };
      allowed = allowed && std::count_if(budget.atoms.begin(), budget.atoms.end(), chosen) <= budget.most;
    }
    if (allowed && count <= problem.s) best = std::min(best, least_on(f, problem.constraints, columns, precision));
  }
  return best;
}

}  // namespace pendec::reference
