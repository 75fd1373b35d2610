#include "pendec/sets/simplex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

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

/// Pairwise, and with eight sums at the leaves: accurate, vectorised, and the same on every machine.
Excess excess(const double* z, Index n, double centre) {
  if (n > 128) {
    const Excess left = excess(z, n / 2, centre), right = excess(z + n / 2, n - n / 2, centre);
    return {left.sum + right.sum, left.count + right.count};
  }
  std::array<double, 8> sums{};
  Index i = 0;
  for (; i + 8 <= n; i += 8)
    for (Index lane = 0; lane < 8; ++lane) sums[lane] += std::max(0.0, z[i + lane] - centre);
  for (; i < n; ++i) sums[0] += std::max(0.0, z[i] - centre);
  const Index count = std::count_if(z, z + n, [centre](double entry) { return entry >= centre; });
  return {std::accumulate(sums.begin(), sums.end(), 0.0), count};
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
Threshold threshold(In z, double radius, double start, const Above& others = {}) {
  Threshold tau{start, 0.0};
  Index count = 0, previous = 0;
  do {
    tau.centre += tau.step;
    previous = count;
    const Excess here = excess(z.data(), z.size(), tau.centre), there = others.excess(tau.centre);
    count = here.count + there.count;
    tau.step = (here.sum + there.sum - radius) / static_cast<double>(count);
  } while (count != previous && (previous == 0 || tau.step > 0.0));
  return tau;
}

constexpr Index few_entries = 4096;  // so many entries are copied rather than read again from z

using Few = std::array<double, few_entries + 1>;

/// Copies the entries inside [low, high) behind `count` others; count > few_entries if they are too many.
void gather(const double* z, Index n, double low, double high, Few& copies, Index& count) {
  constexpr Index block = 64;  // most have none
  const auto inside = [=](double entry) {
    return static_cast<Index>(entry >= low) & static_cast<Index>(entry < high);
  };
  for (Index begin = 0; begin < n; begin += block) {
    const Index end = std::min(begin + block, n);
    Index more = 0;
    for (Index i = begin; i < end; ++i) more += inside(z[i]);
    if (more == 0) continue;
    if (count + more > few_entries) {
      count = few_entries + 1;
      return;
    }
    for (Index i = begin; i < end; ++i) {
      copies[count] = z[i];  // written always, kept if inside: no branch to mispredict
      count += inside(z[i]);
    }
  }
}

/// Gathers, and returns the excess over `high`, in one pass, which ends early if the entries inside are too many.
Excess split(const double* z, Index n, double low, double high, Few& copies, Index& count) {
  if (count > few_entries) return {};
  if (n > 1024) {
    const Excess left = split(z, n / 2, low, high, copies, count);
    const Excess right = split(z + n / 2, n - n / 2, low, high, copies, count);
    return {left.sum + right.sum, left.count + right.count};
  }
  gather(z, n, low, high, copies, count);
  return high < infinity ? excess(z, n, high) : Excess{};
}

/// As threshold(), if low ≤ τ ≤ high and few entries lie between; else nothing.
std::optional<Threshold> threshold_inside(In z, double radius, double low, double high) {
  Few copies;
  Index count = 0;
  const Above above{high, split(z.data(), z.size(), low, high, copies, count)};
  if (count > few_entries || above.over.sum > radius) return std::nullopt;
  if (!(excess(copies.data(), count, low).sum + above.excess(low).sum >= radius)) return std::nullopt;
  const Eigen::Map<const Vector> entries(copies.data(), count);
  // Rounded, a step that is long for the radius may end above all entries: none is if all of them are copied.
  const double start = above.over.count == 0 ? std::max(low, entries.maxCoeff() - radius) : low;
  return threshold(entries, radius, start, above);
}

/// The threshold for a sample of z and its share of the radius.
double estimate(In z, double radius) {
  std::array<double, few_entries> sample;
  const Index stride = z.size() / few_entries;
  for (Index k = 0; k < few_entries; ++k) sample[k] = z[k * stride];
  const Eigen::Map<const Vector> entries(sample.data(), few_entries);
  const double share = radius * static_cast<double>(few_entries) / static_cast<double>(z.size());
  return threshold(entries, share, entries.maxCoeff<Eigen::PropagateNumbers>()).centre;
}

/// As above, in one or two passes over z in general. If τ is above the threshold of a sample and few entries are,
/// they suffice. Else a step of Newton's method from there ends below τ, and often so near to it that few lie
/// between.
Threshold threshold(In z, double radius) {
  if (z.size() > few_entries) {
    const double start = estimate(z, radius);
    if (const auto tau = threshold_inside(z, radius, start, infinity)) return *tau;
    const Excess over = excess(z.data(), z.size(), start);
    const double step = (over.sum - radius) / static_cast<double>(over.count), low = start + step;
    const double high = over.count < 4 * few_entries ? infinity : low + std::abs(step) / 16.0;
    if (const auto tau = threshold_inside(z, radius, low, high)) return *tau;
  }
  const double bound = z.maxCoeff<Eigen::PropagateNumbers>() - radius;  // on τ from below
  if (const auto tau = threshold_inside(z, radius, bound, infinity)) return *tau;
  return threshold(z, radius, bound);
}

}  // namespace

Simplex::Simplex(Index n_, double radius_) : n(n_), radius(radius_) {
  require(n >= 1, "Simplex.n", n, "at least 1");
  require(radius > 0.0 && radius < infinity, "Simplex.radius", radius, "a positive number");
}

void Simplex::project(In z, Out y) const {
  const Threshold tau = threshold(z, radius);
  for (Index i = 0; i < n; ++i) y[i] = std::max(z[i] - tau.centre - tau.step, 0.0);  // in this order NaN stays NaN
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
