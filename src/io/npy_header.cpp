#include "npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "pendec/io/file_error.hpp"
#include "text.hpp"

namespace pendec::io::detail {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : rest_(text), source_(source) {}

  NpyHeader read() {
    bool type = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        type = true;
        header_.type = quoted();
      } else if (key == "fortran_order" && !order) {
        order = true;
        header_.fortran_order = truth();
      } else if (key == "shape" && !shape) {
        shape = true;
        header_.shape = tuple();
      } else {
        throw error(fmt::format("the key {} is not expected", excerpt(key)));
      }
      if (!take(',') && !next_is('}')) throw error("expected ',' or '}'");
    }
    skip_blanks();
    if (!rest_.empty()) throw error(fmt::format("{} after its end", excerpt(rest_)));
    if (!type || !order || !shape) throw error("expected the keys descr, fortran_order and shape");
    return std::move(header_);
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }

  bool next_is(char c) {
    skip_blanks();
    return rest_.starts_with(c);
  }

  bool take(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) throw error(fmt::format("expected '{}' before {}", c, excerpt(rest_)));
  }

  std::string quoted() {
    if (next_is('[')) throw error("arrays of records are not supported");
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const std::size_t length = rest_.find(quote);
    if (length == std::string_view::npos) throw error("a quote is never closed");
    std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length + 1);
    return text;
  }

  bool truth() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view name = value ? "True" : "False";
      if (!rest_.starts_with(name)) continue;
      rest_.remove_prefix(name.size());
      return value;
    }
    throw error(fmt::format("expected True or False before {}", excerpt(rest_)));
  }

  std::vector<Index> tuple() {
    std::vector<Index> lengths;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      Index length = 0;
      const auto [stop, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
      if (problem != std::errc{} || length < 0) throw error(fmt::format("{} is no length", excerpt(rest_)));
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      take('L');  // Python 2's long integers
      lengths.push_back(length);
      if (!take(',') && !next_is(')')) throw error("expected ',' or ')'");
    }
    return lengths;
  }

  FileError error(std::string_view problem) const { return {source_, fmt::format("in the header: {}", problem)}; }

  std::string_view rest_;
  std::string source_;
  NpyHeader header_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view source) { return Reader(text, source).read(); }

}  // namespace pendec::io::detail
