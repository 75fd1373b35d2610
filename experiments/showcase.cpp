#include "experiments/showcase.hpp"

#include <algorithm>
#include <numeric>

#include "experiments/instances.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/subsolvers/sqp.hpp"
#include "pendec/transform/restricted.hpp"

namespace pendec::experiments {
namespace {

/// Every support of size s in {0, …, n − 1}.
std::vector<Branch> all_supports(Index n, Index s) {
  std::vector<Branch> branches;
  std::vector<char> chosen(static_cast<std::size_t>(n), 0);
  std::fill_n(chosen.begin(), s, 1);
  do {
    Vector z(n);
    for (Index i = 0; i < n; ++i) z[i] = chosen[static_cast<std::size_t>(i)];
    branches.push_back(*Sparse(n, s).branch(z, z));
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return branches;
}

/// Every choice of the variable that may be nonzero, pair by pair.
std::vector<Branch> all_patterns(const BoxSwitching& set) {
  const Index pairs = set.dimension() / 2;
  std::vector<Branch> branches;
  for (Index pattern = 0; pattern < (Index{1} << pairs); ++pattern) {
    Vector z = Vector::Zero(2 * pairs);
    for (Index i = 0; i < pairs; ++i) z[(pattern >> i) & 1 ? i : pairs + i] = 1.0;
    branches.push_back(*set.branch(z, z));
  }
  return branches;
}

Showcase sparse_qp() {
  Random random(1);
  SparseQp qp = random_sparse_qp(20, 10.0, random);
  qp.s = 3;
  qp.nu = 5.0;
  const Problem p = qp.problem();
  return {"sparse_qp", "sparse QP (n=20, s=3)", p, qp.start(), least_over(p, all_supports(20, 3))};
}

Showcase portfolio() {
  Random random(2);
  SparseQp qp = random_sparse_qp(20, 100.0, random);
  qp.s = 3;
  qp.simplex = true;
  const Problem p = qp.problem();
  return {"portfolio", "sparse portfolio (n=20, s=3)", p, qp.start(), least_over(p, all_supports(20, 3))};
}

Showcase correlation() {
  // 183.7038211: the minimum over rank-5 correlation matrices, proved global by its dual certificate
  // λmax(A + Diag(μ) − X) ≤ λ₅(X), μ the multiplier of the diagonal.
  return {"correlation", "nearest correlation P1(200,5)", correlation_problem(correlation_matrix(1, 200), 5),
          Matrix(Matrix::Identity(200, 200)).reshaped(), 183.7038211};
}

Showcase polyhedra() {
  Random random(3);
  for (;;) {
    Disjunctive d = random_disjunctive(10, 20, 12, 1, random);
    std::vector<Branch> parts;
    for (const Set& part : d.problem.D.as<UnionOf>()->parts) parts.push_back(*part.branch(d.start, d.start));
    const double reference = least_over(d.problem, parts);
    if (reference < infinity) return {"polyhedra", "union of 20 polyhedra (n=10)", d.problem, d.start, reference};
  }
}

Showcase complementarity() {
  Random random(4);
  const Complementarity c = random_complementarity(8, 4, random);
  return {"complementarity", "complementarity (8 pairs)", c.problem, c.start,
          least_over(c.problem, all_patterns(*c.problem.D.as<BoxSwitching>()))};
}

}  // namespace

double least_over(const Problem& problem, const std::vector<Branch>& branches) {
  double least = infinity;
  for (const Branch& branch : branches) {
    const NlpResult r = sqp(restricted(problem, branch), branch.t);
    if (r.status == NlpStatus::converged) least = std::min(least, r.f);
  }
  return least;
}

std::vector<Showcase> showcases() {
  return {sparse_qp(), portfolio(), correlation(), polyhedra(), complementarity()};
}

}  // namespace pendec::experiments
