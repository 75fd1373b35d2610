// Nearest correlation matrices with weights, missing and fixed entries.
#include <algorithm>
#include <cmath>

#include "../subsolvers/dense.hpp"
#include "../subsolvers/lapack.hpp"
#include "correlation_distance.hpp"
#include "correlation_dual.hpp"
#include "correlation_parts.hpp"
#include "unit_rows.hpp"

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

/// Is f a global minimum, up to 1e-6 and rounding?
bool agree(double f, double lower_bound, MatrixIn A, const Matrix& weights) {
  return f - lower_bound <= 1e-6 * f + epsilon * weights.cwiseProduct(A).cwiseProduct(A).sum();
}

double weighted_value(MatrixIn A, const Matrix& weights, const Matrix& V) {
  Matrix gradient(V.rows(), V.cols());
  return 2.0 * WeightedDistance(weights, A).evaluate(V, gradient);
}

/// Fixed entries as equations ⟨vᵢ, vⱼ⟩ = aᵢⱼ with multipliers: the augmented Lagrangian is again a weighted distance,
/// with weight ρ and target aᵢⱼ − z/ρ there.
class Augmented {
 public:
  Augmented(MatrixIn A, const Matrix& weights, const FixedEntries& fixed)
      : A_(A), fixed_(fixed), weights_(weights), target_(A), z_(Vector::Zero(static_cast<Index>(fixed.size()))) {
    rho_ = 10.0 * std::max(weights_.maxCoeff(), 1e-300);
    rho_max_ = 1e6 * rho_;
    size_ = weights_.cwiseProduct(target_).norm() + weights_.norm();
  }

  UnitRowsEnd minimise(Matrix& V, double tolerance, const Stop& stop, CorrelationResult& r) {
    double before = infinity;
    UnitRowsEnd end;
    for (int outer = 0; outer < 40; ++outer) {
      place();
      WeightedDistance F(weights_, target_);
      const auto slow = [&] { return stop() || (z_.size() == 0 && V.rows() <= largest_relaxed && F.deficient()); };
      end = minimise_on_unit_rows(F, V, {.tolerance = tolerance * size_, .max_iterations = 3000, .stop = slow});
      r.iterations += end.iterations;
      r.products += end.evaluations;
      const Vector violation = violations(V);
      z_ += rho_ * violation;
      const double worst = violation.size() > 0 ? violation.cwiseAbs().maxCoeff() : 0.0;
      if (worst <= 1e-9 || stop()) break;
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

/// The size of what cancels in ∇f(VVᵀ) = weights ∘ (VVᵀ − A).
double gradient_scale(MatrixIn A, const Matrix& weights, const Matrix& V) {
  return std::max(weights.cwiseProduct(A).norm(), weights.cwiseProduct(times_transpose(V, V)).norm());
}

/// The optimum without rank bound, cut to the rank, in place of what r has, if it is better.
void try_relaxed_optimum(MatrixIn A, const Matrix& weights, Index rank, double tolerance, const Stop& stop,
                         UnitRowsEnd& end, CorrelationResult& r) {
  CorrelationResult relaxed;
  weighted_correlation(A, weights, {}, tolerance, stop, relaxed);
  r.iterations += relaxed.iterations;
  Matrix V = cut_to_rank(relaxed.V, rank);
  WeightedDistance F(weights, A);
  UnitRowsEnd there = minimise_on_unit_rows(F, V, {.max_iterations = 0});
  if (!(there.value < end.value)) return;
  r.V = std::move(V);
  end = std::move(there);
  r.lower_bound = relaxed.lower_bound;
}

}  // namespace

void weighted_correlation_of_rank(MatrixIn A, const Matrix& weights, Index rank, const FixedEntries& fixed,
                                  double tolerance, const Stop& stop, CorrelationResult& r) {
  r.starts = 1;
  r.V = rank == 1 && fixed.empty() ? best_signs(weights.cwiseProduct(A), stop) : leading_unit_rows(A, rank);
  Augmented problem(A, weights, fixed);
  UnitRowsEnd end = problem.minimise(r.V, tolerance, stop, r);
  if (fixed.empty() && A.rows() <= largest_relaxed && !stop() && is_deficient(r.V))
    try_relaxed_optimum(A, weights, rank, tolerance, stop, end, r);
  r.lambda = -end.radial;
  r.f = weighted_value(A, weights, r.V);
  r.global = agree(r.f, r.lower_bound, A, weights);
  // At a matrix of lower rank the normals are not checked completely: then nothing is claimed.
  const double unknown = r.global || orthonormal_factor(r.V).Q.cols() == rank ? 0.0 : infinity;
  r.certificate = certify_factor(r.V, end.gradient, end.radial, gradient_scale(A, weights, r.V), unknown);
}

/// Accelerated projected gradients (FISTA with restarts): f has the Lipschitz constant L = max w, and the projection
/// onto correlation matrices with the fixed entries is a plain nearest correlation matrix.
void weighted_correlation(MatrixIn A, const Matrix& weights, const FixedEntries& fixed, double tolerance,
                          const Stop& stop, CorrelationResult& r) {
  constexpr Index max_iterations = 5000, check_interval = 20;
  const Index n = A.rows();
  const double L = weights.maxCoeff();
  const auto gradient = [&](const Matrix& X) -> Matrix { return weights.cwiseProduct(X - A); };
  CorrelationDual dual(n, fixed, entries_of(A, fixed));
  Vector y = Vector::Zero(dual.size());
  Matrix X = Matrix::Identity(n, n), previous = X, point = X;
  y.head(n) = (gradient(point) / L).diagonal();  // a diagonal of ones
  double momentum = 1.0;
  r.starts = 1;
  for (r.iterations = 1;; ++r.iterations) {
    dual.minimise(point - gradient(point) / L, 1e-2 * tolerance, stop, y);
    std::swap(previous, X);
    X = times_transpose(dual.factor(), dual.factor());
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const bool against = (point - X).reshaped().dot((X - previous).reshaped()) > 0.0;
    momentum = against ? 1.0 : next;
    const bool last = r.iterations >= max_iterations || stop();
    if (last || r.iterations % check_interval == 0) {
      r.V = dual.factor();
      normalise_rows(r.V);
      const Matrix slope = gradient(r.X());
      // X projects the point: L(point − X) − ∇f(point) + L E*(y) is a normal, up to what the momentum adds.
      r.certificate =
          certify_in_cone(r.V, slope, L * dual.adjoint(y), L * y.head(n), gradient_scale(A, weights, r.V));
      if (last || r.certificate.holds(0.1 * certificate_tolerance)) break;
    }
    point = against ? X : Matrix(X + ((next - 1.0) / (next + 1.0)) * (X - previous));
  }
  r.lambda = -L * y.head(n);
  r.f = weighted_value(A, weights, r.V);

  // ∇f(X) − L E*(y) ⪰ −δI, so over all admissible Y: ⟨∇f(X), Y − X⟩ ≥ L⟨E*(y), Y − X⟩ − nδ − ⟨∇f(X) − L E*(y), X⟩,
  // and the first term is what X misses of the fixed entries.
  const Matrix X_final = r.X(), multiplier = L * dual.adjoint(y), slack = gradient(X_final) - multiplier;
  const double delta = std::max(largest_eigenvalue_bound(-slack), 0.0);
  double missed = 0.0;
  for (std::size_t e = 0; e < fixed.size(); ++e) {
    const auto [i, j] = fixed[e];
    missed += L * std::abs(y[n + static_cast<Index>(e)] * (X_final(i, j) - A(i, j)));
  }
  const double gap = static_cast<double>(n) * delta + missed + std::abs(slack.reshaped().dot(X_final.reshaped()));
  r.lower_bound = std::max(r.f - gap, 0.0);
  r.global = agree(r.f, r.lower_bound, A, weights);
}

}  // namespace pendec::detail
