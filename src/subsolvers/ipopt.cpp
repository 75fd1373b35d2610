#include "pendec/subsolvers/ipopt.hpp"

#include "pendec/core/error.hpp"

#ifdef PENDEC_HAS_IPOPT

#include <fmt/format.h>

#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "blas_threads.hpp"
#include "nlp_rows.hpp"
#include "pattern.hpp"
#include "pendec/core/random.hpp"

namespace pendec {
namespace {

using detail::NlpRows;
using detail::Pattern;

constexpr double none = 2e19;  // what Ipopt takes for an infinite bound

/// The lower triangle of a Hessian; the rest is its mirror image, or an error of the user's.
SparseMatrix lower_triangle(const Operator& H, const char* whose) {
  const SparseMatrix all = H.sparse();
  const SparseMatrix lower = all.triangularView<Eigen::Lower>();
  const SparseMatrix mirrored = SparseMatrix(all.transpose()).triangularView<Eigen::Lower>();
  const SparseMatrix off = lower - mirrored;
  double largest = 0.0;
  for (Index k = 0; k < all.nonZeros(); ++k) largest = std::max(largest, std::abs(all.valuePtr()[k]));
  for (Index j = 0; j < off.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(off, j); entry; ++entry)
      if (std::abs(entry.value()) > 1e-8 * largest)
        require(false, fmt::format("{}[{}, {}]", whose, entry.row(), j), lower.coeff(entry.row(), j),
                fmt::format("the same as [{}, {}], {:g}: a symmetric matrix", j, entry.row(),
                            mirrored.coeff(entry.row(), j)));
  return lower + 0.0 * mirrored;  // an entry may be stored on one side only
}

/// A derivative of the user's is not finite: misuse at the start, elsewhere a point to turn back from.
class NotFiniteDerivative : public InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// The problem as Ipopt asks for it. What callbacks throw is kept, and ends the run.
class Program final : public Ipopt::TNLP {
 public:
  Program(const Problem& problem, const NlpRows& rows, In x0, const NlpOptions& options, bool exact)
      : problem_(problem), rows_(rows), options_(options), exact_(exact) {
    const LinearConstraints& D = rows.domain();
    start_ = {.x = x0.cwiseMax(D.lower).cwiseMin(D.upper), .lambda = options.lambda, .mu = options.mu};
    last_ = start_;
    jacobian_.learn(jacobian_at(last_.x));
    if (exact_) hessian_.learn(lagrangian_hessian(last_.x, 1.0, Vector::Ones(rows.size())));
    learn_elsewhere();
  }

  bool exact() const { return exact_; }
  bool is_quadratic() const { return problem_.f.is_quadratic() && has_constant_rows(); }
  bool has_constant_rows() const { return !problem_.has_G() || problem_.G.is_affine(); }
  bool pattern_grew() const { return grew_; }
  const std::string& newest_entry() const { return newest_; }
  void go_on() { grew_ = false; }  // from the last point, with the places learned

  /// Ipopt accepts points before it asks for derivatives, and ends where these are not finite. Anew, from the start:
  /// points without finite derivatives are refused like those without a finite f, at the price of a gradient and a
  /// Jacobian each. False: they are already.
  bool refuse_bad_derivatives() {
    if (!bad_derivative_ || careful_) return false;
    start_.counts = last_.counts;
    last_ = start_;
    bad_derivative_ = false;
    return careful_ = true;
  }
  bool met_bad_derivative() const { return bad_derivative_; }
  Index iterations() const { return iterations_; }
  const std::exception_ptr& error() const { return error_; }
  const Vector& failed_at() const { return failed_at_; }
  bool was_stopped() const { return stopped_; }
  bool has_finished() const { return finished_; }
  NlpResult& last() { return last_; }

  // Ipopt's questions -----

  bool get_nlp_info(int& n, int& m, int& nnz_jac, int& nnz_h, IndexStyleEnum& style) override {
    n = static_cast<int>(problem_.dimension());
    m = static_cast<int>(rows_.size());
    nnz_jac = jacobian_.entries();
    nnz_h = hessian_.entries();
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(int n, double* x_l, double* x_u, int m, double* g_l, double* g_u) override {
    const auto copy = [](const Vector& from, int size, double* to) {
      std::transform(from.begin(), from.end(), to, [](double v) { return std::clamp(v, -none, none); });
      return from.size() == size;
    };
    return copy(rows_.domain().lower, n, x_l) && copy(rows_.domain().upper, n, x_u) && copy(rows_.lower, m, g_l) &&
           copy(rows_.upper, m, g_u);
  }

  bool get_starting_point(int n, bool init_x, double* x, bool init_z, double* z_l, double* z_u, int m,
                          bool init_lambda, double* lambda) override {
    if (init_x) std::copy(last_.x.begin(), last_.x.end(), x);
    if (init_lambda) Eigen::Map<Vector>(lambda, m) = rows_.guess(last_.lambda);
    if (!init_z) return true;
    const Vector mu = last_.mu.size() == n ? last_.mu : Vector(Vector::Zero(n));
    Eigen::Map<Vector>(z_l, n) = (-mu).cwiseMax(0.0);
    Eigen::Map<Vector>(z_u, n) = mu.cwiseMax(0.0);
    return true;
  }

  bool eval_f(int n, const double* x, bool, double& value) override {
    return guarded(x, n, [&](In at) {
      value = problem_.f.value(at);
      ++last_.counts.f;
      if (careful_ && std::isfinite(value)) check_derivatives(at);
    });
  }

  bool eval_grad_f(int n, const double* x, bool, double* gradient) override {
    return guarded(x, n, [&](In at) { gradient_at(at, Eigen::Map<Vector>(gradient, n)); });
  }

  bool eval_g(int n, const double* x, bool, int m, double* values) override {
    return guarded(x, n, [&](In at) {
      rows_.evaluate(problem_, at, Eigen::Map<Vector>(values, m));
      ++last_.counts.G;
    });
  }

  bool eval_jac_g(int n, const double* x, bool, int, int, int* i, int* j, double* values) override {
    if (!values) return jacobian_.places(i, j), true;
    return guarded(x, n, [&](In at) { fill(jacobian_, jacobian_at(at), values); });
  }

  bool eval_h(int n, const double* x, bool, double factor, int m, const double* lambda, bool, int, int* i, int* j,
              double* values) override {
    if (!exact_) return false;
    if (!values) return hessian_.places(i, j), true;
    return guarded(x, n, [&](In at) {
      const Eigen::Map<const Vector> y(lambda, m);
      fill(hessian_, lagrangian_hessian(at, factor, y), values);
    });
  }

  bool intermediate_callback(Ipopt::AlgorithmMode, int iteration, double, double, double, double, double, double,
                             double, double, int, const Ipopt::IpoptData*,
                             Ipopt::IpoptCalculatedQuantities*) override {
    iterations_ = iteration;
    return !error_ && !grew_ && !stopped();
  }

  void finalize_solution(Ipopt::SolverReturn, int n, const double* x, const double* z_l, const double* z_u, int m,
                         const double*, const double* lambda, double, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    finished_ = true;
    last_.x = point(x, n);
    const Eigen::Map<const Vector> y(lambda, m);
    last_.lambda = rows_.multiplier(y);
    last_.mu = rows_.multiplier_of_domain(y);
    last_.mu += Eigen::Map<const Vector>(z_u, n) - Eigen::Map<const Vector>(z_l, n);
    row_multipliers_ = y;
  }

  const Vector& row_multipliers() const { return row_multipliers_; }

 private:
  /// Ipopt passes bounds by the little that it relaxes them, where there may be nothing between them.
  const Vector& point(const double* x, int n) {
    const LinearConstraints& D = rows_.domain();
    point_ = Eigen::Map<const Vector>(x, n).cwiseMax(D.lower).cwiseMin(D.upper);
    return point_;
  }

  /// work(x), with what it throws kept.
  template <class Work>
  bool guarded(const double* x, int n, const Work& work) {
    if (error_ || grew_ || stopped()) return false;
    try {
      work(point(x, n));
      return !grew_;
    } catch (const NotFiniteDerivative&) {
      return bad_derivative_ = true, false;
    } catch (...) {
      error_ = std::current_exception();
      failed_at_ = point(x, n);
      return false;
    }
  }

  /// Once said, for ever: the user's function may be costly.
  bool stopped() {
    try {
      return stopped_ = stopped_ || (options_.stop && options_.stop());
    } catch (...) {
      error_ = std::current_exception();
      return true;
    }
  }

  void fill(Pattern& pattern, const SparseMatrix& matrix, double* values) {
    if (pattern.read(matrix, values)) return;
    newest_ = fmt::format("{}{}", &pattern == &jacobian_ ? "Jacobian of G" : "Hessian", pattern.newest());
    pattern.learn(matrix);
    grew_ = true;
  }

  void gradient_at(In x, Out gradient) {
    problem_.f.value_and_gradient(x, gradient);
    ++last_.counts.f;
    ++last_.counts.gradient;
    if (!gradient.allFinite()) throw NotFiniteDerivative("gradient of f", "not finite", "finite entries");
  }

  void check_derivatives(In x) {
    gradient_.resize(x.size());
    gradient_at(x, gradient_);
    jacobian_at(x);
  }

  SparseMatrix jacobian_at(In x) {
    if (has_constant_rows() && constant_jacobian_.rows() == rows_.size()) return constant_jacobian_;
    ++last_.counts.adjoint;
    SparseMatrix J = rows_.jacobian(problem_, x);
    require_finite_entries(J, "Jacobian of G");
    if (has_constant_rows()) constant_jacobian_ = J;
    return J;
  }

  /// factor ∇²f + Σ yᵢ ∇²rᵢ, its lower triangle.
  SparseMatrix lagrangian_hessian(In x, double factor, In y) {
    if (constant_hessian_.rows() == 0 || !problem_.f.is_quadratic()) {
      constant_hessian_ = lower_triangle(problem_.f.hessian(x), "Hessian of f");
      require_finite_entries(constant_hessian_, "Hessian of f");
    }
    SparseMatrix H = factor * constant_hessian_;
    if (has_constant_rows()) return H;
    H += lower_triangle(problem_.G.hessian(x, rows_.multiplier(y)), "Hessian of G");
    require_finite_entries(H, "Hessian of G");
    return H;
  }

  static void require_finite_entries(const SparseMatrix& matrix, const char* whose) {
    for (Index j = 0; j < matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
        if (!std::isfinite(entry.value()))
          throw NotFiniteDerivative(fmt::format("{}[{}, {}]", whose, entry.row(), j), to_text(entry.value()),
                                    "finite entries");
  }

  /// Entries that happen to vanish at the start do not elsewhere; who stores all places is not asked twice.
  void learn_elsewhere() {
    if (has_constant_rows() && problem_.f.is_quadratic()) return;
    Random random(5);
    const LinearConstraints& D = rows_.domain();
    const double size = 1e-3 * std::max(1.0, last_.x.lpNorm<Eigen::Infinity>());
    const Vector there = (last_.x + size * random.normal_vector(last_.x.size())).cwiseMax(D.lower).cwiseMin(D.upper);
    try {
      jacobian_.learn(jacobian_at(there));
      if (exact_) hessian_.learn(lagrangian_hessian(there, 1.0, random.normal_vector(rows_.size())));
    } catch (const InvalidArgument&) {  // not finite there: the run will see
    }
  }

  const Problem& problem_;
  const NlpRows& rows_;
  const NlpOptions& options_;
  bool exact_;
  Pattern jacobian_, hessian_;
  SparseMatrix constant_jacobian_, constant_hessian_;
  NlpResult start_, last_;
  Vector row_multipliers_, gradient_;
  Index iterations_ = 0;
  bool stopped_ = false, grew_ = false, finished_ = false;
  bool bad_derivative_ = false;  // one that is not finite was met
  bool careful_ = false;         // are points with such derivatives refused?
  std::string newest_;
  std::exception_ptr error_;
  Vector point_;
  Vector failed_at_;  // where the user's function threw it
};

void set_options(Ipopt::IpoptApplication& app, const Program& program, const NlpOptions& options, double gradient) {
  Ipopt::OptionsList& list = *app.Options();
  list.SetIntegerValue("print_level", 0);
  list.SetStringValue("sb", "yes");
  list.SetStringValue("linear_solver", "mumps");
  list.SetNumericValue("tol", options.tolerance);
  // Ipopt's own scaling makes large gradients smaller, not small ones larger: beside those no dual residual is small.
  list.SetNumericValue("obj_scaling_factor", std::clamp(1.0 / gradient, 1.0, 1e10));
  list.SetNumericValue("bound_relax_factor", std::min(1e-8, options.tolerance));
  list.SetIntegerValue("max_iter", static_cast<int>(options.max_iterations));
  if (!program.exact()) list.SetStringValue("hessian_approximation", "limited-memory");
  if (program.has_constant_rows()) {
    list.SetStringValue("jac_c_constant", "yes");
    list.SetStringValue("jac_d_constant", "yes");
  }
  if (program.exact() && program.is_quadratic()) list.SetStringValue("hessian_constant", "yes");
  if (options.barrier <= 0.0) return;
  list.SetStringValue("warm_start_init_point", "yes");
  list.SetNumericValue("mu_init", options.barrier);
  for (const char* push : {"warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
                           "warm_start_slack_bound_frac", "warm_start_mult_bound_push"})
    list.SetNumericValue(push, std::min(1e-3, options.barrier));
}

NlpStatus status_of(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded:
      return NlpStatus::converged;
    case Ipopt::Infeasible_Problem_Detected:
      return NlpStatus::infeasible_stationary;
    case Ipopt::Maximum_Iterations_Exceeded:
      return NlpStatus::max_iterations;
    case Ipopt::Invalid_Number_Detected:
      return NlpStatus::not_finite;
    case Ipopt::User_Requested_Stop:
      return NlpStatus::stopped;
    default:
      return NlpStatus::stalled;
  }
}

/// MUMPS keeps state of the process.
std::recursive_timed_mutex& one_at_a_time() {
  static std::recursive_timed_mutex mutex;
  return mutex;
}

/// How large gradients are here; where this one vanishes, what cancels in it does not.
double gradient_size(const Objective& f, In x) {
  Vector gradient(x.size());
  f.value_and_gradient(x, gradient);
  double size = gradient.lpNorm<Eigen::Infinity>();
  if (f.has_hessian()) {
    f.hessian_times(x, x, gradient);
    if (gradient.allFinite()) size = std::max(size, gradient.lpNorm<Eigen::Infinity>());
  }
  return size;
}

/// One run, and what it ended with.
struct Run {
  NlpResult end;
  Vector y;               // multipliers of rows
  bool finished = false;  // else there are none, and `end` has its x alone
  NlpStatus status = NlpStatus::stalled;
  std::exception_ptr error = nullptr;
  Vector failed_at = {};  // where a function threw it
};

/// Off the bounds by as much as Ipopt begins off them anyway.
Vector inside(In x, const LinearConstraints& D) {
  constexpr double share = 1e-2;
  Vector out = x;
  for (Index j = 0; j < x.size(); ++j) {
    const auto push = [&](double bound) {
      return share * std::min(std::max(1.0, std::abs(bound)), D.upper[j] - D.lower[j]);
    };
    if (std::isfinite(D.lower[j])) out[j] = std::max(out[j], D.lower[j] + push(D.lower[j]));
    if (std::isfinite(D.upper[j])) out[j] = std::min(out[j], D.upper[j] - push(D.upper[j]));
  }
  return out;
}

/// Derivatives need not be finite on the bounds, where interior points never are.
Ipopt::SmartPtr<Program> program_from(const Problem& problem, const NlpRows& rows, In x0, const NlpOptions& options,
                                      bool exact) {
  try {
    return new Program(problem, rows, x0, options, exact);
  } catch (const NotFiniteDerivative&) {
    return new Program(problem, rows, inside(x0, rows.domain()), options, exact);
  }
}

/// Begins anew when a derivative shows an entry that it did not have before, from where it was, or is not finite.
Run run(const Problem& problem, const NlpRows& rows, In x0, const NlpOptions& options, bool exact, double unit) {
  constexpr int most_patterns = 5;
  const Ipopt::SmartPtr<Program> program = program_from(problem, rows, x0, options, exact);
  Run out;
  Index iterations = 0;
  for (int round = 1;; ++round) {
    const Ipopt::SmartPtr<Ipopt::IpoptApplication> app = new Ipopt::IpoptApplication(false);
    set_options(*app, *program, options, unit);
    app->Initialize(std::string());  // no file of options from the working directory
    out.status = status_of(app->OptimizeTNLP(Ipopt::GetRawPtr(program)));
    iterations += program->iterations();
    out.error = program->error();
    out.failed_at = program->failed_at();
    out.finished = program->has_finished();
    if (out.error) break;
    if (program->met_bad_derivative()) out.status = NlpStatus::not_finite;
    if (program->was_stopped()) out.status = NlpStatus::stopped;
    if (program->pattern_grew()) {
      require(round < most_patterns, program->newest_entry(), std::string_view("stored, and was not before"),
              "entries at the same places at every point: store zeros that may become other numbers");
      program->go_on();
    } else if (!program->refuse_bad_derivatives()) {
      break;
    }
  }
  out.end = std::move(program->last());
  out.end.iterations = iterations;
  out.y = program->row_multipliers();
  return out;
}

/// Newton's method from `at` on what seems active there, as equations. Its point may be outside of other bounds.
Run on_active_set(const Problem& problem, const NlpRows& rows, const NlpRows& active, const Run& at,
                  NlpOptions options, bool exact, double unit) {
  constexpr double vanished = 1e-10;  // what is left of an entry that is zero is the rounding of what it was
  options.max_iterations = 5;
  options.tolerance = 1e-13;
  options.lambda = at.end.lambda;
  options.mu = {};
  options.barrier = 0.0;
  Run there;
  try {
    there = run(problem, active, at.end.x, options, exact, unit);
  } catch (const NotFiniteDerivative&) {  // on those bounds
  }
  if (!there.finished) return there;
  for (Index i = 0; i < rows.size(); ++i)
    if (active.lower[i] < active.upper[i]) there.y[i] = 0.0;  // left out
  NlpResult& end = there.end;
  end.x = (end.x.array().abs() <= vanished * at.end.x.array().abs()).select(0.0, end.x);
  end.lambda = rows.multiplier(there.y);
  end.mu = rows.multiplier_of_domain(there.y);
  const Vector gradient = problem.lagrangian_gradient(end.x, end.lambda) + end.mu;
  for (Index j = 0; j < gradient.size(); ++j)
    if (active.domain().lower[j] == active.domain().upper[j]) end.mu[j] -= gradient[j];
  return there;
}

/// An interior point is near the bounds, not on them: Newton's method on what is active there, again where its point
/// is outside of others, or multipliers have the wrong sign: a primal-dual active-set method (M. Hintermüller, K. Ito
/// and K. Kunisch, SIAM J. Optim. 13, 2003). Keeps the best.
void cross_over(const Problem& problem, const NlpRows& rows, const NlpOptions& options, bool exact, double unit,
                Run& best) {
  constexpr int rounds = 10;
  const LinearConstraints& D = rows.domain();
  Run at = best;
  std::optional<NlpRows> before;
  for (int round = 0; round < rounds; ++round) {
    if (round > 0 && best.end.kkt_error <= options.tolerance) return;
    NlpRows active = rows.on_active_set(problem, at.end, at.y);
    if (before && active.same_bounds_as(*before)) return;
    at = on_active_set(problem, rows, active, at, options, exact, unit);
    const bool outside = at.failed_at.size() > 0 && D.violation(at.failed_at) > 0.0;  // where nothing was promised
    if (at.error && !outside) std::rethrow_exception(at.error);
    if (!at.finished || at.error || !at.end.x.allFinite() || at.status == NlpStatus::stopped) return;
    best.end.iterations += at.end.iterations;
    best.end.counts += at.end.counts;
    NlpResult inside = at.end;
    inside.x = inside.x.cwiseMax(D.lower).cwiseMin(D.upper).eval();
    inside.iterations = best.end.iterations;
    inside.counts = best.end.counts;
    inside = detail::measured(problem, rows, std::move(inside), at.y, unit);
    if (inside.kkt_error < best.end.kkt_error) best.end = std::move(inside);
    before = std::move(active);
  }
}

}  // namespace

bool has_ipopt() { return true; }

NlpResult ipopt(const Problem& given, In x0, const NlpOptions& options) {
  constexpr double near = 1e-5;  // what is active shows
  const Problem problem = given.completed();
  detail::require_valid(problem, x0, options);
  const NlpRows rows(problem);
  const auto stopped = [&] { return options.stop && options.stop(); };
  std::unique_lock lock(one_at_a_time(), std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20)))
    if (stopped()) return {.status = NlpStatus::stopped, .x = x0};
  const detail::OneBlasThread while_mumps_works;

  Vector start = x0.cwiseMax(rows.domain().lower).cwiseMin(rows.domain().upper);
  if (!detail::is_finite_at(problem, start)) start = inside(start, rows.domain());
  if (!detail::is_finite_at(problem, start)) return {.status = NlpStatus::not_finite, .x = start};
  const double unit = gradient_size(problem.f, start);
  const bool exact = has_curvature(problem, start);
  Run found = run(problem, rows, start, options, exact, unit);
  if (found.error) std::rethrow_exception(found.error);
  if (!found.finished) {
    found.y = Vector::Zero(rows.size());
    found.end.lambda = rows.multiplier(found.y);
    found.end.mu = Vector::Zero(problem.dimension());
  }
  found.end = detail::measured(problem, rows, std::move(found.end), found.y, unit);
  // near zero nothing is near, beside its own size, before it is zero
  const bool there = found.finished && (found.end.kkt_error <= near || found.status == NlpStatus::converged);
  if (there && options.cross_over && !stopped()) cross_over(problem, rows, options, exact, unit, found);
  if (found.status == NlpStatus::converged) found.status = NlpStatus::stalled;  // our test decides
  const bool violates = found.end.relative_violation > near;
  if (found.status == NlpStatus::infeasible_stationary && !violates) found.status = NlpStatus::stalled;
  found.end.status = found.end.kkt_error <= options.tolerance ? NlpStatus::converged : found.status;
  return std::move(found.end);
}

}  // namespace pendec

#else

namespace pendec {

bool has_ipopt() { return false; }

NlpResult ipopt(const Problem&, In x0, const NlpOptions&) { return {.status = NlpStatus::unavailable, .x = x0}; }

}  // namespace pendec

#endif
