// Block Lanczos iteration for the largest eigenpairs along a sequence of symmetric matrices.
#pragma once

#include <functional>
#include <vector>

#include "pendec/core/types.hpp"

namespace pendec::detail {

/// Keeps the eigenspaces found last and starts the next iteration from their extrapolation.
///   K = [K₀ … K_p] orthonormal, W = Z K, H = Kᵀ W;   K_{p+1} spans N = W_p − K Kᵀ W_p;
///   H Y = Y Θ gives the Ritz pairs (Θ, Q = K Y), and Z Q − Q Θ = N Y_p (Golub, Underwood 1977).
class BlockLanczos {
 public:
  using Product = std::function<void(MatrixIn V, MatrixOut ZV)>;

  BlockLanczos(Index n, Index k);

  /// Is there something to start from?
  bool warm() const { return !history_.empty(); }

  /// Counts an eigenspace found elsewhere as the last one; any k vectors will do to start with.
  void adopt(const Matrix& vectors);

  /// The k largest Ritz pairs with ‖Z Q − Q Θ‖_F ≤ target; false if `max_products` products do not reach it.
  bool run(const Product& times, double target, Index max_products);

  const Vector& values() const { return values_; }
  const Matrix& vectors() const { return Q_; }
  const Matrix& residual() const { return R_; }  // Z Q − Q Θ
  Index products() const { return products_; }

 private:
  void start();
  void predict(Eigen::Ref<Matrix> out) const;
  void multiply_newest(const Product& times);
  void rayleigh_ritz();
  void form_remainder();
  void form_pairs();
  void compress();
  bool expand();
  Index orthonormalize(Index first, Index count);
  Index orthonormalize_slowly(Index first, Index count);
  void remember();
  void adapt_guard();

  Index n_, k_, capacity_;
  Index guard_ = 0;             // vectors beyond k in the first block, where the spectrum asks for them
  Index first_ = 0, size_ = 0;  // first column of the newest block, number of columns of K
  Index products_ = 0;
  Matrix K_, W_, H_;
  Matrix N_;  // remainder of the newest block
  Matrix Y_;  // Ritz vectors in the basis K, largest values first
  Vector theta_;
  Vector values_;
  Matrix Q_, R_, guards_;
  std::vector<Matrix>
      history_;  // bases of the last eigenspaces, newest first, each turned to resemble the one before
};

}  // namespace pendec::detail
