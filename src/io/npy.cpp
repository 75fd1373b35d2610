#include "pendec/io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "granted_size.hpp"
#include "mapped_file.hpp"
#include "npy_header.hpp"
#include "pendec/io/file.hpp"
#include "require_allowed.hpp"
#include "text.hpp"

namespace pendec::io {
namespace {

using detail::NpyHeader;

constexpr std::string_view magic = "\x93NUMPY";

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Split {
  std::string_view header, data;
};

/// magic, major and minor version, length of the header in 2 bytes (version 1) or 4 (versions 2 and 3), header, data.
Split split(std::string_view bytes, std::string_view source) {
  if (!bytes.starts_with(magic))
    throw FileError(source, R"(is not an .npy file: it does not begin with "\x93NUMPY")");
  bytes.remove_prefix(magic.size());
  const FileError truncated(source, "ends within its header");
  if (bytes.size() < 2) throw truncated;
  const int major = static_cast<unsigned char>(bytes[0]);
  if (major < 1 || major > 3) throw FileError(source, fmt::format("has version {}; known are 1, 2 and 3", major));
  bytes.remove_prefix(2);
  const std::size_t width = major == 1 ? 2 : 4;
  if (bytes.size() < width) throw truncated;
  const std::size_t length = little_endian(bytes.substr(0, width));
  bytes.remove_prefix(width);
  if (bytes.size() < length) throw truncated;
  return {bytes.substr(0, length), bytes.substr(length)};
}

/// The array as it lies in memory.
struct Layout {
  char kind;          // f, i, u or b
  std::size_t width;  // bytes of an entry
  bool swapped;       // the other byte order than this machine's
  Index rows, columns;
  bool row_major;

  /// Are these the bytes of a column-major matrix of doubles?
  bool is_matrix() const { return kind == 'f' && width == sizeof(double) && !swapped && !row_major; }
};

Layout layout_of(const NpyHeader& header, const NpyOptions& options, std::string_view source) {
  const std::string_view type = header.type;
  const std::array<std::string_view, 11> known{"f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
  if (type.size() != 3 || std::string_view("<>|=").find(type[0]) == std::string_view::npos ||
      std::ranges::find(known, type.substr(1)) == known.end())
    throw FileError(source,
                    fmt::format("entries of type {} are not supported; known are {} with '<', '>', '|' or '='",
                                detail::excerpt(type), fmt::join(known, ", ")));
  if (header.shape.size() > 2)
    throw FileError(source, fmt::format("has {} dimensions, more than 2", header.shape.size()));

  Layout layout{};
  layout.kind = type[1];
  layout.width = static_cast<std::size_t>(type[2] - '0');
  layout.swapped = layout.width > 1 && type[0] == (std::endian::native == std::endian::little ? '>' : '<');
  layout.rows = header.shape.empty() ? 1 : header.shape[0];
  layout.columns = header.shape.size() < 2 ? 1 : header.shape[1];
  layout.row_major = !header.fortran_order && layout.rows > 1 && layout.columns > 1;
  if (layout.row_major && options.or_transpose) {
    std::swap(layout.rows, layout.columns);
    layout.row_major = false;
  }
  return layout;
}

/// The file must have exactly the bytes of the shape. By division: the product may overflow.
void require_complete(const Layout& layout, std::size_t bytes, std::string_view source) {
  const auto rows = static_cast<std::size_t>(layout.rows), columns = static_cast<std::size_t>(layout.columns);
  const std::size_t available = bytes / layout.width;
  const bool fits = rows == 0 || columns == 0 ? std::max(layout.rows, layout.columns) <= detail::granted_size
                                              : rows <= available / columns;
  if (!fits)
    throw FileError(source, fmt::format("is too short for {} × {} entries of {} bytes: {} bytes of data", rows,
                                        columns, layout.width, bytes));
  if (rows * columns * layout.width != bytes)
    throw FileError(source, fmt::format("goes on after the {} × {} entries of its shape", rows, columns));
}

template <class T>
double load(const char* from, bool swapped) {
  if constexpr (std::is_same_v<T, bool>) {
    return *from != 0 ? 1.0 : 0.0;
  } else {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from, sizeof(T));
    if (swapped) std::ranges::reverse(bytes);
    return static_cast<double>(std::bit_cast<T>(bytes));
  }
}

template <class T>
Matrix convert(const Layout& layout, const char* data) {
  Matrix matrix(layout.rows, layout.columns);
  const Index row_stride = layout.row_major ? layout.columns : 1;
  const Index column_stride = layout.row_major ? 1 : layout.rows;
  constexpr Index tile = 32;  // a square of this size, source and target, stays in the first cache
  const Index height = layout.row_major ? tile : std::max<Index>(layout.rows, 1);
  for (Index j0 = 0; j0 < layout.columns; j0 += tile)
    for (Index i0 = 0; i0 < layout.rows; i0 += height)
      for (Index j = j0; j < std::min(j0 + tile, layout.columns); ++j)
        for (Index i = i0; i < std::min(i0 + height, layout.rows); ++i)
          matrix(i, j) =
              load<T>(data + (i * row_stride + j * column_stride) * static_cast<Index>(sizeof(T)), layout.swapped);
  return matrix;
}

Matrix convert(const Layout& layout, const char* data) {
  switch (layout.kind) {
    case 'f':
      return layout.width == 8 ? convert<double>(layout, data) : convert<float>(layout, data);
    case 'b':
      return convert<bool>(layout, data);
    default:
      break;
  }
  const bool is_signed = layout.kind == 'i';
  switch (layout.width) {
    case 1:
      return is_signed ? convert<std::int8_t>(layout, data) : convert<std::uint8_t>(layout, data);
    case 2:
      return is_signed ? convert<std::int16_t>(layout, data) : convert<std::uint16_t>(layout, data);
    case 4:
      return is_signed ? convert<std::int32_t>(layout, data) : convert<std::uint32_t>(layout, data);
    default:
      return is_signed ? convert<std::int64_t>(layout, data) : convert<std::uint64_t>(layout, data);
  }
}

/// Borrows from `bytes` where their layout allows it and there is something to keep them alive.
Operator decode(std::string_view bytes, const std::shared_ptr<const void>& keep_alive, std::string_view source,
                const NpyOptions& options) {
  const auto [header, data] = split(bytes, source);
  const Layout layout = layout_of(detail::parse_npy_header(header, source), options, source);
  require_complete(layout, data.size(), source);
  const bool aligned = reinterpret_cast<std::uintptr_t>(data.data()) % alignof(double) == 0;
  Operator matrix;
  if (keep_alive && aligned && layout.is_matrix())
    matrix = Operator::borrow(
        ConstMatrixView(reinterpret_cast<const double*>(data.data()), layout.rows, layout.columns), keep_alive);
  else
    matrix = convert(layout, data.data());
  detail::require_allowed(*matrix.view(), options.allow, source);
  return matrix;
}

}  // namespace

Operator read_npy(const std::filesystem::path& path, const NpyOptions& options) {
  const detail::SharedBytes file = detail::map_file(path);
  return decode(file.bytes, file.keep_alive, path.string(), options);
}

Operator parse_npy(std::string_view bytes, std::string_view source_name, const NpyOptions& options) {
  return decode(bytes, nullptr, source_name, options);
}

void write_npy(const std::filesystem::path& path, MatrixIn matrix) {
  if (matrix.outerStride() != matrix.rows() && matrix.cols() > 1) return write_npy(path, Matrix(matrix));
  constexpr char order = std::endian::native == std::endian::little ? '<' : '>';
  std::string header = fmt::format("{{'descr': '{}f8', 'fortran_order': True, 'shape': ({}, {}), }}", order,
                                   matrix.rows(), matrix.cols());
  const std::size_t before = magic.size() + 2 + 2;  // version, length
  constexpr std::size_t alignment = 64;             // of the data, as the format asks
  const std::size_t unpadded = before + header.size() + 1;
  header.append((alignment - unpadded % alignment) % alignment, ' ').push_back('\n');
  const std::array<char, 4> version_and_length{1, 0, static_cast<char>(header.size() % 256),
                                               static_cast<char>(header.size() / 256)};
  write_atomically(path, {magic, std::string_view(version_and_length.data(), version_and_length.size()), header,
                          std::string_view(reinterpret_cast<const char*>(matrix.data()),
                                           static_cast<std::size_t>(matrix.size()) * sizeof(double))});
}

}  // namespace pendec::io
