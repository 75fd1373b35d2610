// The Matrix Market exchange format (Boisvert, Pozo, Remington 1996).
#pragma once

#include <Eigen/SparseCore>
#include <filesystem>
#include <string_view>
#include <variant>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// As the file has it: `array` is dense, `coordinate` sparse. Symmetric and skew-symmetric matrices are stored full.
using MatrixMarket = std::variant<Matrix, SparseMatrix>;

/// What becomes of an entry that is given twice.
enum class Repeated { summed, refused };

/// Fields real, integer and pattern (ones); general, symmetric and skew-symmetric. Throws FileError, and allocates no
/// more than the length of the file justifies, whatever its header says.
PENDEC_EXPORT MatrixMarket read_matrix_market(const std::filesystem::path& path, Allow allow = {},
                                              Repeated repeated = Repeated::summed);
PENDEC_EXPORT MatrixMarket parse_matrix_market(std::string_view text, std::string_view source_name, Allow allow = {},
                                               Repeated repeated = Repeated::summed);

}  // namespace pendec::io
