// pendec sparse: models with few features from a table, and quadratic problems with few nonzeros from matrices.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cli/columns.hpp"
#include "cli/report.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/csv.hpp"
#include "pendec/io/matrix_file.hpp"
#include "pendec/solvers/sparse/sparse_regression.hpp"

namespace pendec::cli {
namespace {

struct SparseArguments {
  std::string data, target;
  Criterion criterion = Criterion::bic;
  Index s = 0;
  bool path = false, simplex = false;
  SparseRegressionOptions model;
  SparseQpOptions solver;
  Forced forced;
  std::string quadratic, linear, A, b, E, d, groups;
  double lower = -infinity, upper = infinity;
};

/// All from what is forced in to `most`, or `most` alone.
std::vector<Index> sizes_up_to(Index most, bool path, const Forced& forced) {
  std::vector<Index> sizes;
  for (Index s = path ? std::clamp<Index>(std::ssize(forced.in), 1, most) : most; s <= most; ++s) sizes.push_back(s);
  return sizes;
}

/// One group number per variable.
std::vector<std::vector<Index>> read_groups(const std::string& path, Index n) {
  const Vector numbers = io::read_vector(path);
  require_dimension("--groups, entries", numbers.size(), n);
  std::map<double, std::vector<Index>> groups;
  for (Index i = 0; i < n; ++i) {
    require(numbers[i] == std::round(numbers[i]), fmt::format("--groups, entry {}", i), numbers[i], "a whole number");
    groups[numbers[i]].push_back(i);
  }
  std::vector<std::vector<Index>> out;
  for (auto& [number, group] : groups) out.push_back(std::move(group));
  return out;
}

// --- regression -------------------------------------------------------------------------------------------------

/// The table, and what the command line says about models of it.
struct Regression {
  explicit Regression(const SparseArguments& a);

  Operator A() const { return Operator::borrow(ConstMatrixView(values.data(), values.rows(), values.cols())); }

  std::vector<std::string> features;
  std::string target;
  Matrix values;
  Vector b;
  SparseRegressionOptions options;
};

/// Two values of any kind become −1 and 1, the larger one 1.
void make_labels(Vector& b) {
  const std::set<double> values(b.begin(), b.end());
  require(values.size() == 2, "the number of values of --target", static_cast<Index>(values.size()),
          "2 for the logistic loss");
  const double high = *values.rbegin();
  for (double& value : b) value = value == high ? 1.0 : -1.0;
}

Regression::Regression(const SparseArguments& a) : options(a.model) {
  const io::CsvTable table = io::read_csv(a.data);
  require_few_columns(a.data, table.columns());
  require(table.columns() >= 2, "FILE, columns", table.columns(), "at least one feature and the target");
  const std::vector<std::string> names = completed_names(a.data, table.names(), table.columns(), "x{}");
  const Index place = a.target.empty() ? table.columns() - 1 : index_of("--target", a.target, names);
  std::vector<Index> columns;
  const Index first = table.has_header() && names.front().empty() ? 1 : 0;  // an index, which has no name
  require(place >= first, "--target", place, "another column than the index");
  for (Index j = first; j < table.columns(); ++j) {
    if (j == place) continue;
    columns.push_back(j);
    features.push_back(names[static_cast<std::size_t>(j)]);
  }
  target = names[static_cast<std::size_t>(place)];
  values = table.numbers(columns);
  b = table.numbers(std::vector<Index>{place}).col(0);
  if (options.loss == Loss::logistic) make_labels(b);
  a.forced.apply(features, options);
  if (!a.groups.empty()) options.groups = read_groups(a.groups, values.cols());
  options.gap = a.solver.gap;
  options.seconds = a.solver.seconds;
  options.nodes = a.solver.nodes;
  if (a.criterion == Criterion::cv && options.folds == 0) options.folds = 5;
}

void add_names(const std::vector<std::string>& names, std::vector<Result>& path) {
  for (Result& r : path) {
    auto& details = std::get<SparseDetails>(r.details);
    for (const Index j : details.support) details.names.push_back(names[static_cast<std::size_t>(j)]);
  }
}

/// One line for each size, or for each variable of the only one.
std::string csv_of_sizes(const std::vector<Result>& path, bool all, const std::vector<std::string>& names) {
  if (!all) return csv_of(names, path.front().y);
  return csv_of(path, names, "s,f,bound,status", [](const Result& r) {
    return fmt::format("{},{},{},{}", r.sparse().s, r.f, r.bound, to_string(r.status));
  });
}

/// A line a size; of models with the criterion, and what cross-validation says.
void print_sizes(const std::vector<Result>& path, std::optional<std::size_t> chosen, Criterion criterion) {
  const auto judged = [&](const Result& r) -> std::string {
    if (!r.sparse().model) return "";
    const double cv = r.sparse().model->cv_mean;
    return fmt::format("{} {:.6g}{}  ", to_string(criterion), value_of(r, criterion),
                       std::isfinite(cv) && criterion != Criterion::cv ? fmt::format(", cv {:.5g}", cv) : "");
  };
  show("{:>4} {:>18} {:>18} {:>9} {:<12} {:>7} {:>9}  {}\n", "s", "objective", "bound", "gap", "status", "nodes",
       "seconds", "chosen");
  for (std::size_t k = 0; k < path.size(); ++k)
    show("{:>4} {:>18.12g} {:>18} {:>9.1e} {:<12} {:>7} {:>9.4f}  {}{}{}\n", path[k].sparse().s, path[k].f,
         std::isfinite(path[k].bound) ? fmt::format("{:.12g}", path[k].bound) : "-", path[k].gap(),
         to_string(path[k].status), path[k].counts.nodes, path[k].times.total, judged(path[k]),
         fmt::format("{}", fmt::join(path[k].sparse().names, " ")), k == chosen ? "  <- chosen" : "");
}

void print_model(const Result& fit) {
  const SparseDetails& details = fit.sparse();
  const bool unproved = fit.status != Status::optimal && !fit.message.empty();
  show("\n{} features, {}{}:\n", details.support.size(), to_string(fit.status),
       unproved ? fmt::format(" ({})", fit.message) : "");
  show("  {:<20} {:>16.8g}\n", "(intercept)", details.model->intercept);
  for (std::size_t k = 0; k < details.support.size(); ++k)
    show("  {:<20} {:>16.8g}\n", details.names[k], fit.y[details.support[k]]);
}

int run_regression(const SparseArguments& a, const Regression& data, Run& run) {
  const Index most = std::min(a.s > 0 ? a.s : Index{10}, data.values.cols());
  const bool path = a.path || a.s == 0;
  std::vector<Result> fits =
      sparse_path(data.A(), data.b, sizes_up_to(most, path, a.forced), run.with_stop(data.options));
  const std::size_t chosen = choose(fits, a.criterion);
  add_names(data.features, fits);
  std::vector<std::string> names = data.features;
  if (data.options.intercept) names.emplace_back("(intercept)");
  const Run::Table table = [&] { return csv_of_sizes(fits, path, names); };
  const Run::Print print = [&] {
    show("{} observations of {} features; target: {}\n", data.values.rows(), data.values.cols(), data.target);
    print_sizes(fits, chosen, a.criterion);
    print_model(fits[chosen]);
  };
  const int code = path ? run.report(fits, chosen, table, print) : run.report(fits.front(), table, print);
  return run.interrupted() ? interrupted : code;
}

// --- quadratic problems -----------------------------------------------------------------------------------------

Matrix rows_option(const std::string& option, const std::string& path, Index n) {
  const Operator rows = io::read_dense_matrix(path);
  require_dimension(option + ", columns", rows.cols(), n);
  return *rows.view();
}

struct QuadraticData {
  SparseQp qp;
  std::vector<std::string> names;  // those of the table of Q, or positions
};

QuadraticData read_quadratic(const SparseArguments& a) {
  if (a.s <= 0) throw InvalidArgument("--size", std::to_string(a.s), "how many nonzeros (or groups) are allowed");
  SparseQp qp{.Q = io::read_symmetric_matrix(a.quadratic), .c = {}};
  const Index n = qp.Q.rows();
  qp.c = vector_option("--linear", a.linear, n);
  qp.s = a.s;
  LinearConstraints& rows = qp.constraints = LinearConstraints::none(n);
  rows.lower.setConstant(a.simplex || a.model.nonnegative ? std::max(a.lower, 0.0) : a.lower);
  rows.upper.setConstant(a.upper);
  if (a.A.empty() != a.b.empty()) throw InvalidArgument("--A", a.A, "--A and --b together");
  if (a.E.empty() != a.d.empty()) throw InvalidArgument("--E", a.E, "--E and --d together");
  if (!a.A.empty()) rows.A = rows_option("--A", a.A, n), rows.b = vector_option("--b", a.b, rows.A.rows());
  if (!a.E.empty()) rows.E = rows_option("--E", a.E, n), rows.d = vector_option("--d", a.d, rows.E.rows());
  if (a.simplex) {
    LinearConstraints sum = LinearConstraints::none(n);
    sum.E = Matrix::Ones(1, n);
    sum.d = Vector::Ones(1);
    rows.append(sum);
  }
  if (!a.groups.empty()) qp.groups = read_groups(a.groups, n);
  auto names = completed_names(a.quadratic, io::read_labels(a.quadratic).columns, n, "x[{}]");
  a.forced.apply(names, qp);
  return {std::move(qp), std::move(names)};
}

void print_solution(const Result& found) {
  print_result(found);
  if (found.has_point()) show("\n");
  const SparseDetails& details = found.sparse();
  for (std::size_t k = 0; k < details.support.size(); ++k)
    show("  {} = {:.10g}\n", details.names[k], found.y[details.support[k]]);
}

int run_quadratic(const SparseArguments& a, const QuadraticData& data, Run& run) {
  const std::vector<Index> sizes = sizes_up_to(a.path ? std::min(a.s, data.qp.dimension()) : a.s, a.path, a.forced);
  std::vector<Result> path = sparse_qp_path(data.qp, sizes, run.with_stop(a.solver));
  add_names(data.names, path);
  const Run::Table table = [&] { return csv_of_sizes(path, a.path, data.names); };
  if (a.path) return run.report(path, std::nullopt, table, [&] { print_sizes(path, {}, a.criterion); });
  return run.report(path.front(), table, [&] { print_solution(path.front()); });
}

using SparseData = std::variant<QuadraticData, Regression>;

SparseData read_sparse(const SparseArguments& a) {
  if (a.data.empty() == a.quadratic.empty())
    throw InvalidArgument("FILE", a.data.empty() ? "missing" : a.data,
                          "either a table of data or --quadratic with a matrix");
  if (a.data.empty()) return read_quadratic(a);
  return Regression(a);
}

}  // namespace

void add_sparse(CLI::App& app, Job& job) {
  const auto a = std::make_shared<SparseArguments>();
  SolverCommand command(app, "sparse", "A model with few features, or a quadratic problem with few nonzeros");
  command.input("FILE", a->data, "Table of data (CSV): one row per observation");
  command->add_option("-s,--size", a->s, "Features, nonzeros or groups at most; a table without it: a path up to 10")
      ->check(positive());
  command->add_flag("--path", a->path, "All sizes up to -s; of models the best is chosen by --criterion");
  auto* quadratic =
      command.input("--quadratic", a->quadratic, "Instead of FILE: Q of 1/2 x'Qx + c'x (CSV, mtx, npy)");
  const auto of_models = [&](CLI::Option* option) { option->group("Models")->excludes(quadratic); };
  of_models(command->add_option("--target", a->target, "Column to predict, by name or position (the last one)"));
  of_models(command.by_its_name("--criterion", a->criterion, "aic, bic, ebic, gic or cv"));
  for (CLI::Option* option : command.fields(a->model, {{"gap", ""}, {"seconds", ""}, {"nodes", ""}}))
    if (option->get_name() != "--nonnegative") of_models(option);
  const auto of_quadratic = [&](CLI::Option* option) { option->group("Quadratic problems")->needs(quadratic); };
  quadratic->group("Quadratic problems");
  of_quadratic(command.input("--linear", a->linear, "c; left out: zero"));
  of_quadratic(command->add_flag("--simplex", a->simplex, "x >= 0 and sum x = 1"));
  of_quadratic(command->add_option("--lower", a->lower, "Least value of a nonzero; above 0: semicontinuous"));
  of_quadratic(command->add_option("--upper", a->upper, "Largest value of a nonzero"));
  of_quadratic(command.input("--A", a->A, "Rows of A x <= b"));
  of_quadratic(command.input("--b", a->b, "b"));
  of_quadratic(command.input("--E", a->E, "Rows of E x = d"));
  of_quadratic(command.input("--d", a->d, "d"));
  command.input("--groups", a->groups, "A group number per feature or variable: -s then counts groups");
  a->forced.declare(command, "Names or positions that are always chosen, and count",
                    "Names or positions that are never chosen");
  command.fields(a->solver);
  command.outputs("the coefficients or x, for a path a line a size,");
  command.solves(
      job, [a] { return read_sparse(*a); },
      [a](const SparseData& data, Run& run) {
        const auto* qp = std::get_if<QuadraticData>(&data);
        return qp ? run_quadratic(*a, *qp, run) : run_regression(*a, std::get<Regression>(data), run);
      },
      [](const SparseData& data, const Result& claimed) {
        if (const auto* qp = std::get_if<QuadraticData>(&data)) return verify(qp->qp, claimed);
        const auto& r = std::get<Regression>(data);
        return verify(r.A(), r.b, r.options, claimed);
      });
}

}  // namespace pendec::cli
