#include "pendec/solvers/sparse/portfolio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../subsolvers/dense.hpp"
#include "pendec/core/deadline.hpp"
#include "pendec/core/error.hpp"

namespace pendec {
SparseQp portfolio_problem(const Moments& moments, const PortfolioOptions& options) {
  const Index n = moments.size();
  require(n > 0, "Moments.mean", n, "at least one asset");
  require_dimension("Moments.covariance, rows", moments.covariance.rows(), n);
  require_dimension("Moments.covariance, columns", moments.covariance.cols(), n);
  require_finite("Moments.mean", moments.mean);
  detail::check_ranges(options, "PortfolioOptions.");
  require(options.min_weight <= options.max_weight, "PortfolioOptions.min_weight", options.min_weight,
          fmt::format("at most max_weight = {}", options.max_weight));
  require(std::isfinite(options.nu), "PortfolioOptions.nu", options.nu, "a finite number");
  SparseQp qp{.Q = moments.covariance, .c = -options.nu * moments.mean, .s = options.s};
  qp.constraints = LinearConstraints::none(n);
  qp.constraints.lower.setConstant(options.min_weight);
  qp.constraints.upper.setConstant(options.max_weight);
  qp.constraints.E = Matrix::Ones(1, n);
  qp.constraints.d = Vector::Ones(1);
  if (options.min_return) {
    require(std::isfinite(*options.min_return), "PortfolioOptions.min_return", *options.min_return,
            "a finite return");
    qp.constraints.A = -moments.mean.transpose();
    qp.constraints.b = Vector::Constant(1, -*options.min_return);
  }
  qp.forced_in = options.forced_in;
  qp.forced_out = options.forced_out;
  return qp;
}

namespace {

Result described(const Moments& moments, const PortfolioOptions& options, Result out) {
  out.route = "portfolio";
  auto& details = std::get<SparseDetails>(out.details);
  for (const Index i : details.support)
    if (!moments.assets.empty()) details.names.push_back(moments.assets[static_cast<std::size_t>(i)]);
  PortfolioDetails& found = details.portfolio.emplace(PortfolioDetails{.target = options.min_return});
  const Vector& w = out.y;
  if (w.size() == 0) return out;
  found.mean = moments.mean.dot(w);
  found.volatility = std::sqrt(std::max(w.dot(moments.covariance * w), 0.0));
  return out;
}

/// The largest mean return that the constraints allow.
Result highest_return(const Moments& moments, const PortfolioOptions& options) {
  SparseQp qp = portfolio_problem(moments, options);
  qp.Q = Matrix(Matrix::Zero(moments.size(), moments.size()));
  qp.c = -moments.mean;
  return described(moments, options, solve_sparse_qp(qp, options.solver));
}

/// In the words of portfolios: what is known to be impossible, and where it takes no long search what is possible.
std::string why_infeasible(const Moments& moments, PortfolioOptions options, const Deadline& deadline) {
  const std::string weights =
      fmt::format("at most {} assets{} with weights from {} to {}", options.s,
                  options.forced_in.empty() && options.forced_out.empty() ? "" : ", those forced in or out,",
                  options.min_weight, options.max_weight);
  if (!options.min_return) return fmt::format("no portfolio of {} has the sum 1", weights);
  const std::string unreached = fmt::format("no portfolio of {} has a mean return of {}", weights,
                                            *std::exchange(options.min_return, std::nullopt));
  options.solver.observer = {};
  options.solver.seconds = std::min(deadline.left(), 0.5);
  const Result top = highest_return(moments, options);
  if (top.status == Status::infeasible) return fmt::format("no portfolio of {} has the sum 1", weights);
  if (top.status == Status::optimal) return fmt::format("{}; the largest is {}", unreached, -top.f);
  return top.bound > -infinity ? fmt::format("{}; none exceeds {}", unreached, -top.bound) : unreached;
}

}  // namespace

Moments sample_moments(std::vector<std::string> assets, MatrixIn returns) {
  require(returns.rows() >= 2, "returns, rows", returns.rows(), "at least 2 observations");
  require_dimension("assets.size()", static_cast<Index>(assets.size()), returns.cols());
  require_finite("returns", returns);
  Moments out{std::move(assets), returns.colwise().mean(), {}};
  const Matrix centred = returns.rowwise() - out.mean.transpose();
  out.covariance = detail::transpose_times(centred, centred) / static_cast<double>(returns.rows() - 1);
  out.covariance = 0.5 * (out.covariance + out.covariance.transpose()).eval();
  return out;
}

Matrix returns_of_prices(MatrixIn prices, bool logarithmic) {
  require(prices.rows() >= 2, "prices, rows", prices.rows(), "at least 2");
  const Index rows = prices.rows() - 1;
  for (Index j = 0; j < prices.cols(); ++j)
    for (Index i = 0; i < prices.rows(); ++i)
      if (prices(i, j) <= 0.0)
        throw InvalidArgument(fmt::format("prices({}, {})", i, j), to_text(prices(i, j)), "a positive price");
  const auto ratio = prices.bottomRows(rows).array() / prices.topRows(rows).array();
  return logarithmic ? Matrix(ratio.log()) : Matrix(ratio - 1.0);
}

Result sparse_portfolio(const Moments& moments, const PortfolioOptions& options) {
  const Deadline deadline(options.solver.seconds, options.solver.stop);
  Result out = described(moments, options, solve_sparse_qp(portfolio_problem(moments, options), options.solver));
  if (out.status == Status::infeasible) out.message = why_infeasible(moments, options, deadline);
  return out;
}

std::vector<Result> efficient_frontier(const Moments& moments, Index points, const PortfolioOptions& options) {
  require(points >= 2, "points", points, "at least 2");
  require(!options.min_return, "PortfolioOptions.min_return", options.min_return.value_or(0.0),
          "none: the frontier has its own");
  PortfolioOptions step = options;
  step.nu = 0.0;
  const Deadline deadline(options.solver.seconds, options.solver.stop);
  Index solves = points + 1;  // with that for the highest return
  const auto next = [&]() -> const PortfolioOptions& {
    step.solver.seconds = deadline.share(solves--).left();
    return step;
  };
  std::vector<Result> frontier{sparse_portfolio(moments, next())};
  if (!frontier.front().has_point()) return frontier;
  const double low = frontier.front().sparse().portfolio->mean;
  const Result top = highest_return(moments, next());
  if (!top.has_point()) return frontier;
  // one ulp of slack: the last target is a value that was reached in floating point
  const double most = top.sparse().portfolio->mean, high = most - 1e-12 * std::abs(most);
  for (Index k = 1; k < points; ++k) {
    if (deadline.interrupted()) break;
    const double share = static_cast<double>(k) / static_cast<double>(points - 1);
    step.min_return = low + share * (high - low);
    step.solver.start = frontier.back().sparse().support;
    frontier.push_back(sparse_portfolio(moments, next()));
    if (!frontier.back().has_point()) break;
  }
  return frontier;
}

}  // namespace pendec
