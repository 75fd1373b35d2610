// Graphs and observed entries from files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/solvers/lowrank/completion.hpp"
#include "pendec/solvers/lowrank/maxcut.hpp"

namespace pendec::io {

/// First line `n m`, then m lines `i j w` or `i j` (w = 1), vertices counted from one, numbers separated by blanks;
/// lines that are empty or begin with # or % are skipped. Or a Matrix Market file (its first line tells) with the
/// symmetric matrix of the weights, the diagonal zero or empty. Throws FileError, with the line where there is one.
PENDEC_EXPORT Graph read_graph(const std::filesystem::path& path);
PENDEC_EXPORT Graph parse_graph(std::string_view text, std::string_view source_name);

/// Entries of a matrix whose rows and columns have names, in the order of their first appearance.
struct ObservedEntries {
  std::vector<std::string> rows, columns;
  std::vector<Observation> seen;
  std::vector<std::string> used, ignored;  // columns of a table with a header
};

/// A table with the columns row, column, value and, if it has a header, possibly more, which are ignored; or a sparse
/// Matrix Market file (.mtx), whose rows and columns have their numbers as names. Names are words or whole numbers: a
/// dense matrix is refused. Throws FileError with the line, also for a place that comes twice.
PENDEC_EXPORT ObservedEntries read_entries(const std::filesystem::path& path);
PENDEC_EXPORT ObservedEntries parse_entries(std::string_view text, std::string_view source_name);

}  // namespace pendec::io
