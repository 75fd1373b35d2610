// What the three checks share: a report that keeps the first counterexample of each property.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "pendec/certificates/check.hpp"

namespace pendec::detail {

class Checker {
 public:
  /// Records `property` as failed, once, unless error ≤ allowed (NaN fails).
  void expect(std::string_view property, double error, double allowed, Index sample) {
    ++report_.checks;
    if (error <= allowed || !failed_.emplace(property).second) return;
    report_.ok = false;
    report_.failures.push_back(fmt::format("{} (sample {}: {:.3g} > {:.3g})", property, sample, error, allowed));
  }
  void expect(std::string_view property, bool holds, Index sample) {
    expect(property, holds ? 0.0 : 1.0, 0.0, sample);
  }

  /// As expect, and remembers the largest error.
  void expect_difference(std::string_view property, double error, double allowed, Index sample) {
    report_.worst = std::max(report_.worst, std::isnan(error) ? infinity : error);
    expect(property, error, allowed, sample);
  }

  CheckReport report() && { return std::move(report_); }

 private:
  CheckReport report_;
  std::set<std::string, std::less<>> failed_;
};

/// Steps for finite differences, relative to the size of x: truncation wants them small, rounding large.
inline constexpr std::array<double, 5> difference_steps = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

/// Smallest relative deviation, over the steps h, of (curve(h) − curve(−h))/2h from `slope`. Deviations are relative
/// to the slope, to `floor`, and to the change of the curve over the longest step, which alone is left where the
/// slope is zero.
template <class Curve>
double difference_error(const Curve& curve, const Vector& slope, double size, double floor) {
  double best = infinity, reference = std::max(slope.norm(), floor);
  for (const double relative : difference_steps) {
    const double h = relative * size;
    const Vector ahead = curve(h), behind = curve(-h);
    if (relative == difference_steps.front()) {
      const Vector here = curve(0.0);
      reference = std::max(reference, std::max((ahead - here).norm(), (behind - here).norm()) / h);
    }
    const double error = ((ahead - behind) / (2.0 * h) - slope).norm();
    if (error < best) best = error;
  }
  return best == 0.0 ? 0.0 : best / reference;
}

}  // namespace pendec::detail
