#include "pendec/sets/product.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "choices.hpp"
#include "exchanges.hpp"
#include "pendec/core/error.hpp"

namespace pendec {
namespace {

std::vector<NamedSet> numbered(std::vector<Set> parts) {
  std::vector<NamedSet> blocks;
  for (Set& part : parts) blocks.push_back({fmt::format("{}", blocks.size()), std::move(part)});
  return blocks;
}

class ProductProjector final : public Projector {
 public:
  explicit ProductProjector(const Product& product) : offsets_(product.offsets) {
    for (const NamedSet& block : product.blocks) projectors_.push_back(block.set.projector());
  }
  using Projector::project;
  void project(In z, Out y) override {
    for (std::size_t k = 0; k < projectors_.size(); ++k) {
      const Index begin = offsets_[k], size = offsets_[k + 1] - begin;
      projectors_[k]->project(z.segment(begin, size), y.segment(begin, size));
    }
  }
  double error() const override {
    double squares = 0.0;
    for (const auto& projector : projectors_) squares += projector->error() * projector->error();
    return std::sqrt(squares);
  }

 private:
  std::vector<Index> offsets_;
  std::vector<std::unique_ptr<Projector>> projectors_;
};

/// (t₁, …, t_N) ↦ (chart₁(t₁), …, chart_N(t_N)).
struct ProductChart {
  struct Block {
    Map chart;
    Range in, out;
  };

  Index input_dimension() const { return blocks.back().in.begin + blocks.back().in.size; }
  Index output_dimension() const { return blocks.back().out.begin + blocks.back().out.size; }

  static auto part(In v, Range range) { return v.segment(range.begin, range.size); }
  static auto part(Out& v, Range range) { return v.segment(range.begin, range.size); }

  void evaluate(In t, Out x) const {
    for (const Block& b : blocks) b.chart.evaluate(part(t, b.in), part(x, b.out));
  }
  void adjoint(In t, In w, Out out) const {
    for (const Block& b : blocks) b.chart.adjoint(part(t, b.in), part(w, b.out), part(out, b.in));
  }
  Operator jacobian(In t) const {
    return diagonal_blocks([&](const Block& b) { return b.chart.jacobian(part(t, b.in)); });
  }
  void derivative(In t, In d, Out out) const {
    for (const Block& b : blocks) b.chart.derivative(part(t, b.in), part(d, b.in), part(out, b.out));
  }
  bool has_hessian() const {
    return std::all_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.chart.has_hessian(); });
  }
  void hessian_times(In t, In w, In d, Out out) const {
    for (const Block& b : blocks)
      b.chart.hessian_times(part(t, b.in), part(w, b.out), part(d, b.in), part(out, b.in));
  }
  std::optional<Operator> constant_jacobian() const {
    const auto affine = [](const Block& b) { return b.chart.is_affine(); };
    if (!std::all_of(blocks.begin(), blocks.end(), affine)) return std::nullopt;
    return diagonal_blocks([](const Block& b) { return *b.chart.constant_jacobian(); });
  }
  template <class Derivative>
  Operator diagonal_blocks(const Derivative& derivative) const {
    std::vector<Operator> of_parts;
    for (const Block& b : blocks) of_parts.push_back(derivative(b));
    return Operator::block_diagonal(std::move(of_parts));
  }

  std::vector<Block> blocks;
};

Vector concatenate(const std::vector<Vector>& pieces, Index size) {
  Vector all(size);
  Index begin = 0;
  for (const Vector& piece : pieces) {
    all.segment(begin, piece.size()) = piece;
    begin += piece.size();
  }
  return all;
}

/// A key of a product: the keys of its parts, each after its length.
void append(std::vector<Index>& key, BranchKey part) {
  key.push_back(std::ssize(part));
  key.insert(key.end(), part.begin(), part.end());
}

std::vector<BranchKey> split(BranchKey key, std::size_t parts) {
  std::vector<BranchKey> keys;
  for (std::size_t k = 0; k < parts; ++k) {
    const bool fits = !key.empty() && key[0] >= 0 && key[0] < std::ssize(key);
    require(fits, "branch key", std::ssize(key), "the length and the key of each part");
    keys.push_back(key.subspan(1, static_cast<std::size_t>(key[0])));
    key = key.subspan(1 + keys.back().size());
  }
  return keys;
}

/// The product of the parts' branches piece(k, first coordinate, size).
template <class Piece>
std::optional<Branch> assembled(const Product& product, const Piece& piece_of) {
  ProductChart chart;
  std::vector<NamedSet> domains;
  std::vector<Vector> pieces;
  std::string label;
  std::vector<Index> key;
  Index begin_t = 0;
  for (std::size_t k = 0; k < product.blocks.size(); ++k) {
    const Index begin = product.offsets[k], size = product.offsets[k + 1] - begin;
    const std::string& name = product.blocks[k].name;
    auto piece = piece_of(k, begin, size);
    if (!piece) return std::nullopt;
    label += fmt::format("{}{}: {}", k == 0 ? "" : "; ", name, piece->label);
    append(key, piece->key);
    chart.blocks.push_back({piece->chart, {begin_t, piece->t.size()}, {begin, size}});
    begin_t += piece->t.size();
    domains.push_back({name, std::move(piece->domain)});
    pieces.push_back(std::move(piece->t));
  }
  return Branch{std::move(label), std::move(key), std::move(chart), Product(std::move(domains)),
                concatenate(pieces, begin_t)};
}

}  // namespace

Product::Product(std::vector<Set> parts) : Product(numbered(std::move(parts))) {}

Product::Product(std::vector<NamedSet> blocks_) : blocks(std::move(blocks_)), offsets{0} {
  require(!blocks.empty(), "Product.blocks.size()", Index{0}, "at least 1");
  std::unordered_set<std::string> names;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto field = fmt::format("Product.blocks[{}]", k);
    require(static_cast<bool>(blocks[k].set), field + ".set", std::string("missing"), "a set");
    require(names.insert(blocks[k].name).second, field + ".name", blocks[k].name, "a name used once");
    offsets.push_back(offsets.back() + blocks[k].set.dimension());
  }
}

std::string Product::name() const {
  std::vector<std::string> names;
  for (const NamedSet& block : blocks) names.push_back(block.set.name());
  return fmt::format("Product({})", fmt::join(names, ", "));
}

bool Product::convex() const {
  return std::all_of(blocks.begin(), blocks.end(), [](const NamedSet& block) { return block.set.convex(); });
}

void Product::project(In z, Out y) const {
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Index begin = offsets[k], size = offsets[k + 1] - begin;
    blocks[k].set.project(z.segment(begin, size), y.segment(begin, size));
  }
}

std::unique_ptr<Projector> Product::projector() const { return std::make_unique<ProductProjector>(*this); }

double Product::distance(In x) const {
  double squares = 0.0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const double distance = blocks[k].set.distance(x.segment(offsets[k], offsets[k + 1] - offsets[k]));
    squares += distance * distance;
  }
  return std::sqrt(squares);
}

std::optional<double> Product::normal_residual(In x, In v) const {
  double squares = 0.0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Index begin = offsets[k], size = offsets[k + 1] - begin;
    const auto residual = blocks[k].set.normal_residual(x.segment(begin, size), v.segment(begin, size));
    if (!residual) return std::nullopt;
    squares += *residual * *residual;
  }
  return std::sqrt(squares);
}

std::optional<bool> Product::projection_is_unique(In z, double tol) const {
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto unique = blocks[k].set.projection_is_unique(z.segment(offsets[k], offsets[k + 1] - offsets[k]), tol);
    if (unique != true) return unique;
  }
  return true;
}

std::optional<Branch> Product::branch(In y, In z) const {
  if (convex()) return std::nullopt;
  return assembled(*this, [&](std::size_t k, Index begin, Index size) {
    return blocks[k].set.branch(y.segment(begin, size), z.segment(begin, size));
  });
}

std::optional<Branch> Product::branch_at(BranchKey key, In near) const {
  if (convex()) return std::nullopt;
  const std::vector<BranchKey> keys = split(key, blocks.size());
  return assembled(*this, [&](std::size_t k, Index begin, Index size) {
    return blocks[k].set.branch_at(keys[k], near.segment(begin, size));
  });
}

std::optional<Neighbours> Product::neighbours(BranchKey key, In z, Index most) const {
  if (convex()) return std::nullopt;
  const std::vector<BranchKey> keys = split(key, blocks.size());
  Neighbours all;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    auto some = blocks[k].set.neighbours(keys[k], z.segment(offsets[k], offsets[k + 1] - offsets[k]), most);
    if (!some) return std::nullopt;
    all.total += some->total;
    for (Neighbour& one : some->nearest) {
      std::vector<Index> joined;
      for (std::size_t b = 0; b < blocks.size(); ++b) append(joined, b == k ? BranchKey(one.key) : keys[b]);
      all.nearest.push_back({std::move(joined), one.excess});
    }
  }
  detail::keep_nearest(all.nearest, most);
  return all;
}

std::optional<LinearConstraints> Product::linear_constraints() const {
  std::vector<LinearConstraints> of_blocks;
  for (const NamedSet& block : blocks) {
    auto rows = block.set.linear_constraints();
    if (!rows) return std::nullopt;
    of_blocks.push_back(std::move(*rows));
  }
  return LinearConstraints::product(of_blocks);
}

std::optional<Set> Product::scaled(In row) const {
  std::vector<NamedSet> scaled_blocks;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    auto scaled = blocks[k].set.scaled(row.segment(offsets[k], offsets[k + 1] - offsets[k]));
    if (!scaled) return std::nullopt;
    scaled_blocks.push_back({blocks[k].name, std::move(*scaled)});
  }
  return Set(Product(std::move(scaled_blocks)));
}

double Product::relative_size(In v, In sizes) const {
  double largest = 0.0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Index begin = offsets[k], size = offsets[k + 1] - begin;
    largest = std::max(largest, blocks[k].set.relative_size(v.segment(begin, size), sizes.segment(begin, size)));
  }
  return largest;
}

std::vector<Range> Product::free_ranges() const {
  std::vector<Range> ranges;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    for (Range range : blocks[k].set.free_ranges()) {
      range.begin += offsets[k];
      if (!ranges.empty() && ranges.back().begin + ranges.back().size == range.begin) {
        ranges.back().size += range.size;
      } else {
        ranges.push_back(range);
      }
    }
  }
  return ranges;
}

Range Product::range(std::string_view block) const {
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (blocks[k].name == block) return {offsets[k], offsets[k + 1] - offsets[k]};
    names.push_back(blocks[k].name);
  }
  throw InvalidArgument("block name", block, fmt::format("one of {}", fmt::join(names, ", ")));
}

std::optional<Alternatives> Product::alternatives() const {
  Alternatives all{.dimension = dimension()};
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    auto block = blocks[k].set.alternatives();
    if (!block) return std::nullopt;
    detail::append(all, std::move(*block), detail::counted(offsets[k + 1] - offsets[k], offsets[k]));
  }
  return all;
}

}  // namespace pendec
