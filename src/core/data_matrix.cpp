#include "pendec/core/data_matrix.hpp"

#include "../subsolvers/dense.hpp"
#include "pendec/core/error.hpp"

namespace pendec {

void DataMatrix::times(In x, Out out) const {
  if (sparse_) {
    out.noalias() = *sparse_ * x;
  } else {
    out.noalias() = *dense_ * x;
  }
}

void DataMatrix::transpose_times(In w, Out out) const {
  if (sparse_) {
    out.noalias() = sparse_->transpose() * w;
  } else {
    out.noalias() = dense_->transpose() * w;
  }
}

Matrix DataMatrix::centred_gram(const Vector& mean, const Vector& scale) const {
  if (!sparse_) {
    const Matrix centred = (dense_->rowwise() - mean.transpose()) * scale.asDiagonal();
    return detail::transpose_times(centred, centred);
  }
  Matrix gram = Matrix(SparseMatrix(sparse_->transpose() * *sparse_));
  gram -= static_cast<double>(rows()) * mean * mean.transpose();
  return scale.asDiagonal() * gram * scale.asDiagonal();
}

Vector DataMatrix::column_sums() const {
  Vector sums(cols());
  transpose_times(Vector::Ones(rows()), sums);
  return sums;
}

Vector DataMatrix::centred_squares(const Vector& mean) const {
  if (!sparse_) return (dense_->rowwise() - mean.transpose()).colwise().squaredNorm();
  Vector squares(cols());
  for (Index j = 0; j < cols(); ++j)
    squares[j] = sparse_->col(j).squaredNorm() - static_cast<double>(rows()) * mean[j] * mean[j];
  return squares;
}

DataMatrix DataMatrix::rows_of(const std::vector<Index>& chosen) const {
  const Index count = static_cast<Index>(chosen.size());
  if (!sparse_) {
    Matrix part(count, cols());
    for (Index k = 0; k < count; ++k) part.row(k) = dense_->row(chosen[static_cast<std::size_t>(k)]);
    return part;
  }
  std::vector<Eigen::Triplet<double>> picks;
  for (Index k = 0; k < count; ++k) picks.emplace_back(k, chosen[static_cast<std::size_t>(k)], 1.0);
  SparseMatrix pick(count, rows());
  pick.setFromTriplets(picks.begin(), picks.end());
  return SparseMatrix(pick * *sparse_);
}

void DataMatrix::require_finite(std::string_view field) const {
  if (!sparse_) return pendec::require_finite(field, *dense_);
  for (Index j = 0; j < sparse_->outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(*sparse_, j); entry; ++entry)
      require(std::isfinite(entry.value()), field, entry.value(), "finite entries");
}

}  // namespace pendec
