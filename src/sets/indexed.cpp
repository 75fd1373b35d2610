#include "pendec/sets/indexed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "choices.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/maps/composition.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/sets/product.hpp"

namespace pendec {
namespace {

std::vector<Index> completed(Index n, std::vector<Index> indices) {
  require(!indices.empty(), "Indexed.indices.size()", Index{0}, "at least 1");
  std::vector<bool> taken(static_cast<std::size_t>(std::max<Index>(n, 0)), false);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Index i = indices[k];
    const auto field = fmt::format("Indexed.indices[{}]", k);
    require(i >= 0 && i < n, field, i, fmt::format("0 <= index < n = {}", n));
    require(!taken[static_cast<std::size_t>(i)], field, i, "an index used once");
    taken[static_cast<std::size_t>(i)] = true;
  }
  for (Index i = 0; i < n; ++i)
    if (!taken[static_cast<std::size_t>(i)]) indices.push_back(i);
  return indices;
}

Set with_free_rest(const Set& set, Index rest) {
  if (rest == 0) return set;
  return Product(std::vector<Set>{set, Free(rest)});
}

class IndexedProjector final : public Projector {
 public:
  explicit IndexedProjector(const Indexed& set)
      : order_(set.order),
        inner_(set.arranged.projector()),
        gathered_(set.dimension()),
        projected_(set.dimension()) {}

  using Projector::project;
  void project(In z, Out y) override {
    gathered_ = z(order_);
    inner_->project(gathered_, projected_);
    y(order_) = projected_;
  }
  double error() const override { return inner_->error(); }

 private:
  std::vector<Index> order_;
  std::unique_ptr<Projector> inner_;
  Vector gathered_, projected_;
};

}  // namespace

Indexed::Indexed(Index n, std::vector<Index> indices, const Set& set) {
  require(static_cast<bool>(set), "Indexed.set", std::string("missing"), "a set");
  require_dimension("Indexed.indices.size()", static_cast<Index>(indices.size()), set.dimension());
  order = completed(n, std::move(indices));
  arranged = with_free_rest(set, n - set.dimension());
}

Indexed::Indexed(std::vector<Index> order_, Set arranged_)
    : order(std::move(order_)), arranged(std::move(arranged_)) {}

void Indexed::project(In z, Out y) const { y(order) = arranged.projection(z(order)); }

std::unique_ptr<Projector> Indexed::projector() const { return std::make_unique<IndexedProjector>(*this); }

bool Indexed::contains(In x, double tol) const { return arranged.contains(x(order), tol); }

double Indexed::distance(In x) const { return arranged.distance(x(order)); }

std::optional<double> Indexed::normal_residual(In x, In v) const {
  return arranged.normal_residual(x(order), v(order));
}

std::optional<bool> Indexed::projection_is_unique(In z, double tol) const {
  return arranged.projection_is_unique(z(order), tol);
}

std::optional<Branch> Indexed::branch(In y, In z) const {
  auto b = arranged.branch(y(order), z(order));
  if (b) b->chart = Composition(Embedding(dimension(), order), b->chart);
  return b;
}

std::optional<Branch> Indexed::branch_at(BranchKey key, In near) const {
  auto b = arranged.branch_at(key, near(order));
  if (b) b->chart = Composition(Embedding(dimension(), order), b->chart);
  return b;
}

std::optional<Neighbours> Indexed::neighbours(BranchKey key, In z, Index most) const {
  return arranged.neighbours(key, z(order), most);
}

std::optional<LinearConstraints> Indexed::linear_constraints() const {
  auto inner = arranged.linear_constraints();
  if (!inner) return inner;
  LinearConstraints rows = *inner;
  const Operator arrange = Operator::selection(dimension(), order);
  if (rows.b.size() > 0) rows.A = inner->A * arrange;
  if (rows.d.size() > 0) rows.E = inner->E * arrange;
  rows.lower(order) = inner->lower;
  rows.upper(order) = inner->upper;
  return rows;
}

std::optional<Set> Indexed::scaled(In row) const {
  auto inner = arranged.scaled(row(order));
  if (!inner) return inner;
  return Set(Indexed(order, std::move(*inner)));
}

std::vector<Range> Indexed::free_ranges() const {
  std::vector<Index> free;
  for (const Range& range : arranged.free_ranges())
    free.insert(free.end(), order.begin() + range.begin, order.begin() + range.begin + range.size);
  std::sort(free.begin(), free.end());
  return contiguous_ranges(free);
}

std::optional<Vector> Indexed::ray(In z) const {
  const auto inner = arranged.ray(z(order));
  if (!inner) return inner;
  Vector u(dimension());
  u(order) = *inner;
  return u;
}

std::optional<Alternatives> Indexed::alternatives() const {
  auto inner = arranged.alternatives();
  if (!inner) return inner;
  Alternatives all{.dimension = dimension()};
  detail::append(all, std::move(*inner), order);
  return all;
}

}  // namespace pendec
