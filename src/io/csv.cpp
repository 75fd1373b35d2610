#include "pendec/io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "text.hpp"

namespace pendec::io {
namespace {

using detail::equals_ignoring_case;
using detail::excerpt;

bool means_missing(std::string_view cell) {
  if (cell.empty()) return true;
  return std::ranges::any_of(std::array{"na", "nan", "null", "n/a", "#n/a"},
                             [&](const char* word) { return equals_ignoring_case(cell, word); });
}

bool is_number(std::string_view cell) { return !means_missing(cell) && parse_number(cell).has_value(); }

/// Of those outside quotes in the first row that is not blank. A comma may also be a decimal one, or part of a text,
/// in a file with other separators; seldom the other way round.
char detect_separator(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\r\n "), text.size()));
  bool quoted = false, tab = false, semicolon = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    tab = tab || c == '\t';
    semicolon = semicolon || c == ';';
  }
  if (tab) return '\t';
  return semicolon ? ';' : ',';
}

}  // namespace

/// Reads the cells in one pass. Quoted cells lose their inner quotes in place: the text only gets shorter.
class CsvParser {
 public:
  CsvParser(std::string text, std::string_view source, const CsvOptions& options)
      : content_(std::make_shared<std::string>(std::move(text))),
        at_(content_->data()),
        end_(at_ + content_->size()) {
    table_.source_ = source;
    table_.allow_ = options.allow;
    table_.content_ = content_;
    header_ = options.header;
    refuse_nul();
    if (content_->starts_with("\xEF\xBB\xBF")) at_ += 3;  // byte order mark
    separator_ = options.separator != '\0' ? options.separator : detect_separator({at_, end_});
    for (const char c : {separator_, '\n', '\r', '"'}) ends_plain_cell_[static_cast<unsigned char>(c)] = true;
  }

  CsvTable parse() {
    while (at_ != end_) {
      skip_blanks();
      if (!end_line()) row();
    }
    if (table_.lines_.empty()) throw FileError(table_.source_, "has no rows");
    table_.rows_ = static_cast<Index>(table_.lines_.size());
    if (has_header()) take_header();
    return std::move(table_);
  }

 private:
  void refuse_nul() const {
    const std::size_t nul = content_->find('\0');
    if (nul == std::string::npos) return;
    const auto line = 1 + std::count(content_->begin(), content_->begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    throw FileError(table_.source_, "has a NUL byte: not text in UTF-8", line);
  }

  void row() {
    table_.lines_.push_back(line_);
    const Index first_line = line_;
    column_ = 0;
    do {
      ++column_;
      skip_blanks();
      table_.cells_.push_back(at_ != end_ && *at_ == '"' ? quoted_cell() : plain_cell());
    } while (take_separator());
    end_line();
    if (table_.lines_.size() == 1) {
      table_.columns_ = column_;
      reserve_cells();
    } else if (column_ != table_.columns_) {
      throw FileError(table_.source_, fmt::format("{} cells, but {} in the first row", column_, table_.columns_),
                      first_line);
    }
  }

  std::string_view plain_cell() {
    const char* const begin = at_;
    while (at_ != end_ && !ends_plain_cell_[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ != end_ && *at_ == '"') throw error("a quote within a cell: quote the whole cell and double this quote");
    const char* stop = at_;
    while (stop != begin && is_blank(stop[-1])) --stop;
    return {begin, stop};
  }

  std::string_view quoted_cell() {
    const Index opening_line = line_;
    char* const begin = ++at_;
    char* out = begin;
    for (;; *out++ = *at_++) {
      if (at_ == end_) throw FileError(table_.source_, "this quote is never closed", opening_line, column_);
      if (*at_ == '\n') ++line_;
      if (*at_ == '"' && (++at_ == end_ || *at_ != '"')) break;  // two of them: one goes on as text
    }
    skip_blanks();
    if (at_ != end_ && *at_ != separator_ && *at_ != '\n' && *at_ != '\r') throw error("text after a quoted cell");
    return {begin, out};
  }

  bool take_separator() {
    if (at_ == end_ || *at_ != separator_) return false;
    ++at_;
    return true;
  }

  /// Steps over LF, CRLF or CR; true at the end of the text too.
  bool end_line() {
    if (at_ == end_) return true;
    if (*at_ != '\r' && *at_ != '\n') return false;
    at_ += *at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n' ? 2 : 1;
    ++line_;
    return true;
  }

  bool is_blank(char c) const { return c == ' ' || (c == '\t' && separator_ != '\t'); }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  /// A cell takes at least one byte, whatever the product says.
  void reserve_cells() {
    const auto lines = static_cast<std::size_t>(std::count(at_, end_, '\n')) + 2;
    const auto columns = static_cast<std::size_t>(table_.columns_);
    table_.cells_.reserve(std::min(lines * columns, static_cast<std::size_t>(end_ - at_) + columns + 1));
    table_.lines_.reserve(lines);
  }

  bool has_header() const {
    if (header_ != Header::automatic) return header_ == Header::yes;
    const auto second_row = table_.cells_.begin() + table_.columns_;
    if (counts_columns()) return true;
    return std::none_of(table_.cells_.begin(), second_row, is_number) &&
           std::any_of(second_row, table_.cells_.end(), is_number);
  }

  /// ",0,1,2": how pandas writes columns without names beside its index.
  bool counts_columns() const {
    if (table_.columns_ < 2 || table_.rows_ < 2 || !table_.cells_.front().empty()) return false;
    for (Index j = 1; j < table_.columns_; ++j)
      if (table_.cells_[static_cast<std::size_t>(j)] != std::to_string(j - 1)) return false;
    return true;
  }

  void take_header() {
    table_.names_.assign(table_.cells_.begin(), table_.cells_.begin() + table_.columns_);
    table_.header_rows_ = 1;
    --table_.rows_;
  }

  FileError error(std::string_view problem) const { return {table_.source_, problem, line_, column_}; }

  CsvTable table_;
  std::shared_ptr<std::string> content_;
  Header header_;
  char separator_;
  std::array<bool, 256> ends_plain_cell_{};
  char* at_;
  char* end_;
  Index line_ = 1, column_ = 0;
};

Index CsvTable::column(std::string_view name) const {
  const auto first = std::ranges::find(names_, name);
  if (first == names_.end())
    throw FileError(source_, has_header()
                                 ? fmt::format("no column {}; there are {}", excerpt(name), fmt::join(names_, ", "))
                                 : fmt::format("no column {}: the file has no header", excerpt(name)));
  if (std::find(first + 1, names_.end(), name) != names_.end())
    throw FileError(source_, fmt::format("more than one column {}", excerpt(name)), lines_.front());
  return first - names_.begin();
}

bool CsvTable::is_missing(Index row, Index column) const { return means_missing(text(row, column)); }

double CsvTable::number(Index row, Index column) const {
  const std::string_view cell = text(row, column);
  const std::optional<double> value = parse_number(cell);
  if (value && std::isfinite(*value)) return *value;
  if (means_missing(cell)) {
    if (allow_.missing) return std::numeric_limits<double>::quiet_NaN();
    throw error(row, column, cell.empty() ? "an empty cell" : fmt::format("{} is a missing number", excerpt(cell)));
  }
  if (!value) throw error(row, column, fmt::format("{} is not a number", excerpt(cell)));
  if (!allowed(*value, allow_)) throw error(row, column, fmt::format("{} is not a finite number", excerpt(cell)));
  return *value;
}

Matrix CsvTable::numbers() const {
  std::vector<Index> all(static_cast<std::size_t>(columns_));
  std::iota(all.begin(), all.end(), 0);
  return numbers(all);
}

Matrix CsvTable::numbers(std::span<const Index> columns) const {
  for (const Index column : columns)
    if (column < 0 || column >= columns_)
      throw InvalidArgument("CsvTable.columns", to_text(column), fmt::format("0 to {}", columns_ - 1));
  Matrix values(rows_, static_cast<Index>(columns.size()));
  // The cells lie row by row, the numbers column by column: a few rows at a time fill whole cache lines.
  constexpr Index height = 8;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> stripe(height, values.cols());
  for (Index i0 = 0; i0 < rows_; i0 += height) {
    const Index count = std::min(height, rows_ - i0);
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < values.cols(); ++j) stripe(i, j) = number(i0 + i, columns[static_cast<std::size_t>(j)]);
    values.middleRows(i0, count) = stripe.topRows(count);
  }
  return values;
}

Index CsvTable::line(Index row, Index column) const {
  Index line = lines_[static_cast<std::size_t>(row + header_rows_)];
  for (Index j = 0; j < column; ++j) line += std::ranges::count(text(row, j), '\n');  // within quotes
  return line;
}

FileError CsvTable::error(Index row, Index column, std::string_view problem) const {
  return {source_, problem, line(row, column), column + 1};
}

namespace {

CsvTable parse_owned(std::string text, std::string_view source_name, const CsvOptions& options) {
  require(std::string_view("\0,;\t", 4).find(options.separator) != std::string_view::npos, "CsvOptions.separator",
          std::string_view(&options.separator, 1), "a comma, a semicolon, a tab or '\\0' to detect it");
  return CsvParser(std::move(text), source_name, options).parse();
}

}  // namespace

CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return parse_owned(read_text(path), path.string(), options);
}

CsvTable parse_csv(std::string_view text, std::string_view source_name, const CsvOptions& options) {
  return parse_owned(std::string(text), source_name, options);
}

}  // namespace pendec::io
