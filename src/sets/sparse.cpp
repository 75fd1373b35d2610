#include "pendec/sets/sparse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "pendec/core/error.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/free.hpp"

namespace pendec {
namespace {

/// The s-th largest |zᵢ|, 1 ≤ s ≤ n. Only magnitudes of at least `guess` are looked at, if there are s of them: along
/// a solve a guess below the last answer leaves few. `magnitudes` has room for n numbers. Entries that are no numbers
/// are left out, as they have no order.
double kth_magnitude(In z, Index s, double guess, std::vector<double>& magnitudes) {
  const auto collect = [&](double least) {
    auto end = magnitudes.begin();
    for (const double entry : z) {
      *end = std::abs(entry);  // written always, kept if large enough: no branch to mispredict
      end += static_cast<std::ptrdiff_t>(*end >= least);
    }
    return end;
  };
  auto end = collect(guess);
  if (end - magnitudes.begin() < s) end = collect(0.0);
  if (end - magnitudes.begin() < s) return 0.0;
  const auto kth = magnitudes.begin() + (s - 1);
  std::nth_element(magnitudes.begin(), kth, end, std::greater<>());
  return *kth;
}

/// y = z where |zᵢ| > least, and on the first of the entries with |zᵢ| = least until s are kept.
void keep(In z, Index s, double least, Out y) {
  Index ties = s - (z.array().abs() > least).count();
  for (Index i = 0; i < z.size(); ++i) {
    const double magnitude = std::abs(z[i]);
    const bool kept = !(magnitude <= least) || (magnitude == least && ties-- > 0);
    y[i] = kept ? z[i] : 0.0;
  }
}

/// Π(z), and the s-th largest magnitude.
double project_sparse(In z, Index s, double guess, std::vector<double>& magnitudes, Out y) {
  if (s == 0) {
    y.setZero();
    return 0.0;
  }
  if (s == z.size()) {
    y = z;
    return 0.0;
  }
  const double least = kth_magnitude(z, s, guess, magnitudes);
  keep(z, s, least, y);
  return least;
}

class SparseProjector final : public Projector {
 public:
  SparseProjector(Index n, Index s) : s_(s), magnitudes_(static_cast<std::size_t>(n)) {}
  using Projector::project;
  void project(In z, Out y) override { least_ = project_sparse(z, s_, 0.9 * least_, magnitudes_, y); }

 private:
  Index s_;
  double least_ = 0.0;
  std::vector<double> magnitudes_;
};

}  // namespace

Sparse::Sparse(Index n_, Index s_) : n(n_), s(s_) {
  require(n >= 1, "Sparse.n", n, "at least 1");
  require(s >= 0 && s <= n, "Sparse.s", s, fmt::format("0 <= s <= n = {}", n));
}

void Sparse::project(In z, Out y) const {
  std::vector<double> magnitudes(static_cast<std::size_t>(n));
  project_sparse(z, s, 0.0, magnitudes, y);
}

std::unique_ptr<Projector> Sparse::projector() const { return std::make_unique<SparseProjector>(n, s); }

double Sparse::normal_residual(In x, In v) const {
  std::vector<double> off_support;
  double squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    if (x[i] != 0.0) {
      squares += v[i] * v[i];
    } else {
      off_support.push_back(std::abs(v[i]));
    }
  }
  // ‖v‖₀ ≤ n − s: of the n − ‖x‖₀ entries off the support the s − ‖x‖₀ smallest have to vanish.
  const Index excess = static_cast<Index>(off_support.size()) - (n - s);
  if (excess > 0) {
    const auto end = off_support.begin() + excess;
    std::nth_element(off_support.begin(), end, off_support.end());
    squares = std::inner_product(off_support.begin(), end, off_support.begin(), squares);
  }
  return std::sqrt(squares);
}

bool Sparse::projection_is_unique(In z, double tol) const {
  if (s == 0 || s == n) return true;
  std::vector<double> magnitudes(static_cast<std::size_t>(n));
  const double kept = kth_magnitude(z, s, 0.0, magnitudes);
  const double dropped = kth_magnitude(z, s + 1, 0.0, magnitudes);
  return dropped <= tol || kept - dropped > tol;
}

std::optional<Branch> Sparse::branch(In y, In z) const {
  if (s == 0) return std::nullopt;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index i, Index j) {
    if ((y[i] != 0.0) != (y[j] != 0.0)) return y[i] != 0.0;
    if (std::abs(z[i]) != std::abs(z[j])) return std::abs(z[i]) > std::abs(z[j]);
    return i < j;
  };
  std::nth_element(order.begin(), order.begin() + (s - 1), order.end(), before);
  std::vector<Index> support(order.begin(), order.begin() + s);
  std::sort(support.begin(), support.end());

  Vector t(s);
  for (Index k = 0; k < s; ++k) t[k] = y[support[static_cast<std::size_t>(k)]];
  std::string label = fmt::format("support {{{}}}", fmt::join(support, ", "));
  Map chart = Embedding(Vector::Zero(n), support);
  return Branch{std::move(label), std::move(support), std::move(chart), Free(s), std::move(t)};
}

std::optional<Vector> Sparse::ray(In) const {
  if (s == 0) return std::nullopt;
  return Vector(Vector::Unit(n, 0));
}

std::vector<Range> Sparse::free_ranges() const {
  if (s < n) return {};
  return {{0, n}};
}

}  // namespace pendec
