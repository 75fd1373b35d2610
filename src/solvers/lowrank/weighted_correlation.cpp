// Nearest correlation matrices with weights, missing and fixed entries.
#include <algorithm>
#include <cmath>

#include "../../subsolvers/dense.hpp"
#include "../../subsolvers/lapack.hpp"
#include "../../subsolvers/manifold/unit_rows.hpp"
#include "correlation_distance.hpp"
#include "correlation_dual.hpp"
#include "correlation_parts.hpp"

namespace pendec::detail {
namespace {

/// F(V) = ¼ Σ wᵢⱼ (⟨vᵢ, vⱼ⟩ − tᵢⱼ)², gradient (w ∘ (VVᵀ − t)) V, panel by panel.
class WeightedDistance final : public RowFunction {
 public:
  WeightedDistance(MatrixIn weights, MatrixIn target) : w_(weights), t_(target) {
    mean_ = weights.rowwise().mean().cwiseMax(1e-300);
  }

  double evaluate(const Matrix& V, Matrix& gradient) override {
    double sum = 0.0;
    for_panels(V, [&](Index begin, Matrix& difference) {
      const auto w = w_.middleCols(begin, difference.cols()).array();
      sum += (w * difference.array().square()).sum();
      difference.array() *= w;
      multiply('T', difference, 'N', V, 0.0, gradient.middleRows(begin, difference.cols()));
    });
    return 0.25 * sum;
  }

  void accept(const Matrix& V, const Vector&, double) override {
    gram_inverse_.update(V, symmetric_eigen(transpose_times(V, V)));
  }

  /// The Hessian of row i is about its mean weight times S, on the tangent space.
  bool precondition(const Matrix& V, Matrix& D) override {
    gram_inverse_.apply(V, D);
    D.array().colwise() /= mean_.array();
    return true;
  }

  bool deficient() const { return gram_inverse_.deficient(); }

 private:
  /// Calls visit(begin, columns of VVᵀ − t) for panels of columns.
  template <class Visit>
  void for_panels(const Matrix& V, const Visit& visit) const {
    constexpr Index width = 128;
    Matrix panel;
    for (Index j = 0; j < t_.cols(); j += width) {
      const Index size = std::min(width, t_.cols() - j);
      panel = t_.middleCols(j, size);
      multiply('N', V, 'T', V.middleRows(j, size), -1.0, panel);
      visit(j, panel);
    }
  }

  Eigen::Ref<const Matrix> w_, t_;
  Vector mean_;
  GramInverse gram_inverse_;
};

/// Is r.f a global minimum? The entries of VVᵀ − A are known up to δ = 4 (n + rank) ε.
bool is_global(MatrixIn A, const Matrix& weights, const Result& r) {
  const Matrix& V = r.correlation().V;
  const double error = 4.0 * static_cast<double>(V.rows() + V.cols()) * epsilon, sum = weights.sum();
  const double rounding = error * std::sqrt(2.0 * r.f * sum) + 0.5 * error * error * sum;
  return agree(r.f, r.bound, unavoidable_distance(A, weights), rounding);
}

/// The size of what cancels in ∇f(X) = weights ∘ (X − A), |xᵢⱼ| ≤ 1: that of the row where it is least, as if all
/// rows were like it. The norm of the whole would hide rows of small weight.
double gradient_scale(MatrixIn A, const Matrix& weights) {
  const double row = weights.cwiseProduct(A.cwiseAbs().cwiseMax(1.0)).rowwise().norm().minCoeff();
  return std::sqrt(static_cast<double>(A.rows())) * row;
}

/// Fixed entries as equations ⟨vᵢ, vⱼ⟩ = aᵢⱼ with multipliers: the augmented Lagrangian is again a weighted distance,
/// with weight ρ and target aᵢⱼ − z/ρ there.
class Augmented {
 public:
  Augmented(MatrixIn A, const Matrix& weights, const FixedEntries& fixed)
      : A_(A), fixed_(fixed), weights_(weights), target_(A), z_(Vector::Zero(static_cast<Index>(fixed.size()))) {
    rho_ = 10.0 * std::max(weights_.maxCoeff(), 1e-300);
    rho_max_ = 1e6 * rho_;
    size_ = gradient_scale(A, weights);
  }

  UnitRowsEnd minimise(Matrix& V, double tolerance, const Deadline& deadline, Result& r) {
    double before = infinity;
    UnitRowsEnd end;
    for (int outer = 0; outer < 40; ++outer) {
      place();
      WeightedDistance F(weights_, target_);
      const auto slow = [&] {
        return deadline.passed() || (z_.size() == 0 && V.rows() <= largest_relaxed && F.deficient());
      };
      end = minimise_on_unit_rows(F, V, {.tolerance = tolerance * size_, .max_iterations = 3000, .stop = slow});
      r.counts.outer += end.iterations;
      r.counts.products += end.evaluations;
      const Vector violation = violations(V);
      z_ += rho_ * violation;
      const double worst = violation.size() > 0 ? violation.cwiseAbs().maxCoeff() : 0.0;
      if (worst <= 1e-9 || deadline.passed()) break;
      if (worst > 0.25 * before) rho_ = std::min(10.0 * rho_, rho_max_);
      before = worst;
    }
    return end;
  }

 private:
  Vector violations(const Matrix& V) const {
    Vector out(z_.size());
    for (Index e = 0; e < out.size(); ++e) {
      const auto [i, j] = fixed_[static_cast<std::size_t>(e)];
      out[e] = V.row(i).dot(V.row(j)) - A_(i, j);
    }
    return out;
  }

  void place() {
    for (Index e = 0; e < z_.size(); ++e) {
      const auto [i, j] = fixed_[static_cast<std::size_t>(e)];
      weights_(i, j) = weights_(j, i) = rho_;
      target_(i, j) = target_(j, i) = A_(i, j) - z_[e] / rho_;
    }
  }

  Eigen::Ref<const Matrix> A_;
  const FixedEntries& fixed_;
  Matrix weights_, target_;
  Vector z_;
  double rho_ = 1.0, rho_max_ = 1.0;
  double size_ = 1.0;  // of what cancels in a gradient
};

/// The optimum without rank bound, cut to the rank, in place of what r has, if it is better.
void try_relaxed_optimum(MatrixIn A, const Matrix& weights, Index rank, double tolerance, const Deadline& deadline,
                         UnitRowsEnd& end, Result& r) {
  Result relaxed = correlation_result();
  weighted_correlation(A, weights, {}, tolerance, deadline, relaxed);
  r.counts.outer += relaxed.counts.outer;
  Matrix V = cut_to_rank(relaxed.correlation().V, rank, deadline);
  WeightedDistance F(weights, A);
  UnitRowsEnd there = minimise_on_unit_rows(F, V, {.max_iterations = 0});
  if (!(there.value < end.value)) return;
  details_of(r).V = std::move(V);
  end = std::move(there);
  r.bound = relaxed.bound;
}

/// The certificate, and a bound of f from a multiplier M of the diagonal and the fixed entries: ∇f(X) − M ⪰ −δI, so
/// over all admissible Y: ⟨∇f(X), Y − X⟩ ≥ ⟨M, Y − X⟩ − nδ − ⟨∇f(X) − M, X⟩, and the first term is what X misses of
/// the fixed entries. Throws OutOfTime.
void certify_and_bound(MatrixIn A, const Matrix& weights, const FixedEntries& fixed, const Matrix& multiplier,
                       const Deadline& deadline, Result& r) {
  CorrelationDetails& at = details_of(r);
  const Matrix X = at.X(), normal = multiplier - weights.cwiseProduct(X - A);
  const double largest = largest_eigenvalue_bound(normal, deadline), delta = std::max(largest, 0.0);
  double missed = 0.0;
  for (const auto& [i, j] : fixed) missed += 2.0 * std::abs(multiplier(i, j) * (X(i, j) - A(i, j)));
  const double gap = static_cast<double>(A.rows()) * delta + missed + std::abs(normal.reshaped().dot(X.reshaped()));
  r.bound = std::max({r.bound, r.f - gap, 0.0});
  at.global = is_global(A, weights, r);
  r.certificate = certify_in_cone(at.V, normal, largest, multiplier.diagonal(), gradient_scale(A, weights), deadline);
}

}  // namespace

void weighted_correlation_of_rank(MatrixIn A, const Matrix& weights, Index rank, const FixedEntries& fixed,
                                  double tolerance, const Deadline& deadline, Result& r) {
  CorrelationDetails& at = details_of(r);
  r.counts.starts = 1;
  if (at.V.size() == 0)
    at.V = rank == 1 && fixed.empty() ? best_signs(weights.cwiseProduct(A), deadline)
                                      : leading_unit_rows(A, rank, deadline);
  Augmented problem(A, weights, fixed);
  UnitRowsEnd end = problem.minimise(at.V, tolerance, deadline, r);
  if (fixed.empty() && A.rows() <= largest_relaxed && !deadline.passed() && is_deficient(at.V))
    try_relaxed_optimum(A, weights, rank, tolerance, deadline, end, r);
  r.lambda = -end.radial;
  r.f = half_squared_distance(A, at.V, weights);
  at.global = is_global(A, weights, r);
  // At a matrix of lower rank the normals are not checked completely: then nothing is claimed.
  const double unknown = at.global || orthonormal_factor(at.V).Q.cols() == rank ? 0.0 : infinity;
  r.certificate = certify_factor(at.V, end.gradient, end.radial, gradient_scale(A, weights), unknown);
}

/// Accelerated projected gradients (FISTA with restarts). wᵢⱼ ≤ dᵢdⱼ with dᵢ² the largest weight of row i: in the
/// norm with the weights dᵢdⱼ, f has the Lipschitz constant 1. With S = Diag(√dᵢ) that norm of X is ‖SXS‖, and the
/// projection onto correlation matrices with the fixed entries a plain one of SXS, whose diagonal is d.
void weighted_correlation(MatrixIn A, const Matrix& weights, const FixedEntries& fixed, double tolerance,
                          const Deadline& deadline, Result& r) {
  constexpr Index max_iterations = 5000, check_interval = 20;
  CorrelationDetails& at = details_of(r);
  const Index n = A.rows();
  const Vector d = weights.rowwise().maxCoeff().cwiseSqrt(), s = d.cwiseSqrt();
  const Matrix relative = d.cwiseInverse().asDiagonal() * weights * d.cwiseInverse().asDiagonal();
  const auto scaled = [&](const Matrix& X) -> Matrix { return s.asDiagonal() * X * s.asDiagonal(); };
  CorrelationDual dual(d, fixed, entries_of(scaled(A), fixed));
  const double dual_tolerance = std::max(1e-2 * tolerance * d.minCoeff() / d.maxCoeff(), 1e-15);
  Vector y = Vector::Zero(dual.size());
  Matrix X = Matrix::Identity(n, n), previous = X, point = X;
  y.head(n) = relative.cwiseProduct(point - A).diagonal().cwiseProduct(d);  // a diagonal of ones
  double momentum = 1.0;
  r.counts.starts = 1;
  at.V = X;  // until there is a better one
  r.lambda = Vector::Zero(n);
  r.f = 0.5 * weights.cwiseProduct((X - A).cwiseAbs2()).sum();
  const auto take_point = [&] {
    at.V = s.cwiseInverse().asDiagonal() * significant_columns(dual.factor());
    normalise_rows(at.V);
    // SXS projects S(point − ∇f(point)/(dᵢdⱼ))S: dᵢdⱼ(point − X) − ∇f(point) + S E*(y) S is a normal, up to what the
    // momentum adds.
    r.lambda = -d.cwiseProduct(y.head(n));
    r.f = half_squared_distance(A, at.V, weights);
    r.certificate = {};
  };
  try {
    for (r.counts.outer = 1;; ++r.counts.outer) {
      dual.minimise(scaled(point - relative.cwiseProduct(point - A)), dual_tolerance, deadline, y);
      std::swap(previous, X);
      const Matrix factor = s.cwiseInverse().asDiagonal() * dual.factor();
      X = times_transpose(factor, factor, deadline);
      const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
      const bool against = (point - X).cwiseProduct(X - previous).cwiseProduct(d * d.transpose()).sum() > 0.0;
      momentum = against ? 1.0 : next;
      const bool last = r.counts.outer >= max_iterations;
      if (last || r.counts.outer % check_interval == 0) {
        take_point();
        certify_and_bound(A, weights, fixed, scaled(dual.plus_adjoint(Matrix::Zero(n, n), y)), deadline, r);
        if (last || r.certificate.holds((at.global ? 0.1 : 0.01) * certificate_tolerance)) break;
      }
      deadline.check();
      point = against ? X : Matrix(X + ((next - 1.0) / (next + 1.0)) * (X - previous));
    }
  } catch (const OutOfTime&) {  // the best bound stays valid; its point has moved on
    if (dual.factor().size() > 0) take_point();
    at.global = is_global(A, weights, r);
  }
}

}  // namespace pendec::detail
