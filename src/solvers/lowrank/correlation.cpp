#include "pendec/solvers/lowrank/correlation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/lapack.hpp"
#include "../../subsolvers/manifold/unit_rows.hpp"
#include "correlation_distance.hpp"
#include "correlation_parts.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/psd_low_rank.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/solvers/solve.hpp"
#include "pendec/subsolvers/eigen.hpp"

namespace pendec {
namespace {

/// What is wrong with the entries (i, j) and (j, i) of A; `tolerance` is for their difference.
void refuse_entry(MatrixIn A, Index i, Index j, double tolerance) {
  const double a = A(i, j), b = A(j, i);
  const std::string entry = fmt::format("A({}, {})", i, j);
  require(!std::isinf(a) && !std::isinf(b), entry, std::isinf(a) ? a : b, "finite, or NaN if missing");
  require(i != j || !std::isnan(a), entry, a, "a number: the diagonal cannot be missing");
  require(std::isnan(a) == std::isnan(b), entry, a, fmt::format("missing on both sides, as A({}, {})", j, i));
  require(std::abs(a - b) <= tolerance, entry, a,
          fmt::format("A({}, {}) = {}: a symmetric matrix", j, i, to_text(b)));
}

/// Square, symmetric, finite but for missing entries off the diagonal. Returns whether some are missing.
bool check_matrix(MatrixIn A) {
  require(A.rows() >= 1, "A.rows()", A.rows(), "at least 1");
  require(A.rows() == A.cols(), "A", fmt::format("{} x {}", A.rows(), A.cols()), "a square matrix");
  constexpr Index tile = 32;  // both triangles are read by tiles that fit into the cache
  const Index n = A.rows();
  const double largest = A.cwiseAbs().maxCoeff<Eigen::PropagateNumbers>();
  const double tolerance = 1e-10 * largest;
  constexpr double most = 1e100;  // squares, and their sums, stay finite
  bool missing = false;
  for (Index J = 0; J < n; J += tile) {
    for (Index I = J; I < n; I += tile) {
      for (Index j = J; j < std::min(J + tile, n); ++j) {
        for (Index i = std::max(I, j); i < std::min(I + tile, n); ++i) {
          const double a = A(i, j), b = A(j, i);
          if (std::abs(a - b) <= tolerance && std::abs(a) <= largest && largest < infinity) continue;
          missing = missing || std::isnan(a);
          if (i == j || !std::isnan(a) || !std::isnan(b)) refuse_entry(A, i, j, tolerance);
        }
      }
    }
  }
  require(!(largest > most), "A", largest, fmt::format("entries of magnitude up to {:g}", most));
  return missing;
}

void check_weights(const Matrix& W, Index n) {
  if (W.size() == 0) return;
  require(W.rows() == n && W.cols() == n, "weights", fmt::format("{} x {}", W.rows(), W.cols()),
          fmt::format("a {} x {} matrix, as A", n, n));
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const double w = W(i, j);
      if (w > 0.0 && w <= 1e100 && std::abs(w - W(j, i)) <= 1e-10 * w) continue;
      const std::string entry = fmt::format("weights({}, {})", i, j);
      require(w > 0.0 && w <= 1e100, entry, w, "a positive number, at most 1e100");
      require(false, entry, w, fmt::format("weights({}, {}) = {}: a symmetric matrix", j, i, to_text(W(j, i))));
    }
  }
}

void check_fixed(MatrixIn A, const detail::FixedEntries& fixed) {
  for (const auto& [i, j] : fixed) {
    const std::string entry = fmt::format("({}, {})", i, j);
    require(i >= 0 && j >= 0 && i < A.rows() && j < A.rows() && i != j, "fixed", entry,
            fmt::format("two different indices below {}", A.rows()));
    require(std::abs(A(i, j)) <= 1.0, "fixed", entry,
            fmt::format("an entry between -1 and 1; A there is {}", to_text(A(i, j))));
  }
}

/// One of the paper's algorithms; its y, whose diagonal is one only up to its tolerance, is then made a correlation
/// matrix by normalising the rows of its factor.
void run_general(MatrixIn A, Index rank, const CorrelationOptions& options, const Deadline& deadline, Result& r) {
  const Index n = A.rows();
  Options settings = correlation_options(options.algorithm);
  settings.limits.seconds = deadline.left();
  const Result run = solve(correlation_problem(A, rank), Matrix(Matrix::Identity(n, n)).reshaped(), settings,
                           {.stop = deadline.token()});
  CorrelationDetails& at = detail::details_of(r);
  const EigenPairs pairs = largest_eigenpairs(ConstMatrixView(run.y.data(), n, n), rank);
  at.V = pairs.vectors * pairs.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  detail::normalise_rows(at.V);
  const Matrix S = detail::transpose_times(at.V, at.V);
  Matrix gradient = detail::times(at.V, S) - detail::times(A, at.V);
  const Vector radial = detail::row_products(gradient, at.V);
  detail::subtract_rows(radial, at.V, gradient);
  r.lambda = -radial;
  r.f = detail::half_squared_distance(A, at.V);
  r.certificate = detail::certify_factor(at.V, gradient, radial, std::max(std::sqrt(2.0 * r.f), S.norm()), 0.0);
  r.status = run.status == Status::converged ? Status::tests_met_uncertified : run.status;
  r.message = run.message + "; its rows were normalised, and that point is not certified";
  r.options = run.options;
  r.counts = run.counts;
  r.counts.starts = 1;
}

void run_with_weights_or_fixed(MatrixIn A, std::optional<Index> rank, const CorrelationOptions& options,
                               bool weighted, const Deadline& deadline, Result& r) {
  const Index n = A.rows();
  const auto [known, weights] = detail::weighted_entries(A, options.weights);
  const bool relax = !rank || (!options.fixed.empty() && n <= detail::largest_relaxed);
  if (relax && !options.fixed.empty()) {
    detail::plain_correlation(known, options.fixed, options.tolerance, deadline, r);
    // No correlation matrix is farther away than this: a larger lower bound says that none is admissible.
    if (r.bound > 0.5 * (known.array().abs() + 1.0).square().sum()) r.status = Status::infeasible;
    if (r.status == Status::infeasible) return;
  }
  if (relax && weighted) {
    r = detail::correlation_result();
    detail::weighted_correlation(known, weights, options.fixed, options.tolerance, deadline, r);
  }
  CorrelationDetails& at = detail::details_of(r);
  if (!rank || (relax && at.V.cols() <= *rank)) return;
  if (relax) at.V = detail::cut_to_rank(at.V, *rank, deadline);
  detail::weighted_correlation_of_rank(known, weights, *rank, options.fixed, options.tolerance, deadline, r);
}

/// What run_general() says about its own run stays where nothing else can be said.
void set_status(const Deadline& deadline, bool rank_one, bool general, Result& r) {
  CorrelationDetails& at = detail::details_of(r);
  r.times.total = deadline.seconds();
  const bool fixed_hold = at.fixed_error <= detail::certificate_tolerance;
  at.global = at.global && fixed_hold;
  if (r.status == Status::infeasible) {
    r.message = "proved: no correlation matrix has the fixed entries";
  } else if (rank_one && !at.global && fixed_hold && !deadline.passed()) {
    r.status = Status::tests_met_uncertified;  // every vector of signs is stationary
    r.message = "a vector of signs that no change of a single one improves";
  } else if (at.global) {
    r.status = Status::optimal;
    r.message = "a global minimum, verified";
  } else if (r.certificate.holds(detail::certificate_tolerance) && fixed_hold) {
    r.status = Status::converged;
    r.message = "stationary, verified";
  } else if (deadline.passed()) {
    r.status = status_at(deadline, Status::stalled);
    r.message = "stopped early; V is the best point so far";
  } else if (!general) {
    r.status = Status::stalled;
    r.message = fixed_hold ? "no further progress, and the certificate does not hold"
                           : "the fixed entries were not reached: they may admit no such matrix";
  }
}

}  // namespace

Matrix CorrelationDetails::X() const {
  Matrix X = detail::times_transpose(V, V);
  X.diagonal().setOnes();  // as it is but for the last bit
  X.triangularView<Eigen::StrictlyUpper>() = X.transpose();
  return X;
}

Problem correlation_problem(MatrixIn A, Index rank) {
  const Index n = A.rows();
  return {.f = SquaredDistance(A.reshaped()),
          .G = Selection::diagonal(n),
          .C = Singleton(Vector::Ones(n)),
          .D = PsdLowRank(n, rank),
          .space = Space::matrix(n, n)};
}

Options correlation_options(CorrelationAlgorithm algorithm) {
  using enum CorrelationAlgorithm;
  require(algorithm != fast, "algorithm", to_string(algorithm), "one of the paper's");
  const bool lower_level = algorithm == pd_exact_lower_level;
  Options o = paper_preset(algorithm == alm ? Method::alm : lower_level ? Method::pd : Method::pdlm);
  o.penalty.alpha_tau = 1.2;
  o.penalty.tau_max = 1e12;
  if (algorithm == alm) return o;
  o.penalty.lower_level = lower_level;
  o.penalty.multipliers = lower_level ? Multipliers::none : Multipliers::constraints;
  o.x_update.step = lower_level || algorithm == pd_exact ? XStep::exact : XStep::cg;
  if (o.x_update.step == XStep::cg) {
    o.x_update.sigma = 0.4;  // scipy's
    o.x_update.steps = algorithm == pd_cg_accurate ? 20 : 5;
    o.x_update.eps_solv = algorithm == pd_cg_accurate ? 1e-3 : 0.1;
  }
  return o;
}

Result nearest_correlation(MatrixIn A, std::optional<Index> rank, const CorrelationOptions& options) {
  const Deadline deadline(options.seconds, options.stop);
  const Index n = A.rows();
  const bool missing = check_matrix(A);
  if (rank) require(*rank >= 1 && *rank <= n, "rank", *rank, fmt::format("1 <= rank <= n = {}", n));
  check_weights(options.weights, n);
  check_fixed(A, options.fixed);
  detail::check_ranges(options, "CorrelationOptions.");
  const bool weighted = missing || options.weights.size() > 0;
  const bool general = options.algorithm != CorrelationAlgorithm::fast;
  require(!general || (rank && !weighted && options.fixed.empty()), "algorithm", to_string(options.algorithm),
          "fast, where there is no rank bound, or weights, missing or fixed entries");
  if (rank == n) rank.reset();  // no bound at all

  Result r = detail::correlation_result();
  if (general) {
    run_general(A, rank.value_or(n), options, deadline, r);
  } else if (weighted || !options.fixed.empty()) {
    run_with_weights_or_fixed(A, rank, options, weighted, deadline, r);
  } else if (rank) {
    detail::correlation_of_rank(A, *rank, options.tolerance, deadline, r);
  } else {
    detail::plain_correlation(A, {}, options.tolerance, deadline, r);
  }
  r.method = to_string(options.algorithm);
  r.options.limits.seconds = options.seconds;
  CorrelationDetails& at = detail::details_of(r);
  for (const auto& [i, j] : options.fixed)
    at.fixed_error = std::max(at.fixed_error, std::abs(at.V.row(i).dot(at.V.row(j)) - A(i, j)));
  if (at.fixed_error == 0.0) r.bound = std::min(r.bound, r.f);  // this X is admissible
  set_status(deadline, rank == 1 && n > 1, general, r);
  return r;
}

namespace detail {

Result correlation_result() {
  Result r = Result::of_class("correlation", "", infinity, CorrelationDetails{});
  r.bound = 0.0;
  return r;
}

WeightedEntries weighted_entries(MatrixIn A, const Matrix& weights) {
  WeightedEntries out{A, weights.size() > 0 ? weights : Matrix(Matrix::Ones(A.rows(), A.cols()))};
  out.weights = out.known.array().isNaN().select(0.0, out.weights);
  out.known = out.known.array().isNaN().select(0.0, out.known);
  return out;
}

double unavoidable_distance(MatrixIn A, const Matrix& weights) {
  double sum = 0.0;
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < A.rows(); ++i) {
      const double beyond = i == j ? A(i, i) - 1.0 : std::max(std::abs(A(i, j)) - 1.0, 0.0);
      sum += (weights.size() > 0 ? weights(i, j) : 1.0) * beyond * beyond;
    }
  return 0.5 * sum;
}

bool agree(double f, double lower_bound, double unavoidable, double rounding) {
  const double avoidable = std::max(f - unavoidable, 0.0);
  return std::isfinite(f) &&
         (avoidable <= rounding || f - lower_bound <= 1e-6 * avoidable + std::min(rounding, 1e-3 * avoidable));
}

Matrix significant_columns(const Matrix& factor) {
  const Vector squares = factor.colwise().squaredNorm();
  const Index kept = (squares.array() > rank_tolerance * squares.maxCoeff()).count();
  return factor.rightCols(std::max<Index>(kept, 1));
}

double half_squared_distance(MatrixIn A, const Matrix& V, const Matrix& weights) {
  constexpr Index width = 64;
  double diagonal = 0.0, below = 0.0;
  Matrix panel;
  for (Index j = 0; j < A.cols(); j += width) {
    const Index size = std::min(width, A.cols() - j), rest = A.rows() - j - size;
    panel = A.block(j, j, A.rows() - j, size);
    multiply('N', V.bottomRows(A.rows() - j), 'T', V.middleRows(j, size), -1.0, panel);
    if (weights.size() > 0) panel.array() *= weights.block(j, j, A.rows() - j, size).array().sqrt();
    diagonal += panel.topRows(size).squaredNorm();
    below += panel.bottomRows(rest).squaredNorm();
  }
  return 0.5 * diagonal + below;
}

OrthonormalFactor orthonormal_factor(const Matrix& V, const Deadline& deadline) {
  const Deadline stopwatch;
  const SymmetricEigen gram = symmetric_eigen(transpose_times(V, V, deadline), deadline);
  const double largest = gram.values[V.cols() - 1];
  if (gram.values[0] > 1e-6 * largest) {
    OrthonormalFactor f;
    f.inverse = gram.vectors * gram.values.cwiseSqrt().cwiseInverse().asDiagonal();
    f.Q = times(V, f.inverse, deadline);
    // Orthonormal up to ε · 1e6; one more step of Newton and Schulz squares that.
    f.Q = 1.5 * f.Q - 0.5 * times(f.Q, transpose_times(f.Q, f.Q, deadline), deadline);
    return f;
  }
  deadline.check(10.0 * stopwatch.seconds());  // singular values take several times as long, in one piece
  const ThinSvd svd = thin_svd(V);
  const Index rank = (svd.sigma.array().square() > rank_tolerance * svd.sigma[0] * svd.sigma[0]).count();
  return {svd.U.leftCols(rank), svd.V.leftCols(rank) * svd.sigma.head(rank).cwiseInverse().asDiagonal()};
}

Certificate certify_factor(const Matrix& V, const Matrix& gradient, const Vector& radial, double gradient_scale,
                           double positive_part, const Deadline& deadline) {
  // With B = Diag(radial) − ∇f(X): BV = −gradient, and BQ = −gradient R⁻¹ for V = QR. The normals of matrices of that
  // rank are {W = Wᵀ : WQ = 0}; the distance of B to them is that to (I − QQᵀ) B (I − QQᵀ).
  const OrthonormalFactor factor = orthonormal_factor(V, deadline);
  const Matrix BQ = times(gradient, factor.inverse, deadline);
  const double inside = transpose_times(factor.Q, BQ, deadline).squaredNorm();
  const double outside = std::sqrt(std::max(2.0 * BQ.squaredNorm() - inside, 0.0));

  Certificate c;
  c.z_vector = row_products(V, V) - Vector::Ones(V.rows());
  c.z = c.distance_C = c.natural = c.infeasibility_gradient = c.z_vector.norm();
  c.distance_D = 0.0;
  c.epsilon = c.m_residual = std::hypot(outside, positive_part);
  c.lambda = -radial;
  c.point_scale = transpose_times(V, V, deadline).norm();
  c.gradient_scale = std::max(gradient_scale, radial.norm());
  if (c.gradient_scale == 0.0) c.gradient_scale = 1.0;  // f is constant
  c.feasibility_scale = std::sqrt(static_cast<double>(V.rows()));
  return c;
}

Certificate certify_in_cone(const Matrix& V, const Matrix& B, double largest, const Vector& radial,
                            double gradient_scale, const Deadline& deadline) {
  // Normals at X are the B ⪯ 0 with BX = 0.
  const double positive_part = std::sqrt(static_cast<double>(V.rows())) * std::max(largest, 0.0);
  return certify_factor(V, -times(B, V, deadline), radial, gradient_scale, positive_part, deadline);
}

Vector entries_of(MatrixIn A, const FixedEntries& places) {
  Vector out(static_cast<Index>(places.size()));
  for (Index e = 0; e < out.size(); ++e) {
    const auto [i, j] = places[static_cast<std::size_t>(e)];
    out[e] = A(i, j);
  }
  return out;
}

double largest_eigenvalue_bound(MatrixIn B, const Deadline& deadline) {
  const double n = static_cast<double>(B.rows());
  return symmetric_eigenvalues(B, deadline)[B.rows() - 1] + 4.0 * n * epsilon * B.norm();
}

}  // namespace detail
}  // namespace pendec
