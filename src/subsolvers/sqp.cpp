// References: M. J. D. Powell, "A fast algorithm for nonlinearly constrained optimization calculations" (1978) for
// the damped BFGS update; R. Fletcher, "Second order corrections for non-differentiable optimization" (1982);
// J. Nocedal and S. Wright, "Numerical Optimization" (2006), chapter 18, for the rest.
#include "pendec/subsolvers/sqp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dense.hpp"
#include "nlp_rows.hpp"
#include "pendec/core/error.hpp"
#include "pendec/subsolvers/qp.hpp"

namespace pendec {
namespace {

constexpr double armijo = 1e-4;
constexpr double shortest_step = 1e-13;
// Restoration ends where no step promises a larger relative decrease of the violation than this.
constexpr double restoration_gain = 1e-8;
constexpr int most_restoration_rounds = 100;

LinearConstraints polyhedral(const Set& set, std::string_view field) {
  auto constraints = set.linear_constraints();
  require(constraints.has_value(), field, set.name(), "a polyhedral set (one with linear_constraints())");
  constraints->A = DenseMatrix(constraints->A).shared();
  constraints->E = DenseMatrix(constraints->E).shared();
  return std::move(*constraints);
}

double max_abs(const auto& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// C as rows: "inequality rows w ≤ rhs, equality rows w = rhs"; bounds are rows picked out of the identity.
class Rows {
 public:
  explicit Rows(LinearConstraints c) : c_(std::move(c)), A_(c_.A), E_(c_.E) {
    for (Index j = 0; j < c_.dimension(); ++j) {
      if (c_.lower[j] == c_.upper[j]) {
        fixed_.push_back(j);
        continue;
      }
      if (c_.upper[j] < infinity) upper_.push_back(j);
      if (c_.lower[j] > -infinity) lower_.push_back(j);
    }
    inequality_rhs.resize(c_.b.size() + std::ssize(upper_) + std::ssize(lower_));
    inequality_rhs << c_.b, c_.upper(upper_), -c_.lower(lower_);
    equality_rhs.resize(c_.d.size() + std::ssize(fixed_));
    equality_rhs << c_.d, c_.upper(fixed_);
  }

  /// The rows of C applied to a point w or to the columns of a Jacobian.
  Matrix inequalities(MatrixIn W) const {
    Matrix out(inequality_rhs.size(), W.cols());
    const Index rows = c_.b.size(), uppers = std::ssize(upper_), lowers = std::ssize(lower_);
    if (rows > 0) out.topRows(rows) = detail::times(*A_, W);
    out.middleRows(rows, uppers) = W(upper_, Eigen::all);
    out.bottomRows(lowers) = -W(lower_, Eigen::all);
    return out;
  }
  Matrix equalities(MatrixIn W) const {
    Matrix out(equality_rhs.size(), W.cols());
    if (c_.d.size() > 0) out.topRows(c_.d.size()).noalias() = *E_ * W;
    out.bottomRows(std::ssize(fixed_)) = W(fixed_, Eigen::all);
    return out;
  }

  /// λ = Σ y (row), an element of N_C.
  Vector multiplier(In y, In w) const {
    Vector lambda = Vector::Zero(c_.dimension());
    const Index rows = c_.b.size(), uppers = std::ssize(upper_), lowers = std::ssize(lower_);
    if (rows > 0) lambda += A_->transpose() * y.head(rows);
    lambda(upper_) += y.segment(rows, uppers);
    lambda(lower_) -= y.tail(lowers);
    if (c_.d.size() > 0) lambda += E_->transpose() * w.head(c_.d.size());
    lambda(fixed_) += w.tail(std::ssize(fixed_));
    return lambda;
  }

  double largest_violation(In w) const { return c_.violation(w); }

  Vector inequality_rhs, equality_rhs;

 private:
  LinearConstraints c_;
  DenseMatrix A_, E_;  // of c_
  std::vector<Index> upper_, lower_, fixed_;
};

/// Everything known at x; derivatives only where they have been asked for.
struct SqpPoint {
  Vector x;
  double f = infinity;
  Vector gradient;
  Vector G;               // G(x)
  Matrix J;               // G'(x)
  Vector h, e;            // residuals of the rows of C: h ≤ 0, e = 0 is feasible
  Matrix h_rows, e_rows;  // their Jacobians
  bool finite = false;

  double l1_violation() const { return h.cwiseMax(0.0).sum() + e.cwiseAbs().sum(); }
  double l2_violation() const { return 0.5 * (h.cwiseMax(0.0).squaredNorm() + e.squaredNorm()); }
};

/// A step with the multipliers of the linearised problem.
struct SqpStep {
  Vector d;
  Vector h_multipliers, e_multipliers;  // of the rows of C
  Vector t_rows, t_equalities, bounds;  // of D
};

class Sqp {
 public:
  Sqp(const Problem& problem, In x0, const NlpOptions& options)
      : problem_(problem),
        options_(options),
        rows_(problem.has_G() ? polyhedral(problem.C, "Problem.C") : LinearConstraints::none(0)),
        domain_(polyhedral(problem.D, "Problem.D")),
        n_(problem.dimension()),
        exact_(problem.f.has_hessian()),
        qp_(domain_) {
    require_dimension("sqp x0", x0.size(), n_);
    require_finite("sqp x0", x0);
    require(problem.D.convex(), "Problem.D", problem.D.name(), "a convex set");
    require(options.max_iterations >= 1, "NlpOptions.max_iterations", options.max_iterations, "at least 1");
    require(options.tolerance > 0.0, "NlpOptions.tolerance", options.tolerance, "a positive number");
    require(options.radius > 0.0, "NlpOptions.radius", options.radius, "a positive number");
    lambda_ = options.lambda;
    if (lambda_.size() == 0) lambda_ = Vector::Zero(problem.has_G() ? problem.G.output_dimension() : 0);
    require_dimension("NlpOptions.lambda", lambda_.size(), problem.has_G() ? problem.G.output_dimension() : 0);
    require_finite("NlpOptions.lambda", lambda_);
    mu_ = Vector::Zero(n_);
    Vector start(n_);
    const QpStatus status = qp_.project(x0, start);
    require(status != QpStatus::infeasible, "Problem.D", std::string_view("empty"), "a set with a point");
    now_ = values_at(start);
    if (now_.finite) add_derivatives(now_);
  }

  NlpResult run() {
    if (!now_.finite) return result(NlpStatus::not_finite);
    gradient_scale_ = max_abs(now_.gradient);
    x_scale_ = max_abs(now_.x);
    exact_ = exact_ && lagrangian_hessian();
    // At a start that is stationary already the gradient has no size; the terms that cancel in it have.
    if (exact_) gradient_scale_ = std::max(gradient_scale_, max_abs(H_ * now_.x));
    if (!exact_) reset_hessian();
    while (iterations_ < options_.max_iterations) {
      if (stopped()) return result(NlpStatus::stopped);
      ++iterations_;
      const std::optional<SqpStep> step = solve_qp();
      if (!step) {
        if (stopped()) return result(NlpStatus::stopped);
        if (violation_is_negligible()) return result(NlpStatus::stalled);
        if (const auto end = restore()) return result(stopped() ? NlpStatus::stopped : *end);
        continue;
      }
      update_penalty(*step);
      const SqpPoint before = exact_ ? SqpPoint() : now_;
      const SqpStep* taken = search(*step);
      const SqpStep& last = taken ? *taken : *step;
      set_multipliers(last);
      if (kkt_error(last) <= options_.tolerance) return result(NlpStatus::converged);
      if (!taken && !violation_is_negligible()) {
        if (const auto end = restore()) return result(stopped() ? NlpStatus::stopped : *end);
      } else if (!taken) {
        // A bad BFGS matrix may be to blame, once.
        if (exact_ || fresh_hessian_) return result(NlpStatus::stalled);
        reset_hessian();
      } else if (exact_) {
        lagrangian_hessian();
      } else {
        update_bfgs(before);
      }
    }
    return result(NlpStatus::max_iterations);
  }

 private:
  bool stopped() const { return options_.stop && options_.stop(); }
  QpOptions qp_options() const { return {.stop = options_.stop}; }

  // Functions -----

  SqpPoint values_at(const Vector& x) {
    SqpPoint p;
    p.x = x;
    if (problem_.f.has_value()) {
      p.f = problem_.f.value(x);
    } else {  // the gradient is no more work, and will be needed if the point is taken
      p.gradient.resize(n_);
      p.f = problem_.f.value_and_gradient(x, p.gradient);
    }
    p.G.resize(lambda_.size());
    if (problem_.has_G()) problem_.G.evaluate(x, p.G);
    p.h = rows_.inequalities(p.G) - rows_.inequality_rhs;
    p.e = rows_.equalities(p.G) - rows_.equality_rhs;
    p.finite = std::isfinite(p.f) && detail::all_finite(p.G);
    ++counts_.f;
    if (problem_.has_G()) ++counts_.G;
    return p;
  }

  void add_derivatives(SqpPoint& p) {
    if (p.gradient.size() == 0) {
      p.gradient.resize(n_);
      p.f = problem_.f.value_and_gradient(p.x, p.gradient);
      ++counts_.f;
    }
    ++counts_.gradient;
    if (problem_.has_G() && !problem_.G.is_affine()) ++counts_.adjoint;
    p.J = problem_.has_G() ? problem_.G.jacobian(p.x).dense() : Matrix(0, n_);
    p.h_rows = rows_.inequalities(p.J);
    p.e_rows = rows_.equalities(p.J);
    p.finite = std::isfinite(p.f) && detail::all_finite(p.gradient) && detail::all_finite(p.J);
  }

  /// x + α d, kept within the bounds of D against rounding.
  Vector moved(const Vector& d, double alpha) const {
    return (now_.x + alpha * d).cwiseMax(domain_.lower).cwiseMin(domain_.upper);
  }

  /// x + d; bounds with multipliers are met, and not only up to rounding.
  Vector moved_to_bounds(const Vector& d, const Vector& multipliers) const {
    Vector x = moved(d, 1.0);
    const double noise = 1e-12 * (max_abs(now_.x) + max_abs(d));
    for (Index j = 0; j < n_; ++j) {
      const double bound = multipliers[j] > 0.0 ? domain_.upper[j] : domain_.lower[j];
      if (multipliers[j] != 0.0 && std::abs(x[j] - bound) <= noise) x[j] = bound;
    }
    return x;
  }

  double merit(const SqpPoint& p) const { return p.finite ? p.f + penalty_ * p.l1_violation() : infinity; }

  // Hessians -----

  /// H = ∇²f(x) + Σ λᵢ ∇²Gᵢ(x). False: G has no second derivatives.
  bool lagrangian_hessian() {
    if (problem_.has_G() && !problem_.G.has_hessian()) return false;
    H_ = problem_.f.hessian(now_.x).dense();
    if (problem_.has_G() && !problem_.G.is_affine()) H_ += problem_.G.hessian(now_.x, lambda_).dense();
    H_ = (0.5 * (H_ + H_.transpose())).eval();
    if (!H_.allFinite()) reset_hessian();
    return true;
  }

  /// The multiple of I whose first step is about as long as x.
  void reset_hessian() {
    const double size = max_abs(now_.gradient) / std::max(max_abs(now_.x), 1.0);
    H_ = (size > 0.0 ? size : 1.0) * Matrix::Identity(n_, n_);
    fresh_hessian_ = true;
  }

  /// Damped BFGS for the Lagrangian, from `before` to now.
  void update_bfgs(const SqpPoint& before) {
    const Vector s = now_.x - before.x;
    Vector y = now_.gradient - before.gradient;
    if (lambda_.size() > 0) y += (now_.J - before.J).transpose() * lambda_;
    const double ss = s.squaredNorm();
    if (ss == 0.0) return;
    if (fresh_hessian_ && s.dot(y) > 0.0) H_ = y.squaredNorm() / s.dot(y) * Matrix::Identity(n_, n_);
    fresh_hessian_ = false;
    const Vector Hs = H_ * s;
    const double sHs = s.dot(Hs), sy = s.dot(y);
    // r = θ y + (1 − θ) H s with sᵀr ≥ 0.2 sᵀHs
    const double theta = sy >= 0.2 * sHs ? 1.0 : 0.8 * sHs / (sHs - sy);
    const Vector r = theta * y + (1.0 - theta) * Hs;
    H_ += r * r.transpose() / s.dot(r) - Hs * Hs.transpose() / sHs;
  }

  /// Gives the QP a positive definite Hessian: H itself, or H with |eigenvalues|, bounded away from zero.
  bool load_hessian() {
    if (qp_.set_hessian(H_)) return true;
    const detail::SymmetricEigen eigen = detail::symmetric_eigen(H_);
    Vector values = eigen.values.cwiseAbs();
    const double largest = values.maxCoeff();
    const double gradient = max_abs(now_.gradient) / std::max(max_abs(now_.x), 1.0);
    const double floor = largest > 0.0 ? 1e-8 * largest : gradient > 0.0 ? gradient : 1.0;
    values = values.cwiseMax(floor);
    qp_.set_hessian(detail::times_transpose(eigen.vectors * values.asDiagonal(), eigen.vectors));
    return false;
  }

  // The quadratic program -----

  /// Constraints on d: the rows of C with residuals (h, e), linearised at x; x + d ∈ D; ‖d‖_∞ ≤ radius.
  std::shared_ptr<const PreparedConstraints> linearised(const Vector& h, const Vector& e) const {
    LinearConstraints c = LinearConstraints::none(n_);
    c.A = now_.h_rows;
    c.b = -h;
    c.E = now_.e_rows;
    c.d = -e;
    c.append(moved_domain());
    return std::make_shared<const PreparedConstraints>(std::move(c));
  }

  /// x + d ∈ D and ‖d‖_∞ ≤ radius, as constraints on d.
  LinearConstraints moved_domain() const {
    LinearConstraints c = domain_;
    if (c.b.size() > 0) c.b -= domain_.A.times(now_.x);
    if (c.d.size() > 0) c.d -= domain_.E.times(now_.x);
    c.lower = (domain_.lower - now_.x).cwiseMax(-options_.radius);
    c.upper = (domain_.upper - now_.x).cwiseMin(options_.radius);
    return c;
  }

  SqpStep step_from(const QpResult& r) const {
    const Index h = now_.h.size(), e = now_.e.size();
    return {r.x,
            r.rows.head(h),
            r.equalities.head(e),
            r.rows.tail(r.rows.size() - h),
            r.equalities.tail(r.equalities.size() - e),
            r.bounds};
  }

  /// Nothing: the linearised constraints are inconsistent (or the QP failed).
  std::optional<SqpStep> solve_qp() {
    qp_.bind(linearised(now_.h, now_.e));
    const bool convex = load_hessian();
    if (!guess_.empty()) qp_.suggest(guess_);
    const QpResult* r = &qp_.solve(now_.gradient, qp_options());
    if (r->status != QpStatus::optimal && violation_is_negligible()) {
      // Dependent rows whose residuals are rounding errors contradict each other: x satisfies them as it is.
      qp_.bind(linearised(now_.h.cwiseMin(0.0), Vector::Zero(now_.e.size())));
      r = &qp_.solve(now_.gradient, qp_options());
    }
    if (r->status != QpStatus::optimal) return std::nullopt;
    guess_.assign(qp_.working_set().begin(), qp_.working_set().end());
    convexified_ = step_from(*r);
    if (!convex)
      if (auto better = step_of_exact_hessian()) return better;
    return convexified_;
  }

  /// With H indefinite, the QP's active set may still be that of a local minimiser of the QP with H itself: the
  /// minimiser on the active set, if H is positive definite there, the multipliers have the right signs and the other
  /// constraints hold. Newton's fast convergence depends on it.
  std::optional<SqpStep> step_of_exact_hessian() const {
    const PreparedConstraints& prepared = qp_.constraints();
    const LinearConstraints& c = prepared.data;
    const auto working = qp_.working_set();
    const Index q = std::ssize(working), rows = c.b.size(), equalities = c.d.size();
    Matrix N = Matrix::Zero(n_, q);
    Vector rhs(q);
    for (Index k = 0; k < q; ++k) {
      const Index code = working[k], bound = code - rows - equalities;
      if (code < rows) {
        N.col(k) = prepared.A->row(code);
        rhs[k] = c.b[code];
      } else if (code < rows + equalities) {
        N.col(k) = prepared.E->row(code - rows);
        rhs[k] = c.d[code - rows];
      } else {
        const bool lower = bound < n_;
        const Index j = lower ? bound : bound - n_;
        N(j, k) = lower ? -1.0 : 1.0;
        rhs[k] = lower ? -c.lower[j] : c.upper[j];
      }
    }
    // N = [Y Z][R; 0];  d = Y R⁻ᵀrhs + Z p,  (ZᵀHZ) p = −Zᵀ(g + H Y R⁻ᵀrhs),  R y = −Yᵀ(g + H d)
    const auto [Q, R] = detail::full_qr(N);
    Vector d = Q.leftCols(q) * R.transpose().triangularView<Eigen::Lower>().solve(rhs);
    if (q < n_) {
      const auto Z = Q.rightCols(n_ - q);
      detail::Cholesky reduced;
      if (!reduced.compute(detail::transpose_times(Z, detail::times(H_, Z)))) return std::nullopt;
      Vector p = Z.transpose() * (now_.gradient + H_ * d);
      reduced.solve_in_place(p);
      d -= Z * p;
    }
    const Vector y = -R.triangularView<Eigen::Upper>().solve(Q.leftCols(q).transpose() * (now_.gradient + H_ * d));
    if (!d.allFinite() || !y.allFinite() || c.violation(d) > 1e-9 * (max_abs(d) + max_abs(rhs))) return std::nullopt;

    QpResult r;
    r.x = d;
    r.rows = Vector::Zero(rows);
    r.equalities = Vector::Zero(equalities);
    r.bounds = Vector::Zero(n_);
    const double negative = -1e-9 * max_abs(y);
    for (Index k = 0; k < q; ++k) {
      const Index code = working[k], bound = code - rows - equalities;
      const Index j = bound < n_ ? bound : bound - n_;
      const bool free = code >= rows && (bound < 0 || c.lower[j] == c.upper[j]);
      if (!free && y[k] < negative) return std::nullopt;
      if (code < rows)
        r.rows[code] = std::max(y[k], 0.0);
      else if (bound < 0)
        r.equalities[code - rows] = y[k];
      else
        r.bounds[j] += bound < n_ ? -y[k] : y[k];
    }
    return step_from(r);
  }

  // Globalisation -----

  /// The ℓ1 merit function is exact for penalties above the largest multiplier.
  void update_penalty(const SqpStep& step) {
    const double largest = std::max(max_abs(step.h_multipliers), max_abs(step.e_multipliers));
    penalty_ = std::max({1.5 * largest, 0.5 * (penalty_ + 1.5 * largest), least_penalty_});
  }

  /// What rounding may do to the merit function at x.
  double merit_noise() const {
    return 4.0 * epsilon *
           (std::abs(now_.f) + now_.gradient.cwiseAbs().dot(now_.x.cwiseAbs()) + penalty_ * now_.G.cwiseAbs().sum());
  }

  bool accept(const Vector& x, double alpha, double slope, double noise) {
    SqpPoint trial = values_at(x);
    if (!(merit(trial) <= merit(now_) + armijo * alpha * slope + noise)) return false;
    add_derivatives(trial);
    if (!trial.finite) return false;
    now_ = std::move(trial);
    return true;
  }

  /// Armijo's rule on the ℓ1 merit function: the step taken, wholly or in part; nullptr: no decrease along it.
  const SqpStep* search(const SqpStep& step) {
    const double noise = merit_noise();
    // D(merit; d) ≤ gᵀd − penalty · violation, since x + d satisfies the linearised constraints
    const auto slope_of = [&](const Vector& d) { return now_.gradient.dot(d) - penalty_ * now_.l1_violation(); };
    double slope = slope_of(step.d);
    const Vector whole = moved_to_bounds(step.d, step.bounds);
    if (slope <= noise && (accept(whole, 1.0, slope, noise) || accept_corrected(step.d, slope, noise))) return &step;
    const Vector& d = convexified_.d;
    slope = slope_of(d);
    if (slope > noise) return nullptr;
    if (accept(moved_to_bounds(d, convexified_.bounds), 1.0, slope, noise)) return &convexified_;
    for (double alpha = 0.5; alpha >= shortest_step; alpha *= 0.5)
      if (accept(moved(d, alpha), alpha, slope, noise)) return &convexified_;
    return nullptr;
  }

  /// Maratos: a good step may be refused because of the curvature of G. Linearise at x, but with the residuals found
  /// at x + d:  rows · (d' − d) + residual(x + d) ≤ 0.
  bool accept_corrected(const Vector& d, double slope, double noise) {
    const SqpPoint there = values_at(moved(d, 1.0));
    if (!there.finite || now_.h.size() + now_.e.size() == 0) return false;
    const Vector h = there.h - now_.h_rows * d, e = there.e - now_.e_rows * d;
    if (!h.allFinite() || !e.allFinite()) return false;  // a step so long that rows overflow
    qp_.bind(linearised(h, e));
    const QpResult& r = qp_.solve(now_.gradient, qp_options());
    return r.status == QpStatus::optimal && accept(moved_to_bounds(r.x, r.bounds), 1.0, slope, noise);
  }

  // Restoration -----

  /// One step for min ½‖(h⁺, e)‖² over D, with W = Σ violations · ∇²G where that is positive definite:
  ///   min ½dᵀ(W + δI)d + ½‖(h + h' d)⁺‖² + ½‖e + e' d‖²  s.t.  x + d ∈ D,  ‖d‖_∞ ≤ max(‖x‖_∞, ‖x₀‖_∞).
  /// A status means the end: nothing to gain, also across all of D.
  std::optional<NlpStatus> restore() {
    const double violation = now_.l2_violation();
    const auto gain = [&](const Vector& d) { return violation - linearised_violation(d); };
    std::optional<Vector> step = restoration_step(Vector::Constant(n_, x_size()));
    if (step && gain(*step) <= restoration_gain * violation) step = restoration_step(farthest_restoration());
    if (!step) return NlpStatus::stalled;
    const Vector& d = *step;
    const double predicted = gain(d);
    if (predicted <= restoration_gain * violation) return NlpStatus::infeasible_stationary;
    // Later steps must not undo this one.
    least_penalty_ = std::max(10.0 * penalty_, max_abs(now_.gradient));
    for (double alpha = 1.0; alpha >= shortest_step; alpha *= 0.5) {
      SqpPoint trial = values_at(moved(d, alpha));
      if (!trial.finite || trial.l2_violation() > violation - armijo * alpha * predicted) continue;
      add_derivatives(trial);
      if (!trial.finite) continue;
      now_ = std::move(trial);
      if (exact_) lagrangian_hessian();
      return std::nullopt;
    }
    return NlpStatus::stalled;
  }

  double linearised_violation(const Vector& d) const {
    return 0.5 * ((now_.h + now_.h_rows * d).cwiseMax(0.0).squaredNorm() + (now_.e + now_.e_rows * d).squaredNorm());
  }

  /// Where rows are flat (x² near 0), a step as short as x says nothing: as far as D is wide, and no less than 1.
  Vector farthest_restoration() const {
    Vector reach = (domain_.upper - domain_.lower).cwiseMax(std::max(x_size(), 1.0));
    for (double& width : reach)
      if (!std::isfinite(width)) width = std::max(x_size(), 1.0);
    return reach;
  }

  std::optional<Vector> restoration_step(const Vector& reach) const {
    auto step = restoration_step(reach, restoration_hessian());
    return step ? step : restoration_step(reach, restoration_damping());
  }

  /// The function is convex, differentiable, and quadratic where the violated rows stay the same: Newton's method
  /// with a line search ends as soon as they do. Nothing if W is not convex enough for the QP.
  std::optional<Vector> restoration_step(const Vector& reach, const Matrix& W) const {
    LinearConstraints c = moved_domain();
    c.lower = c.lower.cwiseMax(-reach).cwiseMin(0.0).eval();
    c.upper = c.upper.cwiseMin(reach).cwiseMax(0.0).eval();
    DualActiveSet qp(std::move(c));

    const auto value = [&](const Vector& d) { return 0.5 * d.dot(W * d) + linearised_violation(d); };
    Vector d = Vector::Zero(n_), residuals = now_.h;
    double here = value(d);
    for (int round = 0; round < most_restoration_rounds; ++round) {
      const Vector violated = (residuals.array() > 0.0).cast<double>();
      Matrix H = W;
      H.noalias() += now_.h_rows.transpose() * (violated.asDiagonal() * now_.h_rows);
      H.noalias() += now_.e_rows.transpose() * now_.e_rows;
      const Vector g = now_.h_rows.transpose() * violated.cwiseProduct(now_.h) + now_.e_rows.transpose() * now_.e;
      const QpResult& r = qp.solve(H, g, qp_options());
      if (r.status != QpStatus::optimal) return std::nullopt;
      const Vector ahead = r.x - d;
      double alpha = 1.0, there = value(r.x);
      while (there > here && alpha > shortest_step) there = value(d + (alpha *= 0.5) * ahead);
      if (there > here) return d;  // the least up to rounding
      d += alpha * ahead;
      here = there;
      residuals = now_.h + now_.h_rows * d;
      if (alpha == 1.0 && ((residuals.array() > 0.0).cast<double>() == violated.array()).all()) return d;
    }
    return std::nullopt;
  }

  Matrix restoration_damping() const {
    const double jacobian = now_.h_rows.squaredNorm() + now_.e_rows.squaredNorm();
    return (jacobian > 0.0 ? 1e-8 * jacobian : 1.0) * Matrix::Identity(n_, n_);
  }

  Matrix restoration_hessian() const {
    const Matrix damping = restoration_damping();
    if (!problem_.G.has_hessian()) return damping;
    Matrix W = problem_.G.hessian(now_.x, rows_.multiplier(now_.h.cwiseMax(0.0), now_.e)).dense();
    if (!W.allFinite()) return damping;
    W += damping;
    return detail::Cholesky().compute(W) ? W : damping;
  }

  // The test -----

  double x_size() const {
    const double x = std::max(x_scale_, max_abs(now_.x));
    return x > 0.0 ? x : 1.0;
  }

  /// Size of the terms in each row, detail::sizes_beside_rows: Σ_j |row_j| |x_j| + |rhs|.
  Vector row_sizes(MatrixIn rows, const Vector& rhs) const {
    const Vector sizes = detail::sizes_beside_rows(now_.x, x_size());
    return (rows.cwiseAbs() * sizes + rhs.cwiseAbs()).array() + std::numeric_limits<double>::min();
  }

  double relative_violation() const {
    const Vector h = now_.h.cwiseMax(0.0).cwiseQuotient(row_sizes(now_.h_rows, rows_.inequality_rhs));
    const Vector e = now_.e.cwiseQuotient(row_sizes(now_.e_rows, rows_.equality_rhs));
    return std::max(max_abs(h), max_abs(e));
  }

  bool violation_is_negligible() const { return relative_violation() <= options_.tolerance; }

  void set_multipliers(const SqpStep& step) {
    lambda_ = problem_.has_G() ? rows_.multiplier(step.h_multipliers, step.e_multipliers) : Vector(0);
    mu_ = step.bounds;
    if (domain_.b.size() > 0) mu_ += domain_.A.transpose_times(step.t_rows);
    if (domain_.d.size() > 0) mu_ += domain_.E.transpose_times(step.t_equalities);
  }

  Vector lagrangian_gradient() const {
    Vector gradient = now_.gradient + mu_;
    if (lambda_.size() > 0) gradient += now_.J.transpose() * lambda_;
    return gradient;
  }

  double kkt_error(const SqpStep& step) {
    const double reaction = lambda_.size() > 0 ? max_abs(now_.J.transpose() * lambda_) : 0.0;
    const double dual = std::max(
        {gradient_scale_, max_abs(now_.gradient), max_abs(mu_), reaction, std::numeric_limits<double>::min()});
    // A row is complementary if its slack or its share of the gradient is small.
    double complementarity = 0.0;
    const auto test = [&](const Vector& slack, MatrixIn rows, const Vector& rhs, const Vector& y) {
      const Vector sizes = row_sizes(rows, rhs);
      for (Index i = 0; i < y.size(); ++i)
        complementarity =
            std::max(complementarity, std::min(std::abs(slack[i]) / sizes[i], y[i] * max_abs(rows.row(i)) / dual));
    };
    test(now_.h, now_.h_rows, rows_.inequality_rhs, step.h_multipliers);
    if (domain_.b.size() > 0) test(domain_.A.times(now_.x) - domain_.b, *domain_.A.view(), domain_.b, step.t_rows);
    for (Index j = 0; j < n_; ++j) {
      const double bound = step.bounds[j] > 0.0 ? domain_.upper[j] : domain_.lower[j];
      const double slack = std::abs(now_.x[j] - bound) / std::max(x_size(), std::abs(bound));
      complementarity =
          std::max(complementarity, std::min(std::isnan(slack) ? 1.0 : slack, std::abs(step.bounds[j]) / dual));
    }
    return kkt_error_ = std::max({max_abs(lagrangian_gradient()) / dual, relative_violation(), complementarity});
  }

  NlpResult result(NlpStatus status) const {
    NlpResult r{.status = status, .x = now_.x, .f = now_.f, .lambda = lambda_, .mu = mu_};
    r.iterations = iterations_;
    r.counts = counts_;
    r.violation = lambda_.size() > 0 ? rows_.largest_violation(now_.G) : 0.0;
    if (status == NlpStatus::not_finite) return r;
    r.relative_violation = relative_violation();
    r.stationarity = max_abs(lagrangian_gradient());
    r.kkt_error = kkt_error_;
    return r;
  }

  const Problem& problem_;
  NlpOptions options_;
  Rows rows_;                 // C
  LinearConstraints domain_;  // D
  Index n_;
  bool exact_;                  // H is the Hessian of the Lagrangian
  bool fresh_hessian_ = false;  // H is a multiple of I
  DualActiveSet qp_;            // of the last step, with its Hessian
  Matrix H_;
  SqpPoint now_;
  Vector lambda_, mu_;
  SqpStep convexified_;       // of the QP with positive definite Hessian
  std::vector<Index> guess_;  // working set of the last QP
  double penalty_ = 0.0, least_penalty_ = 0.0;
  double gradient_scale_ = 0.0, x_scale_ = 0.0;  // at the start
  double kkt_error_ = infinity;
  Index iterations_ = 0;
  Counts counts_;
};

}  // namespace

NlpResult sqp(const Problem& problem, In x0, const NlpOptions& options) {
  const Problem completed = problem.completed();
  return Sqp(completed, x0, options).run();
}

}  // namespace pendec
