// Low rank: correlation matrices, multitask regression, completion, cuts.
#include "pendec/solvers/alternatives/disjunctive.hpp"
#include "pendec/solvers/lowrank/completion.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"
#include "pendec/solvers/lowrank/maxcut.hpp"
#include "pendec/solvers/lowrank/multitask.hpp"
#include "pendec/solvers/sparse/portfolio.hpp"
#include "pendec/solvers/sparse/sparse_regression.hpp"
#include "python.hpp"

namespace pendec::python {
namespace {

using Indices = Eigen::VectorX<Index>;

Result python_correlation(const Matrix& A, std::optional<Index> rank, const std::string& algorithm, Matrix weights,
                          std::vector<std::pair<Index, Index>> fixed, const nb::dict& given) {
  auto options = options_from<CorrelationOptions>(given);
  options.algorithm = correlation_algorithm(algorithm);
  options.weights = std::move(weights);
  options.fixed = std::move(fixed);
  return with_stop(std::move(options),
                   [A, rank](const auto& chosen) { return nearest_correlation(A, rank, chosen); });
}

Result python_multitask(std::vector<Matrix> X, std::vector<Vector> labels, double eta, Index kappa,
                        const std::string& algorithm, const nb::dict& given) {
  MultitaskProblem problem{.tasks = {}, .eta = eta, .kappa = kappa};
  for (std::size_t t = 0; t < X.size(); ++t)
    problem.tasks.push_back({std::to_string(t), std::move(X[t]), std::move(labels.at(t))});
  problem.validate();
  auto options = options_from<MultitaskOptions>(given);
  options.algorithm = multitask_algorithm(algorithm);
  return with_stop(std::move(options), [problem = std::move(problem)](const auto& chosen) {
    return multitask_logistic(problem, chosen);
  });
}

Result python_complete(Index rows, Index cols, const Indices& i, const Indices& j, const Vector& values, Index kappa,
                       double gamma, std::optional<std::pair<double, double>> box, const nb::dict& given) {
  CompletionProblem problem{.rows = rows, .cols = cols, .seen = {}, .kappa = kappa, .gamma = gamma, .box = box};
  for (Index k = 0; k < i.size(); ++k) problem.seen.push_back({i[k], j[k], values[k]});
  problem.validate();
  return with_stop(options_from<CompletionOptions>(given),
                   [problem = std::move(problem)](const auto& options) { return complete_matrix(problem, options); });
}

Result python_maxcut(Index n, const Indices& i, const Indices& j, const Vector& weights, const nb::dict& given) {
  Graph graph{.n = n, .edges = {}};
  for (Index k = 0; k < i.size(); ++k) graph.edges.push_back({i[k], j[k], weights[k]});
  return with_stop(options_from<MaxCutOptions>(given),
                   [graph = std::move(graph)](const auto& chosen) { return max_cut(graph, chosen); });
}

/// name → (default, text) of every option of a struct, for the signatures' tests and the documentation.
template <class Options>
nb::dict fields_of() {
  nb::dict out;
  Options options;
  pendec::detail::for_each_option(options, "", [&](const std::string& name, const auto& value, const auto& field) {
    out[name.c_str()] = nb::make_tuple(value, std::string(field.text));
  });
  return out;
}

}  // namespace

void bind_low_rank(nb::module_& m) {
  m.def("nearest_correlation", &python_correlation, nb::arg("A"), nb::arg("rank").none(), nb::arg("algorithm"),
        nb::arg("weights"), nb::arg("fixed"), nb::arg("options"));
  m.def("multitask_logistic", &python_multitask);
  m.def("complete", &python_complete, nb::arg("rows"), nb::arg("cols"), nb::arg("i"), nb::arg("j"), nb::arg("values"),
        nb::arg("kappa"), nb::arg("gamma"), nb::arg("box").none(), nb::arg("options"));
  m.def("maxcut", &python_maxcut);
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
