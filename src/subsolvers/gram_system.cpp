#include "gram_system.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace pendec::detail {

bool GramSystem::factorize(const SparseMatrix& M, const std::vector<int>& places, In weights, In shift) {
  constexpr Index many = 50;  // entries of a column, if they would fill much of the product
  using Triplets = std::vector<Eigen::Triplet<double>>;
  const auto equations = static_cast<int>(shift.size());
  Triplets light, entries;
  int light_count = 0, unknowns = equations;
  for (Index j = 0; j < M.outerSize(); ++j) {
    if (!(weights[j] > 0.0)) continue;
    const Index size = M.outerIndexPtr()[j + 1] - M.outerIndexPtr()[j];
    const bool heavy = size > many && (10 * size > equations || size * size > 10 * M.nonZeros());
    const double root = std::sqrt(weights[j]);
    for (SparseMatrix::InnerIterator entry(M, j); entry; ++entry) {
      const int equation = places[static_cast<std::size_t>(entry.row())];
      if (equation < 0) continue;
      if (heavy)
        entries.emplace_back(unknowns, equation, root * entry.value());
      else
        light.emplace_back(equation, light_count, root * entry.value());
    }
    ++(heavy ? unknowns : light_count);
  }
  SparseMatrix L(equations, light_count);
  L.setFromTriplets(light.begin(), light.end());
  Triplets().swap(light);
  SparseMatrix gram(equations, equations);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(L);
  for (int j = 0; j < equations; ++j) {
    entries.emplace_back(j, j, shift[j]);
    for (SparseMatrix::InnerIterator entry(gram, j); entry; ++entry)
      entries.emplace_back(entry.row(), j, entry.value());
  }
  for (int k = equations; k < unknowns; ++k) entries.emplace_back(k, k, -1.0);
  SparseMatrix system(unknowns, unknowns);
  system.setFromTriplets(entries.begin(), entries.end());
  factors_.compute(system);
  return factors_.info() == Eigen::Success;
}

bool GramSystem::factorize(const SparseMatrix& M, In weights, In shift) {
  std::vector<int> all(static_cast<std::size_t>(M.rows()));
  std::iota(all.begin(), all.end(), 0);
  return factorize(M, all, weights, shift);
}

void GramSystem::solve(In r, Out v) const {
  Vector right = Vector::Zero(factors_.rows());
  right.head(r.size()) = r;
  v = factors_.solve(right).head(r.size());
}

}  // namespace pendec::detail
