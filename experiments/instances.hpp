// The instances of the paper's experiments: its generators (with our own random numbers) and readers for its data
// files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "pendec/pendec.hpp"

namespace pendec::experiments {

/// min ½xᵀQx + νcᵀx s.t. ‖x‖₀ ≤ s, for portfolios also x in the unit simplex (as G(x) = x ∈ C).
struct SparseQp {
  std::string name;
  Matrix Q;
  Vector c;
  double nu = 1.0;
  Index s = 1;
  bool simplex = false;

  Problem problem() const;
  Vector start() const;  // the origin, or (1/n, …, 1/n) with the simplex
};

/// (6.3)–(6.4): Q = Y D Y with a Householder matrix Y and eigenvalues from 1 to `condition`, c uniform in (−1, 1).
SparseQp random_sparse_qp(Index n, double condition, Random& random);

/// Beck & Eldar (2013), Example 2.2: five variables, s = 2, global minimum −41.33.
SparseQp beck_eldar();

/// The authors' qp/QP_n_cond_i.txt below `data`: n, Q row by row, c.
SparseQp read_sparse_qp(const std::filesystem::path& data, const std::string& name);

/// The real portfolios of Table 6.3 (DTS1 … FF48) with their s and ν.
SparseQp read_portfolio(const std::filesystem::path& data, const std::string& name);

/// (P1)–(P3): A_ij = shift + scale · exp(−rate |i − j|).
Matrix correlation_matrix(int which, Index n);

/// Section 6.3: logistic loss over a union of `parts` random polyhedra with `rows` rows each, and m quartic
/// constraints Σᵢ c_ij (x_i − p_ij)⁴ ≤ t_j. Parts that are empty are left out.
struct Disjunctive {
  Problem problem;
  Vector start;  // the centre p of the first quartic constraint
};
Disjunctive random_disjunctive(Index n, Index parts, Index rows, Index m, Random& random);

/// The same, drawn again until a part meets the quartic constraints, as the authors do. With several constraints
/// (Figure 6.3) the start is the minimiser of f alone.
Disjunctive feasible_disjunctive(Index n, Index parts, Index rows, Index m, Random& random);

/// Such an instance from a JSON file of the Python reference: data, labels, A, b, c, p, t, x0.
Disjunctive read_disjunctive(const std::filesystem::path& path);

/// min ½‖x − a‖² s.t. linear equations and 0 ≤ x₁ ⊥ x₂ ≥ 0 on pairs: a random quadratic MPCC whose global minimum is
/// found by trying all branches (at most 2^pairs).
struct Complementarity {
  Problem problem;
  Vector start;
};
Complementarity random_complementarity(Index pairs, Index equations, Random& random);

/// Where the data of the authors and the real instances are: $PENDEC_DATA, else ../shared/data below `root` if it
/// exists.
std::optional<std::filesystem::path> data_folder(const std::filesystem::path& root);

}  // namespace pendec::experiments
