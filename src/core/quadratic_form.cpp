#include "pendec/core/quadratic_form.hpp"

#include <cmath>

namespace pendec {

QuadraticForm form_of_squares(Matrix gram, const Vector& A_times_b, double b_norm, Index rows) {
  const double unit = 8.0 * epsilon * (16.0 + std::sqrt(static_cast<double>(rows)));
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
