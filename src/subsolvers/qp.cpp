#include "pendec/subsolvers/qp.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dense.hpp"
#include "exact.hpp"
#include "pendec/core/error.hpp"

namespace pendec {
namespace {

// A unit normal nearer than this to the span of the working set is taken to lie in it.
constexpr double dependent = 1e-12;
// A guessed constraint must be farther from the others than this to be tried: it is only a guess.
constexpr double guess_dependent = 1e-8;
// H is singular if elimination leaves less than n times this share of a diagonal entry.
constexpr double singular = 100.0 * epsilon;
// Feasibility, relative to ‖x‖, and the share of ‖unconstrained minimiser‖ that rounding leaves in x.
constexpr double feasible = 1e-12;
constexpr double rounding_share = 1e-14;
// Multipliers above −this, relative to the largest, are zero.
constexpr double negligible = 1e-14;
// The factors are rebuilt after so many dropped constraints, to shed accumulated rounding errors.
constexpr Index drops_before_rebuild = 200;

Vector inverse_row_norms(MatrixIn rows) {
  Vector scale(rows.rows());
  scale = rows.rowwise().squaredNorm();
  for (Index i = 0; i < rows.rows(); ++i) {
    const bool exact = scale[i] > 1e-280 && scale[i] < 1e280;  // squares that neither vanished nor overflowed
    const double inverse = 1.0 / (exact ? std::sqrt(scale[i]) : rows.row(i).stableNorm());
    scale[i] = std::isfinite(inverse) ? inverse : 0.0;
  }
  return scale;
}

/// SQP prepares constraints in every iteration: names are put together only for what is wrong.
void require_rows(std::string_view field, const Operator& rows, const Vector& rhs, Index n) {
  const bool dimensions = rows.rows() == rhs.size() && (rows.rows() == 0 || rows.cols() == n);
  const bool dense = rows.view() != nullptr;
  if (dimensions && dense && detail::all_finite(*rows.view()) && detail::all_finite(rhs)) return;
  const std::string name = std::string("LinearConstraints.").append(field);
  require(rows.rows() == rhs.size(), name, rows.rows(), "as many rows as right-hand sides, " + to_text(rhs.size()));
  if (rows.rows() > 0) require_dimension(name + ".cols()", rows.cols(), n);
  rows.require_finite(name);
  require_finite("the right-hand side of " + name, rhs);
}

std::string entry(std::string_view field, Index j) {
  return std::string("LinearConstraints.").append(field).append("[").append(to_text(j)).append("]");
}

void require_bounds(const Vector& lower, const Vector& upper) {
  require_dimension("LinearConstraints.upper", upper.size(), lower.size());
  for (Index j = 0; j < lower.size(); ++j) {
    if (lower[j] <= upper[j] && lower[j] < infinity && upper[j] > -infinity) continue;
    require(lower[j] < infinity, entry("lower", j), lower[j], "a number or -inf");
    require(upper[j] > -infinity, entry("upper", j), upper[j], "a number or +inf");
    require(false, entry("lower", j), lower[j], "at most the upper bound, " + to_text(upper[j]));
  }
}

}  // namespace

std::string_view to_string(QpStatus status) {
  switch (status) {
    case QpStatus::optimal:
      return "optimal";
    case QpStatus::infeasible:
      return "infeasible";
    case QpStatus::cutoff:
      return "cutoff";
    case QpStatus::iteration_limit:
      return "iteration_limit";
    case QpStatus::stopped:
      return "stopped";
    case QpStatus::inaccurate:
      return "inaccurate";
    case QpStatus::not_convex:
      return "not_convex";
    case QpStatus::not_finite:
      return "not_finite";
  }
  return "unknown";
}

// Constraints -----

void require_valid(const LinearConstraints& constraints) {
  require_rows("A", constraints.A, constraints.b, constraints.dimension());
  require_rows("E", constraints.E, constraints.d, constraints.dimension());
  require_bounds(constraints.lower, constraints.upper);
}

PreparedConstraints::PreparedConstraints(LinearConstraints constraints)
    : data(std::move(constraints)), A(data.A), E(data.E) {
  const Index n = dimension();
  require_valid(data);
  row_scale = inverse_row_norms(*A);
  equality_scale = inverse_row_norms(*E);

  // 0ᵀx ≤ b and 0ᵀx = d hold for every x or for none.
  for (Index i = 0; i < data.b.size(); ++i)
    if (row_scale[i] == 0.0 && data.b[i] < 0.0) contradiction = i;
  for (Index i = 0; i < data.d.size(); ++i) {
    if (equality_scale[i] > 0.0)
      equalities.push_back(equality_code(i));
    else if (data.d[i] != 0.0)
      contradiction = equality_code(i);
  }
  for (Index j = 0; j < n; ++j) {
    if (data.lower[j] == data.upper[j])
      equalities.push_back(upper_code(j));
    else if (data.lower[j] > -infinity || data.upper[j] < infinity)
      bounded.push_back(j);
  }
}

// Interface -----

DualActiveSet::DualActiveSet(std::shared_ptr<const PreparedConstraints> constraints) { bind(std::move(constraints)); }

DualActiveSet::DualActiveSet(LinearConstraints constraints)
    : DualActiveSet(std::make_shared<const PreparedConstraints>(std::move(constraints))) {}

void DualActiveSet::bind(std::shared_ptr<const PreparedConstraints> constraints) {
  constraints_ = std::move(constraints);
  if (n_ != constraints_->dimension()) set_identity_hessian();
  n_ = constraints_->dimension();
  const Index codes = constraints_->code_count();
  const Index most = std::min(n_, constraints_->most_active());
  state_.assign(static_cast<std::size_t>(codes), 0);
  working_.resize(static_cast<std::size_t>(most));
  given_up_.clear();
  guess_.reserve(static_cast<std::size_t>(2 * most));
  // room that only grows: parts of a union come and go
  if (Q_.rows() != n_ || Q_.cols() < most) Q_.resize(n_, most);
  if (R_.rows() < most) R_.resize(most, most);
  for (Vector* v : {&scale_, &y_, &c_, &r_, &p_})
    if (v->size() < most) v->resize(most);
  for (Vector* v : {&z_, &x_, &g_, &normal_, &perp_, &step_}) v->resize(n_);
  slack_.resize(constraints_->data.b.size());
  factored_ = false;
  q_ = equality_count_ = 0;
}

bool DualActiveSet::set_hessian(MatrixIn H) {
  require_dimension("DualActiveSet H.rows()", H.rows(), n_);
  require_dimension("DualActiveSet H.cols()", H.cols(), n_);
  factored_ = false;
  hessian_ = Hessian::not_finite;
  if (!H.allFinite()) return false;
  H_ = H;
  L_ = H;
  hessian_ = Hessian::not_convex;
  if (!detail::cholesky_in_place(L_)) return false;
  // L_jj² is what elimination left of H_jj: if that is rounding, H is singular.
  for (Index j = 0; j < n_; ++j)
    if (!(L_(j, j) * L_(j, j) > singular * static_cast<double>(n_) * H(j, j))) return false;
  hessian_ = Hessian::factored;
  return true;
}

double DualActiveSet::pivot_ratio() const {
  if (hessian_ == Hessian::identity || n_ == 0) return 1.0;
  return hessian_ == Hessian::factored ? L_.diagonal().minCoeff() / L_.diagonal().maxCoeff() : 0.0;
}

void DualActiveSet::set_identity_hessian() {
  if (hessian_ != Hessian::identity) factored_ = false;
  hessian_ = Hessian::identity;
}

const QpResult& DualActiveSet::solve(MatrixIn H, In g, const QpOptions& options) {
  set_hessian(H);
  return solve(g, options);
}

const QpResult& DualActiveSet::solve(In g, const QpOptions& options) {
  require_dimension("DualActiveSet g", g.size(), n_);
  iterations_ = 0;
  if (hessian_ == Hessian::not_convex) return write_result(QpStatus::not_convex);
  if (hessian_ == Hessian::not_finite || !g.allFinite()) return write_result(QpStatus::not_finite);
  g_ = g;
  z_ = -g;
  if (hessian_ == Hessian::factored) {
    // z = −L⁻¹g; the unconstrained minimiser is L⁻ᵀz
    L_.triangularView<Eigen::Lower>().solveInPlace(z_);
    step_ = z_;
    L_.triangularView<Eigen::Lower>().transpose().solveInPlace(step_);
    noise_ = rounding_share * step_.norm();
  } else {
    noise_ = rounding_share * z_.norm();
  }
  // value = gain − ½‖z‖²
  const double unconstrained = -0.5 * z_.squaredNorm();
  const Index limit = options.max_iterations > 0 ? options.max_iterations : 10 * constraints_->code_count() + 50;
  return write_result(run(options.cutoff - unconstrained, limit, options.warm_start, options.stop));
}

QpStatus DualActiveSet::project(In z, Out y, double max_distance, bool warm_start) {
  require_dimension("DualActiveSet z", z.size(), n_);
  require_dimension("DualActiveSet y", y.size(), n_);
  set_identity_hessian();
  iterations_ = 0;
  if (!z.allFinite()) return QpStatus::not_finite;
  z_ = z;
  noise_ = rounding_share * z_.norm();
  const QpStatus status = run(0.5 * max_distance * max_distance, 10 * constraints_->code_count() + 50, warm_start);
  if (status != QpStatus::infeasible && status != QpStatus::cutoff) y = x_;
  return status;
}

bool DualActiveSet::separation(Vector& normal, double& offset) const {
  // v = z − x = Σ yᵢaᵢ with y ≥ 0, so ⟨v, u⟩ ≤ Σ yᵢβᵢ = ⟨v, z⟩ − ½‖v‖² − gain for all u of the polyhedron.
  normal = z_ - x_;
  const double length = normal.norm();
  if (!(length > 0.0)) return false;
  normal /= length;
  offset = normal.dot(z_) - 0.5 * length - gain_ / length;
  return true;
}

void DualActiveSet::suggest(std::span<const Index> codes) {
  guess_.assign(codes.begin(), codes.end());
  for (Index j = 0; j < q_; ++j) state_[working_[j]] = 0;
  q_ = equality_count_ = 0;
  factored_ = false;
}

// The method -----

QpStatus DualActiveSet::run(double cutoff_gain, Index max_iterations, bool warm_start,
                            const std::function<bool()>& stop) {
  constexpr int most_refinements = 3;
  if (!start(warm_start)) return failure_;
  for (int refinements = 0;;) {
    if (gain_ > cutoff_gain) return QpStatus::cutoff;
    if (stop && iterations_ % 16 == 0 && stop()) return QpStatus::stopped;
    const Candidate worst = most_violated();
    const bool refined = 0 < refinements && refinements < most_refinements;
    const double accurate = feasible * x_.norm(), tol = refined ? accurate : accurate + noise_;
    if (worst.violation > tol) {
      if (!add(worst.code, cutoff_gain, max_iterations)) return failure_;
      continue;
    }
    // With H = I the steps are as accurate as a fresh solution, unless the residual says otherwise. What a distant
    // unconstrained minimiser leaves in x can be refined away; only where it cannot is it accepted.
    const double residual = working_residual();
    const bool rough = residual > accurate || (hessian_ == Hessian::factored && refinements == 0);
    if (!rough || refinements == most_refinements)
      return residual <= 1e3 * (accurate + noise_) ? QpStatus::optimal : QpStatus::inaccurate;
    ++refinements;
    refine();
    while (drop_negative_multipliers()) minimise_on_working_set();
  }
}

/// The minimiser on the working set of the last call, less the constraints whose multipliers have the wrong sign.
bool DualActiveSet::start(bool warm_start) {
  pending_ = -1;
  for (const Index code : given_up_) state_[code] = 0;
  given_up_.clear();
  if (constraints_->contradiction >= 0) {
    clear_multipliers();
    add_multiplier(constraints_->contradiction, rhs(constraints_->contradiction) > 0.0 ? -1.0 : 1.0);
    return fail(QpStatus::infeasible);
  }
  if (!warm_start) truncate_to_equalities();
  if ((!factored_ || drops_ > drops_before_rebuild) && !factorize_working_set()) return false;
  minimise_on_working_set();
  while (drop_negative_multipliers()) minimise_on_working_set();
  return true;
}

bool DualActiveSet::fail(QpStatus why) {
  failure_ = why;
  return false;
}

void DualActiveSet::truncate_to_equalities() {
  for (Index j = equality_count_; j < q_; ++j) state_[working_[j]] = 0;
  q_ = equality_count_;
  guess_.clear();
}

/// QR of the equalities, then of the guessed constraints. False: the equalities contradict each other.
bool DualActiveSet::factorize_working_set() {
  guess_.insert(guess_.end(), working_.begin() + equality_count_, working_.begin() + q_);
  std::fill(state_.begin(), state_.end(), static_cast<signed char>(0));
  q_ = equality_count_ = drops_ = 0;
  factored_ = false;
  x_.setZero();
  for (const Index code : constraints_->equalities) {
    const double scale = load_normal(code);
    const double rho = decompose_normal();
    if (rho > dependent) {
      append(code, scale, 0.0, rho);
      equality_count_ = q_;
      continue;
    }
    // eᵀx = rᵀNᵀx = rᵀβ for all x that satisfy the others
    r_.head(q_) = c_.head(q_);
    solve_upper(r_);
    double difference = -scale * rhs(code), size = std::abs(difference);
    for (Index j = 0; j < q_; ++j) {
      const double term = r_[j] * scale_[j] * rhs(working_[j]);
      difference += term;
      size += std::abs(term);
    }
    if (std::abs(difference) <= 1e-10 * size) continue;
    return fail(contradicts_others(code, std::copysign(scale, difference)) ? QpStatus::infeasible
                                                                           : QpStatus::inaccurate);
  }
  for (const Index code : guess_) {
    if (code < 0 || code >= constraints_->code_count() || state_[code] != 0 || q_ == std::ssize(working_)) continue;
    if (!std::isfinite(rhs(code))) continue;
    const double scale = load_normal(code);
    const double rho = decompose_normal();
    if (rho > guess_dependent) append(code, scale, 0.0, rho);
  }
  guess_.clear();
  return factored_ = true;
}

void DualActiveSet::minimise_on_working_set() {
  x_.setZero();
  y_.head(q_).setZero();
  for (Index j = 0; j < q_; ++j) p_[j] = scale_[j] * rhs(working_[j]);
  correct(z_);
  // z − u = Q(Qᵀz − R⁻ᵀβ)
  gain_ = 0.5 * c_.head(q_).squaredNorm();
}

/// One step of iterative refinement for the KKT system of the working set, with the residuals of the original data.
void DualActiveSet::refine() {
  Vector& v = perp_;
  // v = L⁻¹(−g − Hx − Σ yⱼ aⱼ),  p = β − Nᵀu
  if (hessian_ == Hessian::factored) {
    v = -g_;
    v.noalias() -= H_.selfadjointView<Eigen::Lower>() * x_;
  } else {
    v = z_ - x_;
  }
  for (Index j = 0; j < q_; ++j) {
    add_row(working_[j], -y_[j] * scale_[j], v);
    p_[j] = scale_[j] * (rhs(working_[j]) - row_dot(working_[j], x_));
  }
  if (hessian_ == Hessian::factored) L_.triangularView<Eigen::Lower>().solveInPlace(v);
  correct(v);
}

void DualActiveSet::correct(const Vector& v) {
  // du = v − Q(Qᵀv − R⁻ᵀp),  dy = R⁻¹(Qᵀv − R⁻ᵀp),  dx = L⁻ᵀdu
  solve_upper_transposed(p_);
  c_.head(q_).noalias() = Q_.leftCols(q_).transpose() * v;
  c_.head(q_) -= p_.head(q_);
  step_ = v;
  step_.noalias() -= Q_.leftCols(q_) * c_.head(q_);
  r_.head(q_) = c_.head(q_);
  solve_upper(r_);
  y_.head(q_) += r_.head(q_);
  if (hessian_ == Hessian::factored) L_.triangularView<Eigen::Lower>().transpose().solveInPlace(step_);
  x_ += step_;
}

bool DualActiveSet::drop_negative_multipliers() {
  if (q_ == equality_count_) return false;
  const double zero = -negligible * y_.head(q_).cwiseAbs().maxCoeff();
  bool dropped = false;
  for (Index j = q_ - 1; j >= equality_count_; --j) {
    if (y_[j] < zero) {
      drop(j);
      dropped = true;
    } else {
      y_[j] = std::max(y_[j], 0.0);
    }
  }
  return dropped;
}

DualActiveSet::Candidate DualActiveSet::most_violated() {
  const LinearConstraints& data = constraints_->data;
  Candidate worst;
  if (slack_.size() > 0) {
    slack_ = -data.b;
    slack_.noalias() += *constraints_->A * x_;
    slack_.array() *= constraints_->row_scale.array();
    for (Index i = 0; i < slack_.size(); ++i)
      if (slack_[i] > worst.violation && state_[i] == 0) worst = {i, slack_[i]};
  }
  for (const Index j : constraints_->bounded) {
    const double below = data.lower[j] - x_[j], above = x_[j] - data.upper[j];
    if (below > worst.violation && state_[constraints_->lower_code(j)] == 0)
      worst = {constraints_->lower_code(j), below};
    if (above > worst.violation && state_[constraints_->upper_code(j)] == 0)
      worst = {constraints_->upper_code(j), above};
  }
  return worst;
}

/// Largest |distance| to a hyperplane of the working set; slack_ belongs to the present x.
double DualActiveSet::working_residual() const {
  double largest = 0.0;
  for (Index k = 0; k < q_; ++k) {
    const Index code = working_[k];
    const double residual = code < slack_.size() ? slack_[code] : x_scale(code) * (row_dot(code, x_) - rhs(code));
    largest = std::max(largest, std::abs(residual));
  }
  return largest;
}

/// Dual steps until the constraint is satisfied; false with a `failure_` otherwise.
bool DualActiveSet::add(Index code, double cutoff_gain, Index max_iterations) {
  const double scale = load_normal(code);
  double rho = decompose_normal();
  double violation = scale * (row_dot(code, x_) - rhs(code));
  double multiplier = 0.0;
  while (true) {
    // Moving by −t perp satisfies Nᵀu = β and n = N r + perp: multipliers change by −t r, the new one by t.
    r_.head(q_) = c_.head(q_);
    solve_upper(r_);

    // The multipliers of inequalities allow t ≤ yₖ / rₖ ...
    const double zero = q_ > 0 ? negligible * r_.head(q_).cwiseAbs().maxCoeff() : 0.0;
    double t_dual = infinity;
    Index blocking = -1;
    for (Index j = equality_count_; j < q_; ++j) {
      if (r_[j] <= zero || y_[j] >= t_dual * r_[j]) continue;
      t_dual = y_[j] / r_[j];
      blocking = j;
    }
    // ... and t = violation / ‖perp‖² satisfies the new constraint.
    const bool movable = rho > dependent;
    const double t_primal = movable ? violation / (rho * rho) : infinity;
    if (!movable && blocking < 0) return give_up_on(code, scale, violation);
    if (++iterations_ > max_iterations) return fail(QpStatus::iteration_limit);

    const double t = std::min(t_dual, t_primal);
    gain_ += t * (violation - (movable ? 0.5 * t * rho * rho : 0.0));
    if (movable) {
      violation -= t * rho * rho;
      step_ = perp_;
      if (hessian_ == Hessian::factored) L_.triangularView<Eigen::Lower>().transpose().solveInPlace(step_);
      x_ -= t * step_;
    }
    y_.head(q_) -= t * r_.head(q_);
    multiplier += t;
    if (gain_ > cutoff_gain) {
      pending_ = code;
      pending_multiplier_ = multiplier * scale;
      return fail(QpStatus::cutoff);
    }
    if (t_primal <= t_dual) {
      append(code, scale, multiplier, rho);
      return true;
    }
    drop(blocking);
    // n = Q c + perp for the smaller Q as well.
    perp_ += c_[q_] * Q_.col(q_);
    rho = perp_.norm();
  }
}

/// n = N r with r ≤ 0 on inequalities: no move can satisfy the constraint. Rounding or a proof?
bool DualActiveSet::give_up_on(Index code, double scale, double violation) {
  if (contradicts_others(code, scale)) return fail(QpStatus::infeasible);
  const double size = scale * std::abs(rhs(code)) + x_.norm();
  if (violation > 1e-9 * size + noise_) return fail(QpStatus::inaccurate);
  state_[code] = 2;
  given_up_.push_back(code);
  return true;
}

/// Farkas: multipliers ω with Σ ωᵢ aᵢ = 0 and Σ ωᵢ βᵢ < 0. In floating point the first sum is some e ≠ 0, and
/// eᵀx > Σ ωᵢ βᵢ must be seen to hold for all x within the bounds, or a generous radius where there are none.
bool DualActiveSet::contradicts_others(Index code, double factor) {
  const LinearConstraints& data = constraints_->data;
  clear_multipliers();
  Vector &e = step_, &e_size = perp_;
  e.setZero();
  e_size.setZero();
  double total = 0.0, size = 0.0, radius = x_.norm();
  const auto combine = [&](Index c, double omega) {
    add_multiplier(c, omega);
    normal_.setZero();
    add_row(c, omega, normal_);
    e += normal_;
    e_size += normal_.cwiseAbs();
    total += omega * rhs(c);
    size += std::abs(omega * rhs(c));
    radius = std::max(radius, std::abs(x_scale(c) * rhs(c)));
  };
  combine(code, factor);
  const double sign = factor > 0.0 ? 1.0 : -1.0;
  for (Index j = 0; j < q_; ++j) {
    double omega = -sign * r_[j];
    if (j >= equality_count_) omega = std::max(omega, 0.0);
    if (omega != 0.0) combine(working_[j], omega * scale_[j]);
  }
  const double unit = 2.0 * epsilon * static_cast<double>(q_ + 8);
  double deviation = 0.0;
  for (Index j = 0; j < n_; ++j) {
    const double reach = std::max(std::abs(data.lower[j]), std::abs(data.upper[j]));
    const double error = std::abs(e[j]) + unit * e_size[j];
    if (error == 0.0) continue;
    // without bounds, only what rounding explains is forgiven: rows that are nearly parallel meet far out
    const bool parallel = std::abs(e[j]) <= 1e-12 * e_size[j];
    deviation += error * (std::isfinite(reach) || !parallel ? reach : infeasibility_radius * radius);
  }
  return -total > 1e-10 * size + deviation;
}

/// v = Aᵀrows + Eᵀequalities has vᵀx ≤ βᵀmultipliers for every feasible x: there is none if the bounds allow only
/// more. Where a bound is missing, vⱼ must vanish or have the right sign; it does so exactly for multipliers nearby.
bool DualActiveSet::excludes_all_points() const {
  const LinearConstraints& data = constraints_->data;
  if (result_.status != QpStatus::infeasible) return false;
  std::vector<Index> codes;
  for (Index i = 0; i < data.b.size(); ++i)
    if (result_.rows[i] != 0.0) codes.push_back(i);
  const auto inequalities = std::ssize(codes);
  for (Index i = 0; i < data.d.size(); ++i)
    if (result_.equalities[i] != 0.0) codes.push_back(constraints_->equality_code(i));
  const auto count = std::ssize(codes);
  Matrix N(n_, count);
  Vector y(count), right(count);
  for (Index k = 0; k < count; ++k) {
    const Index code = codes[static_cast<std::size_t>(k)], row = code - data.b.size();
    N.col(k) = row < 0 ? constraints_->A->row(code) : constraints_->E->row(row);
    y[k] = row < 0 ? result_.rows[code] : result_.equalities[row];
    right[k] = rhs(code);
  }
  const double unit = rounding_unit(count + n_);
  const Vector v = N * y, terms = N.cwiseAbs() * y.cwiseAbs();
  std::vector<Index> vanish;
  for (Index j = 0; j < n_; ++j) {
    const double clear = 1e-9 * terms[j];
    const bool falls = (data.upper[j] == infinity && v[j] < clear) || (data.lower[j] == -infinity && v[j] > -clear);
    if (falls && std::abs(v[j]) > clear) return false;
    if (falls) vanish.push_back(j);
  }
  const auto off = detail::distance_to_kernel(Matrix(N(vanish, Eigen::all)), y);
  if (!off || (inequalities > 0 && !(y.head(inequalities).minCoeff() >= *off))) return false;
  double most = right.dot(y), rounding = (unit * right.cwiseAbs().dot(y.cwiseAbs())) + *off * right.norm();
  for (Index j = 0; j < n_; ++j) {
    if (std::find(vanish.begin(), vanish.end(), j) != vanish.end() || terms[j] == 0.0) continue;
    const double error = unit * terms[j] + *off * N.row(j).norm();
    const double bound = v[j] > 0.0 ? data.lower[j] : data.upper[j];
    const double reach =
        std::abs(v[j]) > error ? std::abs(bound) : std::max(std::abs(data.lower[j]), std::abs(data.upper[j]));
    most -= v[j] * bound;
    rounding += 2.0 * error * reach + unit * std::abs(v[j] * bound);
  }
  // what underflows is no proof of anything
  return most < -2.0 * rounding && -most > 1e-250 && std::isfinite(rounding);
}

const QpResult& DualActiveSet::write_result(QpStatus status) {
  result_.status = status;
  result_.iterations = iterations_;
  if (status == QpStatus::not_convex || status == QpStatus::not_finite) return result_;
  result_.x = x_;
  // With H = LLᵀ: ½‖u‖² − zᵀu = gain − ½‖z‖² on the working set.
  result_.value = gain_ - 0.5 * z_.squaredNorm();
  if (status == QpStatus::infeasible) return result_;  // holds the proof
  if (status == QpStatus::optimal && hessian_ == Hessian::identity) {
    result_.value = (0.5 * x_ + g_).dot(x_);
  } else if (status == QpStatus::optimal) {
    step_.noalias() = H_.selfadjointView<Eigen::Lower>() * x_;
    result_.value = (0.5 * step_ + g_).dot(x_);
  }
  clear_multipliers();
  for (Index j = 0; j < q_; ++j) add_multiplier(working_[j], y_[j] * scale_[j]);
  if (pending_ >= 0) add_multiplier(pending_, pending_multiplier_);
  return result_;
}

// Factors -----

double DualActiveSet::load_normal(Index code) {
  normal_.setZero();
  const double scale = x_scale(code);
  add_row(code, scale, normal_);
  if (hessian_ != Hessian::factored) return scale;
  L_.triangularView<Eigen::Lower>().solveInPlace(normal_);
  const double inverse = 1.0 / normal_.norm();
  normal_ *= inverse;
  return scale * inverse;
}

double DualActiveSet::decompose_normal() {
  perp_ = normal_;
  if (q_ == 0) return perp_.norm();
  const auto Q = Q_.leftCols(q_);
  auto c = c_.head(q_);
  c.noalias() = Q.transpose() * normal_;
  perp_.noalias() -= Q * c;
  double rho = perp_.norm();
  // Gram–Schmidt twice is enough (Daniel, Gragg, Kaufman & Stewart 1976).
  if (rho < 0.7) {
    auto again = r_.head(q_);
    again.noalias() = Q.transpose() * perp_;
    perp_.noalias() -= Q * again;
    c += again;
    rho = perp_.norm();
  }
  return rho;
}

void DualActiveSet::append(Index code, double scale, double multiplier, double rho) {
  Q_.col(q_) = perp_ / rho;
  R_.col(q_).head(q_) = c_.head(q_);
  R_(q_, q_) = rho;
  scale_[q_] = scale;
  y_[q_] = multiplier;
  working_[q_] = code;
  state_[code] = 1;
  ++q_;
}

/// Removes column k of N = QR; Givens rotations make R triangular again. c_ = Qᵀn is carried along, so that
/// afterwards c_[q_] and Q_.col(q_) hold what the smaller basis lost.
void DualActiveSet::drop(Index k) {
  state_[working_[k]] = 0;
  for (Index j = k; j + 1 < q_; ++j) {
    R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
    working_[j] = working_[j + 1];
    scale_[j] = scale_[j + 1];
    y_[j] = y_[j + 1];
  }
  --q_;
  ++drops_;
  for (Index i = k; i < q_; ++i) {
    const double norm = std::hypot(R_(i, i), R_(i + 1, i));
    const double cosine = R_(i, i) / norm, sine = R_(i + 1, i) / norm;
    const auto rotate = [cosine, sine](double& a, double& b) {
      const double rotated = cosine * a + sine * b;
      b = cosine * b - sine * a;
      a = rotated;
    };
    R_(i, i) = norm;
    for (Index j = i + 1; j < q_; ++j) rotate(R_(i, j), R_(i + 1, j));
    rotate(c_[i], c_[i + 1]);
    double* left = Q_.col(i).data();
    double* right = Q_.col(i + 1).data();
    for (Index l = 0; l < n_; ++l) rotate(left[l], right[l]);
  }
}

void DualActiveSet::solve_upper(Vector& v) const {
  for (Index j = q_ - 1; j >= 0; --j) {
    v[j] /= R_(j, j);
    v.head(j) -= v[j] * R_.col(j).head(j);
  }
}

void DualActiveSet::solve_upper_transposed(Vector& v) const {
  for (Index j = 0; j < q_; ++j) v[j] = (v[j] - R_.col(j).head(j).dot(v.head(j))) / R_(j, j);
}

// Rows by their codes -----

double DualActiveSet::x_scale(Index code) const {
  if (code < constraints_->row_scale.size()) return constraints_->row_scale[code];
  code -= constraints_->row_scale.size();
  return code < constraints_->equality_scale.size() ? constraints_->equality_scale[code] : 1.0;
}

double DualActiveSet::rhs(Index code) const {
  const LinearConstraints& data = constraints_->data;
  if (code < data.b.size()) return data.b[code];
  code -= data.b.size();
  if (code < data.d.size()) return data.d[code];
  code -= data.d.size();
  return code < n_ ? -data.lower[code] : data.upper[code - n_];
}

double DualActiveSet::row_dot(Index code, const Vector& v) const {
  const LinearConstraints& data = constraints_->data;
  if (code < data.b.size()) return constraints_->A->row(code).dot(v);
  code -= data.b.size();
  if (code < data.d.size()) return constraints_->E->row(code).dot(v);
  code -= data.d.size();
  return code < n_ ? -v[code] : v[code - n_];
}

void DualActiveSet::add_row(Index code, double factor, Vector& v) const {
  const LinearConstraints& data = constraints_->data;
  if (code < data.b.size()) {
    v += factor * constraints_->A->row(code).transpose();
    return;
  }
  code -= data.b.size();
  if (code < data.d.size()) {
    v += factor * constraints_->E->row(code).transpose();
    return;
  }
  code -= data.d.size();
  if (code < n_)
    v[code] -= factor;
  else
    v[code - n_] += factor;
}

void DualActiveSet::add_multiplier(Index code, double value) {
  const LinearConstraints& data = constraints_->data;
  if (code < data.b.size()) {
    result_.rows[code] += value;
    return;
  }
  code -= data.b.size();
  if (code < data.d.size()) {
    result_.equalities[code] += value;
    return;
  }
  code -= data.d.size();
  if (code < n_)
    result_.bounds[code] -= value;
  else
    result_.bounds[code - n_] += value;
}

void DualActiveSet::clear_multipliers() {
  result_.rows.setZero(constraints_->data.b.size());
  result_.equalities.setZero(constraints_->data.d.size());
  result_.bounds.setZero(n_);
}

}  // namespace pendec
