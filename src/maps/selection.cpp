#include "pendec/maps/selection.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

void require_distinct(std::string_view field, Index n, const std::vector<Index>& indices) {
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Index i = indices[k];
    const auto at = fmt::format("{}[{}]", field, k);
    require(i >= 0 && i < n, at, i, fmt::format("0 <= index < {}", n));
    require(!seen[static_cast<std::size_t>(i)], at, i, "an index used once");
    seen[static_cast<std::size_t>(i)] = true;
  }
}

}  // namespace

Selection::Selection(Index n_, std::vector<Index> indices_, Vector shift_)
    : n(n_), indices(std::move(indices_)), shift(std::move(shift_)) {
  require_distinct("Selection.indices", n, indices);
  if (shift.size() == 0) shift = Vector::Zero(output_dimension());
  require_dimension("Selection.shift.size()", shift.size(), output_dimension());
  require_finite("Selection.shift", shift);
}

Selection Selection::identity(Index n) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return {n, std::move(all)};
}

Selection Selection::diagonal(Index n) {
  std::vector<Index> on_diagonal(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) on_diagonal[static_cast<std::size_t>(i)] = i * (n + 1);
  return {n * n, std::move(on_diagonal)};
}

void Selection::evaluate(In x, Out out) const {
  for (Index k = 0; k < output_dimension(); ++k) out[k] = x[indices[static_cast<std::size_t>(k)]] + shift[k];
}

void Selection::adjoint(In, In w, Out out) const {
  out.setZero();
  for (Index k = 0; k < output_dimension(); ++k) out[indices[static_cast<std::size_t>(k)]] = w[k];
}

void Selection::derivative(In, In d, Out out) const {
  for (Index k = 0; k < output_dimension(); ++k) out[k] = d[indices[static_cast<std::size_t>(k)]];
}

Embedding::Embedding(Index n_, std::vector<Index> indices_) : n(n_), indices(std::move(indices_)) {
  require_distinct("Embedding.indices", n, indices);
}

void Embedding::evaluate(In t, Out x) const { derivative(t, t, x); }

void Embedding::adjoint(In, In w, Out out) const {
  for (Index k = 0; k < out.size(); ++k) out[k] = w[indices[static_cast<std::size_t>(k)]];
}

void Embedding::derivative(In, In d, Out out) const {
  out.setZero();
  for (Index k = 0; k < d.size(); ++k) out[indices[static_cast<std::size_t>(k)]] = d[k];
}

}  // namespace pendec
