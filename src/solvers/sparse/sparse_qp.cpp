#include "pendec/solvers/sparse/sparse_qp.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/verified.hpp"
#include "branch_and_bound.hpp"
#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/solvers/solve.hpp"
#include "sharpen.hpp"

namespace pendec {
namespace {

using sparse::at;
using sparse::Choice;
using sparse::Model;

Problem general_form(const Model& model) {
  Problem p{.f = Quadratic(model.Q.shared(), model.c)};
  const Index n = model.dimension(), rows = model.rows.b.size(), equations = model.rows.d.size();
  const bool bounded_groups =
      !model.singletons() && (model.rows.lower.maxCoeff() > -infinity || model.rows.upper.minCoeff() < infinity);
  const Index boxed = bounded_groups ? n : 0, all = rows + equations + boxed;
  if (all > 0) {
    Matrix A(all, n);
    Vector low(all), high(all);
    A.topRows(rows) = *model.A;
    A.middleRows(rows, equations) = *model.E;
    A.bottomRows(boxed).setIdentity();
    low << Vector::Constant(rows, -infinity), model.rows.d, model.rows.lower.head(boxed);
    high << model.rows.b, model.rows.d, model.rows.upper.head(boxed);
    p.G = Affine(std::move(A));
    p.C = Box(std::move(low), std::move(high));
  }
  p.D = sparse::support_set(model);
  return p;
}

constexpr Index few_nodes = sparse::report_interval;        // cost about as much as sharpening
constexpr Index many_nodes = 16 * sparse::report_interval;  // cost more than a run of PDLM

class SparseSolve {
 public:
  SparseSolve(const SparseQp& problem, const SparseQpOptions& options)
      : s_(problem.s),
        options_(options),
        deadline_(options.seconds, options.stop),
        model_(sparse::make_model(problem)),
        supports_(model_, [this] { return expired(); }) {}

  Result run() {
    if (!options_.start.empty()) polish_variables(options_.start);
    try {
      return search();
    } catch (const OutOfTime&) {  // without a bound; the smallest choice is a point at least, if it is feasible
      expired();
      if (!supports_.has_point()) supports_.polish({});
      return supports_.unbounded() ? unbounded() : finish();
    }
  }

 private:
  Result search() {
    auto split = sparse::first_split(*model_.Q, deadline_);
    if (!split)
      throw InvalidArgument("SparseQp.Q",
                            fmt::format("of smallest eigenvalue {}", detail::symmetric_eigenvalues(*model_.Q)[0]),
                            "a positive semidefinite matrix; if rounding made it indefinite, add a little to its "
                            "diagonal");
    bound_by_entries(split->delta);
    sparse::Relaxation relaxation(model_, std::move(*split), [this] { return expired(); });
    Vector root_x;
    auto root = relaxation.solve(model_.root, slots(model_, model_.root), root_x, infinity);
    if (root.infeasible) return infeasible(true);
    bound_ = std::max(bound_, root.bound);
    supports_.round(model_.root, relaxation.shares());
    supports_.greedy(relaxation.split(), relaxation.shares());
    if (looks_hard()) {
      penalty_start();
      exchange(relaxation);
    }
    if (supports_.unbounded()) return unbounded();
    if (options_.certify && !closed() && !expired()) certify(relaxation, root_x);
    if (supports_.unbounded()) return unbounded();
    if (!supports_.has_point() && bound_ == infinity) return infeasible(false);
    const bool proved = supports_.has_point() && supports_.best().f - bound_ <= allowed_gap(1e-9);
    if (!proved && supports_.has_point() && !expired()) exhausted_ = supports_.improve(relaxation.split(), true);
    return finish();
  }

  bool expired() {
    if (!stopped_ && deadline_.passed()) stopped_ = deadline_.interrupted() ? Status::interrupted : Status::max_time;
    return stopped_.has_value();
  }

  /// Rounding excuses no more than the gap asked for, relative to what f adds up at the best point.
  double allowed_gap(double relative) const {
    return std::max(supports_.allowed_gap(relative), std::min(rounding_, relative * supports_.best().size));
  }
  double allowed_gap() const { return allowed_gap(options_.gap); }
  bool closed() const { return supports_.has_point() && supports_.best().f - bound_ <= allowed_gap(); }

  /// f ≥ Σ ½δᵢxᵢ² + cᵢxᵢ: exact where that is least at zero, and without a linear term at most rounding below zero.
  void bound_by_entries(const Vector& delta) {
    double least = model_.constant, size = std::abs(model_.constant);
    for (Index i = 0; i < delta.size(); ++i) {
      const detail::LeastTerm term =
          detail::least_term(delta[i] - model_.curvature_error[i], model_.c[i], model_.c_error[i],
                             model_.hull_lower[i], model_.hull_upper[i]);
      least += term.value;
      size += term.size;
    }
    least -= rounding_unit(delta.size()) * size + model_.constant_error;
    if (!std::isfinite(least)) return;
    bound_ = least;
    if (model_.c.isZero(0.0)) rounding_ = model_.constant - least;
  }

  void polish_variables(const std::vector<Index>& variables) {
    sparse::Chosen groups;
    for (const Index i : variables) {
      require(0 <= i && i < model_.dimension(), "SparseQpOptions.start", i,
              fmt::format("indices from 0 to {}", model_.dimension() - 1));
      groups.push_back(model_.group_of[at(i)]);
    }
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    supports_.polish(std::move(groups));
  }

  /// The paper's method from the relaxation's side: PDLM, and the support of its point in D.
  void penalty_start() {
    if (!options_.penalty_start || closed()) return;
    Options options = default_preset(Method::pdlm);
    options.driver.polish = false;
    options.driver.branch_search = 0;
    options.penalty.tau0 = 0.1;
    options.limits.outer = 60;
    options.limits.seconds = deadline_.left();
    const Result found = solve(general_form(model_),
                               Vector::Constant(model_.dimension(), 1.0 / static_cast<double>(model_.dimension())),
                               options, {.stop = deadline_.token()});
    std::vector<Index> variables;
    for (Index i = 0; i < found.y.size(); ++i)
      if (found.y[i] != 0.0) variables.push_back(i);
    polish_variables(variables);
  }

  void exchange(const sparse::Relaxation& relaxation) {
    supports_.improve(relaxation.split(), false);
    exchanged_ = true;
  }

  /// Branch and bound will not find what the first heuristics miss. Else PDLM waits for a tree that grows large.
  bool looks_hard() const {
    return !options_.certify || !supports_.has_point() || bound_ == -infinity || options_.nodes <= many_nodes;
  }

  /// A tree that stays small needs no sharper relaxation.
  void certify(sparse::Relaxation& relaxation, Vector& root_x) {
    const Index most = std::min(options_.nodes, sensible_nodes());
    if (worth_sharpening()) {
      if (bound_ > -infinity && most > few_nodes) branch(relaxation, root_x, few_nodes);
      if (closed() || bound_ == infinity || expired()) return;
      const double cutoff = supports_.has_point() ? supports_.best().f - allowed_gap() : infinity;
      sparse::sharpen(model_, relaxation, root_x, cutoff, deadline_);
    }
    branch(relaxation, root_x, most - nodes_);
  }

  void branch(sparse::Relaxation& relaxation, const Vector& root_x, Index nodes) {
    const sparse::Limits limits{options_.gap, nodes, [this] { return expired(); },
                                [&](Index done, double bound) {
                                  if (done == many_nodes && !looks_hard()) penalty_start();
                                  if ((done == few_nodes && !exchanged_) || done == many_nodes) exchange(relaxation);
                                  report(nodes_ + done, bound);
                                }};
    const auto outcome = branch_and_bound(model_, relaxation, supports_, root_x, limits);
    nodes_ += outcome.nodes;
    rounding_ = std::max(rounding_, outcome.rounding);
    bound_ = std::max(bound_, outcome.bound);
  }

  /// Without a bound at the root (a singular Q, variables without bounds) nodes get theirs only deep in the tree:
  /// worth a try where that is cheap.
  Index sensible_nodes() const {
    if (bound_ > -infinity) return std::numeric_limits<Index>::max();
    const Index n = model_.dimension();
    return std::clamp<Index>(20'000'000 / (n * n), 100, 20'000);
  }

  /// Newton steps on δ pay where the root leaves much of a gap.
  bool worth_sharpening() const {
    return !supports_.has_point() || supports_.best().f - bound_ > 0.02 * std::abs(supports_.best().f);
  }

  void report(Index nodes, double bound) {
    if (!options_.observer) return;
    if (!options_.observer({nodes, supports_.best().f, std::max(bound, bound_), deadline_.seconds()}))
      stopped_ = Status::interrupted;
  }

  Result unfinished(Status status, std::string message) {
    Result out = Result::of_class("sparse_qp", "branch and bound", options_.seconds, SparseDetails{.s = s_});
    out.status = status;
    out.message = std::move(message);
    out.counts.nodes = nodes_;
    out.counts.supports = supports_.solved();
    out.times.total = deadline_.seconds();
    return out;
  }

  /// With the rows whose combination proves it, where the support plays no part.
  Result infeasible(bool whatever_support) {
    Result out = unfinished(Status::infeasible,
                            fmt::format("no choice of at most s = {} satisfies the constraints", model_.s));
    out.bound = infinity;
    if (!whatever_support || slots(model_, model_.root) == 0) return out;
    const Index n = model_.dimension();
    std::vector<Index> columns(at(n));
    Vector lower = model_.hull_lower, upper = model_.hull_upper;
    for (Index i = 0; i < n; ++i) {
      columns[at(i)] = i;
      const Choice choice = model_.root[at(model_.group_of[at(i)])];
      if (choice == Choice::in) lower[i] = model_.rows.lower[i], upper[i] = model_.rows.upper[i];
      if (choice == Choice::out) lower[i] = upper[i] = 0.0;
    }
    sparse::ColumnQp qp(model_, [this] { return expired(); });
    const QpResult& proof = qp.solve(columns, lower, upper, Matrix::Identity(n, n), Vector::Zero(n));
    std::vector<std::string> rows;
    for (Index j = 0; j < proof.rows.size(); ++j)
      if (proof.rows[j] != 0.0) rows.push_back(fmt::format("A[{}]", j));
    for (Index j = 0; j < proof.equalities.size(); ++j)
      if (proof.equalities[j] != 0.0) rows.push_back(fmt::format("E[{}]", j));
    if ((proof.bounds.array() != 0.0).any()) rows.emplace_back("the bounds");
    out.message =
        fmt::format("the constraints contradict each other, whatever the support: {}", fmt::join(rows, ", "));
    return out;
  }

  Result unbounded() {
    auto out = unfinished(Status::unbounded, "f falls without limit on a support that was found");
    if (supports_.has_point()) take_point(out, supports_.best_x()), out.f = supports_.best().f;
    return out;
  }

  Result finish() {
    Result out = unfinished(Status::stalled, "");
    out.bound = bound_;
    if (supports_.has_point()) describe_point(out);
    out.search.exchange_optimal = proven(out) || exhausted_;
    out.status = status(out);
    out.message = message(out);
    out.times.total = deadline_.seconds();
    return out;
  }

  void take_point(Result& out, const Vector& x) const {
    out.y = x;
    auto& details = std::get<SparseDetails>(out.details);
    for (Index i = 0; i < out.y.size(); ++i)
      if (out.y[i] != 0.0) details.support.push_back(i);
  }

  /// Without the entries that are rounding errors beside the largest, where the constraints hold without them, too.
  Vector tidied(const Problem& general, const Vector& x) const {
    const Vector clean = sparse::without_dust(x, x.cwiseAbs().maxCoeff());
    if (clean == x || !general.D.contains(clean, 0.0)) return x;
    if (!general.has_G()) return clean;
    return pendec::certify(general, clean, Vector::Zero(general.G.output_dimension())).relative_infeasibility() <=
                   1e-9
               ? clean
               : x;
  }

  void describe_point(Result& out) {
    const Vector before = supports_.best_x();
    const double f = supports_.best().f;
    supports_.fill_up();
    const sparse::Polished& best = supports_.best();
    const bool better = best.f < f - supports_.rounding();
    const Problem general = general_form(model_).completed();
    take_point(out, tidied(general, better ? supports_.best_x() : before));
    out.f = general.f.value(out.y) + model_.constant;
    out.bound = std::min(bound_, out.f);
    out.lambda.resize(best.lambda.size() + best.nu.size());
    out.lambda << best.lambda, best.nu;
    add_bounds_of_groups(general, out);
    out.certificate = pendec::certify(general, out.y, out.lambda);
    // where fewer than s are nonzero multipliers are not unique, and those of one support need not do for all
    if (expired()) return;
    Certificate other = pendec::certify(general, out.y);
    if (other.relative_stationarity() < out.certificate.relative_stationarity()) out.certificate = std::move(other);
  }

  /// Where the general form has the bounds as rows too: their multipliers are what the others leave of the gradient.
  void add_bounds_of_groups(const Problem& general, Result& out) const {
    if (!general.has_G() || general.G.output_dimension() == out.lambda.size()) return;
    Vector lambda = Vector::Zero(general.G.output_dimension());
    lambda.head(out.lambda.size()) = out.lambda;
    const Vector rest = general.lagrangian_gradient(out.y, lambda);
    for (const Index i : supports_.best().columns) lambda[out.lambda.size() + i] = -rest[i];
    out.lambda = std::move(lambda);
  }

  /// Up to a gap, of a point that is feasible.
  bool proven(const Result& out, double gap = 1e-9) const {
    return out.has_point() && out.certificate.relative_infeasibility() <= out.options.driver.tolerance &&
           out.f - bound_ <= allowed_gap(gap);
  }

  Status status(const Result& out) const {
    if (proven(out)) return Status::optimal;
    if (proven(out, options_.gap)) return Status::gap_limit;
    if (stopped_) return *stopped_;
    if (options_.certify && nodes_ >= options_.nodes) return Status::node_limit;
    return out.certificate.holds(out.options.driver.tolerance) ? Status::converged : Status::stalled;
  }

  std::string why_open(const Result& out) const {
    if (!options_.certify) return "no proof was asked for";
    if (!std::isfinite(out.f)) return "no feasible point was found, nor a proof that there is none: bounds may help";
    if (out.bound == -infinity)
      return "no finite bound could be proved, because Q is singular: add bounds to the variables or a ridge to Q";
    return fmt::format("rounding leaves f - bound = {:.1e}: the problem is badly conditioned", out.f - out.bound);
  }

  std::string message(const Result& out) const {
    const std::string size = fmt::format("{} nonzeros, {} nodes", out.sparse().support.size(), out.counts.nodes);
    switch (out.status) {
      case Status::optimal:
        return fmt::format("proven optimal: {}", size);
      case Status::gap_limit:
        return fmt::format("within the gap asked for: {}", size);
      case Status::converged:
      case Status::stalled:
        return fmt::format("{}; not proved optimal: {}",
                           out.status == Status::converged ? "feasible and stationary, verified" : "not stationary",
                           why_open(out));
      default:
        return out.has_point() ? "stopped early; y is the best point so far" : "stopped early, without a point";
    }
  }

  Index s_;  // as given; the model counts variables in no group too
  const SparseQpOptions& options_;
  Deadline deadline_;
  Model model_;
  sparse::Supports supports_;
  std::optional<Status> stopped_;
  double bound_ = -infinity;
  Index nodes_ = 0;
  bool exchanged_ = false, exhausted_ = false;
  double rounding_ = 0.0;
};

}  // namespace

SparseQp SparseQp::on_simplex(Operator Q, Vector c, Index s) {
  const Index n = c.size();
  LinearConstraints simplex = LinearConstraints::none(n);
  simplex.lower.setZero();
  simplex.E = Matrix::Ones(1, n);
  simplex.d = Vector::Ones(1);
  return {.Q = std::move(Q), .c = std::move(c), .s = s, .constraints = std::move(simplex)};
}

Problem SparseQp::problem() const { return general_form(sparse::make_model(*this)); }

Result solve_sparse_qp(const SparseQp& problem, const SparseQpOptions& options) {
  detail::check_ranges(options, "SparseQpOptions.");
  return SparseSolve(problem, options).run();
}

std::vector<Result> sparse_qp_path(SparseQp problem, const std::vector<Index>& sizes, SparseQpOptions options) {
  const Deadline deadline(options.seconds, options.stop);
  std::vector<Result> path;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    problem.s = sizes[k];
    options.seconds = deadline.share(std::ssize(sizes) - static_cast<Index>(k)).left();
    path.push_back(solve_sparse_qp(problem, options));
    if (path.back().has_point()) options.start = path.back().sparse().support;
  }
  return path;
}

}  // namespace pendec
