// Tables of numbers and text, separated by commas, semicolons or tabs (RFC 4180).
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io {

enum class Header {
  automatic,  // the first row is the header if it has no number and a later row has one, or if it is ",0,1,2"
  yes,
  no,
};

struct CsvOptions {
  char separator = '\0';  // ',' ';' '\t'; '\0' for the one in the first row: a tab, else a semicolon, else a comma
  Header header = Header::automatic;
  Allow allow{};  // in columns read as numbers
};

/// The cells of a file as text, all rows equally long. Rows and columns count from zero here, from one in messages.
///
/// Cells may be quoted: "a ""quoted"", word" holds quotes, separators and line ends. Lines end in LF, CRLF or CR and
/// blank ones are skipped. Beyond the RFC, blanks around a cell are dropped and a byte order mark is ignored. Empty
/// cells and NA, NaN, null, N/A, #N/A (in any case) are missing numbers.
class PENDEC_EXPORT CsvTable {
 public:
  Index rows() const { return rows_; }  // without the header
  Index columns() const { return columns_; }
  bool has_header() const { return header_rows_ == 1; }
  const std::vector<std::string>& names() const { return names_; }  // empty without a header

  /// The column of that name; throws FileError if there is none or more than one.
  Index column(std::string_view name) const;

  std::string_view text(Index row, Index column) const { return cells_[cell(row, column)]; }
  bool is_missing(Index row, Index column) const;

  /// Throws FileError if the cell is not a number that the options allow; a missing one that they allow is NaN.
  double number(Index row, Index column) const;
  Matrix numbers() const;  // of all columns
  Matrix numbers(std::span<const Index> columns) const;

  const std::string& source() const { return source_; }
  Index line(Index row, Index column = 0) const;  // of the file, where the cell begins
  /// For a caller's own complaint about a cell: FileError with its place.
  FileError error(Index row, Index column, std::string_view problem) const;

 private:
  friend class CsvParser;

  std::size_t cell(Index row, Index column) const {
    return static_cast<std::size_t>((row + header_rows_) * columns_ + column);
  }

  std::string source_;
  Allow allow_;
  Index header_rows_ = 0, rows_ = 0, columns_ = 0;
  std::vector<std::string> names_;
  std::shared_ptr<const std::string> content_;  // what the cells are views of
  std::vector<std::string_view> cells_;         // row by row, the header first
  std::vector<Index> lines_;                    // where each row begins
};

PENDEC_EXPORT CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

/// The same for text in memory; `source_name` stands for the file in messages.
PENDEC_EXPORT CsvTable parse_csv(std::string_view text, std::string_view source_name, const CsvOptions& options = {});

}  // namespace pendec::io
