#include "pendec/sets/sparse_simplex.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "choices.hpp"
#include "exchanges.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/simplex.hpp"
#include "select.hpp"

namespace pendec {
namespace {

/// The s indices that come first: larger `first` flag, then larger z, then lower index; ascending.
std::vector<Index> leading(In z, Index s, const std::vector<bool>& first) {
  std::vector<Index> order(static_cast<std::size_t>(z.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index i, Index j) {
    const bool a = first[static_cast<std::size_t>(i)], b = first[static_cast<std::size_t>(j)];
    if (a != b) return a;
    if (z[i] != z[j]) return z[i] > z[j];
    return i < j;
  };
  std::nth_element(order.begin(), order.begin() + (s - 1), order.end(), before);
  order.resize(static_cast<std::size_t>(s));
  std::sort(order.begin(), order.end());
  return order;
}

double sum_of_squares(std::span<const double> w) { return std::inner_product(w.begin(), w.end(), w.begin(), 0.0); }

/// min over ν of count · ν² + Σ (wᵢ − ν)² over the `more` entries of w nearest to ν. Those are neighbours in sorted
/// order, so all windows of that length are tried.
double cost_of_more(double count, std::vector<double> w, Index more) {
  const auto length = static_cast<std::size_t>(more);
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  std::nth_element(w.begin(), w.begin() + (more - 1), w.end(), smaller);
  // The entries nearest to ν = 0 bound the minimum: |ν| and all |wᵢ − ν| are at most its root. What is left is so
  // small that the sums below do not cancel.
  const double bound = std::max(2.0 * std::sqrt(sum_of_squares({w.data(), length})), std::abs(w[length - 1]));
  std::erase_if(w, [=](double entry) { return std::abs(entry) > bound; });
  std::sort(w.begin(), w.end());

  const double total = count + static_cast<double>(more);
  std::size_t best = 0;
  double sum = std::accumulate(w.begin(), w.begin() + more, 0.0), squares = sum_of_squares({w.data(), length});
  double least = squares - sum * sum / total;
  for (std::size_t k = 0; k + length < w.size(); ++k) {
    sum += w[k + length] - w[k];
    squares += w[k + length] * w[k + length] - w[k] * w[k];
    const double cost = squares - sum * sum / total;
    if (cost >= least) continue;
    least = cost;
    best = k + 1;
  }
  const std::span<double> window(w.data() + best, length);
  const double nu = std::accumulate(window.begin(), window.end(), 0.0) / total;
  for (double& entry : window) entry -= nu;
  return count * nu * nu + sum_of_squares(window);
}

}  // namespace

SparseSimplex::SparseSimplex(Index n_, Index s_, double radius_) : n(n_), s(s_), radius(radius_) {
  require(n >= 1, "SparseSimplex.n", n, "at least 1");
  require(s >= 1 && s <= n, "SparseSimplex.s", s, fmt::format("1 <= s <= n = {}", n));
  require(radius > 0.0 && radius < infinity, "SparseSimplex.radius", radius, "a positive finite number");
}

void SparseSimplex::project(In z, Out y) const {
  std::vector<double> scratch;
  auto kept = detail::select_largest(
      n, s, [&](Index i) { return z[i]; }, scratch);
  std::vector<Index> support;
  for (Index i = 0; i < n; ++i)
    if (kept.takes(z[i]) || z[i] != z[i]) support.push_back(i);  // what is no number stays visible
  const Vector w = z(support);
  Vector weights(w.size());
  Simplex(w.size(), radius).project(w, weights);
  y.setZero();
  for (std::size_t k = 0; k < support.size(); ++k) y[support[k]] = weights[static_cast<Index>(k)];
}

double SparseSimplex::normal_residual(In x, In v) const {
  const double zero = 1e-12 * radius;
  const double count = static_cast<double>((x.array() > zero).count());
  if (count == 0.0) return v.norm();  // x is not in the set
  const double mean = (x.array() > zero).select(v.array(), 0.0).sum() / count;
  double on_support = 0.0;
  std::vector<double> others;
  for (Index i = 0; i < n; ++i) {
    const double w = v[i] - mean;  // the cone is the same for v − mean
    if (x[i] > zero)
      on_support += w * w;
    else
      others.push_back(w);
  }
  const Index more = s - static_cast<Index>(count);
  if (more <= 0) return std::sqrt(on_support);
  const double regular = Simplex(n, radius).normal_residual(x, v);
  return std::min(regular, std::sqrt(on_support + cost_of_more(count, std::move(others), more)));
}

bool SparseSimplex::projection_is_unique(In z, double tol) const {
  if (s == n) return true;
  const auto entry = [&](Index i) { return z[i]; };
  if (detail::selection_gap(n, s, entry) > tol) return true;
  Vector y(n);
  project(z, y);
  return (y.array() > tol).count() < s;
}

std::optional<Branch> SparseSimplex::branch(In y, In z) const {
  if (s == n) return std::nullopt;
  std::vector<bool> positive(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) positive[static_cast<std::size_t>(i)] = y[i] > 0.0;
  return branch_at(leading(z, s, positive), y);
}

std::optional<Branch> SparseSimplex::branch_at(BranchKey key, In near) const {
  if (s == n || key.empty()) return std::nullopt;
  detail::require_support(key, n, s);
  std::vector<Index> support(key.begin(), key.end());
  std::string label = fmt::format("support {{{}}}", fmt::join(support, ", "));
  Set domain = Simplex(std::ssize(key), radius);
  Vector t = near(support);
  if (!domain.contains(t, 0.0)) t = domain.projection(t);
  Map chart = Embedding(n, support);
  return Branch{std::move(label), std::move(support), std::move(chart), std::move(domain), std::move(t)};
}

/// The projection onto the simplex of a support grows with z there; what an entry is worth is estimated by z|z|.
std::optional<Neighbours> SparseSimplex::neighbours(BranchKey key, In z, Index most) const {
  if (s == n) return std::nullopt;
  const auto any = [](Index) { return true; };
  return detail::exchanges(
      key, detail::others_than(key, n, any), [&](Index i) { return z[i] * std::abs(z[i]); }, most);
}

std::optional<Set> SparseSimplex::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  return Set(SparseSimplex(n, s, radius / row[0]));
}

std::optional<Alternatives> SparseSimplex::alternatives() const {
  const Set line = Free(1);
  Alternatives a = detail::few_coordinates(n, s, [&](Index) { return line; });
  a.common.push_back({detail::counted(n), {Simplex(n, radius)}});
  return a;
}

}  // namespace pendec
