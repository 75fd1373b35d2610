// Few nonzeros: quadratic problems, regression, portfolios.
#include <nanobind/ndarray.h>

#include "pendec/core/error.hpp"
#include "pendec/solvers/portfolio.hpp"
#include "pendec/solvers/sparse_qp.hpp"
#include "pendec/solvers/sparse_regression.hpp"
#include "python.hpp"

namespace pendec::python {
namespace {

nb::dict sparse_dict(const SparseQpResult& r) {
  nb::dict out;
  out["status"] = std::string(to_string(r.status));
  out["success"] = r.success();
  out["message"] = r.message;
  out["x"] = r.x;
  out["fun"] = r.f;
  out["lower_bound"] = r.lower_bound;
  out["gap"] = r.has_point() ? r.gap() : infinity;
  out["support"] = r.support;
  out["nodes"] = r.nodes;
  out["supports"] = r.supports;
  out["seconds"] = r.seconds;
  out["stationarity"] = r.stationarity;
  out["multipliers"] = r.lambda;
  out["swap_optimal"] = r.swap_optimal;
  return out;
}

LinearConstraints make_constraints(Matrix A, Vector b, Matrix E, Vector d, Vector lower, Vector upper) {
  return {std::move(A), std::move(b), std::move(E), std::move(d), std::move(lower), std::move(upper)};
}

SparseRegressionOptions regression_options(const std::string& loss, bool intercept, double ridge, double huber,
                                           bool nonnegative, std::vector<Index> forced_in,
                                           std::vector<Index> forced_out, std::vector<std::vector<Index>> groups,
                                           double gap, double seconds, Index folds, std::uint64_t seed) {
  SparseRegressionOptions options{.intercept = intercept,
                                  .ridge = ridge,
                                  .huber = huber,
                                  .nonnegative = nonnegative,
                                  .forced_in = std::move(forced_in),
                                  .forced_out = std::move(forced_out),
                                  .groups = std::move(groups),
                                  .gap = gap,
                                  .seconds = seconds,
                                  .folds = folds,
                                  .seed = seed};
  for (const Loss known : {Loss::squared, Loss::logistic, Loss::huber, Loss::poisson})
    if (to_string(known) == loss) {
      options.loss = known;
      return options;
    }
  throw InvalidArgument("loss", loss, "squared, logistic, huber or poisson");
}

nb::dict fit_dict(const SparseFit& fit) {
  nb::dict out;
  out["s"] = fit.s;
  out["coef"] = fit.coefficients;
  out["intercept"] = fit.intercept;
  out["support"] = fit.support;
  out["fun"] = fit.f;
  out["loss"] = fit.loss;
  out["lower_bound"] = fit.lower_bound;
  out["status"] = fit.status;
  out["success"] = fit.status == "optimal" || fit.status == "gap_limit" || fit.status == "converged";
  out["certified"] = fit.certified;
  out["exchange_optimal"] = fit.exchange_optimal;
  out["aic"] = fit.criteria.aic;
  out["bic"] = fit.criteria.bic;
  out["ebic"] = fit.criteria.ebic;
  out["gic"] = fit.criteria.gic;
  out["cv_mean"] = fit.cv_mean;
  out["cv_error"] = fit.cv_error;
  out["seconds"] = fit.seconds;
  return out;
}

nb::dict portfolio_dict(const Portfolio& p) {
  nb::dict out = sparse_dict(p.certificate);
  out["mean"] = p.mean;
  out["volatility"] = p.volatility;
  return out;
}

}  // namespace

void bind_sparse(nb::module_& m) {
  nb::class_<LinearConstraints>(m, "LinearConstraints");
  m.def("linear_constraints", &make_constraints);
  m.def("sparse_qp", [](const Borrowable& Q, Vector c, Index s, LinearConstraints constraints,
                        std::vector<std::vector<Index>> groups, std::vector<Index> forced_in,
                        std::vector<Index> forced_out, double gap, bool certify, double seconds) {
    SparseQp problem{.Q = borrow(Q),
                     .c = std::move(c),
                     .s = s,
                     .constraints = std::move(constraints),
                     .groups = std::move(groups),
                     .forced_in = std::move(forced_in),
                     .forced_out = std::move(forced_out)};
    return sparse_dict(
        with_stop(SparseQpOptions{.gap = gap, .certify = certify, .seconds = seconds},
                  [problem = std::move(problem)](const auto& options) { return solve_sparse_qp(problem, options); }));
  });

  nb::class_<SparseRegressionOptions>(m, "SparseRegressionOptions");
  m.def("regression_options", &regression_options);
  m.def("sparse_path",
        [](const Operator& A, const Vector& b, const std::vector<Index>& sizes, SparseRegressionOptions chosen) {
          nb::list fits;
          for (const SparseFit& fit : with_stop(std::move(chosen), [A, b, sizes](const auto& options) {
                 if (sizes.size() == 1 && options.folds == 0)
                   return std::vector{sparse_regression(A, b, sizes.front(), options)};
                 return sparse_path(A, b, sizes, options);
               }))
            fits.append(fit_dict(fit));
          return fits;
        });

  m.def(
      "portfolio",
      [](Vector mean, Matrix covariance, Index s, double nu, std::optional<double> target, double least, double most,
         std::vector<Index> forced_in, std::vector<Index> forced_out, double gap, double seconds, Index frontier) {
        Moments moments{.assets = {}, .mean = std::move(mean), .covariance = std::move(covariance)};
        for (Index i = 0; i < moments.size(); ++i) moments.assets.push_back("asset " + to_text(i));
        PortfolioOptions options{.s = s,
                                 .nu = nu,
                                 .target = target,
                                 .least = least,
                                 .most = most,
                                 .forced_in = std::move(forced_in),
                                 .forced_out = std::move(forced_out)};
        nb::list out;
        for (const Portfolio& p :
             with_stop(SparseQpOptions{.gap = gap, .seconds = seconds},
                       [moments = std::move(moments), options = std::move(options), frontier](auto& solver) mutable {
                         options.solver = std::move(solver);
                         if (frontier == 0) return std::vector{sparse_portfolio(moments, options)};
                         return efficient_frontier(moments, frontier, options);
                       }))
          out.append(portfolio_dict(p));
        return out;
      },
      nb::arg("mean"), nb::arg("covariance"), nb::arg("s"), nb::arg("nu"), nb::arg("target").none(), nb::arg("least"),
      nb::arg("most"), nb::arg("forced_in"), nb::arg("forced_out"), nb::arg("gap"), nb::arg("seconds"),
      nb::arg("frontier"));
  m.def("sample_moments", [](const Matrix& returns) {
    std::vector<std::string> assets(static_cast<std::size_t>(returns.cols()));
    for (std::size_t j = 0; j < assets.size(); ++j) assets[j] = to_text(static_cast<Index>(j));
    const Moments moments = sample_moments(assets, returns);
    return std::pair(moments.mean, moments.covariance);
  });
}

}  // namespace pendec::python
