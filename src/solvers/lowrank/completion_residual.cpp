#include "completion_residual.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "../../subsolvers/dense.hpp"

namespace pendec::detail {
namespace {

// Vectors of κ numbers in loops over entries, where κ is small: plain loops, which compilers unroll.

double product(const double* a, const double* b, Index k) {
  double sum = 0.0;
  for (Index l = 0; l < k; ++l) sum += a[l] * b[l];
  return sum;
}

void add(double factor, const double* a, double* sum, Index k) {
  for (Index l = 0; l < k; ++l) sum[l] += factor * a[l];
}

void add_two(double p, const double* a, double q, const double* b, double* sum, Index k) {
  for (Index l = 0; l < k; ++l) sum[l] += p * a[l] + q * b[l];
}

/// H += weight b bᵀ, the lower triangle.
void add_square(double weight, const double* b, Matrix& H) {
  const Index k = H.rows();
  for (Index l = 0; l < k; ++l) add(weight * b[l], b + l, &H(l, l), k - l);
}

}  // namespace

ProjectedResidual::ProjectedResidual(const Sparse& A, double gamma, const Deadline& deadline, const BoxTerm* box)
    : A_(&A), gamma_(gamma), deadline_(&deadline), box_(box), shift_(box ? box->biases.row : Vector()) {}

double ProjectedResidual::evaluate(const Matrix& B) {
  const Index k = B.cols();
  B_ = B;
  Bt_ = B.transpose();
  if (Ct_.size() == 0) Ct_.setZero(k, A_->cols());
  E_.setZero(k, A_->rows());
  inverses_.resize(k, k * A_->cols());
  begin_.assign(1, 0);
  rows_.clear();
  weights_.clear();
  rho_.clear();
  H_.resize(k, k);
  slopes_ = 0.0;
  double sum = 0.0;
  for (Index j = 0; j < A_->cols(); ++j) {
    if (j > 0 && j % 64 == 0) deadline_->check();
    sum += solve_column(j);
    slopes_ += slope_.squaredNorm();
    begin_.push_back(static_cast<Index>(rows_.size()));
    for (Index e = begin_[static_cast<std::size_t>(j)]; e < begin_.back(); ++e) {
      const auto at = static_cast<std::size_t>(e);
      add(rho_[at], Ct_.col(j).data(), E_.data() + k * rows_[at], k);
    }
  }
  return sum;
}

void ProjectedResidual::add_residual(Index row, double weight, double rho) {
  rows_.push_back(row);
  weights_.push_back(weight);
  rho_.push_back(rho);
}

/// c_j ← its minimiser, by Newton's method: one step without a box, else the function is convex and piecewise
/// quadratic, and steps are halved where it does not fall. Returns the minimum; the residuals of the column are kept,
/// and the slope, which says whether there were steps enough.
double ProjectedResidual::solve_column(Index j) {
  constexpr int max_steps = 60;
  const Index k = H_.rows();
  const std::size_t first = rows_.size();
  c_ = Ct_.col(j);
  if (!box_) c_.setZero();
  step_.setZero(k);
  double before = infinity, decrease = 0.0;
  for (int it = 0;; ++it) {
    rows_.resize(first);
    weights_.resize(first);
    rho_.resize(first);
    H_.setZero();
    H_.diagonal().setConstant(gamma_);
    slope_ = gamma_ * c_;
    double value = 0.5 * gamma_ * c_.squaredNorm(), size = value;
    for (Index e = A_->outerIndexPtr()[j]; e < A_->outerIndexPtr()[j + 1]; ++e) {
      const Index i = A_->innerIndexPtr()[e];
      const double a = A_->valuePtr()[e], r = product(Bt_.col(i).data(), c_.data(), k) - a;
      value += 0.5 * r * r;
      size += 0.5 * a * a;
      add(r, Bt_.col(i).data(), slope_.data(), k);
      add_square(1.0, Bt_.col(i).data(), H_);
      add_residual(i, 1.0, r);
    }
    if (box_) value += add_outside(j);
    if (value > before - 1e-4 * decrease + 1e-14 * size && it < max_steps) {
      step_ *= 0.5;
      decrease *= 0.5;
      c_ -= step_;
      continue;
    }
    // Fewer entries than κ and no γ: the shift picks one of the solutions, and a correction undoes it for the others.
    const double shift = 1e-12 * H_.trace() + 1e-300;
    H_.diagonal().array() += shift;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(H_);
    step_ = -slope_;
    factor.solveInPlace(step_);
    correction_ = shift * step_;
    factor.solveInPlace(correction_);
    step_ += correction_;
    decrease = -slope_.dot(step_);
    const bool last = it >= max_steps || !(decrease > 1e-22 * (size + value));
    if (last || (!box_ && it > 0)) {
      auto inverse = inverses_.middleCols(j * k, k);
      inverse.setIdentity();
      factor.solveInPlace(inverse);
      Ct_.col(j) = c_;
      return value;
    }
    before = value;
    c_ += step_;
  }
}

/// What the entries of column j outside the box add to the value, the slope and H.
double ProjectedResidual::add_outside(Index j) {
  constexpr Index block = 32;  // most have no entry outside
  const Index k = H_.rows();
  const double tau = box_->tau;
  const ColumnMultipliers& lambda = box_->lambda[static_cast<std::size_t>(j)];
  for (std::size_t e = 0; e < lambda.rows.size(); ++e) shift_[lambda.rows[e]] += lambda.values[e] / tau;
  const double bias = box_->biases.mean + box_->biases.column[j];
  outside_.noalias() = B_ * c_;
  outside_ += shift_;
  outside_ -= outside_.cwiseMax(box_->lower - bias).cwiseMin(box_->upper - bias);
  double value = 0.0;
  for (Index begin = 0; begin < outside_.size(); begin += block) {
    const Index end = std::min(begin + block, outside_.size());
    if ((outside_.segment(begin, end - begin).array() == 0.0).all()) continue;
    for (Index i = begin; i < end; ++i) {
      if (outside_[i] == 0.0) continue;
      const double* b = Bt_.col(i).data();
      value += 0.5 * tau * outside_[i] * outside_[i];
      add(tau * outside_[i], b, slope_.data(), k);
      add_square(tau, b, H_);
      add_residual(i, tau, tau * outside_[i]);
    }
  }
  for (const Index i : lambda.rows) shift_[i] = box_->biases.row[i];
  return value;
}

Matrix ProjectedResidual::gradient(const Matrix& B) const { return without(B, E_.transpose()); }

Matrix ProjectedResidual::hessian_times(const Matrix& B, const Matrix& D) const {
  const Index k = B.cols();
  const Matrix Dt = D.transpose();
  Matrix dE = Matrix::Zero(k, A_->rows());
  Vector right(k), dc(k);
  std::vector<double> Dc(2 * static_cast<std::size_t>(A_->rows()));
  for (Index j = 0; j < A_->cols(); ++j) {
    const Index begin = begin_[static_cast<std::size_t>(j)], end = begin_[static_cast<std::size_t>(j + 1)];
    if (begin == end) continue;
    const double* c = Ct_.col(j).data();
    right.setZero();
    for (Index e = begin; e < end; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const double* d = row_of(Dt, e);
      const double dx = weights_[at] * product(d, c, k);
      Dc[static_cast<std::size_t>(e - begin)] = dx;
      add_two(-rho_[at], d, -dx, row_of(Bt_, e), right.data(), k);
    }
    dc.setZero();
    for (Index l = 0; l < k; ++l) add(right[l], inverses_.col(j * k + l).data(), dc.data(), k);
    for (Index e = begin; e < end; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const double change =
          Dc[static_cast<std::size_t>(e - begin)] + weights_[at] * product(row_of(Bt_, e), dc.data(), k);
      add_two(change, c, rho_[at], dc.data(), dE.data() + k * rows_[at], k);
    }
  }
  return without(B, dE.transpose()) - times(D, times(Bt_, E_.transpose()));
}

double ProjectedResidual::residual_norm() const {
  return Eigen::Map<const Vector>(rho_.data(), static_cast<Index>(rho_.size())).norm();
}

double ProjectedResidual::slope_norm() const { return std::sqrt(slopes_); }

std::vector<ColumnMultipliers> ProjectedResidual::multipliers() const {
  std::vector<ColumnMultipliers> out(static_cast<std::size_t>(A_->cols()));
  for (Index j = 0; j < A_->cols(); ++j) {
    const Index seen = A_->outerIndexPtr()[j + 1] - A_->outerIndexPtr()[j];
    const auto first = begin_[static_cast<std::size_t>(j)] + seen, last = begin_[static_cast<std::size_t>(j + 1)];
    out[static_cast<std::size_t>(j)] = {{rows_.begin() + first, rows_.begin() + last},
                                        {rho_.begin() + first, rho_.begin() + last}};
  }
  return out;
}

double ProjectedResidual::box_error() const {
  // xᵢⱼ − Π(xᵢⱼ + λᵢⱼ/τ) is the change of the multiplier, divided by τ.
  const std::vector<ColumnMultipliers> next = multipliers();
  Vector change = Vector::Zero(A_->rows());
  double largest = 0.0;
  for (std::size_t j = 0; j < next.size(); ++j) {
    const ColumnMultipliers& last = box_->lambda[j];
    for (std::size_t e = 0; e < last.rows.size(); ++e) change[last.rows[e]] -= last.values[e];
    for (std::size_t e = 0; e < next[j].rows.size(); ++e) change[next[j].rows[e]] += next[j].values[e];
    for (const auto* rows : {&last.rows, &next[j].rows}) {
      for (const Index i : *rows) {
        largest = std::max(largest, std::abs(change[i]));
        change[i] = 0.0;
      }
    }
  }
  return largest / box_->tau;
}

Biases biases_of(const CompletionProblem& problem) {
  return problem.biases.value_or(Biases::zero(problem.rows, problem.cols));
}

double measure(const CompletionProblem& problem, CompletionDetails& r) {
  Vector residual(std::ssize(problem.seen));
  for (Index e = 0; e < residual.size(); ++e) {
    const Observation& o = problem.seen[static_cast<std::size_t>(e)];
    residual[e] = r.entry(o.row, o.column) - o.value;
  }
  const double fit = residual.blueNorm(), size = r.C.blueNorm();
  r.rmse = fit / std::sqrt(static_cast<double>(residual.size()));
  return 0.5 * fit * fit + 0.5 * problem.gamma * size * size;
}

double box_violation(const CompletionProblem& problem, const CompletionDetails& r) {
  const Biases biases = biases_of(problem);
  double largest = 0.0;
  for (Index j = 0; j < problem.cols; ++j)
    for (Index i = 0; i < problem.rows; ++i) {
      const double x = r.entry(i, j) + biases.at(i, j);
      largest = std::max({problem.box->first - x, x - problem.box->second, largest});
    }
  return largest;
}

Matrix orthonormaliser(const Matrix& C) {
  const SymmetricEigen gram = symmetric_eigen(transpose_times(C, C));
  const double least = 1e-14 * gram.values.maxCoeff();
  return gram.vectors *
         (gram.values.array() > least).select(gram.values.array().sqrt().inverse(), 0.0).matrix().asDiagonal();
}

}  // namespace pendec::detail
