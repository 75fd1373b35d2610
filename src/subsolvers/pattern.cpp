#include "pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pendec::detail {

void Pattern::learn(const SparseMatrix& matrix) {
  SparseMatrix ones = matrix;
  ones.makeCompressed();
  std::fill_n(ones.valuePtr(), ones.nonZeros(), 1.0);
  places_ = places_.size() == 0 ? ones : SparseMatrix(places_ + ones);
  places_.makeCompressed();
}

void Pattern::places(int* rows, int* columns) const {
  for (Index j = 0; j < places_.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(places_, j); entry; ++entry) {
      *rows++ = static_cast<int>(entry.row());
      *columns++ = static_cast<int>(j);
    }
}

bool Pattern::read(const SparseMatrix& matrix, double* values) {
  for (Index j = 0; j < places_.outerSize(); ++j) {
    SparseMatrix::InnerIterator entry(matrix, j);
    for (SparseMatrix::InnerIterator place(places_, j); place; ++place) {
      const bool has = entry && entry.row() == place.row();
      *values++ = has ? entry.value() : 0.0;
      if (has) ++entry;
    }
    if (!entry) continue;
    newest_ = fmt::format("[{}, {}]", entry.row(), j);
    return false;
  }
  return true;
}

}  // namespace pendec::detail
