#include "pendec/solvers/lowrank/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/manifold/grassmann.hpp"
#include "completion_residual.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/solvers/solve.hpp"

namespace pendec {
namespace {

constexpr Index largest_dense =
    100'000;  // entries of a boxed problem for the general method, which is slow but thorough
constexpr double certified = 1e-6;
constexpr double box_tolerance = 1e-6;  // of the scale of the problem
constexpr Index max_iterations = 500;

using Sparse = Eigen::SparseMatrix<double>;

/// What the solvers below work on.
struct Factored : CompletionDetails {
  double stationarity = infinity;
  double box_error = 0.0;
  Index iterations = 0;
};

Sparse sparse_matrix(const CompletionProblem& problem) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(problem.seen.size());
  for (const Observation& o : problem.seen) triplets.emplace_back(o.row, o.column, o.value);
  Sparse A(problem.rows, problem.cols);
  A.setFromTriplets(triplets.begin(), triplets.end());  // keeps zeros that were seen
  return A;
}

/// Leading left singular vectors of A with zeros for what was not seen, by a few steps of subspace iteration.
Matrix leading_left(const Sparse& A, Index kappa) {
  Matrix Q = detail::orthonormal_columns(Random(1).normal_matrix(A.rows(), kappa));
  for (int step = 0; step < 10; ++step) {
    const Matrix image = A.transpose() * Q;
    Q = detail::orthonormal_columns(A * image);
  }
  return Q;
}

/// At X = BCᵀ normals of the matrices of rank κ are the N with BᵀN = 0, NC = 0. What the gradient of f misses of the
/// first is left of the solves for C; the second is judged on an orthonormal basis of C. Both relative to the
/// gradient, or what rounding leaves of it. What is not a number is no certificate.
double stationarity(const detail::ProjectedResidual& at, const Factored& r, double gamma, double size) {
  const double miss = std::hypot((at.gradient(r.B) * detail::orthonormaliser(r.C)).norm(), at.slope_norm());
  const double scale = std::max({at.residual_norm(), gamma * r.C.norm(), 1e-6 * size});
  if (scale == 0.0 && miss == 0.0) return 0.0;
  const double relative = miss / scale;
  return std::isnan(relative) ? infinity : relative;
}

/// The end of a minimisation becomes the point; returns the function there.
const detail::ProjectedResidual& take(const detail::SubspaceEnd& end, double gamma, double size, Factored& r) {
  const auto& at = static_cast<const detail::ProjectedResidual&>(*end.at);
  r.B = end.B;
  r.C = at.C();
  r.iterations += end.iterations;
  r.stationarity = stationarity(at, r, gamma, size);
  return at;
}

/// The norm of the gradient at the subspace to begin with.
double first_slope(detail::ProjectedResidual phi, const Matrix& B) {
  phi.evaluate(B);
  return phi.gradient(B).norm();
}

void run_factored(const CompletionProblem& problem, const CompletionOptions& options, const Deadline& deadline,
                  Factored& r) {
  const Sparse A = sparse_matrix(problem);
  const Matrix start = leading_left(A, problem.kappa);
  r.B = start;  // with C the best of its rank where what was not seen is zero, until there is a better one
  r.C = A.transpose() * start;
  detail::ProjectedResidual phi(A, problem.gamma, deadline);
  const double value = phi.evaluate(start);
  const double first = phi.gradient(start).norm();
  const double noise = 1e3 * epsilon * (std::abs(value) + A.squaredNorm());
  // A gradient over subspaces says little about directions with small entries in C: it has to become smaller then.
  for (double tolerance = options.tolerance * first; r.iterations < max_iterations; tolerance *= 1e-2) {
    const detail::SubspaceEnd end = detail::minimise_over_subspaces(phi, r.B, std::max(tolerance, noise),
                                                                    max_iterations - r.iterations, deadline);
    take(end, problem.gamma, A.norm(), r);
    if (r.stationarity <= certified || tolerance <= noise || deadline.passed()) break;
  }
}

/// By the general method, on the dense X.
void run_dense(const CompletionProblem& problem, const Deadline& deadline, Factored& r) {
  Options settings = default_preset(Method::automatic);
  settings.driver.route = Route::general;
  settings.limits.seconds = deadline.left();
  const Result run =
      solve(problem.problem(), Vector::Zero(problem.rows * problem.cols), settings, {.stop = deadline.token()});
  const detail::ThinSvd svd = detail::thin_svd(ConstMatrixView(run.y.data(), problem.rows, problem.cols));
  r.B = svd.U.leftCols(problem.kappa);
  r.C = svd.V.leftCols(problem.kappa) * svd.sigma.head(problem.kappa).asDiagonal();
  r.iterations = run.counts.inner;
  r.stationarity = run.certificate.relative_stationarity();
  r.box_error = detail::box_violation(problem, r);
}

/// The augmented Lagrangian of the box, each of its minimisations from the point before.
void run_boxed(const CompletionProblem& problem, const CompletionOptions& options, const Deadline& deadline,
               Factored& r) {
  constexpr int max_outer = 60;
  constexpr Index max_inner = 30;  // where entries enter and leave the box, better multipliers help more than steps
  constexpr double largest_tau = 1e6;
  const Sparse A = sparse_matrix(problem);
  detail::BoxTerm box{problem.box->first, problem.box->second, detail::biases_of(problem), 1.0, {}};
  box.lambda.resize(static_cast<std::size_t>(problem.cols));
  const double allowed = box_tolerance * problem.scale();
  double before = infinity, first = 0.0, radius = 0.5;
  r.B = leading_left(A, problem.kappa);
  r.C = A.transpose() * r.B;
  r.box_error = infinity;

  {  // Without the box first: far from a fit, entries outside it lead to worse minima.
    const detail::ProjectedResidual open(A, problem.gamma, deadline);
    const detail::SubspaceEnd end =
        detail::minimise_over_subspaces(open, r.B, 1e-3 * first_slope(open, r.B), max_inner, deadline);
    take(end, problem.gamma, A.norm(), r);
    r.stationarity = infinity;  // that was another problem
  }
  for (int outer = 0; outer < max_outer; ++outer) {
    const detail::ProjectedResidual phi(A, problem.gamma, deadline, &box);
    if (outer == 0) first = first_slope(phi, r.B);
    // Early multipliers are far from the last ones: so may their minimisers be.
    const double tolerance = std::max(options.tolerance, 1e-2 * std::pow(0.1, outer)) * first;
    const detail::SubspaceEnd end = detail::minimise_over_subspaces(
        phi, r.B, tolerance, std::min(max_inner, max_iterations - r.iterations), deadline, radius);
    const detail::ProjectedResidual& at = take(end, problem.gamma, A.norm(), r);
    r.box_error = at.box_error();
    radius = std::clamp(4.0 * end.radius, 1e-3, 0.5);
    if ((r.stationarity <= certified && r.box_error <= allowed) || deadline.passed() ||
        r.iterations >= max_iterations)
      break;
    box.lambda = at.multipliers();
    // A larger τ makes minimisers harder to reach: none before they are.
    if (r.box_error > 0.5 * before && r.stationarity <= 1e-3) box.tau = std::min(4.0 * box.tau, largest_tau);
    before = r.box_error;
  }
}

double largest_seen(const CompletionProblem& problem) {
  double largest = 0.0;
  for (const Observation& o : problem.seen) largest = std::max(largest, std::abs(o.value));
  return largest;
}

/// All values times 2^power: exact, as long as they stay in the range of normal numbers.
Vector shifted(const Vector& values, int power) {
  return values.unaryExpr([power](double value) { return std::ldexp(value, power); });
}

/// The same problem in another unit: X becomes 2^power X.
CompletionProblem shifted(CompletionProblem problem, int power) {
  for (Observation& o : problem.seen) o.value = std::ldexp(o.value, power);
  if (problem.box) problem.box = {std::ldexp(problem.box->first, power), std::ldexp(problem.box->second, power)};
  if (Biases* b = problem.biases ? &*problem.biases : nullptr)
    *b = {std::ldexp(b->mean, power), shifted(b->row, power), shifted(b->column, power)};
  return problem;
}

/// How many rows and columns have at most κ entries that were seen: whatever these are, some factor fits them.
std::pair<Index, Index> undetermined(const CompletionProblem& problem) {
  std::vector<Index> rows(static_cast<std::size_t>(problem.rows)), columns(static_cast<std::size_t>(problem.cols));
  for (const Observation& o : problem.seen) {
    ++rows[static_cast<std::size_t>(o.row)];
    ++columns[static_cast<std::size_t>(o.column)];
  }
  const auto few = [&](Index count) { return count <= problem.kappa; };
  return {std::count_if(rows.begin(), rows.end(), few), std::count_if(columns.begin(), columns.end(), few)};
}

}  // namespace

void CompletionProblem::validate() const {
  require(rows >= 1, "rows", rows, "at least 1");
  require(cols >= 1, "cols", cols, "at least 1");
  require(kappa >= 1 && kappa <= std::min(rows, cols), "CompletionProblem.kappa", kappa,
          fmt::format("1 <= kappa <= min(rows, cols) = {}", std::min(rows, cols)));
  require(gamma >= 0.0 && std::isfinite(gamma), "CompletionProblem.gamma", gamma, "a number, at least 0");
  require(!seen.empty(), "seen", Index{0}, "at least one entry");
  std::vector<std::pair<Index, Index>> places;
  places.reserve(seen.size());
  for (const Observation& o : seen) {
    const bool inside = o.row >= 0 && o.row < rows && o.column >= 0 && o.column < cols;
    if (!inside) throw InvalidArgument("seen", fmt::format("({}, {})", o.row, o.column), "a place of the matrix");
    if (!std::isfinite(o.value))
      throw InvalidArgument(fmt::format("seen({}, {})", o.row, o.column), to_text(o.value), "a finite number");
    places.emplace_back(o.row, o.column);
  }
  std::sort(places.begin(), places.end());
  const auto twice = std::adjacent_find(places.begin(), places.end());
  if (twice != places.end())
    throw InvalidArgument("seen", fmt::format("({}, {})", twice->first, twice->second), "each place once");
  if (biases) {
    require_dimension("biases.row", biases->row.size(), rows);
    require_dimension("biases.column", biases->column.size(), cols);
    require_finite("biases.mean", Vector::Constant(1, biases->mean));
    require_finite("biases.row", biases->row);
    require_finite("biases.column", biases->column);
  }
  if (!box) return;
  require(box->first < infinity, "box.lower", box->first, "a number or -inf");
  require(box->second > -infinity, "box.upper", box->second, "a number or inf");
  require(box->first <= box->second, "box.lower", box->first, fmt::format("at most box.upper = {}", box->second));
}

double CompletionProblem::scale() const {
  double largest = largest_seen(*this);
  if (box)
    for (const double side : {box->first, box->second})
      if (std::isfinite(side)) largest = std::max(largest, std::abs(side));
  return largest;
}

Problem CompletionProblem::problem() const {
  validate();
  const Index n = rows * cols;
  // ½ w (x − c)² + constant is ½ (x − a)² + γ/2 x² for w = 1 + γ, c = a/w; unseen entries have w = γ.
  Vector weights = Vector::Constant(n, gamma), centre = Vector::Zero(n);
  for (const Observation& o : seen) {
    weights[o.row + rows * o.column] = 1.0 + gamma;
    centre[o.row + rows * o.column] = o.value / (1.0 + gamma);
  }
  Problem p{
      .f = SquaredDistance(centre, weights), .D = LowRank(rows, cols, kappa), .space = Space::matrix(rows, cols)};
  if (box) {
    const Biases shift = detail::biases_of(*this);
    const Vector bias = ((shift.row.replicate(1, cols).rowwise() + shift.column.transpose()).array() + shift.mean)
                            .matrix()
                            .reshaped();
    p.G = Selection::identity(n);
    p.C = Box((box->first - bias.array()).matrix(), (box->second - bias.array()).matrix());
  }
  return p;
}

Result complete_matrix(const CompletionProblem& problem, const CompletionOptions& options) {
  const Deadline deadline(options.seconds, options.stop);
  problem.validate();
  detail::check_ranges(options, "CompletionOptions.");
  Factored at;
  // Solved in a unit in which the largest entry is about one: its square, in f, has to be a number.
  const double largest = largest_seen(problem);
  const int power = largest > 0.0 ? std::ilogb(largest) : 0;
  const CompletionProblem unit = shifted(problem, -power);
  unit.validate();  // a bias or a side of the box may have no number in this unit
  try {
    const bool small = unit.rows * unit.cols <= largest_dense;
    if (!unit.box)
      run_factored(unit, options, deadline, at);
    else
      small ? run_dense(unit, deadline, at) : run_boxed(unit, options, deadline, at);
  } catch (const OutOfTime&) {  // `at` has the best point so far
  }
  if (at.box_error == infinity) at.box_error = detail::box_violation(unit, at);  // there was no time for the box
  for (Index k = 0; k < at.C.cols(); ++k) at.C.col(k) = shifted(at.C.col(k), power);
  at.box_error = std::ldexp(at.box_error, power);
  at.biases = problem.biases;

  Result r = Result::of_class("completion", unit.box ? "augmented Lagrangian" : "variable projection", options.seconds,
                              NoDetails{});
  r.f = detail::measure(problem, at);
  r.counts.outer = at.iterations;
  r.times.total = deadline.seconds();
  Certificate& c = r.certificate;  // relative to the gradient and to the scale
  c.epsilon = c.m_residual = at.stationarity;
  c.distance_C = c.z = c.natural = at.box_error;
  c.distance_D = 0.0;
  c.feasibility_scale = c.point_scale = std::max(problem.scale(), std::numeric_limits<double>::min());
  if (!std::isfinite(r.f)) {
    r.status = Status::not_finite;
    r.message = fmt::format("the objective is no finite number: the largest entry is {}", to_text(largest));
  } else if (at.stationarity <= certified && at.box_error <= box_tolerance * problem.scale()) {
    r.status = Status::converged;
    r.message = "a stationary point of the matrices of this rank";
  } else {
    r.status = status_at(deadline, Status::stalled);
    r.message = at.stationarity <= certified ? "the box is violated" : "stopped before the gradient was small";
    if (const auto [rows, columns] = undetermined(problem);
        problem.gamma == 0.0 && !problem.box && rows + columns > 0)
      r.message += fmt::format(
          "; rank {} fits {} rows and {} columns with at most {} entries exactly, and without gamma a minimum need "
          "not exist: it may be approached by entries without bound",
          problem.kappa, rows, columns, problem.kappa);
  }
  r.details = static_cast<CompletionDetails&&>(std::move(at));
  return r;
}

Biases fit_biases(Index rows, Index cols, const std::vector<Observation>& seen, double shrinkage) {
  require(!seen.empty(), "seen", Index{0}, "at least one entry");
  require(shrinkage >= 0.0 && std::isfinite(shrinkage), "shrinkage", shrinkage, "a number, at least 0");
  Biases b{0.0, Vector::Zero(rows), Vector::Zero(cols)};
  for (const Observation& o : seen) b.mean += o.value / static_cast<double>(seen.size());
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (const bool of_rows : {false, true}) {
      Vector& bias = of_rows ? b.row : b.column;
      Vector sums = Vector::Zero(bias.size()), counts = Vector::Constant(bias.size(), shrinkage + 1e-300);
      for (const Observation& o : seen) {
        const Index i = of_rows ? o.row : o.column;
        sums[i] += o.value - b.mean - (of_rows ? b.column[o.column] : b.row[o.row]);
        counts[i] += 1.0;
      }
      bias = sums.cwiseQuotient(counts);
    }
  }
  return b;
}

std::pair<std::vector<Observation>, std::vector<Observation>> split(const std::vector<Observation>& seen,
                                                                    double fraction, std::uint64_t seed) {
  require(fraction >= 0.0 && fraction < 1.0, "fraction", fraction, "0 <= fraction < 1");
  const auto count = static_cast<Index>(seen.size());
  const auto held = static_cast<Index>(std::floor(fraction * static_cast<double>(count)));
  std::vector<Index> order(seen.size());
  std::iota(order.begin(), order.end(), Index{0});
  Random random(seed);
  for (Index k = 0; k < held; ++k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(k + random.below(count - k))]);
  std::vector<bool> out(seen.size(), false);
  for (Index k = 0; k < held; ++k) out[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = true;
  std::pair<std::vector<Observation>, std::vector<Observation>> parts;
  for (std::size_t e = 0; e < seen.size(); ++e) (out[e] ? parts.second : parts.first).push_back(seen[e]);
  return parts;
}

double rmse(const std::vector<Observation>& entries, const Biases& biases, const CompletionDetails* result) {
  Vector error(static_cast<Index>(entries.size()));
  for (Index e = 0; e < error.size(); ++e) {
    const Observation& o = entries[static_cast<std::size_t>(e)];
    error[e] = biases.at(o.row, o.column) + (result ? result->entry(o.row, o.column) : 0.0) - o.value;
  }
  return error.blueNorm() / std::sqrt(static_cast<double>(std::max<Index>(error.size(), 1)));
}

}  // namespace pendec
