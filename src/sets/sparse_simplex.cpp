#include "pendec/sets/sparse_simplex.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "exchanges.hpp"
#include "pendec/core/error.hpp"
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

/// min over ν of Σ (vᵢ − ν)² over S and the `more` others nearest to ν. Those are neighbours in sorted order, so all
/// windows of that length are tried.
double constant_on_a_larger_support(double sum, double squares, double count, std::vector<double> others,
                                    Index more) {
  std::sort(others.begin(), others.end());
  const double total = count + static_cast<double>(more);
  double best = infinity;
  const auto spread = [&] { return std::max(squares - sum * sum / total, 0.0); };
  for (std::size_t k = 0; k < others.size(); ++k) {
    sum += others[k];
    squares += others[k] * others[k];
    const std::size_t length = k + 1;
    if (length < static_cast<std::size_t>(more)) continue;
    best = std::min(best, spread());
    const double leaving = others[length - static_cast<std::size_t>(more)];
    sum -= leaving;
    squares -= leaving * leaving;
  }
  return std::sqrt(best);
}

}  // namespace

SparseSimplex::SparseSimplex(Index n_, Index s_, double radius_) : n(n_), s(s_), radius(radius_) {
  require(n >= 1, "SparseSimplex.n", n, "at least 1");
  require(s >= 1 && s <= n, "SparseSimplex.s", s, fmt::format("1 <= s <= n = {}", n));
  require(radius > 0.0 && radius < infinity, "SparseSimplex.radius", radius, "a positive number");
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
  y(support) = weights;
}

double SparseSimplex::normal_residual(In x, In v) const {
  const double zero = 1e-12 * radius;
  const double shift = v.mean();  // less cancellation in sums of squares; the cone is the same for v − shift
  double sum = 0.0, squares = 0.0, count = 0.0;
  std::vector<double> others;
  for (Index i = 0; i < n; ++i) {
    const double vi = v[i] - shift;
    if (x[i] > zero) {
      sum += vi;
      squares += vi * vi;
      ++count;
    } else {
      others.push_back(vi);
    }
  }
  if (count == 0.0) return v.norm();  // x is not in the set
  const Index more = s - static_cast<Index>(count);
  if (more <= 0) return std::sqrt(std::max(squares - sum * sum / count, 0.0));
  const double regular = Simplex(n, radius).normal_residual(x, v);
  return std::min(regular, constant_on_a_larger_support(sum, squares, count, std::move(others), more));
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
  Map chart = Embedding(Vector::Zero(n), support);
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

}  // namespace pendec
