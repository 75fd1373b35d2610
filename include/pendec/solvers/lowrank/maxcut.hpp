// Maximum cuts of graphs, by semidefinite matrices of low rank.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/core/result.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

struct Edge {
  Index i, j;
  double weight;
};

/// Vertices 0, …, n − 1; edges between the same two vertices add up.
struct PENDEC_EXPORT Graph {
  Index n = 0;
  std::vector<Edge> edges;

  double total_weight() const;
  double cut(const Vector& side) const;  // Σ of the weights between sides −1 and 1
};

struct MaxCutOptions {
  std::optional<Index> rank = {};  // without: so large that the rank bound changes nothing; 1: X is the best cut
  Index roundings = 100;           // random hyperplanes, each followed by single moves that improve the cut
  std::uint64_t seed = 1;
  double tolerance = 1e-7;  // of the gradient, relative to the terms that cancel in it
  double seconds = infinity;
  std::stop_token stop = {};

  static constexpr auto fields() {
    using O = MaxCutOptions;
    using detail::field;
    return std::tuple{
        field("rank", &O::rank, "largest rank of the matrix; without it any rank", 1),
        field("roundings", &O::roundings, "random hyperplanes tried", 1),
        field("seed", &O::seed, "of the random numbers"),
        field("tolerance", &O::tolerance, "of the gradient, relative to the terms that cancel in it", 0, 1, true),
        field("seconds", &O::seconds, "give up after this many seconds", 0)};
  }
};

/// max ½ Σ_{i<j} w_ij (1 − x_ij)  s.t.  diag(X) = e, X ⪰ 0, rank X ≤ rank, on the factor V (Burer and Monteiro 2003),
/// and cuts from it by random hyperplanes (Goemans and Williamson 1995). The bound is ½(w − eᵀν/2 − n λ/2) with ν the
/// multipliers and λ ≤ λ_min(W − Diag ν), computed for n ≤ 3000; beyond, it is the sum of the positive weights, and X
/// is not certified. CutDetails. `optimal`: the cut is proved a maximum, up to 1e-6 of it; `converged`: the
/// certificate of X is below 1e-6.
PENDEC_EXPORT Result max_cut(const Graph& graph, const MaxCutOptions& options = {});

}  // namespace pendec
