#include "pendec/io/matrix_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "pendec/core/error.hpp"
#include "pendec/io/csv.hpp"
#include "pendec/io/matrix_market.hpp"
#include "pendec/io/npy.hpp"
#include "text.hpp"

namespace pendec::io {
namespace {

enum class FileFormat { csv, tsv, matrix_market, npy };

FileFormat format_of(const std::filesystem::path& path) {
  if (std::error_code none; std::filesystem::is_directory(path, none))
    throw FileError(path.string(), "is a directory");
  const std::string extension = path.extension().string();
  const auto is = [&](std::string_view name) { return detail::equals_ignoring_case(extension, name); };
  if (is(".csv") || is(".txt")) return FileFormat::csv;
  if (is(".tsv")) return FileFormat::tsv;
  if (is(".mtx")) return FileFormat::matrix_market;
  if (is(".npy")) return FileFormat::npy;
  throw FileError(path.string(), fmt::format("the extension is {}; known are .csv, .tsv, .txt, .mtx and .npy",
                                             detail::excerpt(extension)));
}

/// A short sparse file may stand for a matrix that no memory holds.
Operator dense(const Operator& matrix, const std::filesystem::path& path) {
  constexpr double most = 1 << 28;  // 2 GB
  if (matrix.view()) return matrix;
  if (static_cast<double>(matrix.rows()) * static_cast<double>(matrix.cols()) > most)
    throw FileError(path.string(),
                    fmt::format("is too large for a dense matrix: {} × {}", matrix.rows(), matrix.cols()));
  return matrix.dense();
}

/// A first column without a name and without any number: the names of the rows. Where it has a name, what is not a
/// number is a slip.
Index first_number_column(const CsvTable& table) {
  if (!table.has_header() || table.columns() < 2 || !table.names().front().empty()) return 0;
  for (Index i = 0; i < table.rows(); ++i)
    if (table.is_missing(i, 0) || parse_number(table.text(i, 0))) return 0;
  return 1;
}

Matrix numbers_of(const CsvTable& table) {
  std::vector<Index> columns;
  for (Index j = first_number_column(table); j < table.columns(); ++j) columns.push_back(j);
  return table.numbers(columns);
}

CsvTable read_table(const std::filesystem::path& path, FileFormat format, Allow allow) {
  return read_csv(path, {.separator = format == FileFormat::tsv ? '\t' : '\0', .allow = allow});
}

struct Position {
  Index row = 0, column = 0;
};

/// max |aᵢⱼ − aⱼᵢ| and where, tile by tile: a row of a large matrix does not stay in the cache.
struct Asymmetry {
  double size = 0.0;
  Position at;
};

Asymmetry asymmetry(const ConstMatrixView& a) {
  Asymmetry worst;
  constexpr Index tile = 32;
  for (Index j0 = 0; j0 < a.cols(); j0 += tile) {
    for (Index i0 = j0; i0 < a.rows(); i0 += tile) {
      const Index height = std::min(tile, a.rows() - i0), width = std::min(tile, a.cols() - j0);
      Position at;
      const auto difference =
          (a.block(i0, j0, height, width) - a.block(j0, i0, width, height).transpose()).cwiseAbs();
      const double size = difference.maxCoeff(&at.row, &at.column);
      if (size > worst.size) worst = {size, {i0 + at.row, j0 + at.column}};
    }
  }
  return worst;
}

Asymmetry asymmetry(const SparseMatrix& a) {
  const SparseMatrix difference = SparseMatrix(a.transpose()) - a;
  Asymmetry worst;
  for (Index j = 0; j < difference.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(difference, j); entry; ++entry)
      if (entry.row() > j && std::abs(entry.value()) > worst.size)
        worst = {std::abs(entry.value()), {entry.row(), j}};
  return worst;
}

double largest_entry(const Operator& matrix) {
  if (const auto* view = matrix.view()) return view->cwiseAbs().maxCoeff();
  const SparseMatrix* sparse = matrix.sparse_view();
  return sparse->nonZeros() == 0 ? 0.0 : sparse->coeffs().abs().maxCoeff();
}

}  // namespace

Operator read_matrix(const std::filesystem::path& path, Allow allow) {
  const FileFormat format = format_of(path);
  switch (format) {
    case FileFormat::matrix_market:
      return std::visit([](auto&& matrix) { return Operator(std::move(matrix)); }, read_matrix_market(path, allow));
    case FileFormat::npy:
      return read_npy(path, {.allow = allow});
    case FileFormat::csv:
    case FileFormat::tsv:
      break;
  }
  return numbers_of(read_table(path, format, allow));
}

Operator read_dense_matrix(const std::filesystem::path& path, Allow allow) {
  return dense(read_matrix(path, allow), path);
}

Labels read_labels(const std::filesystem::path& path) {
  const FileFormat format = format_of(path);
  if (format != FileFormat::csv && format != FileFormat::tsv) return {};
  const CsvTable table = read_table(path, format, {.missing = true});
  const Index first = first_number_column(table);
  Labels labels{{}, table.names()};
  if (!labels.columns.empty()) labels.columns.erase(labels.columns.begin(), labels.columns.begin() + first);
  if (first == 1)
    for (Index i = 0; i < table.rows(); ++i) labels.rows.emplace_back(table.text(i, 0));
  return labels;
}

Vector read_vector(const std::filesystem::path& path, Allow allow) {
  const Operator matrix = read_dense_matrix(path, allow);
  if (matrix.rows() != 1 && matrix.cols() != 1)
    throw FileError(path.string(), fmt::format("is a matrix of {} × {}; expected one row or one column",
                                               matrix.rows(), matrix.cols()));
  return matrix.view()->reshaped();
}

Operator read_symmetric_matrix(const std::filesystem::path& path) {
  // A row-major symmetric matrix is the column-major one: nothing needs to be moved.
  Operator matrix = format_of(path) == FileFormat::npy ? read_npy(path, {.or_transpose = true}) : read_matrix(path);
  if (matrix.rows() != matrix.cols())
    throw FileError(path.string(), fmt::format("is not square, so not symmetric: {} and {} rows and columns",
                                               matrix.rows(), matrix.cols()));
  const auto [size, at] = matrix.view() ? asymmetry(*matrix.view()) : asymmetry(*matrix.sparse_view());
  if (size == 0.0 || size <= 1e-10 * largest_entry(matrix)) return matrix;
  matrix = read_matrix(path);  // as it is, for the message
  const auto entry = [&](Index i, Index j) { return to_text(matrix.column(j)[i]); };
  throw FileError(path.string(),
                  fmt::format("is not symmetric: entry [{}, {}] is {}, but [{}, {}] is {}", at.row, at.column,
                              entry(at.row, at.column), at.column, at.row, entry(at.column, at.row)));
}

}  // namespace pendec::io
