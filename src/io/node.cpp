#include "node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pendec/io/file.hpp"
#include "pendec/io/matrix_file.hpp"

namespace pendec::io {
namespace {

/// A value as it appears in a message: short, whatever it is.
std::string brief(const Json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

}  // namespace

void Node::refuse(std::string_view expected) const { throw PathError(path_, brief(*value_), expected); }

void Node::expect_keys(const std::vector<std::string_view>& allowed) const {
  if (!value_->is_object()) refuse("an object");
  for (const auto& [key, value] : value_->items())
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      throw PathError(path_.empty() ? key : path_ + "." + key, "an unknown key",
                      fmt::format("one of {}", fmt::join(allowed, ", ")));
}

std::optional<Node> Node::find(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  return Node((*value_)[std::string(key)], path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key),
              *source_);
}

Node Node::at(std::string_view key, std::string_view expected) const {
  if (auto child = find(key)) return *child;
  throw PathError(path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key), "missing", expected);
}

std::size_t Node::expect_array(std::string_view expected) const {
  if (!value_->is_array()) refuse(expected);
  return value_->size();
}

Node Node::operator[](std::size_t k) const { return {(*value_)[k], fmt::format("{}[{}]", path_, k), *source_}; }

std::string Node::text() const {
  if (!value_->is_string()) refuse("a string");
  return value_->get<std::string>();
}

Index Node::integer() const {
  const bool fits =
      value_->is_number_integer() &&
      (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= std::numeric_limits<Index>::max());
  if (!fits) refuse("an integer");
  return value_->get<Index>();
}

std::uint64_t Node::seed() const {
  if (!value_->is_number_unsigned()) refuse("an integer from 0 to 2^64 - 1");
  return value_->get<std::uint64_t>();
}

double Node::number() const {
  if (!value_->is_number()) refuse("a number");
  return value_->get<double>();
}

void Node::unfold(Index rows, Index cols) const {
  const bool fits = rows >= 0 && cols >= 0 && (rows == 0 || cols <= (source_->limit - source_->unfolded) / rows);
  if (!fits)
    throw PathError(path_, cols == 1 ? fmt::format("of size {}", rows) : fmt::format("of size {} x {}", rows, cols),
                    fmt::format("at most {} numbers from short forms in one file", source_->limit));
  source_->unfolded += rows * cols;
}

// Data -----

std::optional<std::filesystem::path> Node::file() const {
  if (!value_->is_object() || !value_->contains("file")) return std::nullopt;
  expect_keys({"file"});
  const std::filesystem::path file = source_->folder / find("file")->text();
  source_->files.push_back(file);
  if (!source_->confine) return file;
  // Where all links lead is what is read: the path itself might lead elsewhere by then.
  std::error_code unknown;
  const auto place = std::filesystem::weakly_canonical(std::filesystem::current_path() / file, unknown);
  if (unknown || !lies_below(source_->folder, place))
    find("file")->refuse(
        "a file in the folder of the problem or below, links included: files are confined to it (confine)");
  return place;
}

double Node::entry(const Json& value, std::optional<double> none, std::size_t k) const {
  if (value.is_number()) return value.get<double>();
  if (none) {
    if (value.is_null()) return *none;
    if (value == "inf") return infinity;
    if (value == "-inf") return -infinity;
  }
  Node(value, value_->is_array() ? fmt::format("{}[{}]", path_, k) : path_, *source_)
      .refuse(none ? "a number, \"inf\", \"-inf\" or null" : "a number");
}

double Node::bound(double none) const { return entry(*value_, none, 0); }

Vector Node::read_vector(std::optional<double> none, std::optional<Index> size) const {
  const auto checked = [&](Vector v) {
    if (size && v.size() != *size)
      throw PathError(path_ + ".size()", fmt::format("{}", v.size()), fmt::format("{}", *size));
    return v;
  };
  if (const auto path = file()) {
    try {
      return checked(io::read_vector(*path, {.infinite = none.has_value()}));
    } catch (const FileError& error) {
      throw PathError(path_ + ".file", find("file")->text(), fmt::format("a vector ({})", error.what()));
    }
  }
  if (value_->is_array()) {
    Vector v(static_cast<Index>(value_->size()));
    for (std::size_t k = 0; k < value_->size(); ++k) v[static_cast<Index>(k)] = entry((*value_)[k], none, k);
    return checked(std::move(v));
  }
  if (value_->is_object()) refuse("an array of numbers or {\"file\": ...}");
  const double all = entry(*value_, none, 0);
  if (!size) refuse("an array of numbers: nothing tells the size for a single number");
  unfold(*size);
  return Vector::Constant(*size, all);
}

Vector Node::vector(std::optional<Index> size) const { return read_vector(std::nullopt, size); }

Vector Node::bounds(double none, std::optional<Index> size) const { return read_vector(none, size); }

Matrix Node::rows() const {
  const std::size_t count = value_->size();
  const std::size_t cols = count > 0 && value_->front().is_array() ? value_->front().size() : 0;
  Matrix M(static_cast<Index>(count), static_cast<Index>(cols));
  for (std::size_t i = 0; i < count; ++i) {
    const Json& row = (*value_)[i];
    if (!row.is_array()) (*this)[i].refuse("an array: a row of the matrix");
    if (row.size() != cols) (*this)[i].refuse(fmt::format("an array of {}, as the first row", cols));
    for (std::size_t j = 0; j < cols; ++j) {
      if (!row[j].is_number()) (*this)[i][j].refuse("a number");
      M(static_cast<Index>(i), static_cast<Index>(j)) = row[j].get<double>();
    }
  }
  return M;
}

Operator Node::matrix(bool symmetric) const {
  if (const auto path = file()) {
    try {
      return symmetric ? read_symmetric_matrix(*path) : read_matrix(*path);
    } catch (const FileError& error) {
      throw PathError(path_ + ".file", find("file")->text(), fmt::format("a matrix ({})", error.what()));
    }
  }
  if (value_->is_array()) return rows();
  static constexpr auto expected = "an array of rows, {\"toeplitz\": ...}, {\"diagonal\": ...} or {\"file\": ...}";
  if (!value_->is_object() || value_->size() != 1) refuse(expected);
  expect_keys({"toeplitz", "diagonal", "file"});
  const bool toeplitz = has("toeplitz");
  Vector v = find(toeplitz ? "toeplitz" : "diagonal")->vector();
  if (!toeplitz) return Operator::diagonal(std::move(v));
  const Index n = v.size();
  unfold(n, n);
  return Matrix::NullaryExpr(n, n, [&](Index i, Index j) { return v[std::abs(i - j)]; });
}

Operator Node::dense_matrix() const {
  const Operator matrix = this->matrix();
  if (matrix.view()) return matrix;
  unfold(matrix.rows(), matrix.cols());
  return matrix.dense();
}

std::vector<Index> Node::indices() const {
  std::vector<Index> out(expect_array("an array of integers"));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = (*this)[k].integer();
  return out;
}

std::vector<std::string> Node::names() const {
  std::vector<std::string> out(expect_array("an array of strings"));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = (*this)[k].text();
  return out;
}

}  // namespace pendec::io
