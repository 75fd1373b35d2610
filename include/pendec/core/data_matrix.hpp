// The data of a model: a dense or a sparse matrix that is read and never copied.
#pragma once

#include <memory>
#include <utility>

#include "pendec/core/operator.hpp"
#include "pendec/core/shared_matrix.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// One row per observation, one column per feature.
class PENDEC_EXPORT DataMatrix {
 public:
  DataMatrix() = default;
  DataMatrix(SharedMatrix dense) : dense_(std::move(dense)) {}  // NOLINT: implicit
  DataMatrix(Matrix dense) : dense_(std::move(dense)) {}        // NOLINT: implicit
  DataMatrix(SparseMatrix sparse) : DataMatrix(std::make_shared<const SparseMatrix>(std::move(sparse))) {}  // NOLINT
  DataMatrix(std::shared_ptr<const SparseMatrix> sparse) : sparse_(std::move(sparse)) {}  // NOLINT: implicit

  Index rows() const { return sparse_ ? sparse_->rows() : dense_->rows(); }
  Index cols() const { return sparse_ ? sparse_->cols() : dense_->cols(); }
  bool is_sparse() const { return sparse_ != nullptr; }

  void times(In x, Out out) const;            // out = A x
  void transpose_times(In w, Out out) const;  // out = Aᵀ w
  Vector column_sums() const;

  /// Gram matrix of the columns minus `mean`, times `scale`. Dense data are centred first; sparse ones stay sparse,
  /// and columns whose mean is much larger than their deviation lose digits.
  Matrix centred_gram(const Vector& mean, const Vector& scale) const;
  Vector centred_squares(const Vector& mean) const;  // Σ_k (a_kj − mean_j)²

  /// A copy of some rows.
  DataMatrix rows_of(const std::vector<Index>& rows) const;

  /// Throws InvalidArgument if an entry is not finite.
  void require_finite(std::string_view field) const;

 private:
  SharedMatrix dense_;
  std::shared_ptr<const SparseMatrix> sparse_;
};

}  // namespace pendec
