#include "pendec/io/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "granted_size.hpp"
#include "pendec/core/error.hpp"
#include "pendec/io/file.hpp"
#include "text.hpp"

namespace pendec::io {
namespace {

using detail::equals_ignoring_case;
using detail::excerpt;
using Triplet = Eigen::Triplet<double, SparseMatrix::StorageIndex>;

/// The lines of the text that are neither blank nor comments, word by word.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view source) : rest_(text), source_(source) {}

  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t length = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, length);
      rest_.remove_prefix(std::min(length + 1, rest_.size()));
      at_ = 0;
      ++number_;
      skip_blanks();
      if (at_ < line_.size() && (line_[at_] != '%' || number_ == 1)) return true;
    }
    return false;
  }

  std::string_view word() {
    skip_blanks();
    word_ = at_;
    while (at_ < line_.size() && !is_blank(line_[at_])) ++at_;
    return line_.substr(word_, at_ - word_);
  }

  void end_of_line() {
    if (const std::string_view more = word(); !more.empty())
      throw error(fmt::format("{} is more than the line should have", excerpt(more)));
  }

  /// An integer from `least` to `most`.
  Index index(std::string_view what, Index least, Index most) {
    const std::string_view text = word();
    Index value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc{} || stop != text.data() + text.size())
      throw error(fmt::format("{} is {}; expected an integer", what, excerpt(text)));
    if (value < least || value > most)
      throw error(fmt::format("{} is {}; expected {} to {}", what, value, least, most));
    return value;
  }

  double number(bool integer, Allow allow) {
    const std::string_view text = word();
    const std::optional<double> value = parse_number(text);
    if (!value)
      throw error(text.empty() ? "the number is missing" : fmt::format("{} is not a number", excerpt(text)));
    if (!allowed(*value, allow)) throw error(fmt::format("{} is not a finite number", excerpt(text)));
    if (integer && *value != std::trunc(*value)) throw error(fmt::format("{} is not an integer", excerpt(text)));
    return *value;
  }

  Index remaining_bytes() const { return static_cast<Index>(rest_.size()); }
  FileError error(std::string_view problem) const {  // about the last word
    return {source_, problem, number_, static_cast<Index>(word_) + 1};
  }
  FileError file_error(std::string_view problem) const { return {source_, problem}; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
  }

  std::string_view rest_, line_;
  std::string source_;
  std::size_t at_ = 0, word_ = 0;
  Index number_ = 0;
};

enum class Format { array, coordinate };
enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew_symmetric };

struct Banner {
  Format format;
  Field field;
  Symmetry symmetry;
};

template <class Value>
struct Keyword {
  std::string_view name;
  Value value;
};

template <class Value>
Value keyword(Scanner& in, std::string_view what, std::initializer_list<Keyword<Value>> known) {
  const std::string_view text = in.word();
  std::string names;
  for (const auto& [name, value] : known) {
    if (equals_ignoring_case(text, name)) return value;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  throw in.error(fmt::format("the {} is {}; known are {}", what, excerpt(text), names));
}

Banner read_banner(Scanner& in) {
  if (!in.next_line() || !equals_ignoring_case(in.word(), "%%matrixmarket") ||
      !equals_ignoring_case(in.word(), "matrix"))
    throw in.file_error("does not begin with \"%%MatrixMarket matrix\"");
  Banner banner{};
  banner.format = keyword<Format>(in, "format", {{"array", Format::array}, {"coordinate", Format::coordinate}});
  banner.field = keyword<Field>(
      in, "field",
      {{"real", Field::real}, {"double", Field::real}, {"integer", Field::integer}, {"pattern", Field::pattern}});
  if (banner.field == Field::pattern && banner.format == Format::array)
    throw in.error("an array has values, not a pattern");
  banner.symmetry = keyword<Symmetry>(in, "symmetry",
                                      {{"general", Symmetry::general},
                                       {"symmetric", Symmetry::symmetric},
                                       {"skew-symmetric", Symmetry::skew_symmetric}});
  in.end_of_line();
  return banner;
}

struct Size {
  Index rows, columns;
};

Size read_size(Scanner& in, const Banner& banner) {
  if (!in.next_line()) throw in.file_error("ends before the line of sizes");
  constexpr Index representable = std::numeric_limits<SparseMatrix::StorageIndex>::max();
  const Index most = std::min(representable, std::max(detail::granted_size, in.remaining_bytes()));
  const Index rows = in.index("the number of rows", 0, most);
  const Index columns = in.index("the number of columns", 0, most);
  if (banner.symmetry != Symmetry::general && rows != columns)
    throw in.error(fmt::format("a matrix of {} × {} cannot be symmetric", rows, columns));
  return {rows, columns};
}

FileError too_few(const Scanner& in, Index found, Index declared) {
  return in.file_error(fmt::format("ends after {} of {} entries", found, declared));
}

void end_of_file(Scanner& in, Index entries) {
  if (!in.next_line()) return;
  in.word();
  throw in.error(fmt::format("more than the {} entries declared", entries));
}

/// What stands above the diagonal for `value` below it.
double mirrored(double value, Symmetry symmetry) { return symmetry == Symmetry::skew_symmetric ? -value : value; }

/// Column by column; of symmetric matrices the part below the diagonal, with it unless it is skew.
Matrix read_array(Scanner& in, const Banner& banner, Allow allow) {
  const auto [rows, columns] = read_size(in, banner);
  in.end_of_line();
  const bool general = banner.symmetry == Symmetry::general;
  const Index above_first = banner.symmetry == Symmetry::skew_symmetric ? 1 : 0;

  // An entry takes two bytes at least, so the product, once it fits, is exact.
  const auto n = static_cast<double>(rows), m = static_cast<double>(columns);
  const double declared = general ? n * m : 0.5 * n * (n + 1.0 - 2.0 * static_cast<double>(above_first));
  if (declared > 0.5 * static_cast<double>(in.remaining_bytes() + 1))
    throw in.file_error(fmt::format("is too short for a matrix of {} × {}", rows, columns));

  const auto entries = static_cast<Index>(declared);
  Matrix matrix = Matrix::Zero(rows, columns);
  Index found = 0;
  for (Index j = 0; j < columns; ++j) {
    for (Index i = general ? 0 : j + above_first; i < rows; ++i) {
      if (!in.next_line()) throw too_few(in, found, entries);
      const double value = in.number(banner.field == Field::integer, allow);
      in.end_of_line();
      if (!general) matrix(j, i) = mirrored(value, banner.symmetry);
      matrix(i, j) = value;
      ++found;
    }
  }
  end_of_file(in, entries);
  return matrix;
}

Triplet read_entry(Scanner& in, const Banner& banner, Size size, Allow allow) {
  const Index i = in.index("the row", 1, size.rows);
  const Index j = in.index("the column", 1, size.columns);
  if (banner.symmetry != Symmetry::general && j > i)
    throw in.error(fmt::format("entry ({}, {}) is above the diagonal of a symmetric matrix", i, j));
  if (banner.symmetry == Symmetry::skew_symmetric && j == i)
    throw in.error(fmt::format("entry ({}, {}) is on the diagonal of a skew-symmetric matrix", i, j));
  const double value = banner.field == Field::pattern ? 1.0 : in.number(banner.field == Field::integer, allow);
  in.end_of_line();
  return {static_cast<SparseMatrix::StorageIndex>(i - 1), static_cast<SparseMatrix::StorageIndex>(j - 1), value};
}

void require_allowed_sums(const SparseMatrix& matrix, Allow allow, const Scanner& in) {
  const auto values = matrix.coeffs();
  if ((values - values).sum() == 0.0) return;  // all finite: x − x is NaN otherwise
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it)
      if (!allowed(it.value(), allow))
        throw in.file_error(fmt::format("the values of entry ({}, {}) add up to {}", it.row() + 1, it.col() + 1,
                                        to_text(it.value())));
}

SparseMatrix read_coordinates(Scanner& in, const Banner& banner, Allow allow, Repeated repeated) {
  const Size size = read_size(in, banner);
  const Index entries = in.index("the number of entries", 0, std::numeric_limits<Index>::max());
  in.end_of_line();
  constexpr Index shortest_entry = 4;  // "1 1\n"
  if (entries > (in.remaining_bytes() + 1) / shortest_entry)
    throw in.file_error(fmt::format("is too short for {} entries", entries));

  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<std::size_t>(banner.symmetry == Symmetry::general ? entries : 2 * entries));
  std::unordered_set<Index> places;  // i + rows · j
  for (Index k = 0; k < entries; ++k) {
    if (!in.next_line()) throw too_few(in, k, entries);
    const Triplet entry = read_entry(in, banner, size, allow);
    if (repeated == Repeated::refused && !places.insert(entry.row() + size.rows * entry.col()).second)
      throw in.error(fmt::format("the entry ({}, {}) comes twice", entry.row() + 1, entry.col() + 1));
    triplets.push_back(entry);
    if (banner.symmetry != Symmetry::general && entry.row() != entry.col())
      triplets.emplace_back(entry.col(), entry.row(), mirrored(entry.value(), banner.symmetry));
  }
  end_of_file(in, entries);

  SparseMatrix matrix(size.rows, size.columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());  // adds up
  require_allowed_sums(matrix, allow, in);
  return matrix;
}

}  // namespace

MatrixMarket read_matrix_market(const std::filesystem::path& path, Allow allow, Repeated repeated) {
  return parse_matrix_market(read_text(path), path.string(), allow, repeated);
}

MatrixMarket parse_matrix_market(std::string_view text, std::string_view source_name, Allow allow,
                                 Repeated repeated) {
  Scanner in(text, source_name);
  const Banner banner = read_banner(in);
  if (banner.format == Format::array) return read_array(in, banner, allow);
  return read_coordinates(in, banner, allow, repeated);
}

}  // namespace pendec::io
