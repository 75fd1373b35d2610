// The space X of a problem: named blocks with shapes, concatenated into one coordinate vector.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// A contiguous range of coordinates.
struct Range {
  Index begin = 0;
  Index size = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// The ranges that make up ascending indices.
PENDEC_EXPORT std::vector<Range> contiguous_ranges(const std::vector<Index>& ascending);

/// One block: a vector (cols = 1) or a column-major matrix. Symmetric matrices are stored full.
struct Block {
  std::string name;
  Index rows = 0;
  Index cols = 1;
  Index size() const { return rows * cols; }
};

class PENDEC_EXPORT Space {
 public:
  Space() = default;
  Space(std::vector<Block> blocks);  // NOLINT: implicit, a space is its blocks

  static Space vector(Index n, std::string name = "x") { return Space({{std::move(name), n, 1}}); }
  static Space matrix(Index rows, Index cols, std::string name = "X") {
    return Space({{std::move(name), rows, cols}});
  }

  Index dimension() const { return dimension_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  /// Coordinates of the block called `name`; throws InvalidArgument that lists the names there are.
  Range range(std::string_view name) const;
  Eigen::Ref<const Vector> operator()(In x, std::string_view name) const;
  ConstMatrixView as_matrix(In x, std::string_view name) const;

 private:
  std::size_t find(std::string_view name) const;

  std::vector<Block> blocks_;
  std::vector<Index> offsets_;
  Index dimension_ = 0;
};

}  // namespace pendec
