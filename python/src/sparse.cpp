// Few nonzeros: quadratic problems, regression, portfolios.
#include <nanobind/ndarray.h>

#include "pendec/core/error.hpp"
#include "pendec/solvers/sparse/portfolio.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"
#include "pendec/solvers/sparse/sparse_regression.hpp"
#include "python.hpp"

namespace pendec::python {
namespace {

LinearConstraints make_constraints(Matrix A, Vector b, Matrix E, Vector d, Vector lower, Vector upper) {
  return {std::move(A), std::move(b), std::move(E), std::move(d), std::move(lower), std::move(upper)};
}

using Groups = std::vector<std::vector<Index>>;

SparseRegressionOptions regression_options(const std::string& loss, const nb::dict& given,
                                           std::vector<Index> forced_in, std::vector<Index> forced_out,
                                           Groups groups) {
  auto options = options_from<SparseRegressionOptions>(given);
  options.forced_in = std::move(forced_in);
  options.forced_out = std::move(forced_out);
  options.groups = std::move(groups);
  options.loss = loss_named(loss);
  return options;
}

}  // namespace

void bind_sparse(nb::module_& m) {
  nb::class_<LinearConstraints>(m, "LinearConstraints");
  m.def("linear_constraints", &make_constraints);
  m.def("sparse_qp", [](const Borrowable& Q, Vector c, Index s, LinearConstraints constraints, Groups groups,
                        std::vector<Index> forced_in, std::vector<Index> forced_out, const nb::dict& options) {
    SparseQp problem{.Q = borrow(Q),
                     .c = std::move(c),
                     .s = s,
                     .constraints = std::move(constraints),
                     .groups = std::move(groups),
                     .forced_in = std::move(forced_in),
                     .forced_out = std::move(forced_out)};
    return with_stop(options_from<SparseQpOptions>(options),
                     [problem = std::move(problem)](const auto& chosen) { return solve_sparse_qp(problem, chosen); });
  });
  m.def("sparse_path", [](const Operator& A, const Vector& b, const std::vector<Index>& sizes,
                          const std::string& loss, const nb::dict& given, std::vector<Index> forced_in,
                          std::vector<Index> forced_out, Groups groups) {
    return with_stop(regression_options(loss, given, std::move(forced_in), std::move(forced_out), std::move(groups)),
                     [A, b, sizes](const auto& options) { return sparse_path(A, b, sizes, options); });
  });
  m.def("portfolio", [](Vector mean, Matrix covariance, const nb::dict& given, std::vector<Index> forced_in,
                        std::vector<Index> forced_out, Index frontier) {
    const Moments moments{.assets = {}, .mean = std::move(mean), .covariance = std::move(covariance)};
    auto options = options_from<PortfolioOptions>(given);
    options.forced_in = std::move(forced_in);
    options.forced_out = std::move(forced_out);
    return with_stop(options_from<SparseQpOptions>(given), [moments, options, frontier](auto& solver) mutable {
      options.solver = std::move(solver);
      if (frontier == 0) return std::vector{sparse_portfolio(moments, options)};
      return efficient_frontier(moments, frontier, options);
    });
  });
  m.def("sample_moments", [](const Matrix& returns) {
    std::vector<std::string> assets(static_cast<std::size_t>(returns.cols()));
    for (std::size_t j = 0; j < assets.size(); ++j) assets[j] = to_text(static_cast<Index>(j));
    const Moments moments = sample_moments(assets, returns);
    return std::pair(moments.mean, moments.covariance);
  });
}

}  // namespace pendec::python
