// Maximum cuts of graphs, by semidefinite matrices of low rank.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/report/status.hpp"

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
};

struct PENDEC_EXPORT MaxCutResult {
  Status status = Status::stalled;  // converged: the certificate of X is below 1e-6, or the cut is proved a maximum
  std::string message;
  Matrix V;                       // n × rank, unit rows, X = VVᵀ
  double relaxation = 0.0;        // ½ Σ w_ij (1 − x_ij) at X
  double upper_bound = infinity;  // no cut is heavier, and no admissible X; rounding is accounted for
  double cut = 0.0;               // the heaviest cut found
  Vector side;                    // its sides, −1 and 1
  Certificate certificate;        // of X
  Index iterations = 0;
  double seconds = 0.0;

  bool success() const { return succeeded(status); }
};

/// max ½ Σ_{i<j} w_ij (1 − x_ij)  s.t.  diag(X) = e, X ⪰ 0, rank X ≤ rank, on the factor V (Burer and Monteiro 2003),
/// and cuts from it by random hyperplanes (Goemans and Williamson 1995). The bound is ½(w − eᵀν/2 − n λ/2) with ν the
/// multipliers and λ ≤ λ_min(W − Diag ν), computed for n ≤ 3000; beyond, it is the sum of the positive weights, and X
/// is not certified.
PENDEC_EXPORT MaxCutResult max_cut(const Graph& graph, const MaxCutOptions& options = {});

}  // namespace pendec
