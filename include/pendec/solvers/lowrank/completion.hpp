// Matrices of low rank from some of their entries.
#pragma once

#include <Eigen/SparseCore>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// An entry that was seen.
struct Observation {
  Index row, column;
  double value;
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

  static constexpr auto fields() {
    using P = CompletionProblem;
    using detail::field;
    return std::tuple{field("kappa", &P::kappa, "largest rank", 1),
                      field("gamma", &P::gamma, "adds gamma/2 times the squared Frobenius norm", 0),
                      field("box", &P::box, "bounds of all entries")};
  }

  void validate() const;    // throws InvalidArgument
  Problem problem() const;  // for solve(), on the dense vec X; the box as G(x) = x ∈ C
  double scale() const;     // the largest magnitude seen, or of a finite side of the box
};

struct CompletionOptions {
  double tolerance = 1e-6;  // of the gradient over subspaces, relative to the first
  double seconds = infinity;
  std::stop_token stop = {};

  static constexpr auto fields() {
    using O = CompletionOptions;
    using detail::field;
    return std::tuple{
        field("tolerance", &O::tolerance, "of the gradient over subspaces, relative to the first", 0, 1, true),
        field("seconds", &O::seconds, "give up after this many seconds", 0)};
  }
};

/// Variable projection: with the left factor B orthonormal, the right one solves a κ × κ system per column, and what
/// is left is a smooth function of span B, minimised by Newton's method on the Grassmann manifold. X is never formed.
/// With a box, problems of up to 100 000 entries go to solve() as dense ones. Beyond, it is kept by an augmented
/// Lagrangian of all entries, evaluated column by column in O(rows · cols · κ): X is not formed.
/// All of these find local minima. CompletionDetails. `converged`: stationarity (the distance of −∇f(X) to the
/// normals of the rank set, relative to ∇f(X)) is below 1e-6, and the box is kept up to 1e-6 of the scale;
/// `not_finite`: f overflows.
PENDEC_EXPORT Result complete_matrix(const CompletionProblem& problem, const CompletionOptions& options = {});

/// aᵢⱼ ≈ mean + rowᵢ + columnⱼ, by least squares with `shrinkage` added to every count; entries without data are
/// zero.
PENDEC_EXPORT Biases fit_biases(Index rows, Index cols, const std::vector<Observation>& seen, double shrinkage = 5.0);

/// Moves a random `fraction` of the entries to the second list; the same seed, the same split.
PENDEC_EXPORT std::pair<std::vector<Observation>, std::vector<Observation>> split(
    const std::vector<Observation>& seen, double fraction, std::uint64_t seed);

/// √(mean of (predict(i, j) − aᵢⱼ)²), of the biases alone without a result.
PENDEC_EXPORT double rmse(const std::vector<Observation>& entries, const Biases& biases,
                          const CompletionDetails* result = nullptr);

}  // namespace pendec
