#include "pendec/sets/box_switching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "axis_ray.hpp"
#include "bounds.hpp"
#include "exchanges.hpp"
#include "interval.hpp"
#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/box.hpp"
#include "squares.hpp"

namespace pendec {
namespace {

/// One pair and its bounds.
struct SwitchingPair {
  double lower_x, upper_x, lower_y, upper_y;

  double clamp_x(double x) const { return detail::clamp(x, lower_x, upper_x); }
  double clamp_y(double y) const { return detail::clamp(y, lower_y, upper_y); }

  /// Which of the two may be zero, and so leave the other to itself.
  bool x_may_vanish() const { return lower_x <= 0.0 && upper_x >= 0.0; }
  bool y_may_vanish() const { return lower_y <= 0.0 && upper_y >= 0.0; }

  /// x² + (ỹ − y)² − (x̃ − x)² − y²
  double worth_of_x(double x, double y) const {
    return detail::gain(x, clamp_x(x), 1.0) - detail::gain(y, clamp_y(y), 1.0);
  }
  bool keeps_x(double x, double y) const {
    if (!x_may_vanish() || !y_may_vanish()) return y_may_vanish();
    const double unit = detail::square_unit(std::max(std::abs(x), std::abs(y)));
    return detail::gain(x, clamp_x(x), unit) >= detail::gain(y, clamp_y(y), unit);
  }
};

SwitchingPair pair(const BoxSwitching& set, Index i) {
  return {set.lower_x[i], set.upper_x[i], set.lower_y[i], set.upper_y[i]};
}

Vector infinite(Index n) {
  require(n >= 1, "BoxSwitching.n", n, "at least 1");
  return Vector::Constant(n, infinity);
}

}  // namespace

BoxSwitching::BoxSwitching(Vector lower_x_, Vector upper_x_, Vector lower_y_, Vector upper_y_)
    : lower_x(std::move(lower_x_)),
      upper_x(std::move(upper_x_)),
      lower_y(std::move(lower_y_)),
      upper_y(std::move(upper_y_)) {
  detail::require_bounds("BoxSwitching", lower_x, upper_x, "_x");
  require_dimension("BoxSwitching.lower_y.size()", lower_y.size(), pairs());
  detail::require_bounds("BoxSwitching", lower_y, upper_y, "_y");
  for (Index i = 0; i < pairs(); ++i) {
    const SwitchingPair p = pair(*this, i);
    if (p.x_may_vanish() || p.y_may_vanish()) continue;
    throw InvalidArgument(fmt::format("BoxSwitching.lower_x[{}]", i), to_text(p.lower_x),
                          "bounds that allow x or y to be zero");
  }
}

BoxSwitching BoxSwitching::switching(Index n) {
  const Vector inf = infinite(n);
  return {-inf, inf, -inf, inf};
}

BoxSwitching BoxSwitching::complementarity(Index n) {
  const Vector inf = infinite(n), zero = Vector::Zero(n);
  return {zero, inf, zero, inf};
}

BoxSwitching BoxSwitching::relaxed_sparsity(Index n) {
  const Vector inf = infinite(n);
  return {-inf, inf, Vector::Zero(n), Vector::Ones(n)};
}

void BoxSwitching::project(In z, Out w) const {
  const Index n = pairs();
  for (Index i = 0; i < n; ++i) {
    const SwitchingPair p = pair(*this, i);
    const double x = z[i], y = z[n + i];
    const bool keeps_x = p.keeps_x(x, y);
    const double zero = std::isnan(x) || std::isnan(y) ? std::nan("") : 0.0;  // what is no number stays visible
    w[i] = keeps_x ? p.clamp_x(x) : zero;
    w[n + i] = keeps_x ? zero : p.clamp_y(y);
  }
}

double BoxSwitching::normal_residual(In w, In v) const {
  const Index n = pairs();
  const double zero = 1e-12 * w.lpNorm<Eigen::Infinity>();  // what rounding leaves of a zero
  double squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    const SwitchingPair p = pair(*this, i);
    const double x = std::abs(w[i]) <= zero ? 0.0 : w[i], y = std::abs(w[n + i]) <= zero ? 0.0 : w[n + i];
    const double a = v[i], b = v[n + i];
    double residual = 0.0;
    if (!p.x_may_vanish() || (p.y_may_vanish() && x != 0.0 && std::abs(x) >= std::abs(y))) {
      residual = detail::interval_normal_residual(p.lower_x, p.upper_x, x, a);
    } else if (y != 0.0 || !p.y_may_vanish()) {
      residual = detail::interval_normal_residual(p.lower_y, p.upper_y, y, b);
    } else {
      residual = std::hypot(detail::interval_normal_residual(p.lower_x, p.upper_x, 0.0, a),
                            detail::interval_normal_residual(p.lower_y, p.upper_y, 0.0, b));
      if (p.lower_x < p.upper_x) residual = std::min(residual, std::abs(a));
      if (p.lower_y < p.upper_y) residual = std::min(residual, std::abs(b));
    }
    squares += residual * residual;
  }
  return std::sqrt(squares);
}

bool BoxSwitching::projection_is_unique(In z, double tol) const {
  const Index n = pairs();
  for (Index i = 0; i < n; ++i) {
    const SwitchingPair p = pair(*this, i);
    if (!p.x_may_vanish() || !p.y_may_vanish()) continue;
    const double x = z[i], y = z[n + i];
    const double x_in = p.clamp_x(x), y_in = p.clamp_y(y);
    const double difference = std::abs(std::hypot(x_in - x, y) - std::hypot(x, y_in - y));
    if (difference <= tol && std::hypot(x_in, y_in) > tol) return false;
  }
  return true;
}

std::optional<Branch> BoxSwitching::branch(In w, In z) const {
  const Index n = pairs();
  std::vector<Index> key;
  for (Index i = 0; i < n; ++i) {
    const double x = w[i], y = w[n + i];
    const bool both_zero = x == 0.0 && y == 0.0;
    const SwitchingPair p = pair(*this, i);
    const bool undecided = both_zero || !p.x_may_vanish() || !p.y_may_vanish();
    const bool keeps_x = undecided ? p.keeps_x(z[i], z[n + i]) : std::abs(x) >= std::abs(y);
    key.push_back(keeps_x ? 0 : 1);
  }
  auto found = branch_at(key, w);
  for (Index i = 0; i < n; ++i) found->t[i] = key[static_cast<std::size_t>(i)] == 0 ? w[i] : w[n + i];
  return found;
}

std::optional<Branch> BoxSwitching::branch_at(BranchKey key, In near) const {
  const Index n = pairs();
  require_dimension("branch key size", std::ssize(key), n);
  std::string label = "free ";
  std::vector<Index> indices;
  Vector lower(n), upper(n), t(n);
  for (Index i = 0; i < n; ++i) {
    const SwitchingPair p = pair(*this, i);
    const bool keeps_x = key[static_cast<std::size_t>(i)] == 0;
    require(keeps_x ? p.y_may_vanish() : p.x_may_vanish(), fmt::format("branch key[{}]", i),
            key[static_cast<std::size_t>(i)], "0 where y may be zero, 1 where x may");
    label += keeps_x ? 'x' : 'y';
    indices.push_back(keeps_x ? i : n + i);
    lower[i] = keeps_x ? lower_x[i] : lower_y[i];
    upper[i] = keeps_x ? upper_x[i] : upper_y[i];
    t[i] = keeps_x ? p.clamp_x(near[i]) : p.clamp_y(near[n + i]);
  }
  Map chart = Embedding(2 * n, std::move(indices));
  return Branch{std::move(label),
                {key.begin(), key.end()},
                std::move(chart),
                Box(std::move(lower), std::move(upper)),
                std::move(t)};
}

std::optional<Neighbours> BoxSwitching::neighbours(BranchKey key, In z, Index most) const {
  const Index n = pairs();
  Neighbours all;
  for (Index i = 0; i < n; ++i) {
    const SwitchingPair p = pair(*this, i);
    if (!p.x_may_vanish() || !p.y_may_vanish()) continue;
    Neighbour other{{key.begin(), key.end()}, p.worth_of_x(z[i], z[n + i])};
    Index& side = other.key[static_cast<std::size_t>(i)];
    if (side == 1) other.excess = -other.excess;
    side = 1 - side;
    all.nearest.push_back(std::move(other));
  }
  all.total = std::ssize(all.nearest);
  detail::keep_nearest(all.nearest, most);
  return all;
}

std::optional<Set> BoxSwitching::scaled(In row) const {
  const auto x = row.head(pairs()), y = row.tail(pairs());
  return Set(BoxSwitching(lower_x.cwiseQuotient(x), upper_x.cwiseQuotient(x), lower_y.cwiseQuotient(y),
                          upper_y.cwiseQuotient(y)));
}

std::optional<Vector> BoxSwitching::ray(In z) const {
  Vector lower(dimension()), upper(dimension());
  lower << lower_x, lower_y;
  upper << upper_x, upper_y;
  return detail::axis_ray(z, lower, upper);
}

std::optional<Alternatives> BoxSwitching::alternatives() const {
  const Index n = pairs();
  Alternatives a{.dimension = 2 * n};
  const auto holds_zero = [](double lower, double upper) { return lower <= 0.0 && upper >= 0.0; };
  for (Index i = 0; i < n; ++i) {
    Atom atom{{i, n + i}, {}};
    if (holds_zero(lower_y[i], upper_y[i]))
      atom.pieces.push_back(Box(Vector{{lower_x[i], 0.0}}, Vector{{upper_x[i], 0.0}}));
    if (holds_zero(lower_x[i], upper_x[i]))
      atom.pieces.push_back(Box(Vector{{0.0, lower_y[i]}}, Vector{{0.0, upper_y[i]}}));
    a.atoms.push_back(std::move(atom));
  }
  return a;
}

}  // namespace pendec
