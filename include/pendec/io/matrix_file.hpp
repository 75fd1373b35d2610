// Matrices and vectors from files of any known format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io {

/// The extension decides the format: .csv, .tsv and .txt are tables of numbers, with or without a header (csv.hpp)
/// and names of the rows in a first column, .mtx is Matrix Market (matrix_market.hpp), of which sparse ones stay
/// sparse, .npy is NumPy (npy.hpp). Throws FileError.
PENDEC_EXPORT Operator read_matrix(const std::filesystem::path& path, Allow allow = {});

/// The same with all entries in memory: it has a view().
PENDEC_EXPORT Operator read_dense_matrix(const std::filesystem::path& path, Allow allow = {});

/// The names in a table: its header, and its first column if that has no name and no number. Empty where there are
/// none.
struct Labels {
  std::vector<std::string> rows, columns;
};
PENDEC_EXPORT Labels read_labels(const std::filesystem::path& path);

/// One row or one column.
PENDEC_EXPORT Vector read_vector(const std::filesystem::path& path, Allow allow = {});

/// A square matrix of finite numbers with |aᵢⱼ − aⱼᵢ| ≤ 1e-10 · max |a|; the message names the worst pair of entries.
PENDEC_EXPORT Operator read_symmetric_matrix(const std::filesystem::path& path);

}  // namespace pendec::io
