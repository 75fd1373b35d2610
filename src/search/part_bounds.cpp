#include "part_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "../subsolvers/dense.hpp"
#include "../subsolvers/verified.hpp"
#include "pendec/core/free.hpp"
#include "pendec/sets/box.hpp"
#include "proof.hpp"

namespace pendec::detail {
namespace {

constexpr double outward = 1.0 + 1e-9;   // boxes are rounded outwards
constexpr double rounding_down = 1e-10;  // bounds downwards, relative
constexpr double base_tolerance = 1e-4;  // any point gives bounds; its error enters them squared
constexpr int most_bounds = 8;           // quadratic programs on a part before it is solved

/// Curvature that a quadratic program needs where q has none, small beside what there is.
double regularisation(const Minorant& q) {
  const double size = q.H.cwiseAbs().maxCoeff() + q.gradient.norm() / std::max(q.at.norm(), 1.0);
  return 1e-8 * (size > 0.0 ? size : 1.0);
}

/// Safely, so that H⁻¹ makes sense.
bool is_definite(const Minorant& q) { return (q.delta.array() > 1e-13 * q.H.diagonal().maxCoeff()).all(); }

/// Adds ½ρ‖d‖² to q, which is no more than ½ρ times the squared distance to the farthest corner of the region; x may
/// lie outside. False: there is none.
bool make_definite(Minorant& q, const Bounds& region) {
  const double rho = regularisation(q);
  const Vector reach = (region.lower - q.at).cwiseAbs().cwiseMax((region.upper - q.at).cwiseAbs());
  q.H.diagonal().array() += rho;
  q.f_error += 0.5 * rho * reach.squaredNorm() * outward;
  const auto delta = verified_diagonal(q.H);
  if (!delta || !std::isfinite(q.f_error)) return false;
  q.delta = *delta;
  return is_definite(q);
}

bool is_box(const LinearConstraints& c) { return c.b.size() == 0 && c.d.size() == 0; }

/// Bounds that cross by no more than rounding change places. False: they contradict each other.
bool reconcile(Vector& lower, Vector& upper) {
  for (Index j = 0; j < lower.size(); ++j) {
    if (lower[j] <= upper[j]) continue;
    if (lower[j] - upper[j] > rounding_down * (1.0 + std::abs(lower[j]))) return false;
    std::swap(lower[j], upper[j]);
  }
  return true;
}

/// The least box around all parts, as far as their bounds tell.
Bounds hull_of(const std::vector<PolyhedralPiece>& pieces) {
  const Index n = pieces.front().set.dimension();
  Bounds hull{Vector::Constant(n, infinity), Vector::Constant(n, -infinity)};
  for (const PolyhedralPiece& piece : pieces) {
    const LinearConstraints& data = piece.rows->data;
    hull.lower = hull.lower.cwiseMin(data.lower);
    hull.upper = hull.upper.cwiseMax(data.upper);
    if (hull.infinite()) break;
  }
  return hull;
}

/// A lower bound of the minorant q over the constraints from any x and multipliers, by weak duality: with
/// r = ∇q(x) + Aᵀy + Eᵀw,
///   q(u) ≥ q(x) + yᵀ(Ax − b) + wᵀ(Ex − d) + Σ_j (r_j t_j + ½δ_j t_j²),   t = u − x for u in the region.
/// How well the QP was solved is its strength, not its truth; rounding is subtracted, relative to the sizes of what
/// is added up.
double dual_bound(const Minorant& q, const PreparedConstraints& prepared, const Bounds& region, In entry_error,
                  const QpResult& qp) {
  const LinearConstraints& c = prepared.data;
  const Vector& x = qp.x;
  const Index rows = c.b.size(), equations = c.d.size();
  const double unit = rounding_unit(x.size() + rows + equations);
  const Vector d = x - q.at, Hd = q.H * d, Hd_size = q.H.cwiseAbs() * d.cwiseAbs(), x_size = x.cwiseAbs();
  double value = q.f + q.gradient.dot(d) + 0.5 * d.dot(Hd) - q.f_error;
  // x − at is rounded, too
  const Vector d_size = x_size + q.at.cwiseAbs();
  double size = std::abs(q.f) + q.gradient.cwiseAbs().dot(d_size) + Hd_size.dot(d_size);
  Vector r = q.gradient + Hd;
  Vector r_error = q.gradient_error + unit * (q.gradient.cwiseAbs() + q.H.cwiseAbs() * d_size);
  value -= q.gradient_error.dot(d.cwiseAbs());
  const auto add = [&](double multiplier, const auto& row, double rhs, double error) {
    if (multiplier == 0.0) return;
    value += multiplier * (row.dot(x) - rhs);
    const double weight = std::abs(multiplier);
    size += weight * (row.cwiseAbs().dot(x_size) + std::abs(rhs));
    value -= weight * error * (1.0 + x_size.sum());
    r += multiplier * row;
    r_error += weight * (unit * row.cwiseAbs() + Vector::Constant(x.size(), error));
  };
  for (Index i = 0; i < rows; ++i)
    add(std::max(qp.rows[i], 0.0), prepared.A->row(i).transpose(), c.b[i],
        entry_error.size() > 0 ? entry_error[i] : 0.0);
  for (Index i = 0; i < equations; ++i)
    add(qp.equalities[i], prepared.E->row(i).transpose(), c.d[i],
        entry_error.size() > 0 ? entry_error[rows + i] : 0.0);
  for (Index j = 0; j < x.size(); ++j) {
    const auto to = [&](double bound, double outwards) {  // the distance from x_j, rounded outwards
      return std::isfinite(bound) ? bound - x[j] + outwards * unit * (std::abs(bound) + x_size[j]) : bound;
    };
    const LeastTerm t = least_term(q.delta[j], r[j], r_error[j], to(region.lower[j], -1.0), to(region.upper[j], 1.0));
    value += t.value;
    size += t.size;
  }
  // what underflows is multiplied by points and multipliers
  const double factors = 1.0 + d_size.sum() + qp.rows.cwiseAbs().sum() + qp.equalities.cwiseAbs().sum();
  const double terms = static_cast<double>(x.size() + rows + equations + 8);
  const double underflow = 16.0 * terms * terms * factors * (1.0 + x_size.sum());
  value -= unit * size + underflow * std::numeric_limits<double>::denorm_min();
  return std::isfinite(value) ? value : -infinity;
}

}  // namespace

Bounds bounds_of(const Problem& problem) {
  const Index n = problem.dimension();
  Bounds box{Vector::Constant(n, -infinity), Vector::Constant(n, infinity)};
  if (!problem.has_G()) return box;
  if (const auto rows = problem.C.linear_constraints())
    problem.G.tighten(rows->lower, rows->upper, box.lower, box.upper);
  return box;
}

PartSearch::PartSearch(const Problem& problem, const std::vector<PolyhedralPiece>& pieces, const ProofLimits& limits,
                       Monitor& monitor, Result& result)
    : problem_(problem),
      pieces_(pieces),
      limits_(limits),
      monitor_(monitor),
      result_(result),
      parts_(result.details.emplace<PartsDetails>()) {
  level_.assign(pieces.size(), Level::screened);
  parts_.bounds = Vector::Constant(std::ssize(pieces), -infinity);
}

bool PartSearch::run(In x0) {
  const Bounds hull = hull_of(pieces_);
  without_parts_ = problem_;
  without_parts_.D = hull.infinite() ? Set(Free(problem_.dimension())) : Set(Box(hull.lower, hull.upper));
  box_ = bounds_of(problem_);
  box_.lower = box_.lower.cwiseMax(hull.lower);
  box_.upper = box_.upper.cwiseMin(hull.upper);
  feasible_ = box_;
  if (!reconcile(box_.lower, box_.upper) || !solve_without_parts(x0)) {
    for (Index k = 0; k < parts_.bounds.size(); ++k) close(k, infinity);
    return finish();
  }
  if (!model()) model_.reset();
  screen();
  search();
  return finish();
}

// The problem without its parts -----

/// False: proved infeasible. Where the solution is not reached (f may be unbounded), the last point serves: any point
/// and multipliers give bounds.
bool PartSearch::solve_without_parts(In x0) {
  // a start outside of the box is farther away than it needs to be
  const bool inside = (x0.array() >= box_.lower.array()).all() && (x0.array() <= box_.upper.array()).all();
  const Vector start = inside || !box_.finite() ? Vector(x0) : Vector(0.5 * (box_.lower + box_.upper));
  base_ = sqp(without_parts_, start, {.tolerance = base_tolerance, .stop = stop()});
  constexpr double far = 1e10;  // f may fall for ever, and nothing can be told apart out there
  const bool lost = base_.status != NlpStatus::converged && !((base_.x - start).norm() <= far * (1.0 + start.norm()));
  if (lost) base_.x = start;
  lambda_ = positive(base_.lambda);
  return base_.status == NlpStatus::converged || is_feasible(base_) ||
         !proves_infeasible(LinearConstraints::none(x0.size()), base_.x);
}

/// By the tolerance asked for, and relative to the terms of each row: rows with small entries mean what they say,
/// too.
bool PartSearch::is_feasible(const NlpResult& found) const {
  return std::isfinite(found.f) && std::max(found.violation, found.relative_violation) <= limits_.feasible;
}

/// Linearised convex constraints are an outer approximation: if they contradict those of a part, no point satisfies
/// both. Linearises from x on, always at the last point that the rows so far allow.
bool PartSearch::proves_infeasible(const LinearConstraints& part, In x) const {
  constexpr int most_rounds = 20;
  if (!x.allFinite()) return false;
  Outer outer = outer_of(part, feasible_, x);
  if (outer.empty) return true;
  for (int round = 0; round < most_rounds && problem_.has_G(); ++round) {
    linearise(outer);
    ++outer.rounds;
    DualActiveSet qp(outer.rows);
    const QpResult& nearest = qp.solve(-outer.x, {.stop = stop()});
    if (nearest.status == QpStatus::infeasible) return contradicts(outer, qp, nearest);
    if (nearest.status != QpStatus::optimal || problem_.G.is_affine()) return false;
    if ((nearest.x - outer.x).norm() <= epsilon * outer.x.norm()) return false;
    outer.x = nearest.x;
  }
  return false;
}

/// Rows as they are given contradict each other where the QP can prove it. Those that were computed are wrong by more
/// than its rounding, and are looked at again: zero has a positive lower bound over an empty set only.
bool PartSearch::contradicts(const Outer& outer, const DualActiveSet& qp, const QpResult& multipliers) const {
  if (!problem_.has_G() || problem_.G.is_affine()) return qp.excludes_all_points();
  const Vector zero = Vector::Zero(outer.x.size());
  const Minorant none{.at = zero,
                      .f = 0.0,
                      .f_error = 0.0,
                      .gradient = zero,
                      .gradient_error = zero,
                      .H = Matrix::Zero(zero.size(), zero.size()),
                      .delta = zero};
  const Bounds region{outer.rows.lower, outer.rows.upper};
  return dual_bound(none, qp.constraints(), region, outer.entry_error, multipliers) > 0.0;
}

/// f(x) ≥ f(x) + λᵀG(x) − max_{w ∈ C} λᵀw ≥ q(x) on the box, from the curvature of f and G around x_C.
bool PartSearch::model() {
  auto q = lagrangian_minorant(base_.x, lambda_, box_);
  if (!q || (!is_definite(*q) && !make_definite(*q, box_))) return false;
  Cholesky factor;
  const double curvature = std::max(verified_least_eigenvalue(q->H), q->delta.minCoeff());
  if (!factor.compute(q->H)) return false;
  // centre = x − H⁻¹g up to rounding, which leaves some slope r there: q(u) = q(centre) + rᵀt + ½‖t‖²_H
  Vector d = -q->gradient;
  factor.solve_in_place(d);
  const double unit = rounding_unit(d.size());
  const Vector Hd = q->H * d, Hd_size = q->H.cwiseAbs() * d.cwiseAbs(), g_size = q->gradient.cwiseAbs();
  const Vector r = (q->gradient + Hd).cwiseAbs() + q->gradient_error + unit * (g_size + Hd_size);
  const double size = std::abs(q->f) + (g_size + Hd_size).dot(d.cwiseAbs());
  const double value = q->f + q->gradient.dot(d) + 0.5 * d.dot(Hd) - q->f_error -
                       q->gradient_error.dot(d.cwiseAbs()) - unit * size -
                       0.5 * r.squaredNorm() / (curvature * (1.0 - QuadraticBound::share));
  if (!std::isfinite(value) || !d.allFinite()) return false;
  Vector centre = q->at + d;
  model_ = QuadraticBound{std::move(*q), value, std::move(centre), QuadraticBound::share * curvature};
  return true;
}

/// λ as far as λᵀ(G(x) − w) ≤ 0 is known for some w ∈ C and all feasible x, with λᵀG convex.
Vector PartSearch::positive(Vector lambda) const {
  if (!problem_.has_G()) return {};
  const LinearConstraints C = *problem_.C.linear_constraints();
  if (!is_box(C)) return Vector::Zero(lambda.size());
  const bool affine = problem_.G.is_affine();
  for (Index j = 0; j < lambda.size(); ++j) {
    const bool usable = !std::isfinite(lambda[j]) ? false
                        : lambda[j] > 0.0         ? C.upper[j] < infinity
                                                  : affine && C.lower[j] > -infinity;
    if (!usable) lambda[j] = 0.0;
  }
  return lambda;
}

/// The minorant of f + λᵀ(G − w) at x, w being the corner of C that λ points to.
std::optional<Minorant> PartSearch::lagrangian_minorant(In x, In lambda, const Bounds& region) const {
  auto m = minorant(x, region);
  if (!m) return m;
  if (lambda.size() > 0 && !lambda.isZero(0.0)) {
    const LinearConstraints C = *problem_.C.linear_constraints();
    const Matrix J = problem_.G.jacobian(x).dense();
    Vector G(lambda.size()), w = Vector::Zero(lambda.size());
    problem_.G.evaluate(x, G);
    for (Index j = 0; j < lambda.size(); ++j)
      if (lambda[j] != 0.0) w[j] = lambda[j] > 0.0 ? C.upper[j] : C.lower[j];
    const Vector weight = lambda.cwiseAbs();
    Vector values(G.size()), slopes(G.size());
    problem_.G.magnitude(x, values, slopes);
    const double unit = unit_of_rows();
    m->f += lambda.dot(G - w);
    m->f_error += unit * weight.dot(values + w.cwiseAbs());
    m->gradient.noalias() += J.transpose() * lambda;
    m->gradient_error.array() += unit * weight.dot(slopes);
    if (!problem_.G.is_affine())
      if (const auto H = problem_.G.curvature_below(x, lambda)) m->H += H->dense();
  }
  if (!std::isfinite(m->f) || !m->gradient.allFinite() || !m->H.allFinite()) return std::nullopt;
  const auto& delta = diagonal_below(m->H);
  if (!delta) return std::nullopt;
  m->delta = *delta;
  return m;
}

const std::optional<Vector>& PartSearch::diagonal_below(const Matrix& H) const {
  if (known_H_.size() != H.size() || known_H_ != H) {
    known_H_ = H;
    known_delta_ = verified_diagonal(H);
  }
  return known_delta_;
}

/// What rounding may do to G, relative to what it adds up; the terms of a nonlinear one have roundings of their own.
double PartSearch::unit_of_rows() const {
  return (problem_.G.is_affine() ? 1.0 : 64.0) * rounding_unit(problem_.dimension());
}

/// The tangent of f at x and a curvature that keeps below f in the region, up to its own rounding. Nothing if none is
/// known; delta is yet to be found.
std::optional<Minorant> PartSearch::minorant(In x, const Bounds& region) const {
  const Index n = x.size();
  const double unit = rounding_unit(std::max(n, problem_.f.summands()));
  Minorant m{
      .at = x, .f = 0.0, .f_error = 0.0, .gradient = Vector(n), .gradient_error = Vector(n), .H = {}, .delta = {}};
  m.f = problem_.f.value_and_gradient(x, m.gradient);
  const double terms = problem_.f.magnitude(x, m.gradient_error);
  if (underflows(terms)) return std::nullopt;
  m.f_error = unit * terms;
  m.gradient_error *= unit;
  auto H = problem_.f.curvature_below(x, region.lower, region.upper);
  if (!H) return std::nullopt;
  m.H = std::move(*H);
  // entries are wrong by no more than unit·√(h_ii h_jj), together by no more than n·unit·diag(H)
  m.H.diagonal() *= 1.0 - static_cast<double>(n) * unit;
  return m;
}

// The search -----

/// One pass over all rows: the distance to the farthest half-space of a part bounds the distance to the part.
void PartSearch::screen() {
  projector_ = std::make_unique<DualActiveSet>(rows(0));
  if (!model_) {  // no bound by distance: every part has to be opened
    std::fill(level_.begin(), level_.end(), Level::projected);
    for (Index k = 0; k < parts_.bounds.size(); ++k) heap_.push_back({-infinity, k});
    return;
  }
  projector_->set_hessian(model_->q.H);
  screen_centre_ = model_->centre;
  violations_.resize(parts_.bounds.size());
  // the centre is rounded, and so are the products with it
  const double unit = rounding_unit(screen_centre_.size()), noise = unit * (screen_centre_.norm() + base_.x.norm());
  Vector slack;
  for (Index k = 0; k < violations_.size(); ++k) {
    const PreparedConstraints& part = *rows(k);
    const LinearConstraints& data = part.data;
    double farthest = 0.0;
    if (data.b.size() > 0) {
      slack.noalias() = *part.A * screen_centre_;
      slack -= data.b + unit * data.b.cwiseAbs();
      farthest = std::max(farthest, slack.cwiseProduct(part.row_scale).maxCoeff());
    }
    for (const Index j : part.bounded)
      farthest = std::max({farthest, data.lower[j] - screen_centre_[j] - unit * std::abs(data.lower[j]),
                           screen_centre_[j] - data.upper[j] - unit * std::abs(data.upper[j])});
    violations_[k] = std::max(farthest - noise, 0.0);
    parts_.bounds[k] = bound_at_distance(violations_[k]);
    heap_.push_back({parts_.bounds[k], k});
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

double PartSearch::bound_at_distance(double distance) const {
  const double gain = 0.5 * model_->curvature * distance * distance;
  return model_->value + gain * (1.0 - 8.0 * epsilon) - 2.0 * epsilon * std::abs(model_->value);
}

/// Always the part with the least bound: its bound is improved, until it is solved or all are dominated. As long as
/// no point is known, the best of every few parts projected is opened early: with a point to compare with, most parts
/// need no more than a glance.
void PartSearch::search() {
  constexpr std::size_t few = 8;
  std::vector<Index> projected;
  while (!heap_.empty() && !lacks_bounds() && !monitor_.expired(0)) {
    const auto [bound, part] = heap_.front();
    if (dominated(bound)) return;
    if (best_is_new_) {
      best_is_new_ = false;
      if (model_) tighten();
      continue;
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    const Level level = level_[static_cast<std::size_t>(part)];
    if (level == Level::projected) open(part);
    if (level != Level::screened) continue;  // what was opened early is still in the heap
    project(part);
    projected.push_back(part);
    if (best_f_ < infinity || projected.size() < few) continue;
    const auto by_bound = [&](Index a, Index b) { return parts_.bounds[a] < parts_.bounds[b]; };
    const Index best = *std::min_element(projected.begin(), projected.end(), by_bound);
    projected.clear();
    if (level_[static_cast<std::size_t>(best)] == Level::projected) open(best);
  }
}

void PartSearch::set_bound(Index part, double bound) { parts_.bounds[part] = std::max(parts_.bounds[part], bound); }

/// The bound by the distance of the whole part, in the metric of the model.
void PartSearch::project(Index part) {
  projector_->bind(rows(part));
  const Vector g = model_->q.H * model_->centre;
  const double shift = 0.5 * g.dot(model_->centre);
  const double cutoff = best_f_ < infinity ? best_f_ - model_->value - shift : infinity;
  const QpResult& found = projector_->solve(-g, {.cutoff = cutoff, .warm_start = false, .stop = stop()});
  if (found.status == QpStatus::optimal || found.status == QpStatus::cutoff) {
    const LinearConstraints& own = rows(part)->data;
    const Bounds region{own.lower.cwiseMax(box_.lower), own.upper.cwiseMin(box_.upper)};
    set_bound(part, dual_bound(model_->q, *rows(part), region, Vector(), found));
  }
  level_[static_cast<std::size_t>(part)] = Level::projected;
  heap_.push_back({parts_.bounds[part], part});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

/// Bounds by quadratic programs that close in on the part's optimum, then the solution.
void PartSearch::open(Index part) {
  level_[static_cast<std::size_t>(part)] = Level::open;
  projector_->bind(rows(part));
  const Vector& centre = model_ ? model_->centre : base_.x;
  const QpResult& nearest = projector_->solve(model_ ? Vector(-(model_->q.H * centre)) : Vector(-centre),
                                              {.warm_start = false, .stop = stop()});
  const bool usable = nearest.status == QpStatus::optimal && nearest.x.allFinite();
  Outer outer = outer_of(rows(part)->data, box_, usable ? nearest.x : base_.x);
  if (best_f_ < infinity) {
    for (int k = 0; k < most_bounds; ++k) {
      const Vector before = outer.x;
      if (!bound(part, outer)) return;
      if ((outer.x - before).norm() <= 1e-5 * (1.0 + before.norm())) break;
    }
  }
  solve(part, outer);
}

/// The part and a box; the rows of C are linearised where bounds are taken, and stay.
PartSearch::Outer PartSearch::outer_of(const LinearConstraints& part, const Bounds& box, Vector x) const {
  Outer outer{.x = std::move(x), .lambda = lambda_, .rows = part};
  outer.rows.lower = outer.rows.lower.cwiseMax(box.lower);
  outer.rows.upper = outer.rows.upper.cwiseMin(box.upper);
  outer.empty = !reconcile(outer.rows.lower, outer.rows.upper);
  outer.own = outer.rows.b.size();
  return outer;
}

/// Adds the rows of C linearised at outer.x: those that matter there, and all the first time.
void PartSearch::linearise(Outer& outer) const {
  if (!problem_.has_G() || (problem_.G.is_affine() && outer.rounds > 0)) return;
  const Vector x = problem_.G.is_affine() ? Vector::Zero(outer.x.size()) : outer.x;  // where nothing cancels
  const Matrix J = problem_.G.jacobian(x).dense();
  Vector G(J.rows()), values(J.rows()), slopes(J.rows());
  problem_.G.evaluate(x, G);
  problem_.G.magnitude(x, values, slopes);
  const Vector at = J * x - G;  // G(x) + J(u − x) = J u − at
  const Vector error = unit_of_rows() * (J.cwiseAbs() * x.cwiseAbs() + values + slopes);
  if (!J.allFinite() || !at.allFinite()) return;  // overflow far out: fewer rows are an outer approximation, too
  LinearConstraints C = *problem_.C.linear_constraints();
  std::vector<Index> components(static_cast<std::size_t>(C.b.size()), -1);
  for (Index j = 0; j < G.size(); ++j) {
    if (C.lower[j] == C.upper[j]) continue;
    const bool matters = outer.rounds == 0 || G[j] > C.upper[j] || (outer.lambda.size() > 0 && outer.lambda[j] > 0.0);
    if (!matters) C.upper[j] = infinity;
    if (C.upper[j] < infinity) components.push_back(j);
  }
  std::vector<Index> all(static_cast<std::size_t>(G.size()));
  std::iota(all.begin(), all.end(), Index{0});
  LinearConstraints cut = C.preimage(Operator::selection(G.size(), all), -at);
  components.resize(static_cast<std::size_t>(cut.b.size()), -1);
  outer.of.insert(outer.of.end(), components.begin(), components.end());
  // rows of C combine those of G, and their errors
  const Vector errors = error + rounding_unit(J.rows()) * (J.cwiseAbs().rowwise().maxCoeff() + at.cwiseAbs());
  Vector grown = Vector::Zero(outer.rows.b.size() + cut.b.size() + outer.rows.d.size() + cut.d.size());
  if (outer.entry_error.size() > 0) {
    grown.head(outer.rows.b.size()) = outer.entry_error.head(outer.rows.b.size());
    grown.segment(outer.rows.b.size() + cut.b.size(), outer.rows.d.size()) =
        outer.entry_error.tail(outer.rows.d.size());
  }
  if (cut.b.size() > 0) cut.A.magnitude_times(errors, grown.segment(outer.rows.b.size(), cut.b.size()));
  if (cut.d.size() > 0) cut.E.magnitude_times(errors, grown.tail(cut.d.size()));
  outer.entry_error = std::move(grown);
  if (cut.b.size() > 0) cut.A = (cut.A * Operator(J)).dense();
  if (cut.d.size() > 0) cut.E = (cut.E * Operator(J)).dense();
  outer.rows.append({std::move(cut.A), std::move(cut.b), std::move(cut.E), std::move(cut.d),
                     Vector::Constant(x.size(), -infinity), Vector::Constant(x.size(), infinity)});
}

/// One quadratic program: the minorant of the Lagrangian f + λᵀ(G − w) at outer.x over the outer approximation.
/// False: the part is done with. The solution is the next point, its multipliers are the next λ.
bool PartSearch::bound(Index part, Outer& outer) {
  if (outer.empty) return exclude(part, outer);
  const auto below = lagrangian_minorant(outer.x, outer.lambda, {outer.rows.lower, outer.rows.upper});
  if (!below) return true;
  linearise(outer);
  ++outer.rounds;
  DualActiveSet qp(outer.rows);
  Matrix H = below->H;
  if (!is_definite(*below)) H.diagonal().array() += regularisation(*below);
  const QpResult& found = qp.solve(H, below->gradient - H * outer.x, {.stop = stop()});
  const Bounds region{outer.rows.lower, outer.rows.upper};
  if (found.status == QpStatus::infeasible) {
    if (contradicts(outer, qp, found)) return exclude(part, outer);
    // they leave points far out, where f is large if it is curved
    QpResult multiple = found;
    for (double factor = 1.0; factor < 1e30 && !dominated(parts_.bounds[part]); factor *= 100.0) {
      multiple.rows = factor * found.rows, multiple.equalities = factor * found.equalities;
      set_bound(part, dual_bound(*below, qp.constraints(), region, outer.entry_error, multiple));
    }
  } else if (found.status == QpStatus::optimal) {
    set_bound(part, dual_bound(*below, qp.constraints(), region, outer.entry_error, found));
  } else {
    return true;
  }
  if (dominated(parts_.bounds[part])) {
    ++parts_.counts.bounded;
    close(part, parts_.bounds[part]);
    return false;
  }
  if (found.status == QpStatus::infeasible) return true;
  if (outer.lambda.size() > 0 && !problem_.G.is_affine()) {
    outer.lambda.setZero();
    for (std::size_t k = 0; k < outer.of.size(); ++k)
      if (outer.of[k] >= 0) outer.lambda[outer.of[k]] += std::max(found.rows[outer.own + static_cast<Index>(k)], 0.0);
  }
  outer.x = found.x;
  return true;
}

/// No point of the part can be feasible, or, in a box that only holds better points, better. Where a point is known
/// that is feasible up to the tolerance, none is better.
bool PartSearch::exclude(Index part, const Outer& outer) {
  const bool may_be_feasible = box_tightened_ || outer.has_point;
  ++(may_be_feasible ? parts_.counts.bounded : parts_.counts.infeasible);
  close(part, may_be_feasible ? best_f_ : infinity);
  return false;
}

/// The convex problem on the part, to the end, and its bound there.
void PartSearch::solve(Index part, Outer& outer) {
  Problem on_part = problem_;
  on_part.D = piece(part).set;
  NlpResult found = sqp(on_part, outer.x, {.lambda = lambda_, .stop = stop()});
  outer.has_point = is_feasible(found);
  if (!outer.has_point && proves_infeasible(rows(part)->data, found.x)) {
    ++parts_.counts.infeasible;
    return close(part, infinity);
  }
  // far out, rounding may leave the part: neither a point nor a bound
  if (outer.has_point && !lies_in(on_part.D, found.x)) {
    ++parts_.counts.unresolved;
    if (parts_.bounds[part] == -infinity) without_bound_ = part;
    return close(part, parts_.bounds[part]);
  }
  outer.x = found.x;
  if (outer.has_point) {
    outer.lambda = positive(found.lambda);
    accept(part, std::move(found));
  }
  const PartCounts before = parts_.counts;
  bool undecided = true;
  for (int k = 0; k < most_bounds && undecided && outer.x.allFinite(); ++k) undecided = bound(part, outer);
  if (!undecided && !outer.has_point) return;
  parts_.counts = before;
  ++(undecided ? parts_.counts.unresolved : parts_.counts.solved);
  if (undecided) close(part, parts_.bounds[part]);
  if (parts_.bounds[part] == -infinity) without_bound_ = part;
}

void PartSearch::close(Index part, double bound) {
  level_[static_cast<std::size_t>(part)] = Level::closed;
  set_bound(part, bound);
}

void PartSearch::accept(Index part, NlpResult found) {
  if (found.f >= best_f_) return;
  best_f_ = found.f;
  tolerance_ = allowed_gap(problem_.f, found.x, found.f, limits_.gap);
  parts_.part = part;
  result_.y = std::move(found.x);
  result_.lambda = std::move(found.lambda);
  best_is_new_ = true;
}

/// Points better than the best one lie in the ellipsoid q(x) ≤ f_best; in its box f is curved more.
void PartSearch::tighten() {
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    Cholesky factor;
    const Matrix& H = model_->q.H;
    if (!factor.compute(H)) return;
    const Index n = box_.lower.size();
    const double depth = std::max(best_f_ + tolerance_ - model_->value, 0.0) / QuadraticBound::share;
    const double before = (box_.upper - box_.lower).norm();
    for (Index j = 0; j < n; ++j) {
      // (H⁻¹)_jj = v_j + vᵀs + sᵀH⁻¹s for any v, with s = e_j − Hv
      const Vector unit = Vector::Unit(n, j);
      Vector v = unit;
      factor.solve_in_place(v);
      const Vector error = rounding_unit(n) * (unit + H.cwiseAbs() * v.cwiseAbs());
      const Vector s = (unit - H * v).cwiseAbs() + error;
      const double inverse = std::abs(v[j]) + v.cwiseAbs().dot(s) + s.squaredNorm() / model_->curvature;
      const double reach = std::sqrt(2.0 * depth * inverse) * outward + rounding_down * (1.0 + model_->centre.norm());
      box_.lower[j] = std::max(box_.lower[j], model_->centre[j] - reach);
      box_.upper[j] = std::min(box_.upper[j], model_->centre[j] + reach);
    }
    box_tightened_ = true;
    const QuadraticBound old = *model_;
    if (!model() || model_->value < old.value - tolerance_) model_ = old;
    if ((box_.upper - box_.lower).norm() > 0.9 * before) break;
  }
  projector_->set_hessian(model_->q.H);
  const double moved = (model_->centre - screen_centre_).norm() * outward +
                       rounding_unit(box_.lower.size()) * (model_->centre.norm() + screen_centre_.norm());
  for (Entry& entry : heap_) {
    set_bound(entry.part, bound_at_distance(std::max(violations_[entry.part] - moved, 0.0)));
    entry.bound = parts_.bounds[entry.part];
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

/// What the bounds of all parts say together.
bool PartSearch::finish() {
  Result& r = result_;
  const double least = parts_.bounds.minCoeff();
  r.f = best_f_;
  r.bound = std::min(best_f_, least);
  for (Index k = 0; k < parts_.bounds.size(); ++k)
    if (level_[static_cast<std::size_t>(k)] != Level::closed)
      ++(dominated(parts_.bounds[k]) ? parts_.counts.screened : parts_.counts.unresolved);
  if (parts_.part < 0 && least == infinity) {
    parts_.counts = {.infeasible = parts_.bounds.size()};
    r.status = Status::infeasible;
    r.message = "proved: no part has a point that satisfies G(x) in C";
    return true;
  }
  const auto proved = parts_.part < 0 ? std::nullopt : status_of_gap(problem_.f, r.y, best_f_, least, limits_.gap);
  if (proved) {
    r.status = *proved;
    return true;
  }
  if (monitor_.reason())
    r.message = "stopped early";
  else if (lacks_bounds())
    r.message = fmt::format(
        "f has no quadratic lower bound on part {}: no curvature known, and no bounded region (bounds of x would "
        "help)",
        without_bound_);
  else
    r.message = "some parts could be neither solved nor excluded";
  return false;
}

}  // namespace pendec::detail
