#include "proof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pendec::detail {
namespace {

double allowed(double terms, Index n, double value, double gap) {
  constexpr double of_terms = 1e-9;
  const double size = static_cast<double>(n + 8);
  const double underflow = 64.0 * size * size * std::numeric_limits<double>::denorm_min();
  const double of_value = std::isinf(gap) ? gap : gap * std::abs(value);  // any gap, of 0 as well
  return std::max({of_value, std::isfinite(terms) ? of_terms * terms : 0.0, underflow});
}

double terms_of(const Objective& f, In y) {
  Vector slopes(y.size());
  return f.magnitude(y, slopes);
}

}  // namespace

bool underflows(const Objective& f, In y) { return underflows(terms_of(f, y)); }

double allowed_gap(const Objective& f, In y, double value, double gap) {
  return allowed(terms_of(f, y), y.size(), value, gap);
}

std::optional<Status> status_of_gap(const Objective& f, In y, double value, double bound, double gap) {
  const double terms = terms_of(f, y), open = value + rounding_unit(f.summands()) * terms - bound;
  const auto small = [&](double relative) { return allowed(terms, y.size(), value, relative); };
  if (!(open <= small(gap)) || open < -small(std::min(gap, optimal_gap))) return std::nullopt;
  return open <= small(optimal_gap) ? Status::optimal : Status::gap_limit;
}

bool lies_in(const Set& part, In y) {
  constexpr double tolerance = 1e-7, rounding_of_entries = 1e-9;
  const Vector nearest = part.projection(y);
  const Vector sizes =
      y.cwiseAbs().cwiseMax(nearest.cwiseAbs()).cwiseMax(rounding_of_entries * y.lpNorm<Eigen::Infinity>());
  return part.relative_violation(y, nearest, sizes) <= tolerance;
}

}  // namespace pendec::detail
