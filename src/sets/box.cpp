#include "pendec/sets/box.hpp"

#include <fmt/format.h>

#include <cmath>

#include "axis_ray.hpp"
#include "bounds.hpp"
#include "interval.hpp"
#include "pendec/core/error.hpp"

namespace pendec {

Box::Box(Vector lower_, Vector upper_) : lower(std::move(lower_)), upper(std::move(upper_)) {
  detail::require_bounds("Box", lower, upper);
}

Box Box::nonnegative(Index n) {
  require(n >= 1, "Box.n", n, "at least 1");
  return {Vector::Zero(n), Vector::Constant(n, infinity)};
}

Box Box::nonpositive(Index n) {
  require(n >= 1, "Box.n", n, "at least 1");
  return {Vector::Constant(n, -infinity), Vector::Zero(n)};
}

void Box::project(In z, Out y) const {
  for (Index i = 0; i < z.size(); ++i) y[i] = detail::clamp(z[i], lower[i], upper[i]);
}

double Box::normal_residual(In x, In v) const {
  double squares = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double r = detail::interval_normal_residual(lower[i], upper[i], x[i], v[i]);
    squares += r * r;
  }
  return std::sqrt(squares);
}

std::optional<LinearConstraints> Box::linear_constraints() const {
  LinearConstraints constraints = LinearConstraints::none(dimension());
  constraints.lower = lower;
  constraints.upper = upper;
  return constraints;
}

std::optional<Set> Box::scaled(In row) const { return Set(Box(lower.cwiseQuotient(row), upper.cwiseQuotient(row))); }

std::vector<Range> Box::free_ranges() const {
  std::vector<Index> free;
  for (Index i = 0; i < dimension(); ++i)
    if (lower[i] == -infinity && upper[i] == infinity) free.push_back(i);
  return contiguous_ranges(free);
}

std::optional<Vector> Box::ray(In z) const { return detail::axis_ray(z, lower, upper); }

}  // namespace pendec
