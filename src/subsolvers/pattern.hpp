// The places of a sparse matrix whose values change.
#pragma once

#include <string>

#include "pendec/core/operator.hpp"

namespace pendec::detail {

class Pattern {
 public:
  /// Adds the places of a matrix.
  void learn(const SparseMatrix& matrix);

  int entries() const { return static_cast<int>(places_.nonZeros()); }
  void places(int* rows, int* columns) const;

  /// The values of a matrix at the places known, 0 where it has none. False: it has others as well.
  bool read(const SparseMatrix& matrix, double* values);

  /// The first place that was not known, for people.
  const std::string& newest() const { return newest_; }

 private:
  SparseMatrix places_;  // of ones
  std::string newest_;
};

}  // namespace pendec::detail
