// Matrices and vectors from files of any known format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pendec/core/shared_matrix.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io {

/// The extension decides the format: .csv, .tsv and .txt are tables of numbers, with or without a header (csv.hpp) and
/// names of the rows in a first column, .mtx is Matrix Market, sparse ones made dense (matrix_market.hpp), .npy is NumPy (npy.hpp). Throws FileError.
PENDEC_EXPORT SharedMatrix read_matrix(const std::filesystem::path& path, Allow allow = {});

/// The header of a table, without the name of a column of names; empty where there is none.
PENDEC_EXPORT std::vector<std::string> read_column_names(const std::filesystem::path& path);

/// One row or one column.
PENDEC_EXPORT Vector read_vector(const std::filesystem::path& path, Allow allow = {});

/// A square matrix of finite numbers with |aᵢⱼ − aⱼᵢ| ≤ 1e-10 · max |a|; the message names the worst pair of entries.
PENDEC_EXPORT SharedMatrix read_symmetric_matrix(const std::filesystem::path& path);

}  // namespace pendec::io
