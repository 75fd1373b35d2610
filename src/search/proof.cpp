#include "proof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pendec::detail {
namespace {

constexpr double closed = 1e-6;

}  // namespace

double allowed_gap(const Objective& f, In y, double value, double gap) {
  constexpr double of_terms = 1e-9;
  Vector slopes(y.size());
  const double terms = f.magnitude(y, slopes), size = static_cast<double>(y.size() + 8);
  const double underflow = 64.0 * size * size * std::numeric_limits<double>::denorm_min();
  return std::max({gap * std::abs(value), std::isfinite(terms) ? of_terms * terms : 0.0, underflow});
}

double rounding_of(const Objective& f, In y) {
  Vector sizes(y.size());
  return rounding_unit(f.summands()) * f.magnitude(y, sizes);
}

std::optional<Status> status_of_gap(const Objective& f, In y, double value, double bound, double gap) {
  const double open = value + rounding_of(f, y) - bound;
  const double least = allowed_gap(f, y, value, std::min(gap, closed));
  if (!(open <= allowed_gap(f, y, value, gap)) || open < -least) return std::nullopt;
  return open <= allowed_gap(f, y, value, closed) ? Status::optimal : Status::gap_limit;
}

bool lies_in(const Set& part, In y) {
  constexpr double tolerance = 1e-7, rounding_of_entries = 1e-9;
  const Vector nearest = part.projection(y);
  const Vector sizes =
      y.cwiseAbs().cwiseMax(nearest.cwiseAbs()).cwiseMax(rounding_of_entries * y.lpNorm<Eigen::Infinity>());
  return part.relative_violation(y, nearest, sizes) <= tolerance;
}

}  // namespace pendec::detail
