#include "pendec/sets/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// ρ with Σ max(wᵢ − ρ, 0) = radius. For every subset V of the entries (Σ_V w − radius)/|V| ≤ ρ, with equality for
/// the support; so entries below that mean are dropped until none is (Michelot 1986).
double threshold(std::vector<double>& w, double radius) {
  for (;;) {
    const double rho = (std::accumulate(w.begin(), w.end(), 0.0) - radius) / static_cast<double>(w.size());
    const auto end = std::partition(w.begin(), w.end(), [rho](double entry) { return entry > rho; });
    if (end == w.end()) return rho;
    w.erase(end, w.end());
  }
}

/// The lower bound on ρ already grows while the entries are read, which keeps most of them out of `candidates`
/// (Condat 2016). With wᵢ = zᵢ − max z instead of zᵢ the sum of y is the radius at every scale of z.
void project_simplex(In z, double radius, std::vector<double>& candidates, Out y) {
  const double top = z.maxCoeff();
  double bound = -radius;  // from V = {max z}
  double sum = 0.0;
  candidates.clear();
  for (const double entry : z) {
    const double w = entry - top;
    if (w <= bound) continue;
    candidates.push_back(w);
    sum += w;
    bound = std::max(bound, (sum - radius) / static_cast<double>(candidates.size()));
  }
  const double rho = threshold(candidates, radius);
  y = (z.array() - top - rho).max(0.0);
}

class SimplexProjector final : public Projector {
 public:
  SimplexProjector(Index n, double radius) : radius_(radius) { candidates_.reserve(static_cast<std::size_t>(n)); }
  using Projector::project;
  void project(In z, Out y) override { project_simplex(z, radius_, candidates_, y); }

 private:
  double radius_;
  std::vector<double> candidates_;
};

}  // namespace

Simplex::Simplex(Index n_, double radius_) : n(n_), radius(radius_) {
  require(n >= 1, "Simplex.n", n, "at least 1");
  require(radius > 0.0 && radius < infinity, "Simplex.radius", radius, "a positive number");
}

void Simplex::project(In z, Out y) const {
  std::vector<double> candidates;
  project_simplex(z, radius, candidates, y);
}

std::unique_ptr<Projector> Simplex::projector() const { return std::make_unique<SimplexProjector>(n, radius); }

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
