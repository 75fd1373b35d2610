#include "tests/reference/sparse_enumeration.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pendec::reference {
namespace {

bool holds(const std::vector<Index>& list, const std::vector<Index>& group) {
  return std::any_of(group.begin(), group.end(),
                     [&](Index i) { return std::find(list.begin(), list.end(), i) != list.end(); });
}

}  // namespace

std::vector<LinearConstraints> pieces_of(const SparseQp& problem) {
  const Index n = problem.dimension();
  LinearConstraints all = LinearConstraints::none(n);
  const LinearConstraints& given = problem.constraints;
  if (given.b.size() > 0) all.A = given.A, all.b = given.b;
  if (given.d.size() > 0) all.E = given.E, all.d = given.d;
  if (given.lower.size() > 0) all.lower = given.lower;
  if (given.upper.size() > 0) all.upper = given.upper;
  std::vector<std::vector<Index>> groups = problem.groups;
  std::vector<Index> always;
  for (Index i = 0; i < n; ++i) {
    if (problem.groups.empty())
      groups.push_back({i});
    else if (std::none_of(groups.begin(), groups.end(), [&](const auto& g) { return holds({i}, g); }))
      always.push_back(i);
  }
  std::vector<LinearConstraints> pieces;
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
    if (!allowed || count > problem.s) continue;
    pieces.push_back(all);
    pieces.back().lower.setZero(), pieces.back().upper.setZero();
    for (const Index i : columns) pieces.back().lower[i] = all.lower[i], pieces.back().upper[i] = all.upper[i];
  }
  return pieces;
}

long double enumerate(const SparseQp& problem, Precision precision) {
  const ExactQuadratic f(problem.Q.dense(), problem.c, problem.constant);
  std::vector<Index> columns(static_cast<std::size_t>(problem.dimension()));
  std::iota(columns.begin(), columns.end(), Index{0});
  long double best = std::numeric_limits<long double>::infinity();
  for (const LinearConstraints& piece : pieces_of(problem))
    best = std::min(best, least_on(f, piece, columns, precision));
  return best;
}

}  // namespace pendec::reference
