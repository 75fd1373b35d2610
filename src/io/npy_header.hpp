// The text at the head of an .npy file: a dictionary in Python's notation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pendec/core/types.hpp"

namespace pendec::io::detail {

struct NpyHeader {
  std::string type;  // "<f8"
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Throws FileError.
NpyHeader parse_npy_header(std::string_view text, std::string_view source);

}  // namespace pendec::io::detail
