// Portfolios of few assets: from returns to the certified optimum and to the efficient frontier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/solvers/sparse_qp.hpp"

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

/// min ½wᵀΣw − ν meanᵀw  s.t.  Σw = 1, at most s assets held, each with a weight in [least, most], meanᵀw ≥ target.
struct PortfolioOptions {
  Index s = 5;
  double nu = 0.0;  // 0: the least variance
  std::optional<double> target = {};
  double least = 0.0;  // weight of an asset that is held; negative: short positions
  double most = 1.0;
  std::vector<Index> forced_in = {}, forced_out = {};
  SparseQpOptions solver = {};
};

struct Portfolio {
  SparseQpResult certificate;  // x = the weights
  double mean = 0.0;           // meanᵀw
  double volatility = 0.0;     // √(wᵀΣw)
};

/// Throws InvalidArgument on misuse.
PENDEC_EXPORT Portfolio sparse_portfolio(const Moments& moments, const PortfolioOptions& options);

/// The cardinality-constrained efficient frontier: the least variance for `points` target returns, evenly from that
/// of the least variance portfolio to the largest that can be reached. Each is certified.
PENDEC_EXPORT std::vector<Portfolio> efficient_frontier(const Moments& moments, Index points,
                                                        const PortfolioOptions& options);

}  // namespace pendec
