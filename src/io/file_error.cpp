#include "pendec/io/file_error.hpp"

#include <fmt/format.h>

#include "pendec/core/printable.hpp"

namespace pendec::io {
namespace {

std::string place(std::string_view file, Index line, Index column) {
  if (line == 0) return std::string(file);
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

}  // namespace

FileError::FileError(std::string_view file, std::string_view problem, Index line, Index column)
    : std::runtime_error(printable(fmt::format("{}: {}", place(file, line, column), problem))),
      file_(file),
      line_(line),
      column_(column) {}

}  // namespace pendec::io
