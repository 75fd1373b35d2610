// Matrices of low rank from some of their entries.
#pragma once

#include <Eigen/SparseCore>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/core/problem.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/report/status.hpp"

namespace pendec {

/// An entry that was seen.
struct Observation {
  Index row, column;
  double value;
};

/// mean + rowᵢ + columnⱼ, for every place.
struct PENDEC_EXPORT Biases {
  double mean = 0.0;
  Vector row, column;

  static Biases zero(Index rows, Index cols) { return {0.0, Vector::Zero(rows), Vector::Zero(cols)}; }
  double at(Index i, Index j) const { return mean + row[i] + column[j]; }
};

/// min ½ Σ_{(i,j) seen} (xᵢⱼ − aᵢⱼ)² + γ/2 ‖X‖²  s.t.  rank X ≤ κ, and lower ≤ xᵢⱼ + biasᵢⱼ ≤ upper if there is a
/// box.
struct PENDEC_EXPORT CompletionProblem {
  Index rows = 0, cols = 0;
  std::vector<Observation> seen;
  Index kappa = 1;
  double gamma = 0.0;
  std::optional<std::pair<double, double>> box = {};
  std::optional<Biases> biases = {};  // of entries whose biases were subtracted; none: zero

  void validate() const;    // throws InvalidArgument
  Problem problem() const;  // for solve(), on the dense vec X; the box as G(x) = x ∈ C
  double scale() const;     // the largest magnitude seen, or of a finite side of the box
};

struct CompletionOptions {
  double tolerance = 1e-6;  // of the gradient over subspaces, relative to the first
  double seconds = infinity;
  std::stop_token stop = {};
};

struct PENDEC_EXPORT CompletionResult {
  Status status = Status::stalled;  // converged: stationarity ≤ 1e-6, and the box is kept; not_finite: f overflows
  std::string message;
  Matrix B, C;  // X = B Cᵀ, BᵀB = I
  double f = 0.0;
  double rmse = 0.0;               // root mean square of xᵢⱼ − aᵢⱼ over the entries seen
  double stationarity = infinity;  // distance of −∇f(X) to the normals of the rank set, relative to ∇f(X)
  double box_error = 0.0;  // of all entries, how far they leave the box, or its side if they have a multiplier;
                           // 1e-6 of the scale is allowed
  Index iterations = 0;
  double seconds = 0.0;

  double entry(Index row, Index column) const { return B.row(row).dot(C.row(column)); }
  bool success() const { return succeeded(status); }
};

/// Variable projection: with the left factor B orthonormal, the right one solves a κ × κ system per column, and what
/// is left is a smooth function of span B, minimised by Newton's method on the Grassmann manifold. X is never formed.
/// With a box, problems of up to 100 000 entries go to solve() as dense ones. Beyond, it is kept by an augmented
/// Lagrangian of all entries, evaluated column by column in O(rows · cols · κ): X is not formed.
/// All of these find local minima.
PENDEC_EXPORT CompletionResult complete_matrix(const CompletionProblem& problem,
                                               const CompletionOptions& options = {});

/// aᵢⱼ ≈ mean + rowᵢ + columnⱼ, by least squares with `shrinkage` added to every count; entries without data are
/// zero.
PENDEC_EXPORT Biases fit_biases(Index rows, Index cols, const std::vector<Observation>& seen, double shrinkage = 5.0);

/// Moves a random `fraction` of the entries to the second list; the same seed, the same split.
PENDEC_EXPORT std::pair<std::vector<Observation>, std::vector<Observation>> split(
    const std::vector<Observation>& seen, double fraction, std::uint64_t seed);

/// √(mean of (predict(i, j) − aᵢⱼ)²), of the biases alone without a result.
PENDEC_EXPORT double rmse(const std::vector<Observation>& entries, const Biases& biases,
                          const CompletionResult* result = nullptr);

}  // namespace pendec
