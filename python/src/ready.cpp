// The ready solvers: the problem of a class from arrays, its options by the names of their tables.
#include <nanobind/ndarray.h>

#include "python.hpp"

namespace pendec::python {
namespace {

using Indices = Eigen::VectorX<Index>;

/// (i, j, value) for each k: entries of a matrix, or edges of a graph.
template <class Entry>
std::vector<Entry> entries(const Indices& i, const Indices& j, const Vector& values) {
  std::vector<Entry> out;
  for (Index k = 0; k < i.size(); ++k) out.push_back({i[k], j[k], values[k]});
  return out;
}

/// solve(problem, options), the options from those given.
template <class Options, class Class, class Solve>
auto solve_ready(Class problem, const nb::dict& given, const Solve& solve) {
  return with_stop(fields_from<Options>(given),
                   [problem = std::move(problem), solve](const Options& options) { return solve(problem, options); });
}

/// name → (default, text) of every option of a struct, for the signatures' tests and the documentation. Lists and
/// matrices are empty.
template <class Options>
nb::dict fields_of() {
  nb::dict out;
  Options options;
  pendec::detail::for_each_option(options, "", [&](const std::string& name, const auto& value, const auto& field) {
    using T = std::remove_cvref_t<decltype(value)>;
    nb::object shown = nb::tuple();
    if constexpr (Named<T>)
      shown = nb::cast(std::string(to_string(value)));
    else if constexpr (std::is_convertible_v<double, T>)
      shown = nb::cast(value);
    out[name.c_str()] = nb::make_tuple(shown, std::string(field.text));
  });
  return out;
}

}  // namespace

void bind_ready(nb::module_& m) {
  m.def("sparse_qp", [](const Operator& Q, Vector c, const Operator& A, Vector b, const Operator& E, Vector d,
                        Vector lower, Vector upper, const nb::dict& given) {
    SparseQp problem{.Q = Q, .c = std::move(c)};
    problem.constraints = {A, std::move(b), E, std::move(d), std::move(lower), std::move(upper)};
    return solve_ready<SparseQpOptions>(fields_from(given, std::move(problem)), given, solve_sparse_qp);
  });
  m.def("sparse_path",
        [](const Operator& A, const Vector& b, const std::vector<Index>& sizes, const nb::dict& given) {
          return with_stop(fields_from<SparseRegressionOptions>(given),
                           [A, b, sizes](const auto& options) { return sparse_path(A, b, sizes, options); });
        });
  m.def("portfolio", [](Vector mean, Matrix covariance, const nb::dict& given, Index frontier) {
    const Moments moments{.assets = {}, .mean = std::move(mean), .covariance = std::move(covariance)};
    return with_stop(fields_from<SparseQpOptions>(given),
                     [moments, options = fields_from<PortfolioOptions>(given), frontier](auto& solver) mutable {
                       options.solver = std::move(solver);
                       if (frontier == 0) return std::vector{sparse_portfolio(moments, options)};
                       return efficient_frontier(moments, frontier, options);
                     });
  });
  m.def("sample_moments", [](const Matrix& returns) {
    const Moments moments =
        sample_moments(std::vector<std::string>(static_cast<std::size_t>(returns.cols())), returns);
    return std::pair(moments.mean, moments.covariance);
  });
  m.def(
      "nearest_correlation",
      [](const Matrix& A, std::optional<Index> rank, const nb::dict& given) {
        return solve_ready<CorrelationOptions>(A, given, [rank](const Matrix& target, const auto& options) {
          return nearest_correlation(target, rank, options);
        });
      },
      nb::arg("A"), nb::arg("rank").none(), nb::arg("options"));
  m.def("multitask_logistic", [](std::vector<Matrix> X, std::vector<Vector> labels, const nb::dict& given) {
    auto problem = fields_from<MultitaskProblem>(given);
    for (std::size_t t = 0; t < X.size(); ++t)
      problem.tasks.push_back({std::to_string(t), std::move(X[t]), std::move(labels.at(t))});
    return solve_ready<MultitaskOptions>(std::move(problem), given, multitask_logistic);
  });
  m.def("complete",
        [](Index rows, Index cols, const Indices& i, const Indices& j, const Vector& values, const nb::dict& given) {
          CompletionProblem problem{.rows = rows, .cols = cols, .seen = entries<Observation>(i, j, values)};
          return solve_ready<CompletionOptions>(fields_from(given, std::move(problem)), given, complete_matrix);
        });
  m.def("maxcut", [](Index n, const Indices& i, const Indices& j, const Vector& weights, const nb::dict& given) {
    return solve_ready<MaxCutOptions>(Graph{.n = n, .edges = entries<Edge>(i, j, weights)}, given, max_cut);
  });
  m.def("fields", [] {
    nb::dict out;
    out["sparse_qp"] = fields_of<SparseQpOptions>();
    out["sparse_regression"] = fields_of<SparseRegressionOptions>();
    out["portfolio"] = fields_of<PortfolioOptions>();
    out["nearest_correlation"] = fields_of<CorrelationOptions>();
    out["complete"] = fields_of<CompletionOptions>();
    out["multitask_logistic"] = fields_of<MultitaskOptions>();
    out["maxcut"] = fields_of<MaxCutOptions>();
    out["disjunctive"] = fields_of<DisjunctiveOptions>();
    return out;
  });
}

}  // namespace pendec::python
