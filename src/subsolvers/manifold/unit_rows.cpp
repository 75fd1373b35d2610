#include "unit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../dense.hpp"
#include "pendec/subsolvers/lbfgs.hpp"
#include "pendec/subsolvers/sufficient_decrease.hpp"

namespace pendec::detail {
namespace {

constexpr Index memory = 5;
constexpr int max_trials = 30;
constexpr double gamma = 1e-4;

class Lbfgs {
 public:
  Lbfgs(RowFunction& F, Matrix& V, const UnitRowsOptions& options)
      : F_(F), V_(V), options_(options), pairs_(V.size(), memory) {}

  UnitRowsEnd run() {
    value_ = evaluate(V_, gradient_, radial_);
    F_.accept(V_, radial_, gradient_.norm() / options_.tolerance);
    UnitRowsStatus status = UnitRowsStatus::limit;
    Index iterations = 0;
    for (; iterations < options_.max_iterations; ++iterations) {
      if (gradient_.norm() <= options_.tolerance) {
        status = UnitRowsStatus::converged;
        break;
      }
      if (stopped()) {
        status = UnitRowsStatus::stopped;
        break;
      }
      if (!step()) {
        status = stopped() ? UnitRowsStatus::stopped : UnitRowsStatus::stalled;
        break;
      }
    }
    return {status, value_, std::move(gradient_), std::move(radial_), iterations, evaluations_};
  }

 private:
  bool stopped() const { return options_.stop && options_.stop(); }

  double evaluate(const Matrix& V, Matrix& gradient, Vector& radial) {
    ++evaluations_;
    gradient.resize(V.rows(), V.cols());
    const double value = F_.evaluate(V, gradient);
    radial = row_products(gradient, V);
    subtract_rows(radial, V, gradient);
    return value;
  }

  bool step() {
    direction();
    double slope = inner(gradient_, D_);
    if (!(slope < 0.0)) {
      steepest_descent();
      slope = inner(gradient_, D_);
    }
    if (search(slope)) return true;
    if (pairs_.size() == 0) return false;
    steepest_descent();
    return search(inner(gradient_, D_));
  }

  void direction() {
    D_ = -gradient_;
    pairs_.first_loop(D_.reshaped());
    precondition();
    pairs_.second_loop(D_.reshaped());
    subtract_rows(row_products(D_, V_), V_, D_);
  }

  /// D ← H₀ D
  void precondition() {
    if (!F_.precondition(V_, D_)) D_ *= identity_scale_.value_or(0.1 * V_.norm() / gradient_.norm());
  }

  void steepest_descent() {
    pairs_.clear();
    identity_scale_.reset();
    direction();
  }

  /// Backtracks along D by quadratic interpolation; on success the trial becomes the iterate.
  bool search(double slope) {
    if (!(slope < 0.0)) return false;
    double alpha = 1.0;
    for (int trial = 0; trial < max_trials && !(trial > 0 && stopped()); ++trial) {
      trial_ = V_ + alpha * D_;
      normalise_rows(trial_);
      const double value = evaluate(trial_, trial_gradient_, trial_radial_);
      if (decreases_enough(value_, slope, alpha, value, inner(trial_gradient_, D_), gamma)) {
        accept(value);
        return true;
      }
      const double minimiser = -0.5 * slope * alpha * alpha / (value - value_ - slope * alpha);
      alpha *= std::isfinite(minimiser) ? std::clamp(minimiser / alpha, 0.1, 0.5) : 0.1;
    }
    return false;
  }

  void accept(double value) {
    D_ = trial_ - V_;
    gradient_ = trial_gradient_ - gradient_;  // its change
    if (pairs_.add(D_.reshaped(), gradient_.reshaped()))
      identity_scale_ = inner(D_, gradient_) / gradient_.squaredNorm();
    std::swap(V_, trial_);
    std::swap(gradient_, trial_gradient_);
    std::swap(radial_, trial_radial_);
    value_ = value;
    F_.accept(V_, radial_, gradient_.norm() / options_.tolerance);
  }

  RowFunction& F_;
  Matrix& V_;
  const UnitRowsOptions& options_;
  double value_ = 0.0;
  Matrix gradient_, D_, trial_, trial_gradient_;
  Vector radial_, trial_radial_;
  LbfgsPairs pairs_;
  std::optional<double> identity_scale_;  // ⟨s, y⟩/⟨y, y⟩ of the newest pair
  Index evaluations_ = 0;
};

}  // namespace

UnitRowsEnd minimise_on_unit_rows(RowFunction& F, Matrix& V, const UnitRowsOptions& options) {
  return Lbfgs(F, V, options).run();
}

// Column by column, so that the loops over rows are the inner ones and vectorised.

void normalise_rows(Matrix& V) {
  // Scaled first: squares of tiny or huge rows must not underflow or overflow.
  Eigen::ArrayXd largest = Eigen::ArrayXd::Zero(V.rows());
  for (const auto column : V.colwise()) largest = largest.max(column.array().abs());
  for (Index i = 0; i < V.rows(); ++i)
    if (largest[i] == 0.0) V(i, 0) = largest[i] = 1.0;
  V.array().colwise() /= largest;
  const Eigen::ArrayXd lengths = row_products(V, V).array().sqrt();
  V.array().colwise() /= lengths;
}

Vector row_products(const Matrix& A, const Matrix& B) {
  Vector sum = Vector::Zero(A.rows());
  for (Index j = 0; j < A.cols(); ++j) sum.array() += A.col(j).array() * B.col(j).array();
  return sum;
}

void subtract_rows(const Vector& c, const Matrix& V, Matrix& D) {
  for (Index j = 0; j < V.cols(); ++j) D.col(j).array() -= c.array() * V.col(j).array();
}

}  // namespace pendec::detail
