#include "pendec/core/space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pendec/core/error.hpp"

namespace pendec {

std::vector<Range> contiguous_ranges(const std::vector<Index>& ascending) {
  std::vector<Range> ranges;
  for (const Index i : ascending) {
    if (!ranges.empty() && ranges.back().begin + ranges.back().size == i) {
      ++ranges.back().size;
    } else {
      ranges.push_back({i, 1});
    }
  }
  return ranges;
}

Space::Space(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  for (const Block& block : blocks_) {
    require(block.rows >= 1 && block.cols >= 1, fmt::format("Space block '{}'", block.name),
            fmt::format("{} x {}", block.rows, block.cols), "at least 1 x 1");
    for (std::size_t i = 0; i < offsets_.size(); ++i)
      require(blocks_[i].name != block.name, "Space block name", block.name, "a name used once");
    offsets_.push_back(dimension_);
    dimension_ += block.size();
  }
}

std::size_t Space::find(std::string_view name) const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].name == name) return i;
    names.push_back(blocks_[i].name);
  }
  throw InvalidArgument("block name", name, fmt::format("one of {}", fmt::join(names, ", ")));
}

Range Space::range(std::string_view name) const {
  const std::size_t i = find(name);
  return {offsets_[i], blocks_[i].size()};
}

Eigen::Ref<const Vector> Space::operator()(In x, std::string_view name) const {
  const Range r = range(name);
  return x.segment(r.begin, r.size);
}

ConstMatrixView Space::as_matrix(In x, std::string_view name) const {
  const std::size_t i = find(name);
  return {x.data() + offsets_[i], blocks_[i].rows, blocks_[i].cols};
}

}  // namespace pendec
