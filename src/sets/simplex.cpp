#include "pendec/sets/simplex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "../core/team.hpp"
#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// τ = centre + step in twice the precision: the entries of y = max(z − τ, 0) may be far smaller than an ulp of τ.
struct Threshold {
  double centre, step;
};

struct Excess {
  double sum;   // Σ max(zᵢ − centre, 0)
  Index count;  // of the zᵢ ≥ centre
};

Excess operator+(Excess a, Excess b) { return {a.sum + b.sum, a.count + b.count}; }

/// Pairwise, and with eight sums at the leaves: accurate, vectorised, and the same on every machine.
Excess excess(const double* z, Index n, double centre) {
  if (n > 128) return excess(z, n / 2, centre) + excess(z + n / 2, n - n / 2, centre);
  std::array<double, 8> sums{};
  Index i = 0;
  for (; i + 8 <= n; i += 8)
    for (Index lane = 0; lane < 8; ++lane) sums[lane] += std::max(0.0, z[i + lane] - centre);
  for (; i < n; ++i) sums[0] += std::max(0.0, z[i] - centre);
  const Index count = std::count_if(z, z + n, [centre](double entry) { return entry >= centre; });
  return {std::accumulate(sums.begin(), sums.end(), 0.0), count};
}

/// The sum of of_part(k, k-th part of z) in the same order of halves.
template <class OfPart>
Excess sum_of_parts(In z, detail::Team& team, OfPart of_part) {
  std::array<Excess, detail::Team::most_parts> sums;
  const Index parts = team.parts(z.size());
  team.run(parts, [&](Index k) { sums[k] = of_part(k, detail::part(z.size(), k, parts)); });
  for (Index step = 1; step < parts; step *= 2)
    for (Index k = 0; k < parts; k += 2 * step) sums[k] = sums[k] + sums[k + step];
  return sums[0];
}

Excess excess(In z, double centre, detail::Team& team) {
  return sum_of_parts(z, team, [&](Index, Range r) { return excess(z.data() + r.begin, r.size, centre); });
}

/// The excess of entries of at least `bound`, over what is not above it.
struct Above {
  double bound = 0.0;
  Excess over{};

  Excess excess(double centre) const {
    if (over.count == 0) return over;
    return {over.sum + static_cast<double>(over.count) * (bound - centre), over.count};
  }
};

/// τ with Σ max(zᵢ − τ, 0) = radius by Newton's method on this convex, piecewise linear function, from any start that
/// is not above all entries. After one step the iterates increase to τ, and the entries above them become fewer until
/// they are the support (Michelot 1986); excess times count sinks at least fourfold in every step. Entries that are
/// known to lie above τ need not be in z.
Threshold threshold(In z, double radius, double start, detail::Team& team, const Above& others = {}) {
  Threshold tau{start, 0.0};
  Index count = 0, previous = 0;
  do {
    tau.centre += tau.step;
    previous = count;
    const Excess here = excess(z, tau.centre, team), there = others.excess(tau.centre);
    count = here.count + there.count;
    tau.step = (here.sum + there.sum - radius) / static_cast<double>(count);
  } while (count != previous && (previous == 0 || tau.step > 0.0));
  return tau;
}

constexpr Index few_entries = 4096;  // so many entries are copied rather than read again from z

struct Few {
  std::array<double, few_entries + 1> entries;
  Index count = 0;  // more than few_entries: too many

  void append(const Few& more) {
    if (count + more.count <= few_entries) std::copy_n(more.entries.begin(), more.count, entries.begin() + count);
    count += more.count;
  }
};

/// Copies the entries inside [low, high).
void gather(const double* z, Index n, double low, double high, Few& copies) {
  constexpr Index block = 64;  // most have none
  const auto inside = [=](double entry) {
    return static_cast<Index>(entry >= low) & static_cast<Index>(entry < high);
  };
  for (Index begin = 0; begin < n; begin += block) {
    const Index end = std::min(begin + block, n);
    Index more = 0;
    for (Index i = begin; i < end; ++i) more += inside(z[i]);
    if (more == 0) continue;
    if (copies.count + more > few_entries) {
      copies.count = few_entries + 1;
      return;
    }
    for (Index i = begin; i < end; ++i) {
      copies.entries[copies.count] = z[i];  // written always, kept if inside: no branch to mispredict
      copies.count += inside(z[i]);
    }
  }
}

/// Gathers, and returns the excess over `high`, in one pass, which ends early if the entries inside are too many.
Excess split(const double* z, Index n, double low, double high, Few& copies) {
  if (copies.count > few_entries) return {};
  if (n > 1024) {
    const Excess left = split(z, n / 2, low, high, copies);
    return left + split(z + n / 2, n - n / 2, low, high, copies);
  }
  gather(z, n, low, high, copies);
  return high < infinity ? excess(z, n, high) : Excess{};
}

Excess split(In z, double low, double high, Few& copies, detail::Team& team) {
  const Index others = team.parts(z.size()) - 1;
  const auto more = others > 0 ? std::make_unique_for_overwrite<Few[]>(static_cast<std::size_t>(others)) : nullptr;
  const Excess over = sum_of_parts(z, team, [&](Index k, Range r) {
    return split(z.data() + r.begin, r.size, low, high, k == 0 ? copies : more[k - 1]);
  });
  for (Index k = 0; k < others; ++k) copies.append(more[k]);
  return over;
}

/// As threshold(), if low ≤ τ ≤ high and few entries lie between; else nothing.
std::optional<Threshold> threshold_inside(In z, double radius, double low, double high, detail::Team& team) {
  Few copies;
  const Above above{high, split(z, low, high, copies, team)};
  if (copies.count > few_entries || above.over.sum > radius) return std::nullopt;
  const Eigen::Map<const Vector> entries(copies.entries.data(), copies.count);
  if (!(excess(entries, low, team).sum + above.excess(low).sum >= radius)) return std::nullopt;
  // Rounded, a step that is long for the radius may end above all entries: none is if all of them are copied.
  const double start = above.over.count == 0 ? std::max(low, entries.maxCoeff() - radius) : low;
  return threshold(entries, radius, start, team, above);
}

/// The threshold for a sample of z and its share of the radius.
double estimate(In z, double radius, detail::Team& team) {
  std::array<double, few_entries> sample;
  const Index stride = z.size() / few_entries;
  for (Index k = 0; k < few_entries; ++k) sample[k] = z[k * stride];
  const Eigen::Map<const Vector> entries(sample.data(), few_entries);
  const double share = radius * static_cast<double>(few_entries) / static_cast<double>(z.size());
  return threshold(entries, share, entries.maxCoeff<Eigen::PropagateNumbers>(), team).centre;
}

/// As above, in one or two passes over z in general. If τ is above the threshold of a sample and few entries are,
/// they suffice. Else a step of Newton's method from there ends below τ, and often so near to it that few lie
/// between.
Threshold threshold(In z, double radius, detail::Team& team) {
  if (z.size() > few_entries) {
    const double start = estimate(z, radius, team);
    if (const auto tau = threshold_inside(z, radius, start, infinity, team)) return *tau;
    const Excess over = excess(z, start, team);
    const double step = (over.sum - radius) / static_cast<double>(over.count), low = start + step;
    const double high = over.count < 4 * few_entries ? infinity : low + std::abs(step) / 16.0;
    if (const auto tau = threshold_inside(z, radius, low, high, team)) return *tau;
  }
  const double bound = z.maxCoeff<Eigen::PropagateNumbers>() - radius;  // on τ from below
  if (const auto tau = threshold_inside(z, radius, bound, infinity, team)) return *tau;
  return threshold(z, radius, bound, team);
}

}  // namespace

Simplex::Simplex(Index n_, double radius_) : n(n_), radius(radius_) {
  require(n >= 1, "Simplex.n", n, "at least 1");
  require(radius > 0.0 && radius < infinity, "Simplex.radius", radius, "a positive number");
}

void Simplex::project(In z, Out y) const {
  detail::Team team(n);
  const Threshold tau = threshold(z, radius, team);
  const Index parts = team.parts(n);
  team.run(parts, [&](Index k) {
    const Range r = detail::part(n, k, parts);
    for (Index i = r.begin; i < r.begin + r.size; ++i)
      y[i] = std::max(z[i] - tau.centre - tau.step, 0.0);  // in this order NaN stays NaN
  });
}

double Simplex::normal_residual(In x, In v) const {
  // min over ν of Σ_support (vᵢ − ν)² + Σ_others max(vᵢ − ν, 0)²: ν is the mean over the support and those others
  // that lie above it.
  const double zero = 1e-12 * radius;
  std::vector<double> others;
  double sum = 0.0, count = 0.0;
  for (Index i = 0; i < n; ++i) {
    if (x[i] > zero) {
      sum += v[i];
      ++count;
    } else {
      others.push_back(v[i]);
    }
  }
  if (count == 0.0) return v.norm();  // x is not in the set
  std::sort(others.begin(), others.end(), std::greater<>());
  for (auto it = others.begin(); it != others.end() && *it * count > sum; ++it) {
    sum += *it;
    ++count;
  }
  const double nu = sum / count;
  double squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double r = x[i] > zero ? v[i] - nu : std::max(v[i] - nu, 0.0);
    squares += r * r;
  }
  return std::sqrt(squares);
}

std::optional<LinearConstraints> Simplex::linear_constraints() const {
  LinearConstraints constraints = LinearConstraints::none(n);
  constraints.E = Matrix::Ones(1, n);
  constraints.d = Vector::Constant(1, radius);
  constraints.lower = Vector::Zero(n);
  return constraints;
}

std::optional<Set> Simplex::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  return Set(Simplex(n, radius / row[0]));
}

}  // namespace pendec
