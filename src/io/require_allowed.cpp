#include "require_allowed.hpp"

#include <fmt/format.h>

#include "pendec/core/error.hpp"
#include "pendec/io/file_error.hpp"

namespace pendec::io::detail {

void require_allowed(const ConstMatrixView& matrix, Allow allow, std::string_view source) {
  if (allow.infinite && allow.missing) return;
  // x − x is 0 for finite x and NaN otherwise, and NaN survives the sum.
  if ((matrix.array() - matrix.array()).sum() == 0.0) return;
  for (Index j = 0; j < matrix.cols(); ++j)
    for (Index i = 0; i < matrix.rows(); ++i)
      if (!allowed(matrix(i, j), allow))
        throw FileError(source,
                        fmt::format("entry [{}, {}] is {}; expected a finite number", i, j, to_text(matrix(i, j))));
}

}  // namespace pendec::io::detail
