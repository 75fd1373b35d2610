// pendec sparse: models with few features from a table, and quadratic problems with few nonzeros from matrices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "cli/certified.hpp"
#include "cli/fields.hpp"
#include "cli/output_file.hpp"
#include "cli/show.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/csv.hpp"
#include "pendec/io/file.hpp"
#include "pendec/io/matrix_file.hpp"
#include "pendec/solvers/sparse/sparse_regression.hpp"

namespace pendec::cli {
namespace {

struct SparseArguments {
  std::string data, target, loss = "squared", criterion = "bic";
  Index s = 0;
  bool path = false, simplex = false;
  SparseRegressionOptions model;
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

std::vector<std::string> names_of(const std::vector<Index>& support, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const Index j : support) out.push_back(names[static_cast<std::size_t>(j)]);
  return out;
}

void add_names(Result& r, const std::vector<std::string>& names) {
  auto& details = std::get<SparseDetails>(r.details);
  details.names = names_of(details.support, names);
}

/// One line for each size.
std::string csv_of_sizes(const std::vector<Result>& path, const std::vector<std::string>& names) {
  return csv_of_path(path, "s,f,bound,status", names, [](const Result& r) {
    return fmt::format("{},{},{},{}", r.sparse().s, r.f, r.bound, to_string(r.status));
  });
}

void print_path(const std::vector<Result>& path, std::size_t chosen, Criterion criterion, bool ridge) {
  const bool folds = criterion != Criterion::cv && std::isfinite(path.front().sparse().model->cv_mean);
  show("{:>4} {:>14} {:>14} {:<12} {:>12} {}  {}\n", "s", ridge ? "objective" : "loss", "bound", "status",
       to_string(criterion), folds ? fmt::format("{:>12}", "cv") : "", "features");
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Result& fit = path[k];
    show("{:>4} {:>14.8g} {:>14} {:<12} {:>12.6g} {}  {}{}\n", fit.sparse().s, fit.f,
         std::isfinite(fit.bound) ? fmt::format("{:.8g}", fit.bound) : "-", to_string(fit.status),
         value_of(fit, criterion), folds ? fmt::format("{:>12.5g}", fit.sparse().model->cv_mean) : "",
         fmt::format("{}", fmt::join(fit.sparse().names, " ")), k == chosen ? "  <- chosen" : "");
  }
}

void print_model(const Result& fit) {
  const SparseDetails& details = fit.sparse();
  show("\n{} features, {}:\n", details.support.size(), to_string(fit.status));
  show("  {:<20} {:>16.8g}\n", "(intercept)", details.model->intercept);
  for (std::size_t k = 0; k < details.support.size(); ++k)
    show("  {:<20} {:>16.8g}\n", details.names[k], fit.y[details.support[k]]);
}

Criterion criterion_of(const SparseArguments& a) {
  return by_name("--criterion", a.criterion,
                 {Criterion::aic, Criterion::bic, Criterion::ebic, Criterion::gic, Criterion::cv});
}

/// The table, and what the command line says about models of it.
struct Regression {
  RegressionData data;
  SparseRegressionOptions options;

  explicit Regression(const SparseArguments& a) : options(a.model) {
    options.loss = by_name("--loss", a.loss, {Loss::squared, Loss::logistic, Loss::huber, Loss::poisson});
    const Criterion criterion = criterion_of(a);
    data = read_data(a, options.loss);
    options.forced_in = indices_of("--forced-in", a.forced_in, data.features);
    options.forced_out = indices_of("--forced-out", a.forced_out, data.features);
    options.gap = a.common.solver.gap;
    options.seconds = a.common.solver.seconds;
    options.nodes = a.common.solver.nodes;
    if (criterion == Criterion::cv && options.folds == 0) options.folds = 5;
  }

  Operator A() const { return Operator::borrow(ConstMatrixView(data.A.data(), data.A.rows(), data.A.cols())); }
};

int run_regression(const SparseArguments& a, const ProblemRecord& record) {
  Regression r(a);
  const RegressionData& data = r.data;
  const Interrupt interrupt;
  r.options.stop = interrupt.token();
  const Index most = std::min(a.s > 0 ? a.s : Index{10}, data.A.cols());
  const Index least = std::clamp<Index>(static_cast<Index>(a.forced_in.size()), 1, most);
  const bool path = a.path || a.s == 0;
  std::vector<Result> fits =
      sparse_path(r.A(), data.b, path ? sizes_between(least, most) : std::vector{most}, r.options);
  const Criterion criterion = criterion_of(a);
  const std::size_t chosen = choose(fits, criterion);
  for (Result& fit : fits) add_names(fit, data.features);
  std::vector<std::string> names = data.features;
  if (r.options.intercept) names.emplace_back("(intercept)");
  const Report report{.to = a.common.outputs,
                      .problem = record,
                      .table = [&] { return path ? csv_of_sizes(fits, names) : csv_of(names, fits.front().y); },
                      .print =
                          [&] {
                            show("{} observations of {} features; target: {}\n", data.A.rows(), data.A.cols(),
                                 data.target);
                            print_path(fits, chosen, criterion, a.model.ridge > 0.0);
                            print_model(fits[chosen]);
                          }};
  const int code = path ? report(fits, chosen) : report(fits.front());
  return interrupt.requested() ? interrupted : code;
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
  rows.lower.setConstant(a.simplex || a.model.nonnegative ? std::max(a.lower, 0.0) : a.lower);
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

void print_solution(const Result& found) {
  print_certificate(found);
  if (found.has_point()) show("\n");
  const SparseDetails& details = found.sparse();
  for (std::size_t k = 0; k < details.support.size(); ++k)
    show("  {} = {:.10g}\n", details.names[k], found.y[details.support[k]]);
}

void print_sizes(const std::vector<Result>& path) {
  show("{:>4} {:>18} {:>18} {:>9} {:<12} {:>7} {:>9}  {}\n", "s", "objective", "bound", "gap", "status", "nodes",
       "seconds", "support");
  for (const Result& r : path)
    show("{:>4} {:>18.12g} {:>18.12g} {:>9.1e} {:<12} {:>7} {:>9.4f}  {}\n", r.sparse().s, r.f, r.bound, r.gap(),
         to_string(r.status), r.counts.nodes, r.times.total, fmt::join(r.sparse().support, " "));
}

int run_quadratic(const SparseArguments& a, const ProblemRecord& record) {
  if (a.s <= 0) throw InvalidArgument("--size", std::to_string(a.s), "how many nonzeros (or groups) are allowed");
  const SparseQp qp = read_quadratic(a);
  const Interrupt interrupt;
  const SparseQpOptions options = solver_options(a.common, interrupt);
  const std::vector<std::string> names = variable_names(a, qp.dimension());
  std::vector<Index> sizes{a.s};
  if (a.path)
    sizes = sizes_between(std::max<Index>(static_cast<Index>(a.forced_in.size()), 1), std::min(a.s, qp.dimension()));
  std::vector<Result> path = sparse_qp_path(qp, sizes, options);
  for (Result& found : path) add_names(found, names);
  const Report report{.to = a.common.outputs,
                      .problem = record,
                      .table = [&] { return a.path ? csv_of_sizes(path, names) : csv_of(names, path.front().y); },
                      .print = [&] { return a.path ? print_sizes(path) : print_solution(path.front()); }};
  return a.path ? report(path, std::nullopt) : report(path.front());
}

void require_sparse(const SparseArguments& a) {
  require_outputs({{"--output", a.common.outputs.output}, {"--csv", a.common.outputs.csv}},
                  {a.data, a.quadratic, a.linear, a.A, a.b, a.E, a.d, a.groups});
  if (a.data.empty() == a.quadratic.empty())
    throw InvalidArgument("FILE", a.data.empty() ? "missing" : a.data,
                          "either a table of data or --quadratic with a matrix");
}

int run_sparse(const SparseArguments& a, const ProblemRecord& record) {
  require_sparse(a);
  return a.data.empty() ? run_quadratic(a, record) : run_regression(a, record);
}

std::vector<Claim> verify_sparse(const SparseArguments& a, const Result& claimed) {
  require_sparse(a);
  if (a.data.empty()) return verify(read_quadratic(a), claimed);
  const Regression r(a);
  return verify(r.A(), r.data.b, r.options, claimed);
}

}  // namespace

void add_sparse(CLI::App& app, Job& job) {
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
  for (CLI::Option* option : add_fields(*command, a->model, {{"gap", ""}, {"seconds", ""}, {"nodes", ""}}))
    if (option->get_name() != "--nonnegative") option->group(of_models)->excludes(quadratic);
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
  command->add_option("--forced-in", a->forced_in, "Names or positions that are always chosen, and count")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--forced-out", a->forced_out, "Names or positions that are never chosen")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_certified_options(*command, a->common, "the coefficients or x, for a path a line a size,");
  command->callback([&job, a, command] {
    job.run = [a, command] { return run_sparse(*a, record_of(*command)); };
    job.verify = [a](const Result& claimed) { return verify_sparse(*a, claimed); };
  });
}

}  // namespace pendec::cli
