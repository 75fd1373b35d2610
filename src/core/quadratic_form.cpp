#include "pendec/core/quadratic_form.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pendec {
namespace {

/// What rounding did to the entries of a matrix that had to be computed, relative to √(qᵢᵢqⱼⱼ).
std::optional<double> error_of_entries(const Operator& Q, const Matrix& entries) {
  if (Q.is_exact()) return 0.0;
  if (!Q.has_entries()) return std::nullopt;
  if (Q.is_gram()) return rounding_unit(Q.summands());  // |B|ᵀ|B| ≤ √(qᵢᵢqⱼⱼ) by Cauchy and Schwarz
  const Vector root = entries.diagonal().cwiseMax(0.0).cwiseSqrt();
  Vector sizes(Q.rows());
  double worst = 0.0;
  for (Index j = 0; j < Q.cols(); ++j) {
    Q.magnitude_times(Vector::Unit(Q.cols(), j), sizes);
    for (Index i = 0; i < Q.rows(); ++i) {
      if (sizes[i] == 0.0) continue;
      if (!(root[i] * root[j] > 0.0)) return std::nullopt;
      worst = std::max(worst, sizes[i] / (root[i] * root[j]));
    }
  }
  return rounding_unit(Q.summands()) * worst;
}

}  // namespace

std::optional<QuadraticForm> form_of(const Operator& Q, Vector c) {
  DenseMatrix entries(Q);
  const auto error = error_of_entries(Q, *entries);
  if (!error) return std::nullopt;
  QuadraticForm form{.Q = entries.shared(), .c = std::move(c), .Q_error = *error};
  if (*entries == entries->transpose()) return form;
  form.Q = Matrix(0.5 * (*entries + entries->transpose()));
  form.Q_error += 4.0 * epsilon;
  return form;
}

QuadraticForm form_of_squares(Matrix gram, const Vector& A_times_b, double b_norm, Index rows) {
  const double unit = rounding_unit(rows);
  QuadraticForm form;
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  form.c = -A_times_b;
  form.constant = 0.5 * b_norm * b_norm;
  form.Q_error = unit;
  form.c_error = unit * b_norm * gram.diagonal().cwiseMax(0.0).cwiseSqrt();
  form.constant_error = unit * b_norm * b_norm;
  form.Q = std::move(gram);
  return form;
}

}  // namespace pendec
