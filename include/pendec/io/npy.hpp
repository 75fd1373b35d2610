// NumPy's array files (NEP 1), versions 1 to 3.
#pragma once

#include <filesystem>
#include <string_view>

#include "pendec/core/operator.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/io/file_error.hpp"
#include "pendec/io/number.hpp"

namespace pendec::io {

struct NpyOptions {
  Allow allow{};
  bool or_transpose = false;  // the transpose will do where it spares a copy: for symmetric matrices
};

/// An array of at most two dimensions: a scalar is 1 × 1, a vector one column. Floats, integers and booleans of
/// either byte order become doubles, integers beyond 2⁵³ the nearest.
///
/// What is stored as doubles in Fortran order, or in one column or row, is mapped into memory and not copied. The
/// file must then not be changed in place while the matrix lives; replacing it by a new one, as write_npy does, is
/// safe.
PENDEC_EXPORT Operator read_npy(const std::filesystem::path& path, const NpyOptions& options = {});
PENDEC_EXPORT Operator parse_npy(std::string_view bytes, std::string_view source_name,
                                 const NpyOptions& options = {});

/// Writes doubles in Fortran order, atomically: read_npy maps them. A matrix of one column is written in two
/// dimensions.
PENDEC_EXPORT void write_npy(const std::filesystem::path& path, MatrixIn matrix);

}  // namespace pendec::io
