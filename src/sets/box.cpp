#include "pendec/sets/box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "axis_ray.hpp"
#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// Up to rounding; an infinite bound is never reached.
bool reaches(double x, double bound) {
  return std::isfinite(bound) && std::abs(x - bound) <= 4.0 * epsilon * std::abs(bound);
}

}  // namespace

void clamp(In z, In lower, In upper, Out y) {
  for (Index i = 0; i < z.size(); ++i) y[i] = std::min(std::max(z[i], lower[i]), upper[i]);
}

Box::Box(Vector lower_, Vector upper_) : lower(std::move(lower_)), upper(std::move(upper_)) {
  require(lower.size() >= 1, "Box.lower.size()", lower.size(), "at least 1");
  require_dimension("Box.upper.size()", upper.size(), lower.size());
  for (Index i = 0; i < lower.size(); ++i) {
    require(lower[i] < infinity, fmt::format("Box.lower[{}]", i), lower[i], "a number or -inf");
    require(upper[i] > -infinity, fmt::format("Box.upper[{}]", i), upper[i], "a number or inf");
    require(lower[i] <= upper[i], fmt::format("Box.lower[{}]", i), lower[i],
            fmt::format("at most upper[{}] = {}", i, upper[i]));
  }
}

Box Box::nonnegative(Index n) { return {Vector::Zero(n), Vector::Constant(n, infinity)}; }
Box Box::nonpositive(Index n) { return {Vector::Constant(n, -infinity), Vector::Zero(n)}; }

double interval_normal_residual(double lower, double upper, double x, double v) {
  const bool normal = v > 0.0 ? x > upper || reaches(x, upper) : x < lower || reaches(x, lower);
  return normal ? 0.0 : std::abs(v);
}

double Box::normal_residual(In x, In v) const {
  double squares = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double r = interval_normal_residual(lower[i], upper[i], x[i], v[i]);
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
