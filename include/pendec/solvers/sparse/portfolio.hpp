// Portfolios of few assets: from returns to the certified optimum and to the efficient frontier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec {

/// Mean returns and covariances of assets.
struct PENDEC_EXPORT Moments {
  std::vector<std::string> assets;
  Vector mean;
  Matrix covariance;

  Index size() const { return mean.size(); }
};

/// Sample mean and sample covariance (divided by T − 1) of T ≥ 2 rows of returns, one column per asset.
PENDEC_EXPORT Moments sample_moments(std::vector<std::string> assets, MatrixIn returns);

/// Returns of consecutive prices, logarithmic or simple; one row less. A price that is NaN makes two returns NaN.
PENDEC_EXPORT Matrix returns_of_prices(MatrixIn prices, bool logarithmic);

/// min ½wᵀΣw − ν meanᵀw  s.t.  Σw = 1, at most s assets held, each with a weight in [min_weight, max_weight],
///     meanᵀw ≥ min_return.
struct PortfolioOptions {
  Index s = 5;
  double nu = 0.0;  // 0: the least variance
  std::optional<double> min_return = {};
  double min_weight = 0.0;  // of an asset that is held; negative: short positions
  double max_weight = 1.0;
  std::vector<Index> forced_in = {}, forced_out = {};
  SparseQpOptions solver = {};

  static constexpr auto fields() {
    using O = PortfolioOptions;
    using detail::field;
    return std::tuple{field("s", &O::s, "assets held at most", 1),
                      field("nu", &O::nu, "weight of the mean return in 1/2 w'Cw - nu mean'w; 0: least variance", 0),
                      field("min_return", &O::min_return, "least mean return"),
                      field("min_weight", &O::min_weight, "least weight of an asset that is held; negative: short"),
                      field("max_weight", &O::max_weight, "largest weight"),
                      field("forced_in", &O::forced_in, "assets that may always be held, and count"),
                      field("forced_out", &O::forced_out, "assets that are never held")};
  }
};

/// The problem that sparse_portfolio() solves; throws InvalidArgument on misuse.
PENDEC_EXPORT SparseQp portfolio_problem(const Moments& moments, const PortfolioOptions& options);

/// The weights are y; SparseDetails with a portfolio. Throws InvalidArgument on misuse.
PENDEC_EXPORT Result sparse_portfolio(const Moments& moments, const PortfolioOptions& options);

/// The cardinality-constrained efficient frontier: the least variance for `points` target returns, evenly from that
/// of the least variance portfolio to the largest that can be reached. Each is certified.
PENDEC_EXPORT std::vector<Result> efficient_frontier(const Moments& moments, Index points,
                                                     const PortfolioOptions& options);

}  // namespace pendec
