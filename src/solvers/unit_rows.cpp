#include "unit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../subsolvers/dense.hpp"
#include "pendec/xupdate/line_search.hpp"

namespace pendec::detail {
namespace {

constexpr std::size_t memory = 5;
constexpr int max_trials = 30;
constexpr double gamma = 1e-4;

/// s = change of V, y = change of the gradient.
struct Pair {
  Matrix s, y;
  double sy = 0.0;
};

class Lbfgs {
 public:
  Lbfgs(RowFunction& F, Matrix& V, const UnitRowsOptions& options) : F_(F), V_(V), options_(options) {}

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
      pairs_.clear();
      steepest_descent();
      slope = inner(gradient_, D_);
    }
    if (search(slope)) return true;
    if (pairs_.empty()) return false;
    pairs_.clear();
    steepest_descent();
    return search(inner(gradient_, D_));
  }

  /// The two loops of L-BFGS, with H₀ between them.
  void direction() {
    D_ = -gradient_;
    weights_.resize(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      weights_[i] = inner(pairs_[i].s, D_) / pairs_[i].sy;
      D_ -= weights_[i] * pairs_[i].y;
    }
    if (!F_.precondition(V_, D_)) D_ *= identity_scale();
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      D_ += (weights_[i] - inner(pairs_[i].y, D_) / pairs_[i].sy) * pairs_[i].s;
    subtract_rows(row_products(D_, V_), V_, D_);
  }

  double identity_scale() const {
    if (!pairs_.empty()) return pairs_.back().sy / pairs_.back().y.squaredNorm();
    return 0.1 * V_.norm() / gradient_.norm();
  }

  void steepest_descent() {
    D_ = -gradient_;
    if (!F_.precondition(V_, D_)) D_ *= identity_scale();
    subtract_rows(row_products(D_, V_), V_, D_);
  }

  /// Backtracks along D by quadratic interpolation; on success the trial becomes the iterate.
  bool search(double slope) {
    if (!(slope < 0.0)) return false;
    double alpha = 1.0;
    for (int trial = 0; trial < max_trials && !(trial > 0 && stopped()); ++trial) {
      trial_ = V_ + alpha * D_;
      normalise_rows(trial_);
      const double value = evaluate(trial_, trial_gradient_, trial_radial_);
      if (LineSearch::sufficient(value_, slope, alpha, value, inner(trial_gradient_, D_), gamma)) {
        accept(value);
        return true;
      }
      const double minimiser = -0.5 * slope * alpha * alpha / (value - value_ - slope * alpha);
      alpha *= std::isfinite(minimiser) ? std::clamp(minimiser / alpha, 0.1, 0.5) : 0.1;
    }
    return false;
  }

  void accept(double value) {
    Pair pair = pairs_.size() == memory ? std::move(pairs_.front()) : Pair{};
    if (pairs_.size() == memory) pairs_.erase(pairs_.begin());
    pair.s = trial_ - V_;
    pair.y = trial_gradient_ - gradient_;
    pair.sy = inner(pair.s, pair.y);
    if (pair.sy > 1e-12 * pair.s.norm() * pair.y.norm()) pairs_.push_back(std::move(pair));
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
  std::vector<Pair> pairs_;  // oldest first
  std::vector<double> weights_;
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
