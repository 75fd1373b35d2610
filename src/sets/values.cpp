#include "pendec/sets/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bounds.hpp"
#include "interval.hpp"
#include "pendec/core/error.hpp"
#include "pendec/sets/singleton.hpp"

namespace pendec {
namespace {

/// The neighbours of z among the values, equal at the ends of the list.
std::pair<double, double> neighbours(const std::vector<double>& values, double z) {
  const auto above = std::lower_bound(values.begin(), values.end(), z);
  if (above == values.end()) return {values.back(), values.back()};
  if (above == values.begin()) return {values.front(), values.front()};
  return {*(above - 1), *above};
}

bool unique(double z, double below, double above, double tol) {
  return below == above || std::abs((z - below) - (above - z)) > tol;
}

}  // namespace

Integer::Integer(Vector lower_, Vector upper_) : lower(lower_.array().ceil()), upper(upper_.array().floor()) {
  detail::require_bounds("Integer", lower_, upper_);
  for (Index i = 0; i < lower.size(); ++i) {
    if (lower[i] <= upper[i]) continue;
    throw InvalidArgument(fmt::format("Integer.lower[{}]", i), to_text(lower_[i]),
                          fmt::format("an integer between lower[{0}] and upper[{0}] = {1}", i, upper_[i]));
  }
}

Integer Integer::binary(Index n) {
  require(n >= 1, "Integer.n", n, "at least 1");
  return {Vector::Zero(n), Vector::Ones(n)};
}

void Integer::project(In z, Out y) const {
  for (Index i = 0; i < z.size(); ++i) {
    // not ceil(z − ½): that sum may round
    const double below = std::floor(z[i]);
    const double nearest = z[i] - below > 0.5 ? below + 1.0 : below;
    y[i] = detail::clamp(nearest, lower[i], upper[i]);
  }
}

bool Integer::projection_is_unique(In z, double tol) const {
  for (Index i = 0; i < z.size(); ++i) {
    if (z[i] <= lower[i] || z[i] >= upper[i]) continue;
    if (!unique(z[i], std::floor(z[i]), std::floor(z[i]) + 1.0, tol)) return false;
  }
  return true;
}

FiniteValues::FiniteValues(Index n_, std::vector<double> values_) : n(n_), values(std::move(values_)) {
  require(n >= 1, "FiniteValues.n", n, "at least 1");
  require(!values.empty(), "FiniteValues.values.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < values.size(); ++k)
    require(std::isfinite(values[k]), fmt::format("FiniteValues.values[{}]", k), values[k], "a finite number");
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void FiniteValues::project(In z, Out y) const {
  for (Index i = 0; i < n; ++i) {
    if (z[i] != z[i]) {  // what is no number stays visible
      y[i] = z[i];
      continue;
    }
    const auto [below, above] = neighbours(values, z[i]);
    y[i] = above - z[i] < z[i] - below ? above : below;
  }
}

bool FiniteValues::projection_is_unique(In z, double tol) const {
  return std::all_of(z.begin(), z.end(), [&](double entry) {
    const auto [below, above] = neighbours(values, entry);
    return pendec::unique(entry, below, above, tol);
  });
}

std::optional<Alternatives> FiniteValues::alternatives() const {
  std::vector<Set> points;
  for (const double value : values) points.push_back(Singleton(Vector::Constant(1, value)));
  Alternatives a{.dimension = n};
  for (Index i = 0; i < n; ++i) a.atoms.push_back({{i}, points});
  return a;
}

}  // namespace pendec
