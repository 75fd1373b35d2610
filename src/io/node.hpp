// A JSON value together with the path that leads to it, read as one type or refused.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "json_text.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"

namespace pendec::io {

/// Misuse told with the path of a key; constructors' own messages know their field only.
class PathError : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// Short forms ("n": 1000000000000) must not fill the memory: together they may unfold to this many numbers, and
/// to 16 more for each variable that the data of the objective stand for.
inline constexpr Index max_unfolded = 10'000'000;

/// What all parts of one file share while it is read.
struct Source {
  std::filesystem::path folder = {};  // data files are relative to it
  bool confine = false;               // and may not lie outside of it
  Index unfolded = 0;                 // numbers that short forms have become so far
  Index limit = max_unfolded;
  std::vector<std::filesystem::path> files = {};  // that were read
};

class Node {
 public:
  Node(const Json& value, std::string path, Source& source)
      : value_(&value), path_(std::move(path)), source_(&source) {}

  const Json& json() const { return *value_; }
  const std::string& path() const { return path_; }

  /// "path is <value>; expected …".
  [[noreturn]] void refuse(std::string_view expected) const;

  // Objects -----
  /// The value must be an object with no keys but these.
  void expect_keys(const std::vector<std::string_view>& allowed) const;
  bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  std::optional<Node> find(std::string_view key) const;
  Node at(std::string_view key, std::string_view expected) const;  // refuses if it is missing

  // Arrays -----
  std::size_t expect_array(std::string_view expected) const;  // its size
  Node operator[](std::size_t k) const;

  // Scalars -----
  std::string text() const;
  Index integer() const;
  std::uint64_t seed() const;
  double number() const;
  double bound(double none) const;  // a number, "inf", "-inf" or null (the value `none`)

  // Data, inline or from a file -----
  bool is_number() const { return value_->is_number(); }
  /// Finite numbers; a single number stands for `size` equal ones where the size is known. A known size is checked.
  Vector vector(std::optional<Index> size = {}) const;
  /// As vector, and "inf", "-inf" or null (the value `none`) besides.
  Vector bounds(double none, std::optional<Index> size = {}) const;
  Operator matrix(bool symmetric = false) const;  // a symmetric one needs no transposition, whatever its order
  Operator dense_matrix() const;                  // one that has a view()
  std::vector<Index> indices() const;
  std::vector<std::string> names() const;

  /// Counts numbers made from a short form; refuses beyond the limit.
  void unfold(Index rows, Index cols = 1) const;
  void raise_limit(Index by) const { source_->limit += by; }

 private:
  Vector read_vector(std::optional<double> none, std::optional<Index> size) const;
  double entry(const Json& value, std::optional<double> none, std::size_t k) const;
  Matrix rows() const;
  std::optional<std::filesystem::path> file() const;

  const Json* value_;
  std::string path_;
  Source* source_;
};

}  // namespace pendec::io
