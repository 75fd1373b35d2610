// Linear operators, in the form in which their entries are known.
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

using SparseMatrix = Eigen::SparseMatrix<double>;

namespace detail {
struct OperatorCore;
}

/// A linear operator A: ℝⁿ → ℝᵐ: a matrix (dense or sparse, shared and never copied), a diagonal, coordinates picked
/// out of x or put into it, BᵀWB + D (a Gram matrix, low rank plus diagonal), a product or a pile of other operators,
/// one with an intercept, or two functions. Factors in front of rows and columns leave the form as it is. Cheap to
/// copy.
class PENDEC_EXPORT Operator {
 public:
  using Function = std::function<void(In, Out)>;

  Operator();  // 0 × 0

  Operator(Matrix dense);                                // NOLINT: implicit
  Operator(SparseMatrix sparse);                         // NOLINT: implicit
  Operator(std::shared_ptr<const SparseMatrix> sparse);  // NOLINT: implicit
  template <class Derived>
  Operator(const Eigen::MatrixBase<Derived>& expression) : Operator(Matrix(expression)) {}  // NOLINT: implicit

  /// Reads the caller's numbers; `keep_alive` may hold whatever owns them.
  static Operator borrow(const ConstMatrixView& view, std::shared_ptr<const void> keep_alive = nullptr);
  static Operator zero(Index rows, Index cols);
  static Operator diagonal(Vector entries);
  static Operator selection(Index n, std::vector<Index> indices);  // x ↦ x[indices], x ∈ ℝⁿ
  static Operator embedding(Index n, std::vector<Index> indices);  // its transpose: t ↦ Σ_k t_k e_{indices[k]}
  static Operator functions(Index rows, Index cols, Function times, Function transpose_times);
  static Operator stacked(std::vector<Operator> parts);         // one below the other
  static Operator block_diagonal(std::vector<Operator> parts);  // one beside and below the other
  static Operator sum(std::vector<Operator> parts);             // of operators of the same size

  Index rows() const;
  Index cols() const;

  void times(In x, Out out) const;            // out = A x
  void transpose_times(In w, Out out) const;  // out = Aᵀ w
  Vector times(In x) const;
  Vector transpose_times(In w) const;

  /// The same with the absolute values of all entries, or of those of its factors: what rounding is relative to.
  void magnitude_times(In x, Out out) const;
  void magnitude_transpose_times(In w, Out out) const;

  Vector column(Index j) const;
  Operator columns(const std::vector<Index>& indices) const;
  Operator rows_at(const std::vector<Index>& indices) const;
  Operator block(const std::vector<Index>& indices) const;  // of a square A: rows and columns `indices`

  Operator transposed() const;
  Operator scaled(double factor) const;
  Operator scaled(const Vector& left, const Vector& right) const;  // diag(left) A diag(right); empty: 1

  /// Aᵀ diag(weights) A + diag(diagonal); empty: weights of 1, no diagonal. Formed when its entries are asked for.
  Operator gram(Vector weights = {}, Vector diagonal = {}) const;

  /// [A − 1 centreᵀ, 1]: after the columns, from which a number each is subtracted, one of ones. Empty: none is.
  Operator with_intercept(Vector centre = {}) const;

  /// Jᵀ A J: a block where J embeds coordinates.
  Operator within(const Operator& J) const;

  /// Numbers kept, whatever the operator's size; 0 for functions.
  Index stored_entries() const;
  bool has_entries() const;      // false: to know them takes products with unit vectors, as with functions
  Index formed_entries() const;  // of sparse(), at most: what it costs to ask for it
  bool is_exact() const;         // entries are numbers that were given: no rounding made them
  bool is_gram() const;          // Bᵀ diag(weights) B + diag(added), nothing negative, of a B that is exact
  Index summands() const;        // of an entry of a product with it or, where it is not exact, of its own, at most
  Matrix dense() const;
  SparseMatrix sparse() const;
  Vector row_norms() const;  // Euclidean

  bool is_diagonal() const;
  Vector diagonal() const;                     // of a square A
  const ConstMatrixView* view() const;         // the dense matrix itself; null: the operator is something else
  const SparseMatrix* sparse_view() const;     // the sparse matrix itself, likewise
  const std::vector<Index>* selected() const;  // A x = x[*selected()]; null: A does something else
  const std::vector<Index>* embedded() const;  // Aᵀ w = w[*embedded()]; null: A does something else

  /// Throws InvalidArgument if a stored entry is not finite.
  void require_finite(std::string_view field) const;

  PENDEC_EXPORT friend Operator operator*(const Operator& A, const Operator& B);

 private:
  using Core = std::shared_ptr<const detail::OperatorCore>;
  using Factors = std::shared_ptr<const Vector>;  // null: 1
  explicit Operator(Core core, double factor = 1.0, Factors left = nullptr, Factors right = nullptr)
      : core_(std::move(core)), factor_(factor), left_(std::move(left)), right_(std::move(right)) {}

  bool has_factors() const { return factor_ != 1.0 || left_ || right_; }
  Operator with_factors_of(const Operator& from) const;

  Core core_;  // A = factor · diag(left) · core · diag(right)
  double factor_ = 1.0;
  Factors left_, right_;
};

/// The entries of an operator as a dense matrix: its own where it is one, else a copy.
class PENDEC_EXPORT DenseMatrix {
 public:
  DenseMatrix() : DenseMatrix(Operator()) {}
  explicit DenseMatrix(const Operator& A) : kept_(A.view() ? A : Operator(A.dense())), view_(kept_.view()) {}

  const ConstMatrixView& operator*() const { return *view_; }
  const ConstMatrixView* operator->() const { return view_; }
  const Operator& shared() const { return kept_; }

 private:
  Operator kept_;
  const ConstMatrixView* view_;
};

}  // namespace pendec
