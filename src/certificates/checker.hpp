// What the three checks share: their options, and a report that keeps the first counterexample of each property.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "pendec/certificates/check.hpp"
#include "pendec/core/error.hpp"

namespace pendec::detail {

/// One part of a counterexample.
struct Named {
  std::string_view name;
  Eigen::Ref<const Vector> value;
};

/// "z = (1, 2, 3)"; of a long vector the first entries.
inline std::string to_text(const Named& named) {
  constexpr Index most = 6;
  const Index shown = std::min(most, named.value.size());
  std::string text = fmt::format("{} = (", named.name);
  for (Index i = 0; i < shown; ++i) text += fmt::format("{}{:.6g}", i > 0 ? ", " : "", named.value[i]);
  return text + (shown < named.value.size() ? ", ...)" : ")");
}

class Checker {
 public:
  using Counterexample = std::initializer_list<Named>;

  /// Records `property` as failed, once, unless error ≤ allowed (NaN fails).
  void expect(std::string_view property, double error, double allowed, Index sample, Counterexample found = {}) {
    ++report_.checks;
    if (!(error <= allowed)) fail(property, fmt::format("sample {}: {:.3g} > {:.3g}", sample, error, allowed), found);
  }
  void expect(std::string_view property, bool holds, Index sample, Counterexample found = {}) {
    ++report_.checks;
    if (!holds) fail(property, fmt::format("sample {}", sample), found);
  }

  /// As expect, and remembers the largest error.
  void expect_difference(std::string_view property, double error, double allowed, Index sample) {
    report_.worst = std::max(report_.worst, std::isnan(error) ? infinity : error);
    expect(property, error, allowed, sample);
  }

  CheckReport report() && { return std::move(report_); }

 private:
  void fail(std::string_view property, std::string text, Counterexample found) {
    if (!failed_.emplace(property).second) return;
    for (const Named& part : found) text += "; " + to_text(part);
    report_.ok = false;
    report_.failures.push_back(fmt::format("{} ({})", property, text));
  }

  CheckReport report_;
  std::set<std::string, std::less<>> failed_;
};

inline void require_valid(const CheckOptions& options) {
  const auto require_positive = [](std::string_view field, double value) {
    require(value > 0.0 && std::isfinite(value), field, value, "positive and finite");
  };
  require(options.samples >= 1, "CheckOptions.samples", options.samples, "at least 1");
  require_positive("CheckOptions.scale", options.scale);
  require_positive("CheckOptions.tolerance", options.tolerance);
  require_positive("CheckOptions.difference_tolerance", options.difference_tolerance);
}

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
