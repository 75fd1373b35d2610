// The one error of everything that touches files.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec::io {

/// What is wrong with a file, and where: "prices.csv:12:3: "abc" is not a number". Lines and columns count from one
/// and are zero where the whole file, or the whole line, is meant. In tables a column is a cell, elsewhere a
/// character.
class PENDEC_EXPORT FileError : public std::runtime_error {
 public:
  FileError(std::string_view file, std::string_view problem, Index line = 0, Index column = 0);

  const std::string& file() const noexcept { return file_; }
  Index line() const noexcept { return line_; }
  Index column() const noexcept { return column_; }

 private:
  std::string file_;
  Index line_, column_;
};

}  // namespace pendec::io
