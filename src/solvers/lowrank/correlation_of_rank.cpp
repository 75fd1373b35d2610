#include <algorithm>
#include <cmath>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/lapack.hpp"
#include "../../subsolvers/manifold/unit_rows.hpp"
#include "../../subsolvers/remainder.hpp"
#include "correlation_distance.hpp"
#include "correlation_parts.hpp"
#include "pendec/core/random.hpp"
#include "pendec/subsolvers/eigen.hpp"

namespace pendec::detail {
namespace {

constexpr Index max_starts = 4;

double square(double x) { return x * x; }

/// A stationary point of one start.
struct Local {
  Matrix V;
  UnitRowsEnd end;
};

/// f − (lower bound of f*) for the multiplier μ of a stationary V, +∞ if nothing is proved.
///
/// For M = A + Diag μ and Q an orthonormal basis of V with QᵀMQ = Diag θ, R = MQ − QΘ, let λ_max of the remainder of
/// M be at most θ_k − η. Then λᵢ(M) ≤ θᵢ + ‖R‖²/η for i ≤ k, and the dual value ½‖A‖² + eᵀμ − ½ Σ max(λᵢ(M), 0)² is
/// at least that with θᵢ + ‖R‖²/η in place of λᵢ. Subtracted from f = ½‖A‖² − ⟨AV, V⟩ + ½‖S‖² with the first terms
/// cancelled; ⟨AV, V⟩ = ⟨QᵀAQ C, C⟩ for V = QC. With η = 0, ‖R‖ itself takes the place of ‖R‖²/η: (Σ max(λᵢ, 0)²)^½ ≤
/// ‖θ‖ + √2‖R‖.
double duality_gap(MatrixIn A, const Matrix& V, const Vector& mu, const Deadline& deadline) {
  const Index n = V.rows(), k = V.cols();
  const Matrix basis = orthonormal_factor(V, deadline).Q;
  Matrix MQ = times(A, basis, deadline);
  const Matrix coordinates = transpose_times(basis, V);
  const double linear = times(transpose_times(basis, MQ), coordinates).reshaped().dot(coordinates.reshaped());
  MQ.array() += basis.array().colwise() * mu.array();
  const SymmetricEigen ritz = symmetric_eigen(transpose_times(basis, MQ));
  const Matrix Q = times(basis, ritz.vectors);
  const Matrix R = times(MQ, ritz.vectors) - Q * ritz.values.asDiagonal();
  // Where V is of lower rank, the eigenvalues that the sum leaves out must not be positive.
  const double residual = R.norm(), least = basis.cols() < k ? 0.0 : std::max(ritz.values[0], 0.0);

  Matrix M = A, work;
  M.diagonal() += mu;
  const double norm = M.norm();
  const Matrix S = transpose_times(V, V);
  const double rounding =
      4.0 * static_cast<double>(n + k) * epsilon * (S.squaredNorm() + A.norm() * S.norm() + mu.lpNorm<1>());
  const double known = -mu.sum() - linear + 0.5 * S.squaredNorm();
  const Vector positive = ritz.values.cwiseMax(0.0);
  for (const double share : {1e-2, 1e-4, 0.0}) {
    const double eta = share * least;
    if (eta == 0.0 && share > 0.0) continue;
    if (!remainder_is_below(M, norm, Q, ritz.values, residual, least - eta, work, deadline)) continue;
    const double top = eta > 0.0 ? (positive.array() + square(residual) / eta).matrix().norm() : infinity;
    const double bound = std::min(top, positive.norm() + std::sqrt(2.0) * residual);
    return std::max(known + 0.5 * square(bound), 0.0) + rounding;
  }
  return infinity;
}

/// The same from the eigenvalues themselves, where the test above fails: μ need not belong to a minimum.
double gap_by_eigenvalues(MatrixIn A, const Matrix& V, const Vector& mu, const Deadline& deadline) {
  Matrix M = A;
  M.diagonal() += mu;
  const double n = static_cast<double>(V.rows());
  const Matrix S = transpose_times(V, V);
  const double error = 4.0 * n * epsilon * M.norm();  // of an eigenvalue
  const Vector top = (symmetric_eigenvalues(M, deadline).tail(V.cols()).array() + error).cwiseMax(0.0);
  const double linear = times(A, V).reshaped().dot(V.reshaped());
  const double rounding = 8.0 * n * epsilon * (S.squaredNorm() + A.norm() * S.norm() + mu.lpNorm<1>());
  return std::max(0.5 * S.squaredNorm() - linear - mu.sum() + 0.5 * top.squaredNorm(), 0.0) + rounding;
}

/// The pair (x, y) of one outer step of PDLM: y = VVᵀ, x = y + (A − y)/(1 + τ) off the diagonal and one on it, with τ
/// so large that ‖x − y‖ is below the paper's ε_out = 1e-5. Its multiplier is τ/(1 + τ) times that of y.
void certify_pair_of(MatrixIn A, double gradient_norm, Result& r) {
  const double diagonal = (Vector::Ones(A.rows()) - A.diagonal()).norm();
  const double off = std::sqrt(std::max(square(gradient_norm) - square(diagonal), 0.0));
  r.tau = std::max(off / 0.9e-5, 1.0);
  r.pair = {.distance_C = 0.0,
            .coupling = off / (1.0 + r.tau),
            .epsilon = epsilon * gradient_norm,
            .natural = 0.0,
            .normal = r.certificate.epsilon * r.tau / (1.0 + r.tau)};
}

/// The optimum without rank bound, cut to the rank: a global minimum if that changes nothing.
Local relaxed_optimum(MatrixIn A, Index rank, double tolerance, const Deadline& deadline, double& lower_bound) {
  Result relaxed = correlation_result();
  plain_correlation(A, {}, tolerance, deadline, relaxed);
  lower_bound = relaxed.bound;
  Local local{cut_to_rank(relaxed.correlation().V, rank, deadline), {}};
  CorrelationDistance distance(A, local.V.cols(), deadline);
  local.end = minimise_on_unit_rows(distance, local.V, {.max_iterations = 0});
  return local;
}

/// What `gap` computes, or that nothing is proved where there is no time for it.
template <class Gap>
double gap_in_time(const Gap& gap, const Deadline& deadline) {
  try {
    deadline.check();
    return gap();
  } catch (const OutOfTime&) {
    return infinity;
  }
}

}  // namespace

void correlation_of_rank(MatrixIn A, Index rank, double tolerance, const Deadline& deadline, Result& r) {
  const double unavoidable = unavoidable_distance(A);
  CorrelationDetails& at = details_of(r);
  Random random(2);
  Local best;
  double least = infinity;
  const auto keep = [&](Local local, double lower_bound) {
    least = local.end.value;
    r.f = half_squared_distance(A, local.V);
    const double gap = gap_in_time([&] { return duality_gap(A, local.V, local.end.radial, deadline); }, deadline);
    r.bound = std::max({r.bound, lower_bound, r.f - gap});
    at.global = agree(r.f, r.bound, unavoidable, epsilon * A.squaredNorm());
    best = std::move(local);
  };
  bool relaxed = A.rows() > largest_relaxed;
  const Index limit = rank == 1 ? 1 : max_starts;
  for (r.counts.starts = 0; r.counts.starts < limit && !at.global && !(r.counts.starts > 0 && deadline.passed());
       ++r.counts.starts) {
    Local local;
    if (rank == 1) {
      local.V = best_signs(A, deadline);
    } else if (r.counts.starts == 0) {
      local.V = leading_unit_rows(A, rank, deadline);
    } else {
      local.V = random.normal_matrix(A.rows(), rank);
      normalise_rows(local.V);
    }
    CorrelationDistance distance(A, rank, deadline);
    const double size = std::max(times(A, local.V).norm(), transpose_times(local.V, local.V).norm());
    const auto slow = [&] { return deadline.passed() || (!relaxed && distance.deficient()); };
    local.end = minimise_on_unit_rows(distance, local.V, {.tolerance = tolerance * size, .stop = slow});
    r.counts.outer += local.end.iterations;
    r.counts.products += distance.products();
    if (local.end.value < least) keep(std::move(local), 0.0);
    if (!at.global && !relaxed && !deadline.passed() && is_deficient(best.V)) {
      relaxed = true;
      double lower_bound = 0.0;
      Local cut = relaxed_optimum(A, rank, tolerance, deadline, lower_bound);
      if (cut.end.value < least) keep(std::move(cut), lower_bound);
    }
  }
  if (!at.global && A.rows() <= largest_relaxed) {
    const double gap =
        gap_in_time([&] { return gap_by_eigenvalues(A, best.V, best.end.radial, deadline); }, deadline);
    r.bound = std::max(r.bound, r.f - gap);
  }
  at.V = best.V;
  r.lambda = -best.end.radial;
  const double gradient_norm = std::sqrt(2.0 * r.f), point_norm = transpose_times(at.V, at.V).norm();
  // At a matrix of lower rank normals must also have no positive part, which only the global test tells.
  const bool full = orthonormal_factor(best.V).Q.cols() == rank;
  r.certificate = certify_factor(best.V, best.end.gradient, best.end.radial, std::max(gradient_norm, point_norm),
                                 full || at.global ? 0.0 : infinity);
  certify_pair_of(A, gradient_norm, r);
}

}  // namespace pendec::detail
