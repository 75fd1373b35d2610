#include "block_lanczos.hpp"

#include <algorithm>
#include <cmath>

#include "dense.hpp"
#include "lapack.hpp"
#include "pendec/core/random.hpp"

namespace pendec::detail {
namespace {

constexpr std::size_t remembered = 4;  // eigenspaces: three differences, of which two predict the next

/// The orthogonal matrix nearest to T, for T nearly orthogonal (one Newton–Schulz step: the error is squared).
Matrix nearly_orthogonal(const Matrix& T) { return 1.5 * T - 0.5 * times(T, transpose_times(T, T)); }

}  // namespace

BlockLanczos::BlockLanczos(Index n, Index k)
    : n_(n),
      k_(k),
      capacity_(std::min(n, std::max<Index>(8 * k, 48))),
      K_(n, capacity_),
      W_(n, capacity_),
      H_(capacity_, capacity_),
      values_(k),
      Q_(n, k),
      R_(n, k),
      guards_(n, 0) {}

void BlockLanczos::adopt(const Matrix& vectors) {
  Q_ = vectors;
  remember();
}

bool BlockLanczos::run(const Product& times, double target, Index max_products) {
  start();
  for (products_ = 1;; ++products_) {
    multiply_newest(times);
    form_remainder();
    const bool last = products_ >= max_products || size_ >= n_;
    // The first block is worth no decomposition unless it is good enough as it is.
    if (products_ > 1 || last || N_.norm() <= target) {
      rayleigh_ritz();
      const double estimate = (N_ * Y_.block(first_, 0, size_ - first_, k_)).norm();
      if (estimate <= target || last) form_pairs();
      if (estimate <= target && R_.norm() <= target) break;
      if (last) return false;
    }
    if (products_ > 1 && size_ + N_.cols() > capacity_) compress();
    if (!expand()) return false;
  }
  remember();
  adapt_guard();
  return true;
}

void BlockLanczos::start() {
  predict(K_.leftCols(k_));
  const Index known = std::min(guard_, guards_.cols());
  K_.middleCols(k_, known) = guards_.leftCols(known);
  if (known < guard_) K_.middleCols(k_ + known, guard_ - known) = Random(1).normal_matrix(n_, guard_ - known);
  first_ = 0;
  size_ = orthonormalize(0, k_ + guard_);
}

/// Along a linearly converging sequence the steps D obey D₀ ≈ c₁ D₁ + c₂ D₂; c is fitted to the last three.
void BlockLanczos::predict(Eigen::Ref<Matrix> out) const {
  out = history_[0];
  if (history_.size() < remembered) return;
  const Matrix d1 = history_[0] - history_[1], d2 = history_[1] - history_[2], d3 = history_[2] - history_[3];
  const double a = inner(d2, d2), b = inner(d2, d3), c = inner(d3, d3), f = inner(d1, d2), g = inner(d1, d3);
  const double determinant = a * c - b * b;
  const bool independent = determinant > 1e-6 * a * c;
  const double c1 = independent ? (c * f - b * g) / determinant : f / a;
  const double c2 = independent ? (a * g - b * f) / determinant : 0.0;
  const Matrix step = c1 * d1 + c2 * d2;
  if (step.squaredNorm() <= 4.0 * d1.squaredNorm()) out += step;  // else, or if not a number, no prediction
}

void BlockLanczos::multiply_newest(const Product& times) {
  const Index count = size_ - first_;
  times(K_.middleCols(first_, count), W_.middleCols(first_, count));
  // The new columns of H = Kᵀ Z K, and by symmetry its new rows.
  multiply('T', K_.leftCols(size_), 'N', W_.middleCols(first_, count), 0.0, H_.block(0, first_, size_, count));
  H_.block(first_, 0, count, first_) = H_.block(0, first_, first_, count).transpose();
}

void BlockLanczos::rayleigh_ritz() {
  const SymmetricEigen eigen = symmetric_eigen(H_.topLeftCorner(size_, size_));
  theta_ = eigen.values.reverse();
  Y_ = eigen.vectors.rowwise().reverse();
}

/// N = W_p − K H_p.
void BlockLanczos::form_remainder() {
  const Index count = size_ - first_;
  N_ = W_.middleCols(first_, count);
  multiply('N', K_.leftCols(size_), 'N', H_.block(0, first_, size_, count), 1.0, N_, -1.0);
}

/// Q = K Y, R = W Y − Q Θ, without recourse to the Lanczos relation: this is what the result is judged by.
void BlockLanczos::form_pairs() {
  values_ = theta_.head(k_);
  multiply('N', K_.leftCols(size_), 'N', Y_.leftCols(k_), 0.0, Q_);
  multiply('N', W_.leftCols(size_), 'N', Y_.leftCols(k_), 0.0, R_);
  R_.noalias() -= Q_ * values_.asDiagonal();
}

/// Thick restart: the better half of the Ritz vectors becomes the basis. Their residuals still lie in span N.
void BlockLanczos::compress() {
  const Index kept = std::max(std::min(capacity_ / 2, size_ - 1), k_);
  K_.leftCols(kept) = (K_.leftCols(size_) * Y_.leftCols(kept)).eval();
  W_.leftCols(kept) = (W_.leftCols(size_) * Y_.leftCols(kept)).eval();
  H_.topLeftCorner(kept, kept) = Matrix(theta_.head(kept).asDiagonal());
  size_ = kept;
}

/// Appends an orthonormal basis of span N; false if there is nothing to append.
bool BlockLanczos::expand() {
  const Index count = std::min(N_.cols(), capacity_ - size_);
  if (count == 0) return false;
  K_.middleCols(size_, count) = N_.leftCols(count);
  first_ = size_;
  size_ += orthonormalize(first_, count);
  return size_ > first_;
}

/// Makes columns first, …, first + count − 1 of K orthonormal, and orthogonal to those before (Cholesky QR, repeated
/// while it was ill conditioned). Returns how many are left: dependent ones are dropped.
Index BlockLanczos::orthonormalize(Index first, Index count) {
  auto block = K_.middleCols(first, count);
  const auto before = K_.leftCols(first);
  for (int pass = 0; pass < 3; ++pass) {
    const Vector norms = block.colwise().norm();
    if (!(norms.minCoeff() > 0.0)) break;
    block.array().rowwise() /= norms.transpose().array();
    double overlap = 0.0;
    if (first > 0) {
      Matrix coefficients(first, count);
      multiply('T', before, 'N', block, 0.0, coefficients);
      multiply('N', before, 'N', coefficients, 1.0, block, -1.0);
      overlap = coefficients.norm();
    }
    Matrix gram(count, count);
    multiply('T', block, 'N', block, 0.0, gram);
    Cholesky cholesky;
    if (!cholesky.compute(gram)) break;
    const double smallest = cholesky.L().diagonal().minCoeff();
    if (!(smallest > 1e-6)) break;
    cholesky.divide_from_right(block);
    if (smallest > 0.3 && overlap < 1e-3) return count;
  }
  return orthonormalize_slowly(first, count);
}

/// Modified Gram–Schmidt, each column twice.
Index BlockLanczos::orthonormalize_slowly(Index first, Index count) {
  Index end = first;
  for (Index j = first; j < first + count; ++j) {
    Vector v = K_.col(j);
    bool independent = true;
    for (int pass = 0; pass < 3 && independent; ++pass) {
      const double norm = v.norm();
      independent = norm > (pass == 0 ? 0.0 : 1e-10);
      if (!independent) break;
      v /= norm;
      if (pass < 2) v -= K_.leftCols(end) * (K_.leftCols(end).transpose() * v).eval();
    }
    if (independent) K_.col(end++) = v;
  }
  return end - first;
}

/// Q T is the basis of the new eigenspace nearest to the last one; sequences of such bases are smooth.
void BlockLanczos::remember() {
  Matrix T = Matrix::Zero(k_, k_);
  if (warm()) multiply('T', Q_, 'N', history_[0], 0.0, T);
  if (!((transpose_times(T, T) - Matrix::Identity(k_, k_)).norm() < 0.1)) {  // a jump, or the first
    history_.assign(1, Q_);
    return;
  }
  if (history_.size() < remembered) history_.emplace_back(n_, k_);
  std::rotate(history_.rbegin(), history_.rbegin() + 1, history_.rend());
  multiply('N', Q_, 'N', nearly_orthogonal(T), 0.0, history_[0]);
}

/// Many products mean a small gap below θ_k: more vectors in the first block widen it.
void BlockLanczos::adapt_guard() {
  const Index most = std::min(k_ + 2, capacity_ / 2 - k_);
  if (products_ > 5 && guard_ < most) guard_ = std::min(guard_ + 2, most);
  if (products_ < 3 && guard_ > 0) --guard_;
  const Index available = std::min(guard_, size_ - k_);
  guards_ = K_.leftCols(size_) * Y_.middleCols(k_, available);
}

}  // namespace pendec::detail
