#include "factor_cost.hpp"

#include <Eigen/OrderingMethods>
#include <vector>

namespace pendec::detail {

double factor_cost(const SparseMatrix& lower, double enough) {
  using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;
  Permutation order;
  Eigen::AMDOrdering<int>()(lower, order);
  const auto n = static_cast<int>(lower.cols());
  SparseMatrix upper(n, n);  // permuted: its column k has the row of k left of the diagonal
  upper.selfadjointView<Eigen::Upper>() = lower.selfadjointView<Eigen::Lower>().twistedBy(order.inverse());
  // Row k of the factor is the part of the elimination tree below k that its entries reach (J. W. H. Liu, SIAM J.
  // Matrix Anal. Appl. 11, 1990); each entry passed adds one to the count of its column.
  std::vector<int> parent(static_cast<std::size_t>(n), -1), seen_by(static_cast<std::size_t>(n), -1);
  std::vector<double> count(static_cast<std::size_t>(n), 1.0);
  double cost = 0.0;
  for (int k = 0; k < n; ++k) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    seen_by[at(k)] = k;
    for (SparseMatrix::InnerIterator entry(upper, k); entry; ++entry)
      for (int i = static_cast<int>(entry.row()); i < k && seen_by[at(i)] != k; i = parent[at(i)]) {
        if (parent[at(i)] == -1) parent[at(i)] = k;
        seen_by[at(i)] = k;
        cost += count[at(i)]++;  // sums up to half of the square of each column's count
      }
    if (cost > enough) return cost;
  }
  return cost;
}

}  // namespace pendec::detail
