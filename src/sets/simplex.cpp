#include "pendec/sets/simplex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

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

/// τ with Σ max(zᵢ − τ, 0) = radius by Newton's method on this convex, piecewise linear function, from any start that
/// is not above all entries. After one step the iterates increase to τ, and the entries above them become fewer until
/// they are the support (Michelot 1986); excess times count sinks at least fourfold in every step.
Threshold threshold(In z, double radius, double start) {
  Threshold tau{start, 0.0};
  Index count = 0, previous = 0;
  do {
    tau.centre += tau.step;
    previous = count;
    const Excess over = excess(z.data(), z.size(), tau.centre);
    count = over.count;
    tau.step = (over.sum - radius) / static_cast<double>(count);
  } while (count != previous && (previous == 0 || tau.step > 0.0));
  return tau;
}

constexpr Index few = 4096;  // so many entries are copied rather than read again from z

using Few = std::array<double, few + 1>;

/// Copies the entries of at least `least`, if there are few; their number, or more than few.
Index gather(In z, double least, Few& copies) {
  constexpr Index block = 64;  // most have none
  Index count = 0;
  for (Index begin = 0; begin < z.size(); begin += block) {
    const auto entries = z.segment(begin, std::min(block, z.size() - begin));
    Index more = 0;
    for (const double entry : entries) more += static_cast<Index>(entry >= least);
    if (more == 0) continue;
    if (count + more > few) return few + 1;
    for (const double entry : entries) {
      copies[count] = entry;  // written always, kept if large enough: no branch to mispredict
      count += static_cast<Index>(entry >= least);
    }
  }
  return count;
}

/// The threshold for a sample of z and its share of the radius.
double estimate(In z, double radius, Few& sample) {
  const Index stride = z.size() / few;
  for (Index k = 0; k < few; ++k) sample[k] = z[k * stride];
  const Eigen::Map<const Vector> entries(sample.data(), few);
  const double share = radius * static_cast<double>(few) / static_cast<double>(z.size());
  return threshold(entries, share, entries.maxCoeff<Eigen::PropagateNumbers>()).centre;
}

}  // namespace

Simplex::Simplex(Index n_, double radius_) : n(n_), radius(radius_) {
  require(n >= 1, "Simplex.n", n, "at least 1");
  require(radius > 0.0 && radius < infinity, "Simplex.radius", radius, "a positive number");
}

void Simplex::project(In z, Out y) const {
  const double bound = z.maxCoeff<Eigen::PropagateNumbers>() - radius;  // on τ from below
  Few copies;
  const Index count = gather(z, bound, copies);
  const Threshold tau = count <= few ? threshold(Eigen::Map<const Vector>(copies.data(), count), radius, bound)
                                     : threshold(z, radius, std::max(bound, estimate(z, radius, copies)));
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
