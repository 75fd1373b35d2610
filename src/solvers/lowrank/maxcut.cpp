#include "pendec/solvers/lowrank/maxcut.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/manifold/unit_rows.hpp"
#include "correlation_parts.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"

namespace pendec {
namespace {

constexpr Index largest_bounded = 3000;

using SparseWeights = Eigen::SparseMatrix<double>;

void check(const Graph& graph, const MaxCutOptions& options) {
  require(graph.n >= 1, "n", graph.n, "at least one vertex");
  double magnitude = 0.0;
  for (const Edge& e : graph.edges) {
    const bool inside = e.i >= 0 && e.j >= 0 && e.i < graph.n && e.j < graph.n;
    if (!inside || e.i == e.j)
      throw InvalidArgument("edge", fmt::format("({}, {})", e.i, e.j),
                            fmt::format("two different vertices below {}", graph.n));
    if (!std::isfinite(e.weight))
      throw InvalidArgument(fmt::format("weight({}, {})", e.i, e.j), to_text(e.weight), "a finite number");
    magnitude += std::abs(e.weight);
  }
  require(std::isfinite(magnitude), "the sum of the weights' magnitudes", magnitude, "a finite number");
  if (options.rank)
    require(*options.rank <= graph.n, "MaxCutOptions.rank", *options.rank,
            fmt::format("1 <= rank <= n = {}", graph.n));
  detail::check_ranges(options, "MaxCutOptions.");
}

SparseWeights weights_of(const Graph& graph) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (const Edge& e : graph.edges) {
    triplets.emplace_back(e.i, e.j, e.weight);
    triplets.emplace_back(e.j, e.i, e.weight);
  }
  SparseWeights W(graph.n, graph.n);
  W.setFromTriplets(triplets.begin(), triplets.end());
  return W;
}

/// The largest rank for which the machine has memory: L-BFGS keeps some twenty matrices of the size of V.
double affordable_rank(Index n) {
  constexpr double matrices = 20.0;
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES)),
               size = static_cast<double>(sysconf(_SC_PAGESIZE));
  if (!(pages > 0.0 && size > 0.0)) return infinity;
  return std::floor(pages * size / (8.0 * static_cast<double>(n) * matrices));
}

/// Barvinok and Pataki: some optimal X has a rank r with r(r + 1)/2 ≤ n; one more leaves no bad local minima.
Index sufficient_rank(Index n) {
  return std::min(static_cast<Index>(std::ceil(std::sqrt(2.0 * static_cast<double>(n)))) + 1, n);
}

/// The rank of the factor that is optimised. Where X is to be of rank one, the point is a cut, and it comes from a
/// relaxation as any other; of a graph too large for a bound one of few dimensions, which round as well. Rather no
/// solve than one that the system ends for want of memory.
Index rank_of_relaxation(Index n, const MaxCutOptions& options) {
  const auto affordable = static_cast<Index>(std::min(affordable_rank(n), static_cast<double>(n)));
  require(affordable >= 1, "n", n, "fewer vertices: this machine has too little memory even for a rank of 1");
  if (options.rank == 1) return std::min(n <= largest_bounded ? sufficient_rank(n) : Index{4}, affordable);
  const Index rank = options.rank.value_or(sufficient_rank(n));
  if (options.rank)
    require(rank <= affordable, "MaxCutOptions.rank", rank,
            fmt::format("at most {}, for which this machine has the memory, with n = {}", affordable, n));
  else
    require(rank <= affordable, "n", n,
            fmt::format("fewer vertices, or a rank given: of the {} that suffice this machine has memory for {}",
                        rank, affordable));
  return rank;
}

/// F(V) = ½⟨WV, V⟩ = Σ_{i<j} w_ij ⟨vᵢ, vⱼ⟩.
class CutFunction final : public detail::RowFunction {
 public:
  explicit CutFunction(const SparseWeights& W) : W_(W) {}
  double evaluate(const Matrix& V, Matrix& gradient) override {
    gradient.noalias() = W_ * V;
    return 0.5 * gradient.reshaped().dot(V.reshaped());
  }

 private:
  const SparseWeights& W_;
};

/// Turns single vertices to the other side while the cut grows.
void improve(const SparseWeights& W, Vector& side) {
  Vector pull = W * side;  // moving i changes the cut by side_i · pull_i
  const double noise = 1e-12 * W.coeffs().cwiseAbs().sum();
  for (Index i = 0, unchanged = 0; unchanged < side.size(); i = (i + 1) % side.size()) {
    ++unchanged;
    if (!(side[i] * pull[i] > noise)) continue;
    for (SparseWeights::InnerIterator it(W, i); it; ++it) pull[it.row()] -= 2.0 * it.value() * side[i];
    side[i] = -side[i];
    unchanged = 0;
  }
}

void round(const Graph& graph, const SparseWeights& W, const MaxCutOptions& options, const Deadline& deadline,
           Result& r) {
  Random random(options.seed);
  auto& at = std::get<CutDetails>(r.details);
  at.cut = -infinity;
  for (Index k = 0; k < options.roundings && !(k > 0 && deadline.passed()); ++k) {
    const Vector projected = at.V * random.normal_vector(at.V.cols());
    Vector side = (projected.array() >= 0.0).select(Vector::Ones(graph.n), -Vector::Ones(graph.n));
    improve(W, side);
    const double cut = graph.cut(side);
    if (cut <= at.cut) continue;
    at.cut = cut;
    r.y = side;
  }
}

/// ⟨W, X⟩ ≥ eᵀν + n λ_min(W − Diag ν) for every correlation matrix X bounds all cuts. Returns how far λ_min is below
/// 0, ∞ if that was not computed: for a large graph, or for want of time.
double bound_cuts(const Graph& graph, const SparseWeights& W, const Vector& nu, const Deadline& deadline,
                  CutDetails& at) {
  const double n = static_cast<double>(graph.n), edges = static_cast<double>(graph.edges.size());
  double positive = 0.0, magnitude = 0.0;
  for (const Edge& e : graph.edges) {
    positive += std::max(e.weight, 0.0);
    magnitude += std::abs(e.weight);
  }
  const double rounding = 4.0 * (n + edges) * epsilon * (magnitude + nu.lpNorm<1>());
  at.upper_bound = positive + rounding;
  if (graph.n > largest_bounded) return infinity;
  Matrix dual_slack = -Matrix(W);
  dual_slack.diagonal() += nu;
  double excess = infinity;
  try {
    excess = std::max(detail::largest_eigenvalue_bound(dual_slack, deadline), 0.0);
  } catch (const OutOfTime&) {
    return excess;
  }
  const double least = nu.sum() - n * excess;
  at.upper_bound = std::min(at.upper_bound, 0.5 * (graph.total_weight() - 0.5 * least) + rounding);
  return excess;
}

/// How long bound_cuts() will take, from a quarter of its matrix; 0 if that leaves too little time for anything else.
double reserve_for_bound(const SparseWeights& W, const Deadline& deadline) {
  if (W.rows() > largest_bounded || deadline.left() == infinity) return 0.0;
  const Deadline stopwatch;
  const Index part = W.rows() / 4;
  detail::symmetric_eigenvalues(Matrix(W.topLeftCorner(part, part)));
  const double seconds = 100.0 * stopwatch.seconds();  // 4³ times as many operations, on slower memory
  return 2.0 * seconds <= deadline.left() ? seconds : 0.0;
}

/// max_cut() for weights of at most 1.
Result cut_scaled(const Graph& graph, const MaxCutOptions& options) {
  const Deadline deadline(options.seconds, options.stop);
  const Index n = graph.n;
  const bool signs = options.rank == 1;
  const bool bounded = options.rank && *options.rank < sufficient_rank(n);  // the rank bound is one
  const Index rank = rank_of_relaxation(n, options);
  const SparseWeights W = weights_of(graph);

  Result r = Result::of_class("maxcut", "low-rank relaxation and hyperplanes", options.seconds, CutDetails{});
  auto& at = std::get<CutDetails>(r.details);
  at.V = Random(options.seed).normal_matrix(n, rank);
  detail::normalise_rows(at.V);
  CutFunction F(W);
  const double size = std::max((W * at.V).norm(), 1e-300);
  const double reserve = reserve_for_bound(W, deadline);
  const auto stop = [&] { return deadline.passed() || deadline.left() < reserve; };
  detail::UnitRowsEnd end =
      detail::minimise_on_unit_rows(F, at.V, {.tolerance = options.tolerance * size, .stop = stop});
  const bool stopped = end.status == detail::UnitRowsStatus::stopped;
  r.counts.outer = end.iterations;
  const double excess = bound_cuts(graph, W, end.radial, deadline, at);
  round(graph, W, options, deadline, r);
  if (signs) {  // the best point is the best cut
    at.V = r.y;
    end = detail::minimise_on_unit_rows(F, at.V, {.max_iterations = 0});
  }
  at.relaxation = 0.5 * (graph.total_weight() - end.value);

  // Where X has no other bound on its rank, or V is of a lower one, normals must be negative semidefinite.
  const bool full = detail::orthonormal_factor(at.V).Q.cols() == at.V.cols();
  const double positive_part = bounded && full ? 0.0 : std::sqrt(static_cast<double>(n)) * excess;
  r.certificate = detail::certify_factor(at.V, end.gradient, end.radial, W.norm(), positive_part);
  r.times.total = deadline.seconds();
  if (at.upper_bound - at.cut <= 1e-6 * std::abs(at.cut)) {
    r.status = Status::optimal;
    r.message = "the cut is a maximum, up to 1e-6";
  } else if (signs) {
    r.status = status_at(deadline, stopped ? Status::max_time : Status::tests_met_uncertified);
    r.message = "no change of a single vertex improves the cut";
  } else if (r.certificate.holds(detail::certificate_tolerance)) {
    const bool solved = at.upper_bound - at.relaxation <= 1e-6 * std::abs(at.relaxation);
    r.status = Status::converged;
    r.message = solved ? "the semidefinite problem is solved" : "stationary for this rank, verified";
  } else if (end.status == detail::UnitRowsStatus::converged) {
    r.status = Status::tests_met_uncertified;
    r.message = "stationary, but not proved to solve the semidefinite problem; cut and bound hold nevertheless";
  } else {
    r.status = status_at(deadline, stopped ? Status::max_time : Status::stalled);
    r.message = "the semidefinite problem was not solved to the end; cut and bound hold nevertheless";
  }
  return r;
}

/// 2^exponent · bound, rounded upwards where it is so small that bits are lost.
double scaled_up(double bound, int exponent) {
  const double scaled = std::ldexp(bound, exponent);
  return std::ldexp(scaled, -exponent) < bound ? std::nextafter(scaled, infinity) : scaled;
}

}  // namespace

double Graph::total_weight() const {
  double sum = 0.0;
  for (const Edge& e : edges) sum += e.weight;
  return sum;
}

double Graph::cut(const Vector& side) const {
  double sum = 0.0;
  for (const Edge& e : edges)
    if (side[e.i] * side[e.j] < 0.0) sum += e.weight;
  return sum;
}

Result max_cut(const Graph& graph, const MaxCutOptions& options) {
  check(graph, options);
  double largest = 0.0;
  for (const Edge& e : graph.edges) largest = std::max(largest, std::abs(e.weight));
  // A power of two changes no bits, and squares of tiny or huge weights must not underflow or overflow.
  int exponent = 0;
  std::frexp(largest, &exponent);
  Graph scaled = graph;
  for (Edge& e : scaled.edges) e.weight = std::ldexp(e.weight, -exponent);

  Result r = cut_scaled(scaled, options);
  auto& at = std::get<CutDetails>(r.details);
  at.cut = graph.cut(r.y);
  at.relaxation = std::ldexp(at.relaxation, exponent);
  at.upper_bound = scaled_up(at.upper_bound, exponent);
  r.f = -at.cut;
  r.bound = -at.upper_bound;
  Certificate& c = r.certificate;
  for (double* residual : {&c.epsilon, &c.m_residual, &c.gradient_scale}) *residual = std::ldexp(*residual, exponent);
  for (double& multiplier : c.lambda) multiplier = std::ldexp(multiplier, exponent);
  r.lambda = c.lambda;
  return r;
}

}  // namespace pendec
