// The nearest correlation matrix, with or without a bound on its rank.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/options.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/core/status.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// `fast` works on a factor V with unit rows, X = VVᵀ. The others are the five algorithms of Section 6.2 of the
/// paper, with its settings.
enum class CorrelationAlgorithm { fast, pd_exact_lower_level, pd_exact, pd_cg_accurate, pd_cg_inaccurate, alm };

template <>
struct Names<CorrelationAlgorithm> {
  static constexpr std::array values{std::pair{CorrelationAlgorithm::fast, "fast"},
                                     std::pair{CorrelationAlgorithm::pd_exact_lower_level, "PD-exact-lower-level"},
                                     std::pair{CorrelationAlgorithm::pd_exact, "PD-exact"},
                                     std::pair{CorrelationAlgorithm::pd_cg_accurate, "PD-cg-accurate"},
                                     std::pair{CorrelationAlgorithm::pd_cg_inaccurate, "PD-cg-inaccurate"},
                                     std::pair{CorrelationAlgorithm::alm, "ALM"}};
};

struct CorrelationOptions {
  CorrelationAlgorithm algorithm = CorrelationAlgorithm::fast;
  Matrix weights = {};                              // wᵢⱼ > 0, symmetric; none: all one
  std::vector<std::pair<Index, Index>> fixed = {};  // entries with xᵢⱼ = aᵢⱼ, i ≠ j
  double tolerance = 1e-8;                          // of the gradient, relative to the terms that cancel in it
  double seconds = infinity;
  std::stop_token stop = {};

  static constexpr auto fields() {
    using O = CorrelationOptions;
    using detail::field;
    return std::tuple{
        field("algorithm", &O::algorithm,
              "algorithm: fast, or one of the paper's: PD-exact-lower-level, PD-exact, PD-cg-accurate, "
              "PD-cg-inaccurate, ALM"),
        field("weights", &O::weights, "matrix of positive weights, as large as the other"),
        field("fixed", &O::fixed, "entries that stay as they are"),
        field("tolerance", &O::tolerance, "of the gradient, relative to the terms that cancel in it", 0, 1, true),
        field("seconds", &O::seconds, "give up after this many seconds", 0)};
  }
};

/// min ½ Σ wᵢⱼ (xᵢⱼ − aᵢⱼ)²  s.t.  X = Xᵀ ⪰ 0, diag(X) = e, rank X ≤ rank, xᵢⱼ = aᵢⱼ for fixed entries. Entries of A
/// that are NaN are missing and count for nothing. A must be symmetric otherwise and may be indefinite; its diagonal
/// is only part of f. Misuse throws InvalidArgument.
///
/// Rank bound, no weights: preconditioned L-BFGS on V, then the global test: with μ = −lambda,
///   f* ≥ ½‖A‖² + eᵀμ − ½ Σ_{i ≤ rank} max(λᵢ(A + Diag μ), 0)²
/// holds for every μ, and at a stationary V with λ_max(A + Diag(μ) − VVᵀ) ≤ λ_rank(VVᵀ) the bound is f itself.
/// No rank bound, no weights: Newton's method on the dual (Qi and Sun 2006), with the dual value as the bound.
/// Weights, missing or fixed entries: without a rank bound the problem is convex, solved by accelerated projected
/// gradients, and the bound comes from the gradient; with one, L-BFGS on V with multipliers for fixed entries, and
/// the bound is that of the convex problem where it was solved on the way, else 0.
///
/// CorrelationDetails. lambda is the multiplier of diag(X) = e: ∇f(X) + Diag(lambda) is minus a normal of the rank
/// set. `optimal`: a global minimum, as the details say; `converged`: the certificate at X is below 1e-6. `fast`
/// without weights has also the pair of certificates of one outer step of PDLM with tau chosen last.
PENDEC_EXPORT Result nearest_correlation(MatrixIn A, std::optional<Index> rank = std::nullopt,
                                         const CorrelationOptions& options = {});

/// The same as a problem for solve(): f = ½‖X − A‖² on vec X, G = diag, C = {e}, D = PsdLowRank.
PENDEC_EXPORT Problem correlation_problem(MatrixIn A, Index rank);

/// The paper's settings of one of its algorithms; throws InvalidArgument for `fast`.
PENDEC_EXPORT Options correlation_options(CorrelationAlgorithm algorithm);

}  // namespace pendec
