// Low rank: correlation matrices, multitask regression, completion, cuts.
#include "pendec/solvers/completion.hpp"
#include "pendec/solvers/correlation.hpp"
#include "pendec/solvers/maxcut.hpp"
#include "pendec/solvers/multitask.hpp"
#include "python.hpp"

namespace pendec::python {
namespace {

using Indices = Eigen::VectorX<Index>;

/// What all results of these solvers have.
template <class R>
nb::dict common(const R& r) {
  nb::dict out;
  out["status"] = std::string(to_string(r.status));
  out["success"] = r.success();
  out["message"] = r.message;
  out["nit"] = r.iterations;
  out["seconds"] = r.seconds;
  return out;
}

nb::dict python_correlation(const Matrix& A, std::optional<Index> rank, const std::string& algorithm, Matrix weights,
                            std::vector<std::pair<Index, Index>> fixed, double tolerance, double seconds) {
  CorrelationOptions options{.algorithm = correlation_algorithm(algorithm),
                             .weights = std::move(weights),
                             .fixed = std::move(fixed),
                             .tolerance = tolerance,
                             .seconds = seconds};
  const CorrelationResult r =
      with_stop(std::move(options), [A, rank](const auto& chosen) { return nearest_correlation(A, rank, chosen); });
  nb::dict out = common(r);
  out["x"] = r.X();
  out["fun"] = r.f;
  out["factor"] = r.V;
  out["rank"] = r.rank();
  out["lower_bound"] = r.lower_bound;
  out["certified"] = r.global;
  out["fixed_error"] = r.fixed_error;
  out["multipliers"] = r.lambda;
  out["certificate"] = to_dict(r.certificate);
  return out;
}

nb::dict python_multitask(std::vector<Matrix> X, std::vector<Vector> labels, double eta, Index kappa,
                          const std::string& algorithm, Index random_starts, double tolerance, double seconds) {
  MultitaskProblem problem{.tasks = {}, .eta = eta, .kappa = kappa};
  for (std::size_t t = 0; t < X.size(); ++t)
    problem.tasks.push_back({std::to_string(t), std::move(X[t]), std::move(labels.at(t))});
  problem.validate();
  MultitaskOptions options{.algorithm = multitask_algorithm(algorithm),
                           .random_starts = random_starts,
                           .tolerance = tolerance,
                           .seconds = seconds};
  const MultitaskResult r = with_stop(std::move(options), [problem = std::move(problem)](const auto& chosen) {
    return multitask_logistic(problem, chosen);
  });
  nb::dict out = common(r);
  out["x"] = r.W;
  out["fun"] = r.f;
  out["W"] = r.W;
  out["U"] = r.U;
  out["V"] = r.V;
  out["stationary_values"] = r.stationary_values;
  out["certificate"] = to_dict(r.certificate);
  return out;
}

nb::dict python_complete(Index rows, Index cols, const Indices& i, const Indices& j, const Vector& values,
                         Index kappa, double gamma, std::optional<std::pair<double, double>> box, double tolerance,
                         double seconds) {
  CompletionProblem problem{.rows = rows, .cols = cols, .seen = {}, .kappa = kappa, .gamma = gamma, .box = box};
  for (Index k = 0; k < i.size(); ++k) problem.seen.push_back({i[k], j[k], values[k]});
  problem.validate();
  const CompletionResult r =
      with_stop(CompletionOptions{.tolerance = tolerance, .seconds = seconds},
                [problem = std::move(problem)](const auto& options) { return complete_matrix(problem, options); });
  nb::dict out = common(r);
  out["fun"] = r.f;
  out["B"] = r.B;
  out["C"] = r.C;
  out["rmse"] = r.rmse;
  out["stationarity"] = r.stationarity;
  out["box_error"] = r.box_error;
  return out;
}

nb::dict python_maxcut(Index n, const Indices& i, const Indices& j, const Vector& weights, std::optional<Index> rank,
                       Index roundings, std::uint64_t seed, double tolerance, double seconds) {
  Graph graph{.n = n, .edges = {}};
  for (Index k = 0; k < i.size(); ++k) graph.edges.push_back({i[k], j[k], weights[k]});
  MaxCutOptions options{
      .rank = rank, .roundings = roundings, .seed = seed, .tolerance = tolerance, .seconds = seconds};
  const MaxCutResult r = with_stop(std::move(options),
                                   [graph = std::move(graph)](const auto& chosen) { return max_cut(graph, chosen); });
  nb::dict out = common(r);
  out["x"] = r.side;
  out["fun"] = r.cut;
  out["relaxation"] = r.relaxation;
  out["upper_bound"] = r.upper_bound;
  out["factor"] = r.V;
  out["certificate"] = to_dict(r.certificate);
  return out;
}

}  // namespace

void bind_low_rank(nb::module_& m) {
  m.def("nearest_correlation", &python_correlation, nb::arg("A"), nb::arg("rank").none(), nb::arg("algorithm"),
        nb::arg("weights"), nb::arg("fixed"), nb::arg("tolerance"), nb::arg("seconds"));
  m.def("multitask_logistic", &python_multitask);
  m.def("complete", &python_complete, nb::arg("rows"), nb::arg("cols"), nb::arg("i"), nb::arg("j"), nb::arg("values"),
        nb::arg("kappa"), nb::arg("gamma"), nb::arg("box").none(), nb::arg("tolerance"), nb::arg("seconds"));
  m.def("maxcut", &python_maxcut, nb::arg("n"), nb::arg("i"), nb::arg("j"), nb::arg("weights"),
        nb::arg("rank").none(), nb::arg("roundings"), nb::arg("seed"), nb::arg("tolerance"), nb::arg("seconds"));
}

}  // namespace pendec::python
