// pendec sparse: models with few features from a table, and quadratic problems with few nonzeros from matrices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/certified.hpp"
#include "cli/output_file.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/csv.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/matrix_file.hpp"
#include "pendec/solvers/sparse_regression.hpp"

namespace pendec::cli {
namespace {

struct SparseArguments {
  std::string data, target, loss = "squared", criterion = "bic";
  Index s = 0, folds = 0;
  std::uint64_t seed = 1;
  bool path = false, no_intercept = false, nonnegative = false, simplex = false;
  double ridge = 0.0, huber = 1.345;
  std::vector<std::string> forced_in, forced_out;
  std::string quadratic, linear, A, b, E, d, groups;
  double lower = -infinity, upper = infinity;
  CertifiedArguments common;
};

template <class Enum>
Enum by_name(const std::string& option, const std::string& text, std::initializer_list<Enum> all) {
  std::vector<std::string_view> names;
  for (const Enum value : all) {
    if (to_string(value) == text) return value;
    names.push_back(to_string(value));
  }
  throw InvalidArgument(option, text, fmt::format("one of {}", fmt::join(names, ", ")));
}

std::vector<Index> sizes_between(Index least, Index most) {
  std::vector<Index> sizes;
  for (Index s = least; s <= most; ++s) sizes.push_back(s);
  return sizes;
}

// --- regression -------------------------------------------------------------------------------------------------

struct RegressionData {
  std::vector<std::string> features;
  std::string target;
  Matrix A;
  Vector b;
};

/// Two values of any kind become −1 and 1, the larger one 1.
void make_labels(Vector& b) {
  const std::set<double> values(b.begin(), b.end());
  require(values.size() == 2, "the number of values of --target", static_cast<Index>(values.size()),
          "2 for the logistic loss");
  const double high = *values.rbegin();
  for (double& value : b) value = value == high ? 1.0 : -1.0;
}

RegressionData read_data(const SparseArguments& a, Loss loss) {
  const io::CsvTable table = io::read_csv(a.data);
  require_few_columns(a.data, table.columns());
  require(table.columns() >= 2, "FILE, columns", table.columns(), "at least one feature and the target");
  std::vector<std::string> names = table.names();
  for (Index j = static_cast<Index>(names.size()); j < table.columns(); ++j) names.push_back(fmt::format("x{}", j));
  require_distinct(a.data, names);
  const Index target = a.target.empty() ? table.columns() - 1 : index_of("--target", a.target, names);
  std::vector<Index> columns;
  RegressionData out;
  const Index first = table.has_header() && names.front().empty() ? 1 : 0;  // an index, which has no name
  require(target >= first, "--target", target, "another column than the index");
  for (Index j = first; j < table.columns(); ++j) {
    if (j == target) continue;
    columns.push_back(j);
    out.features.push_back(names[static_cast<std::size_t>(j)]);
  }
  out.target = names[static_cast<std::size_t>(target)];
  out.A = table.numbers(columns);
  out.b = table.numbers(std::vector<Index>{target}).col(0);
  if (loss == Loss::logistic) make_labels(out.b);
  return out;
}

nlohmann::ordered_json fit_json(const RegressionData& data, const SparseFit& fit) {
  nlohmann::ordered_json out = {{"s", fit.s},
                                {"status", fit.status},
                                {"objective", number_or_null(fit.f)},
                                {"lower_bound", number_or_null(fit.lower_bound)},
                                {"exchange_optimal", fit.exchange_optimal},
                                {"loss", number_or_null(fit.loss)},
                                {"intercept", fit.intercept},
                                {"coefficients", nlohmann::ordered_json::object()},
                                {"aic", number_or_null(fit.criteria.aic)},
                                {"bic", number_or_null(fit.criteria.bic)},
                                {"ebic", number_or_null(fit.criteria.ebic)},
                                {"gic", number_or_null(fit.criteria.gic)}};
  for (const Index j : fit.support)
    out["coefficients"][data.features[static_cast<std::size_t>(j)]] = fit.coefficients[j];
  if (std::isfinite(fit.cv_mean)) out["cv_mean"] = fit.cv_mean, out["cv_error"] = fit.cv_error;
  out["seconds"] = fit.seconds;
  return out;
}

void print_path(const RegressionData& data, const std::vector<SparseFit>& path, std::size_t chosen,
                Criterion criterion, bool ridge) {
  const bool folds = criterion != Criterion::cv && std::isfinite(path.front().cv_mean);
  show("{:>4} {:>14} {:>14} {:<12} {:>12} {}  {}\n", "s", ridge ? "objective" : "loss", "lower bound", "status",
       to_string(criterion), folds ? fmt::format("{:>12}", "cv") : "", "features");
  for (std::size_t k = 0; k < path.size(); ++k) {
    const SparseFit& fit = path[k];
    std::vector<std::string> names;
    for (const Index j : fit.support) names.push_back(data.features[static_cast<std::size_t>(j)]);
    show("{:>4} {:>14.8g} {:>14} {:<12} {:>12.6g} {}  {}{}\n", fit.s, fit.f,
         std::isfinite(fit.lower_bound) ? fmt::format("{:.8g}", fit.lower_bound) : "-", fit.status,
         value_of(fit, criterion), folds ? fmt::format("{:>12.5g}", fit.cv_mean) : "",
         fmt::format("{}", fmt::join(names, " ")), k == chosen ? "  <- chosen" : "");
  }
}

void print_model(const RegressionData& data, const SparseFit& fit) {
  show("\n{} features, {}:\n", fit.support.size(), fit.status);
  show("  {:<20} {:>16.8g}\n", "(intercept)", fit.intercept);
  for (const Index j : fit.support)
    show("  {:<20} {:>16.8g}\n", data.features[static_cast<std::size_t>(j)], fit.coefficients[j]);
}

int run_regression(const SparseArguments& a) {
  SparseRegressionOptions options;
  options.loss = by_name("--loss", a.loss, {Loss::squared, Loss::logistic, Loss::huber, Loss::poisson});
  const auto criterion = by_name("--criterion", a.criterion,
                                 {Criterion::aic, Criterion::bic, Criterion::ebic, Criterion::gic, Criterion::cv});
  const RegressionData data = read_data(a, options.loss);
  const Interrupt interrupt;
  options.intercept = !a.no_intercept;
  options.ridge = a.ridge;
  options.huber = a.huber;
  options.nonnegative = a.nonnegative;
  options.forced_in = indices_of("--forced-in", a.forced_in, data.features);
  options.forced_out = indices_of("--forced-out", a.forced_out, data.features);
  options.gap = a.common.gap;
  options.seconds = a.common.seconds;
  options.folds = criterion == Criterion::cv && a.folds == 0 ? 5 : a.folds;
  options.seed = a.seed;
  options.stop = interrupt.token();
  require(a.s >= 0, "--size", a.s, "how many features are allowed");
  const Index most = std::min(a.s > 0 ? a.s : Index{10}, data.A.cols());
  std::vector<Index> sizes{most};
  const Index least = std::clamp<Index>(static_cast<Index>(a.forced_in.size()), 1, most);
  if (a.path || a.s == 0) sizes = sizes_between(least, most);
  const Operator view = Operator::borrow(ConstMatrixView(data.A.data(), data.A.rows(), data.A.cols()));
  const auto path = sparse_path(view, data.b, sizes, options);
  const std::size_t chosen = choose(path, criterion);
  nlohmann::ordered_json all = {{"loss", a.loss},
                                {"target", data.target},
                                {"observations", data.A.rows()},
                                {"features", data.A.cols()},
                                {"criterion", a.criterion},
                                {"chosen", chosen},
                                {"models", nlohmann::ordered_json::array()}};
  for (const SparseFit& fit : path) all["models"].push_back(fit_json(data, fit));
  write_record(a.common, all);
  if (!a.common.json && !a.common.quiet) {
    show("{} observations of {} features; target: {}\n", data.A.rows(), data.A.cols(), data.target);
    print_path(data, path, chosen, criterion, a.ridge > 0.0);
    print_model(data, path[chosen]);
  }
  if (interrupt.requested()) return interrupted;
  const std::string& status = path[chosen].status;
  return path[chosen].certified || status == "converged" || status == "gap_limit" ? solved : not_solved;
}

// --- quadratic problems -----------------------------------------------------------------------------------------

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

Matrix rows_option(const std::string& option, const std::string& path, Index n) {
  const Operator rows = io::read_dense_matrix(path);
  require_dimension(option + ", columns", rows.cols(), n);
  return *rows.view();
}

/// Those of the table of Q, or positions.
std::vector<std::string> variable_names(const SparseArguments& a, Index n) {
  std::vector<std::string> names = io::read_labels(a.quadratic).columns;
  for (Index i = static_cast<Index>(names.size()); i < n; ++i) names.push_back(fmt::format("x[{}]", i));
  require_distinct(a.quadratic, names);
  return names;
}

SparseQp read_quadratic(const SparseArguments& a) {
  SparseQp qp{.Q = io::read_symmetric_matrix(a.quadratic), .c = {}};
  const Index n = qp.Q.rows();
  qp.c = vector_option("--linear", a.linear, n);
  qp.s = a.s;
  LinearConstraints& rows = qp.constraints = LinearConstraints::none(n);
  rows.lower.setConstant(a.simplex || a.nonnegative ? std::max(a.lower, 0.0) : a.lower);
  rows.upper.setConstant(a.upper);
  if (a.A.empty() != a.b.empty()) throw InvalidArgument("--A", a.A, "--A and --b together");
  if (a.E.empty() != a.d.empty()) throw InvalidArgument("--E", a.E, "--E and --d together");
  if (!a.A.empty()) rows.A = rows_option("--A", a.A, n), rows.b = vector_option("--b", a.b, rows.A.rows());
  if (!a.E.empty()) rows.E = rows_option("--E", a.E, n), rows.d = vector_option("--d", a.d, rows.E.rows());
  if (a.simplex) {
    const Index old = rows.E.rows();
    rows.E.conservativeResize(old + 1, n);
    rows.E.bottomRows(1).setOnes();
    rows.d.conservativeResize(old + 1);
    rows.d[old] = 1.0;
  }
  if (!a.groups.empty()) qp.groups = read_groups(a.groups, n);
  const std::vector<std::string> names = variable_names(a, n);
  qp.forced_in = indices_of("--forced-in", a.forced_in, names);
  qp.forced_out = indices_of("--forced-out", a.forced_out, names);
  return qp;
}

void print_solution(const SparseQpResult& found, const std::vector<std::string>& names) {
  print_certificate(found);
  if (found.has_point()) show("\n");
  for (const Index i : found.support) show("  {} = {:.10g}\n", names[static_cast<std::size_t>(i)], found.x[i]);
}

void print_sizes(const std::vector<Index>& sizes, const std::vector<SparseQpResult>& path) {
  show("{:>4} {:>18} {:>18} {:>9} {:<12} {:>7} {:>9}  {}\n", "s", "objective", "lower bound", "gap", "status",
       "nodes", "seconds", "support");
  for (std::size_t k = 0; k < path.size(); ++k) {
    const SparseQpResult& r = path[k];
    show("{:>4} {:>18.12g} {:>18.12g} {:>9.1e} {:<12} {:>7} {:>9.4f}  {}\n", sizes[k], r.f, r.lower_bound, r.gap(),
         to_string(r.status), r.nodes, r.seconds, fmt::join(r.support, " "));
  }
}

int run_quadratic(const SparseArguments& a) {
  if (a.s <= 0) throw InvalidArgument("--size", std::to_string(a.s), "how many nonzeros (or groups) are allowed");
  const bool people = !a.common.json && !a.common.quiet;
  const SparseQp qp = read_quadratic(a);
  const Interrupt interrupt;
  const SparseQpOptions options = solver_options(a.common, interrupt);
  if (!a.path) {
    const SparseQpResult found = solve_sparse_qp(qp, options);
    write_record(a.common, certified_record(found));
    if (people) print_solution(found, variable_names(a, qp.dimension()));
    return certified_exit_code(found.status);
  }
  const auto sizes =
      sizes_between(std::max<Index>(static_cast<Index>(a.forced_in.size()), 1), std::min(a.s, qp.dimension()));
  const auto path = sparse_qp_path(qp, sizes, options);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  int worst = solved;
  for (std::size_t k = 0; k < path.size(); ++k) {
    all.push_back(certified_record(path[k]));
    all.back()["s"] = sizes[k];
    worst = std::max(worst, certified_exit_code(path[k].status));
  }
  write_record(a.common, {{"path", all}});
  if (people) print_sizes(sizes, path);
  return worst;
}

int run_sparse(const SparseArguments& a) {
  require_output(a.common.output, {a.data, a.quadratic, a.linear, a.A, a.b, a.E, a.d, a.groups});
  if (a.data.empty() == a.quadratic.empty())
    throw InvalidArgument("FILE", a.data.empty() ? "missing" : a.data,
                          "either a table of data or --quadratic with a matrix");
  return a.data.empty() ? run_quadratic(a) : run_regression(a);
}

}  // namespace

void add_sparse(CLI::App& app, Run& run) {
  const auto a = std::make_shared<SparseArguments>();
  auto* command = app.add_subcommand("sparse", "A model with few features, or a quadratic problem with few nonzeros");
  command->add_option("FILE", a->data, "Table of data (CSV): one row per observation");
  command->add_option("-s,--size", a->s, "Features, nonzeros or groups at most; a table without it: a path up to 10")
      ->check(positive());
  command->add_flag("--path", a->path, "All sizes up to -s; of models the best is chosen by --criterion");
  const std::string of_models = "Models", of_quadratic = "Quadratic problems";
  auto* quadratic =
      command->add_option("--quadratic", a->quadratic, "Instead of FILE: Q of 1/2 x'Qx + c'x (CSV, mtx, npy)")
          ->group(of_quadratic);
  const auto model = [&](const std::string& name, auto& value, const std::string& text) {
    command->add_option(name, value, text)->group(of_models)->excludes(quadratic);
  };
  model("--target", a->target, "Column to predict, by name or position (the last one)");
  model("--loss", a->loss, "squared (certified), logistic, huber or poisson");
  model("--criterion", a->criterion, "aic, bic, ebic, gic or cv");
  model("--folds", a->folds, "Folds of cross-validation (5 with --criterion cv)");
  model("--seed", a->seed, "Of the folds");
  model("--ridge", a->ridge, "Adds 1/2 ridge |x|^2, features scaled to unit variance");
  model("--huber", a->huber, "Where Huber's loss turns linear");
  command->add_flag("--no-intercept", a->no_intercept, "No constant term")->group(of_models)->excludes(quadratic);
  const auto matrix = [&](const std::string& name, auto& value, const std::string& text) {
    command->add_option(name, value, text)->group(of_quadratic)->needs(quadratic);
  };
  matrix("--linear", a->linear, "c; left out: zero");
  command->add_flag("--simplex", a->simplex, "x >= 0 and sum x = 1")->group(of_quadratic)->needs(quadratic);
  matrix("--lower", a->lower, "Least value of a nonzero; above 0: semicontinuous");
  matrix("--upper", a->upper, "Largest value of a nonzero");
  matrix("--A", a->A, "Rows of A x <= b");
  matrix("--b", a->b, "b");
  matrix("--E", a->E, "Rows of E x = d");
  matrix("--d", a->d, "d");
  matrix("--groups", a->groups, "A group number per variable: -s then counts groups");
  command->add_flag("--nonnegative", a->nonnegative, "x >= 0");
  command->add_option("--forced-in", a->forced_in, "Names or positions that are always chosen, and count")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--forced-out", a->forced_out, "Names or positions that are never chosen")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_certified_options(*command, a->common);
  command->callback([&run, a] { run = [a] { return run_sparse(*a); }; });
}

}  // namespace pendec::cli
