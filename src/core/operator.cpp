#include "pendec/core/operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pendec/core/error.hpp"
#include "pendec/core/scratch.hpp"
#include "team.hpp"

namespace pendec {
namespace detail {

/// An operator without factors. What a kind does not know better follows from its products.
struct OperatorCore {
  virtual ~OperatorCore() = default;
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  virtual void times(In x, Out out) const = 0;
  virtual void transpose_times(In w, Out out) const = 0;
  virtual Index stored_entries() const = 0;
  virtual Index formed_entries() const { return has_entries() ? stored_entries() : rows() * cols(); }
  virtual bool has_entries() const { return true; }
  virtual bool is_exact() const { return true; }
  virtual Index summands() const { return std::max(rows(), cols()); }
  bool few_entries() const { return has_entries() && 4 * stored_entries() < rows() * cols(); }

  virtual void magnitude_times(In x, Out out) const { out.noalias() = dense().cwiseAbs() * x.cwiseAbs(); }
  virtual void magnitude_transpose_times(In w, Out out) const {
    out.noalias() = dense().cwiseAbs().transpose() * w.cwiseAbs();
  }
  virtual Matrix dense() const;
  virtual SparseMatrix sparse() const { return dense().sparseView(); }
  virtual Operator columns(const std::vector<Index>& indices) const;
  virtual Operator rows_at(const std::vector<Index>& indices) const;
  virtual Operator block(const std::vector<Index>& indices) const { return columns(indices).rows_at(indices); }
  virtual Vector row_norms() const {
    return few_entries() ? Operator(sparse()).row_norms() : Vector(dense().rowwise().norm());
  }
  virtual Vector diagonal() const { return dense().diagonal(); }
  virtual void require_finite(std::string_view) const {}
};

}  // namespace detail

namespace {

using detail::OperatorCore;

struct DenseCore final : OperatorCore {
  explicit DenseCore(const std::shared_ptr<const Matrix>& matrix)
      : owner(matrix), view(matrix->data(), matrix->rows(), matrix->cols()) {}
  DenseCore(const ConstMatrixView& borrowed, std::shared_ptr<const void> keep_alive)
      : owner(std::move(keep_alive)), view(borrowed.data(), borrowed.rows(), borrowed.cols()) {}

  Index rows() const override { return view.rows(); }
  Index cols() const override { return view.cols(); }
  void times(In x, Out out) const override { out.noalias() = view * x; }
  void transpose_times(In w, Out out) const override { out.noalias() = view.transpose() * w; }
  Index stored_entries() const override { return view.size(); }
  void magnitude_times(In x, Out out) const override { out.noalias() = view.cwiseAbs() * x.cwiseAbs(); }
  void magnitude_transpose_times(In w, Out out) const override {
    out.noalias() = view.cwiseAbs().transpose() * w.cwiseAbs();
  }
  Matrix dense() const override { return view; }
  SparseMatrix sparse() const override {  // every place, whatever is there: patterns do not depend on the point
    SparseMatrix out(rows(), cols());
    out.reserve(Eigen::VectorXi::Constant(cols(), static_cast<int>(rows())));
    for (Index j = 0; j < cols(); ++j)
      for (Index i = 0; i < rows(); ++i) out.insert(i, j) = view(i, j);
    out.makeCompressed();
    return out;
  }
  Operator columns(const std::vector<Index>& indices) const override { return Matrix(view(Eigen::all, indices)); }
  Operator rows_at(const std::vector<Index>& indices) const override { return Matrix(view(indices, Eigen::all)); }
  Operator block(const std::vector<Index>& indices) const override { return Matrix(view(indices, indices)); }
  Vector row_norms() const override { return view.rowwise().norm(); }
  Vector diagonal() const override { return view.diagonal(); }
  void require_finite(std::string_view field) const override { pendec::require_finite(field, view); }

  std::shared_ptr<const void> owner;
  ConstMatrixView view;
};

/// The rows × n matrix that picks the entries `indices`.
SparseMatrix picking(Index n, const std::vector<Index>& indices) {
  std::vector<Eigen::Triplet<double>> ones;
  ones.reserve(indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) ones.emplace_back(static_cast<Index>(k), indices[k], 1.0);
  SparseMatrix pick(std::ssize(indices), n);
  pick.setFromTriplets(ones.begin(), ones.end());
  return pick;
}

struct SparseCore final : OperatorCore {
  explicit SparseCore(std::shared_ptr<const SparseMatrix> m) : matrix(std::move(m)) {}

  Index rows() const override { return matrix->rows(); }
  Index cols() const override { return matrix->cols(); }
  /// A large matrix in parts, whose number does not depend on that of the threads, nor does the sum.
  void times(In x, Out out) const override {
    constexpr Index large = 1'000'000, parts = 2;  // each more takes a vector of its own
    if (matrix->nonZeros() < large || matrix->nonZeros() < 2 * parts * rows()) {
      out.noalias() = *matrix * x;
      return;
    }
    Scratch others((parts - 1) * rows());
    detail::Team team(matrix->nonZeros());
    team.run(parts, [&](Index k) {
      const Range columns = detail::part(cols(), k, parts);
      const auto add_to = [&](double* sum) {
        std::fill(sum, sum + rows(), 0.0);
        for (Index j = columns.begin; j < columns.begin + columns.size; ++j)
          for (SparseMatrix::InnerIterator entry(*matrix, j); entry; ++entry)
            sum[entry.row()] += entry.value() * x[j];
      };
      add_to(k == 0 ? out.data() : others->data() + (k - 1) * rows());
    });
    team.run(parts, [&](Index k) {
      const Range range = detail::part(rows(), k, parts);
      for (Index other = 0; other + 1 < parts; ++other)
        out.segment(range.begin, range.size) += others->segment(other * rows() + range.begin, range.size);
    });
  }
  void transpose_times(In w, Out out) const override {
    const Index parts = detail::Team::parts_for(matrix->nonZeros());
    detail::Team team(matrix->nonZeros());
    team.run(parts, [&](Index k) {
      const Range columns = detail::part(cols(), k, parts);
      out.segment(columns.begin, columns.size).noalias() =
          matrix->middleCols(columns.begin, columns.size).transpose() * w;
    });
  }
  Index stored_entries() const override { return matrix->nonZeros(); }
  void magnitude_times(In x, Out out) const override {
    out.setZero();
    for_entries([&](Index i, Index j, double a) { out[i] += std::abs(a * x[j]); });
  }
  void magnitude_transpose_times(In w, Out out) const override {
    out.setZero();
    for_entries([&](Index i, Index j, double a) { out[j] += std::abs(a * w[i]); });
  }
  Matrix dense() const override { return Matrix(*matrix); }
  SparseMatrix sparse() const override { return *matrix; }
  Operator columns(const std::vector<Index>& indices) const override {
    return SparseMatrix(*matrix * SparseMatrix(picking(cols(), indices).transpose()));
  }
  Operator rows_at(const std::vector<Index>& indices) const override {
    return SparseMatrix(picking(rows(), indices) * *matrix);
  }
  Vector row_norms() const override {
    Vector squares = Vector::Zero(rows());
    for_entries([&](Index i, Index, double a) { squares[i] += a * a; });
    return squares.cwiseSqrt();
  }
  Vector diagonal() const override { return matrix->diagonal(); }
  void require_finite(std::string_view field) const override {
    for_entries([&](Index i, Index j, double a) {
      if (!std::isfinite(a)) require(false, fmt::format("{}[{}, {}]", field, i, j), a, "finite entries");
    });
  }
  template <class Visit>
  void for_entries(const Visit& visit) const {
    for (Index j = 0; j < matrix->outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(*matrix, j); entry; ++entry) visit(entry.row(), j, entry.value());
  }

  std::shared_ptr<const SparseMatrix> matrix;
};

struct DiagonalCore final : OperatorCore {
  explicit DiagonalCore(Vector d) : entries(std::move(d)) {}

  Index rows() const override { return entries.size(); }
  Index cols() const override { return entries.size(); }
  void times(In x, Out out) const override { out = entries.cwiseProduct(x); }
  void transpose_times(In w, Out out) const override { times(w, out); }
  Index stored_entries() const override { return entries.size(); }
  void magnitude_times(In x, Out out) const override { out = entries.cwiseProduct(x).cwiseAbs(); }
  void magnitude_transpose_times(In w, Out out) const override { magnitude_times(w, out); }
  Matrix dense() const override { return entries.asDiagonal(); }
  SparseMatrix sparse() const override {
    SparseMatrix out(rows(), rows());
    out.reserve(Eigen::VectorXi::Ones(rows()));
    for (Index i = 0; i < rows(); ++i) out.insert(i, i) = entries[i];
    return out;
  }
  Operator columns(const std::vector<Index>& indices) const override {
    return Operator::embedding(rows(), indices).scaled(entries, {});
  }
  Operator rows_at(const std::vector<Index>& indices) const override {
    return Operator::selection(rows(), indices).scaled({}, entries);
  }
  Operator block(const std::vector<Index>& indices) const override { return Operator::diagonal(entries(indices)); }
  Vector row_norms() const override { return entries.cwiseAbs(); }
  Vector diagonal() const override { return entries; }
  void require_finite(std::string_view field) const override { pendec::require_finite(field, entries); }

  Vector entries;
};

/// Coordinates put into x, or picked out of it.
struct ChoiceCore final : OperatorCore {
  ChoiceCore(Index size, std::vector<Index> chosen, bool puts_in)
      : n(size), indices(std::move(chosen)), embeds(puts_in) {}

  Index count() const { return std::ssize(indices); }
  Index rows() const override { return embeds ? n : count(); }
  Index cols() const override { return embeds ? count() : n; }
  void times(In x, Out out) const override { embeds ? put(x, out) : pick(x, out); }
  void transpose_times(In w, Out out) const override { embeds ? pick(w, out) : put(w, out); }
  Index stored_entries() const override { return count(); }
  void magnitude_times(In x, Out out) const override { times(x, out), out = out.cwiseAbs().eval(); }
  void magnitude_transpose_times(In w, Out out) const override {
    transpose_times(w, out), out = out.cwiseAbs().eval();
  }
  Matrix dense() const override {
    Matrix out = Matrix::Zero(rows(), cols());
    for (Index k = 0; k < count(); ++k) (embeds ? out(index(k), k) : out(k, index(k))) = 1.0;
    return out;
  }
  SparseMatrix sparse() const override {
    SparseMatrix pick = picking(n, indices);
    if (embeds) return pick.transpose();
    return pick;
  }
  Operator columns(const std::vector<Index>& at) const override {
    if (embeds) return Operator::embedding(n, of(at));
    return SparseMatrix(sparse() * SparseMatrix(picking(n, at).transpose()));
  }
  Operator rows_at(const std::vector<Index>& at) const override {
    if (!embeds) return Operator::selection(n, of(at));
    return SparseMatrix(picking(n, at) * sparse());
  }
  std::vector<Index> of(const std::vector<Index>& at) const {
    std::vector<Index> out;
    for (const Index k : at) out.push_back(index(k));
    return out;
  }
  Vector row_norms() const override {
    if (!embeds) return Vector::Ones(count());
    Vector out(n);
    put(Vector::Ones(count()), out);
    return out.cwiseSqrt();
  }
  Index index(Index k) const { return indices[static_cast<std::size_t>(k)]; }
  void pick(In x, Out out) const {
    for (Index k = 0; k < count(); ++k) out[k] = x[index(k)];
  }
  void put(In t, Out out) const {
    out.setZero();
    for (Index k = 0; k < count(); ++k) out[index(k)] += t[k];  // those that repeat add up
  }

  Index n;
  std::vector<Index> indices;
  bool embeds;
};

/// How many products of entries A B adds up: no less than it has entries; at most all places.
Index products_of_entries(const SparseMatrix& A, const SparseMatrix& B) {
  double count = 0.0;
  Vector in_columns(A.cols());
  for (Index k = 0; k < A.cols(); ++k) in_columns[k] = static_cast<double>(A.col(k).nonZeros());
  for (Index j = 0; j < B.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(B, j); entry; ++entry) count += in_columns[entry.row()];
  const double places = static_cast<double>(A.rows()) * static_cast<double>(B.cols());
  return static_cast<Index>(std::min(count, places));
}

/// Bᵀ diag(weights) B + diag(added).
struct GramCore final : OperatorCore {
  GramCore(Operator of, Vector w, Vector d) : B(std::move(of)), weights(std::move(w)), added(std::move(d)) {}

  Index rows() const override { return B.cols(); }
  Index cols() const override { return B.cols(); }
  void times(In x, Out out) const override {
    Scratch Bx(B.rows());
    B.times(x, *Bx);
    if (weights.size() > 0) Bx->array() *= weights.array();
    B.transpose_times(*Bx, out);
    if (added.size() > 0) out += added.cwiseProduct(x);
  }
  void transpose_times(In w, Out out) const override { times(w, out); }
  Index stored_entries() const override { return B.stored_entries() + weights.size() + added.size(); }
  Index formed_entries() const override {
    const bool full = !B.has_entries() || 4 * B.formed_entries() >= B.rows() * B.cols();
    return full ? rows() * cols() : products_of_entries(B.sparse().transpose(), B.sparse()) + added.size();
  }
  bool has_entries() const override { return B.has_entries(); }
  bool is_exact() const override { return false; }
  Index summands() const override { return 2 * B.summands(); }
  void magnitude_times(In x, Out out) const override {
    Scratch Bx(B.rows());
    B.magnitude_times(x, *Bx);
    if (weights.size() > 0) Bx->array() *= weights.array().abs();
    B.magnitude_transpose_times(*Bx, out);
    if (added.size() > 0) out += added.cwiseProduct(x).cwiseAbs();
  }
  void magnitude_transpose_times(In w, Out out) const override { magnitude_times(w, out); }
  Matrix dense() const override {
    const ConstMatrixView* view = B.view();
    const bool few = B.has_entries() && 4 * B.stored_entries() < B.rows() * B.cols();
    Matrix out = view ? dense_gram(*view) : few ? Matrix(sparse_gram()) : dense_gram(B.dense());
    if (added.size() > 0) out.diagonal() += added;
    return out;
  }
  SparseMatrix sparse() const override {
    SparseMatrix out = sparse_gram();
    if (added.size() > 0) out += Operator::diagonal(added).sparse();
    return out;
  }
  Operator block(const std::vector<Index>& indices) const override {
    return B.columns(indices).gram(weights, added.size() > 0 ? Vector(added(indices)) : Vector());
  }

  Vector diagonal() const override {
    const Vector w = weights.size() > 0 ? weights : Vector(Vector::Ones(B.rows()));
    const auto* view = B.view();
    Vector out = view ? Vector(view->cwiseAbs2().transpose() * w) : Vector(B.sparse().cwiseAbs2().transpose() * w);
    if (added.size() > 0) out += added;
    return out;
  }

  SparseMatrix sparse_gram() const {
    const SparseMatrix S = B.sparse();
    if (weights.size() == 0) return S.transpose() * S;
    const SparseMatrix weighted = weights.asDiagonal() * S;
    return S.transpose() * weighted;
  }
  Matrix dense_gram(MatrixIn D) const {
    constexpr Index few =
        16;  // columns: to arrange them for a matrix product would take longer than the dot products
    if (weights.size() == 0) return D.transpose() * D;
    Scratch room(D.size());
    MatrixView weighted(room->data(), D.rows(), D.cols());
    weighted = weights.asDiagonal() * D;
    if (D.cols() <= few) return weighted.transpose().lazyProduct(D);
    return weighted.transpose() * D;
  }

  Operator B;
  Vector weights, added;
};

struct ProductCore final : OperatorCore {
  ProductCore(Operator first, Operator second) : A(std::move(first)), B(std::move(second)) {}

  Index rows() const override { return A.rows(); }
  Index cols() const override { return B.cols(); }
  void times(In x, Out out) const override {
    Scratch Bx(B.rows());
    B.times(x, *Bx);
    A.times(*Bx, out);
  }
  void transpose_times(In w, Out out) const override {
    Scratch Aw(A.cols());
    A.transpose_times(w, *Aw);
    B.transpose_times(*Aw, out);
  }
  Index stored_entries() const override { return A.stored_entries() + B.stored_entries(); }
  Index formed_entries() const override {
    if (!has_entries()) return rows() * cols();
    if (A.embedded()) return B.formed_entries();
    if (B.selected()) return A.formed_entries();
    const auto is_full = [](const Operator& C) { return 4 * C.formed_entries() >= C.rows() * C.cols(); };
    return is_full(A) && is_full(B) ? rows() * cols() : products_of_entries(A.sparse(), B.sparse());
  }
  bool has_entries() const override { return A.has_entries() && B.has_entries(); }
  Index summands() const override { return A.summands() + B.summands(); }
  /// Numbers that are picked or put elsewhere stay what they are.
  bool is_exact() const override {
    const bool moves = A.selected() || A.embedded() || B.selected() || B.embedded();
    return moves && A.is_exact() && B.is_exact();
  }
  void magnitude_times(In x, Out out) const override {
    Scratch Bx(B.rows());
    B.magnitude_times(x, *Bx);
    A.magnitude_times(*Bx, out);
  }
  void magnitude_transpose_times(In w, Out out) const override {
    Scratch Aw(A.cols());
    A.magnitude_transpose_times(w, *Aw);
    B.magnitude_transpose_times(*Aw, out);
  }
  Matrix dense() const override {
    if (const auto* indices = A.embedded()) {
      Matrix out = Matrix::Zero(rows(), cols());
      out(*indices, Eigen::all) = B.dense();
      return out;
    }
    if (const auto* indices = B.selected()) {
      Matrix out = Matrix::Zero(rows(), cols());
      out(Eigen::all, *indices) = A.dense();
      return out;
    }
    return has_entries() ? Matrix(A.dense() * B.dense()) : by_products();
  }
  SparseMatrix sparse() const override {
    return has_entries() ? SparseMatrix(A.sparse() * B.sparse()) : OperatorCore::sparse();
  }
  Operator columns(const std::vector<Index>& indices) const override { return A * B.columns(indices); }
  Operator rows_at(const std::vector<Index>& indices) const override { return A.rows_at(indices) * B; }

  /// What one of them is applied to may be far larger than the product: with the fewer unit vectors.
  Matrix by_products() const {
    if (cols() <= rows()) return OperatorCore::dense();
    Matrix transposed(cols(), rows());
    for (Index i = 0; i < rows(); ++i) transpose_times(Vector::Unit(rows(), i), transposed.col(i));
    return transposed.transpose();
  }

  Operator A, B;
};

/// Entries of operators at their places in a larger one.
class Entries {
 public:
  explicit Entries(const OperatorCore& of) : rows_(of.rows()), cols_(of.cols()) {
    entries_.reserve(static_cast<std::size_t>(of.stored_entries()));
  }
  void add(const Operator& part, Index row, Index column) {
    const SparseMatrix S = part.sparse();
    for (Index j = 0; j < S.outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(S, j); entry; ++entry)
        entries_.emplace_back(row + entry.row(), column + j, entry.value());
  }
  SparseMatrix matrix() const {
    SparseMatrix out(rows_, cols_);
    out.setFromTriplets(entries_.begin(), entries_.end());
    return out;
  }

 private:
  Index rows_, cols_;
  std::vector<Eigen::Triplet<double>> entries_;
};

Index entries_of(const std::vector<Operator>& parts, Index (Operator::*count)() const = &Operator::stored_entries) {
  Index sum = 0;
  for (const Operator& part : parts) sum += (part.*count)();
  return sum;
}

/// Of a row of all of them.
Index most_summands(const std::vector<Operator>& parts) {
  Index sum = 0;
  for (const Operator& part : parts) sum += part.summands();
  return sum;
}

bool all_of(const std::vector<Operator>& parts, bool (Operator::*has)() const) {
  return std::all_of(parts.begin(), parts.end(), [&](const Operator& part) { return (part.*has)(); });
}

struct StackedCore final : OperatorCore {
  explicit StackedCore(std::vector<Operator> of) : parts(std::move(of)) {
    for (const Operator& part : parts) m += part.rows();
  }

  Index rows() const override { return m; }
  Index cols() const override { return parts.front().cols(); }
  void times(In x, Out out) const override {
    for_parts([&](const Operator& part, Index begin) { part.times(x, out.segment(begin, part.rows())); });
  }
  void transpose_times(In w, Out out) const override {
    Scratch one(cols());
    out.setZero();
    for_parts([&](const Operator& part, Index begin) {
      part.transpose_times(w.segment(begin, part.rows()), *one);
      out += *one;
    });
  }
  void magnitude_times(In x, Out out) const override {
    for_parts([&](const Operator& part, Index begin) { part.magnitude_times(x, out.segment(begin, part.rows())); });
  }
  void magnitude_transpose_times(In w, Out out) const override {
    Scratch one(cols());
    out.setZero();
    for_parts([&](const Operator& part, Index begin) {
      part.magnitude_transpose_times(w.segment(begin, part.rows()), *one);
      out += *one;
    });
  }
  Index stored_entries() const override { return entries_of(parts); }
  Index formed_entries() const override { return entries_of(parts, &Operator::formed_entries); }
  bool has_entries() const override { return all_of(parts, &Operator::has_entries); }
  bool is_exact() const override { return all_of(parts, &Operator::is_exact); }
  Index summands() const override { return most_summands(parts); }
  Matrix dense() const override {
    Matrix out(rows(), cols());
    for_parts([&](const Operator& part, Index begin) { out.middleRows(begin, part.rows()) = part.dense(); });
    return out;
  }
  SparseMatrix sparse() const override {
    Entries entries(*this);
    for_parts([&](const Operator& part, Index begin) { entries.add(part, begin, 0); });
    return entries.matrix();
  }
  Operator columns(const std::vector<Index>& indices) const override {
    std::vector<Operator> chosen;
    for (const Operator& part : parts) chosen.push_back(part.columns(indices));
    return Operator::stacked(std::move(chosen));
  }
  Vector row_norms() const override {
    Vector out(rows());
    for_parts([&](const Operator& part, Index begin) { out.segment(begin, part.rows()) = part.row_norms(); });
    return out;
  }
  template <class Visit>
  void for_parts(const Visit& visit) const {
    Index begin = 0;
    for (const Operator& part : parts) {
      visit(part, begin);
      begin += part.rows();
    }
  }

  std::vector<Operator> parts;
  Index m = 0;
};

/// Blocks of their own rows and columns each.
struct BlockDiagonalCore final : OperatorCore {
  explicit BlockDiagonalCore(std::vector<Operator> of) : parts(std::move(of)) {
    for (const Operator& part : parts) m += part.rows(), n += part.cols();
  }

  Index rows() const override { return m; }
  Index cols() const override { return n; }
  void times(In x, Out out) const override {
    for_parts([&](const Operator& part, Index row, Index column) {
      part.times(x.segment(column, part.cols()), out.segment(row, part.rows()));
    });
  }
  void transpose_times(In w, Out out) const override {
    for_parts([&](const Operator& part, Index row, Index column) {
      part.transpose_times(w.segment(row, part.rows()), out.segment(column, part.cols()));
    });
  }
  void magnitude_times(In x, Out out) const override {
    for_parts([&](const Operator& part, Index row, Index column) {
      part.magnitude_times(x.segment(column, part.cols()), out.segment(row, part.rows()));
    });
  }
  void magnitude_transpose_times(In w, Out out) const override {
    for_parts([&](const Operator& part, Index row, Index column) {
      part.magnitude_transpose_times(w.segment(row, part.rows()), out.segment(column, part.cols()));
    });
  }
  Index stored_entries() const override { return entries_of(parts); }
  Index formed_entries() const override { return entries_of(parts, &Operator::formed_entries); }
  bool has_entries() const override { return all_of(parts, &Operator::has_entries); }
  bool is_exact() const override { return all_of(parts, &Operator::is_exact); }
  Index summands() const override { return most_summands(parts); }
  Matrix dense() const override {
    Matrix out = Matrix::Zero(m, n);
    for_parts([&](const Operator& part, Index row, Index column) {
      out.block(row, column, part.rows(), part.cols()) = part.dense();
    });
    return out;
  }
  SparseMatrix sparse() const override {
    Entries entries(*this);
    for_parts([&](const Operator& part, Index row, Index column) { entries.add(part, row, column); });
    return entries.matrix();
  }
  Operator columns(const std::vector<Index>& indices) const override {
    return SparseMatrix(sparse() * SparseMatrix(picking(n, indices).transpose()));
  }
  Operator rows_at(const std::vector<Index>& indices) const override {
    return SparseMatrix(picking(m, indices) * sparse());
  }
  Vector row_norms() const override {
    Vector out(m);
    for_parts([&](const Operator& part, Index row, Index) { out.segment(row, part.rows()) = part.row_norms(); });
    return out;
  }
  template <class Visit>
  void for_parts(const Visit& visit) const {
    Index row = 0, column = 0;
    for (const Operator& part : parts) {
      visit(part, row, column);
      row += part.rows(), column += part.cols();
    }
  }

  std::vector<Operator> parts;
  Index m = 0, n = 0;
};

struct SumCore final : OperatorCore {
  explicit SumCore(std::vector<Operator> of) : parts(std::move(of)) {}

  Index rows() const override { return parts.front().rows(); }
  Index cols() const override { return parts.front().cols(); }
  void times(In x, Out out) const override { add_up(&Operator::times, x, out); }
  void transpose_times(In w, Out out) const override { add_up(&Operator::transpose_times, w, out); }
  void magnitude_times(In x, Out out) const override { add_up(&Operator::magnitude_times, x, out); }
  void magnitude_transpose_times(In w, Out out) const override {
    add_up(&Operator::magnitude_transpose_times, w, out);
  }
  Index stored_entries() const override { return entries_of(parts); }
  Index formed_entries() const override { return entries_of(parts, &Operator::formed_entries); }
  bool has_entries() const override { return all_of(parts, &Operator::has_entries); }
  bool is_exact() const override { return false; }
  Index summands() const override { return most_summands(parts); }
  Matrix dense() const override {
    Matrix out = parts.front().dense();
    for (std::size_t k = 1; k < parts.size(); ++k) out += parts[k].dense();
    return out;
  }
  SparseMatrix sparse() const override {
    SparseMatrix out = parts.front().sparse();
    for (std::size_t k = 1; k < parts.size(); ++k) out += parts[k].sparse();
    return out;
  }
  Operator columns(const std::vector<Index>& indices) const override {
    return of_parts([&](const Operator& part) { return part.columns(indices); });
  }
  Operator rows_at(const std::vector<Index>& indices) const override {
    return of_parts([&](const Operator& part) { return part.rows_at(indices); });
  }
  Operator block(const std::vector<Index>& indices) const override {
    return of_parts([&](const Operator& part) { return part.block(indices); });
  }
  Vector diagonal() const override {
    Vector out = parts.front().diagonal();
    for (std::size_t k = 1; k < parts.size(); ++k) out += parts[k].diagonal();
    return out;
  }
  void add_up(void (Operator::*product)(In, Out) const, In x, Out out) const {
    Scratch one(out.size());
    (parts.front().*product)(x, out);
    for (std::size_t k = 1; k < parts.size(); ++k) {
      (parts[k].*product)(x, *one);
      out += *one;
    }
  }
  template <class Choose>
  Operator of_parts(const Choose& choose) const {
    std::vector<Operator> chosen;
    for (const Operator& part : parts) chosen.push_back(choose(part));
    return Operator::sum(std::move(chosen));
  }

  std::vector<Operator> parts;
};

struct TransposedCore final : OperatorCore {
  explicit TransposedCore(Operator of) : A(std::move(of)) {}

  Index rows() const override { return A.cols(); }
  Index cols() const override { return A.rows(); }
  void times(In x, Out out) const override { A.transpose_times(x, out); }
  void transpose_times(In w, Out out) const override { A.times(w, out); }
  Index stored_entries() const override { return A.stored_entries(); }
  Index formed_entries() const override { return A.formed_entries(); }
  bool has_entries() const override { return A.has_entries(); }
  bool is_exact() const override { return A.is_exact(); }
  Index summands() const override { return A.summands(); }
  void magnitude_times(In x, Out out) const override { A.magnitude_transpose_times(x, out); }
  void magnitude_transpose_times(In w, Out out) const override { A.magnitude_times(w, out); }
  Matrix dense() const override { return A.dense().transpose(); }
  SparseMatrix sparse() const override { return A.sparse().transpose(); }
  Operator columns(const std::vector<Index>& indices) const override { return A.rows_at(indices).transposed(); }
  Operator rows_at(const std::vector<Index>& indices) const override { return A.columns(indices).transposed(); }

  Operator A;
};

/// [A − 1 centreᵀ, 1].
struct InterceptCore final : OperatorCore {
  InterceptCore(Operator of, Vector c) : A(std::move(of)), centre(std::move(c)), n(A.cols()) {}

  Index rows() const override { return A.rows(); }
  Index cols() const override { return n + 1; }
  void times(In x, Out out) const override {
    A.times(x.head(n), out);
    out.array() += centred() ? x[n] - centre.dot(x.head(n)) : x[n];
  }
  void transpose_times(In w, Out out) const override {
    A.transpose_times(w, out.head(n));
    out[n] = w.sum();
    if (centred()) out.head(n) -= out[n] * centre;
  }
  /// Who looks for few entries finds as many as there are once columns are centred.
  Index stored_entries() const override { return centred() ? rows() * cols() : A.stored_entries() + rows(); }
  bool has_entries() const override { return A.has_entries(); }
  bool is_exact() const override { return !centred() && A.is_exact(); }
  Index summands() const override { return A.summands() + cols(); }
  void magnitude_times(In x, Out out) const override {
    A.magnitude_times(x.head(n), out);
    out.array() += std::abs(x[n]);
    if (centred()) out.array() += centre.cwiseAbs().dot(x.head(n).cwiseAbs());
  }
  void magnitude_transpose_times(In w, Out out) const override {
    A.magnitude_transpose_times(w, out.head(n));
    out[n] = w.cwiseAbs().sum();
    if (centred()) out.head(n) += out[n] * centre.cwiseAbs();
  }
  Matrix dense() const override {
    Matrix out(rows(), cols());
    out.leftCols(n) = A.dense();
    if (centred()) out.leftCols(n).rowwise() -= centre.transpose();
    out.col(n).setOnes();
    return out;
  }
  SparseMatrix sparse() const override {
    if (centred()) return dense().sparseView();
    SparseMatrix out = A.sparse();
    out.conservativeResize(rows(), cols());
    for (Index i = 0; i < rows(); ++i) out.insert(i, n) = 1.0;
    return out;
  }
  Operator columns(const std::vector<Index>& indices) const override {
    std::vector<Index> others = indices;
    const bool has_ones = std::erase(others, n) > 0;
    if (!has_ones && !centred()) return A.columns(others);
    const Vector part = centred() ? Vector(centre(others)) : Vector();
    const Operator chosen = A.columns(others).with_intercept(part);
    if (has_ones && indices.back() == n && others.size() + 1 == indices.size()) return chosen;
    const Matrix all = chosen.dense();
    Matrix out(rows(), std::ssize(indices));
    for (Index k = 0, next = 0; k < out.cols(); ++k)
      out.col(k) = all.col(indices[static_cast<std::size_t>(k)] == n ? all.cols() - 1 : next++);
    return out;
  }
  Operator rows_at(const std::vector<Index>& indices) const override {
    return A.rows_at(indices).with_intercept(centre);
  }
  void require_finite(std::string_view field) const override { A.require_finite(field); }
  bool centred() const { return centre.size() > 0; }

  Operator A;
  Vector centre;  // empty: 0
  Index n;
};

struct FunctionsCore final : OperatorCore {
  FunctionsCore(Index rows, Index cols, Operator::Function A, Operator::Function At)
      : m(rows), n(cols), product(std::move(A)), transpose_product(std::move(At)) {}

  Index rows() const override { return m; }
  Index cols() const override { return n; }
  void times(In x, Out out) const override { product(x, out); }
  void transpose_times(In w, Out out) const override { transpose_product(w, out); }
  Index stored_entries() const override { return 0; }
  bool has_entries() const override { return false; }
  bool is_exact() const override { return false; }

  Index m, n;
  Operator::Function product, transpose_product;
};

template <class Core>
const Core* as(const std::shared_ptr<const OperatorCore>& core) {
  return dynamic_cast<const Core*>(core.get());
}

bool is_everything(const std::vector<Index>& indices, Index n) {
  if (std::ssize(indices) != n) return false;
  for (Index k = 0; k < n; ++k)
    if (indices[static_cast<std::size_t>(k)] != k) return false;
  return true;
}

using SharedFactors = std::shared_ptr<const Vector>;

/// a · b, of which an empty vector and null are 1.
SharedFactors product_of(const SharedFactors& a, const Vector& b) {
  if (b.size() == 0) return a;
  return std::make_shared<const Vector>(a ? Vector(a->cwiseProduct(b)) : b);
}

SharedFactors chosen(const SharedFactors& factors, const std::vector<Index>& indices) {
  return factors ? std::make_shared<const Vector>((*factors)(indices)) : nullptr;
}

}  // namespace

Matrix detail::OperatorCore::dense() const {
  const bool by_rows = rows() < cols();
  Matrix out(by_rows ? cols() : rows(), by_rows ? rows() : cols());
  Vector unit = Vector::Zero(out.cols());
  for (Index k = 0; k < out.cols(); ++k) {
    unit[k] = 1.0;
    by_rows ? transpose_times(unit, out.col(k)) : times(unit, out.col(k));
    unit[k] = 0.0;
  }
  if (by_rows) out = out.transpose().eval();
  return out;
}

Operator detail::OperatorCore::columns(const std::vector<Index>& indices) const {
  if (few_entries()) return Operator(sparse()).columns(indices);
  Matrix out(rows(), std::ssize(indices));
  Vector unit = Vector::Zero(cols());
  for (Index k = 0; k < out.cols(); ++k) {
    unit[indices[static_cast<std::size_t>(k)]] = 1.0;
    times(unit, out.col(k));
    unit.setZero();
  }
  return out;
}

Operator detail::OperatorCore::rows_at(const std::vector<Index>& indices) const {
  if (few_entries()) return Operator(sparse()).rows_at(indices);
  Matrix transposed(cols(), std::ssize(indices));
  Vector unit = Vector::Zero(rows());
  for (Index k = 0; k < transposed.cols(); ++k) {
    unit[indices[static_cast<std::size_t>(k)]] = 1.0;
    transpose_times(unit, transposed.col(k));
    unit.setZero();
  }
  return Matrix(transposed.transpose());
}

Operator::Operator() : Operator(Matrix()) {}
Operator::Operator(Matrix dense)
    : core_(std::make_shared<const DenseCore>(std::make_shared<const Matrix>(std::move(dense)))) {}
Operator::Operator(SparseMatrix sparse) : Operator(std::make_shared<const SparseMatrix>(std::move(sparse))) {}
Operator::Operator(std::shared_ptr<const SparseMatrix> sparse)
    : core_(std::make_shared<const SparseCore>(std::move(sparse))) {}

Operator Operator::borrow(const ConstMatrixView& view, std::shared_ptr<const void> keep_alive) {
  return Operator(std::make_shared<const DenseCore>(view, std::move(keep_alive)));
}

Operator Operator::zero(Index rows, Index cols) { return SparseMatrix(rows, cols); }

Operator Operator::diagonal(Vector entries) {
  return Operator(std::make_shared<const DiagonalCore>(std::move(entries)));
}

namespace {

void require_indices(const char* field, Index n, const std::vector<Index>& indices) {
  for (const Index i : indices) require(0 <= i && i < n, field, i, fmt::format("indices from 0 to {}", n - 1));
}

}  // namespace

Operator Operator::selection(Index n, std::vector<Index> indices) {
  require_indices("Operator::selection indices", n, indices);
  return Operator(std::make_shared<const ChoiceCore>(n, std::move(indices), false));
}

Operator Operator::embedding(Index n, std::vector<Index> indices) {
  require_indices("Operator::embedding indices", n, indices);
  return Operator(std::make_shared<const ChoiceCore>(n, std::move(indices), true));
}

Operator Operator::functions(Index rows, Index cols, Function times, Function transpose_times) {
  return Operator(std::make_shared<const FunctionsCore>(rows, cols, std::move(times), std::move(transpose_times)));
}

Operator Operator::stacked(std::vector<Operator> parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<Index> all;
  for (const Operator& part : parts) {
    const auto* indices = part.selected();
    if (!indices) return Operator(std::make_shared<const StackedCore>(std::move(parts)));
    all.insert(all.end(), indices->begin(), indices->end());
  }
  std::vector<Index> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())  // put() would forget one of them
    return Operator(std::make_shared<const StackedCore>(std::move(parts)));
  return selection(parts.front().cols(), std::move(all));
}

/// Embeddings make an embedding.
Operator Operator::block_diagonal(std::vector<Operator> parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<Index> all;
  Index begin = 0;
  for (const Operator& part : parts) {
    const auto* indices = part.embedded();
    if (!indices) return Operator(std::make_shared<const BlockDiagonalCore>(std::move(parts)));
    for (const Index i : *indices) all.push_back(begin + i);
    begin += part.rows();
  }
  return embedding(begin, std::move(all));
}

/// What is zero is left out; diagonals make a diagonal.
Operator Operator::sum(std::vector<Operator> parts) {
  if (parts.size() > 1) {
    const Operator first = parts.front();
    std::erase_if(parts, [](const Operator& part) { return part.has_entries() && part.stored_entries() == 0; });
    if (parts.empty()) return first;
  }
  if (parts.size() == 1) return parts.front();
  if (!all_of(parts, &Operator::is_diagonal)) return Operator(std::make_shared<const SumCore>(std::move(parts)));
  Vector entries = parts.front().diagonal();
  for (std::size_t k = 1; k < parts.size(); ++k) entries += parts[k].diagonal();
  return diagonal(std::move(entries));
}

Index Operator::rows() const { return core_->rows(); }
Index Operator::cols() const { return core_->cols(); }
Index Operator::stored_entries() const { return core_->stored_entries(); }
bool Operator::has_entries() const { return core_->has_entries(); }
Index Operator::formed_entries() const { return core_->formed_entries(); }
Index Operator::summands() const { return core_->summands(); }
bool Operator::is_exact() const {
  const int factors = int{factor_ != 1.0} + int{left_ != nullptr} + int{right_ != nullptr};
  const bool of_ones = as<ChoiceCore>(core_) != nullptr;
  return factors <= (of_ones ? 1 : 0) && core_->is_exact();
}

bool Operator::is_gram() const {
  const auto* gram = has_factors() ? nullptr : as<GramCore>(core_);
  const auto negative = [](const Vector& v) { return (v.array() < 0.0).any(); };
  return gram && gram->B.is_exact() && !negative(gram->weights) && !negative(gram->added);
}

void Operator::times(In x, Out out) const {
  if (right_) {
    Scratch moved(cols());
    *moved = right_->cwiseProduct(x);
    core_->times(*moved, out);
  } else {
    core_->times(x, out);
  }
  if (left_) out.array() *= left_->array();
  if (factor_ != 1.0) out *= factor_;
}

void Operator::transpose_times(In w, Out out) const {
  if (left_) {
    Scratch moved(rows());
    *moved = left_->cwiseProduct(w);
    core_->transpose_times(*moved, out);
  } else {
    core_->transpose_times(w, out);
  }
  if (right_) out.array() *= right_->array();
  if (factor_ != 1.0) out *= factor_;
}

Vector Operator::times(In x) const {
  Vector out(rows());
  times(x, out);
  return out;
}

Vector Operator::transpose_times(In w) const {
  Vector out(cols());
  transpose_times(w, out);
  return out;
}

void Operator::magnitude_times(In x, Out out) const {
  core_->magnitude_times(right_ ? Vector(right_->cwiseProduct(x)) : Vector(x), out);
  if (left_) out.array() *= left_->array().abs();
  if (factor_ != 1.0) out *= std::abs(factor_);
}

void Operator::magnitude_transpose_times(In w, Out out) const {
  core_->magnitude_transpose_times(left_ ? Vector(left_->cwiseProduct(w)) : Vector(w), out);
  if (right_) out.array() *= right_->array().abs();
  if (factor_ != 1.0) out *= std::abs(factor_);
}

Vector Operator::column(Index j) const { return times(Vector::Unit(cols(), j)); }

/// factor · diag(left) · A · diag(right) with the factors of another operator.
Operator Operator::with_factors_of(const Operator& from) const {
  const Vector none;
  return scaled(from.left_ ? *from.left_ : none, from.right_ ? *from.right_ : none).scaled(from.factor_);
}

Operator Operator::columns(const std::vector<Index>& indices) const {
  if (is_everything(indices, cols())) return *this;
  return core_->columns(indices).with_factors_of(Operator(core_, factor_, left_, chosen(right_, indices)));
}

Operator Operator::rows_at(const std::vector<Index>& indices) const {
  if (is_everything(indices, rows())) return *this;
  return core_->rows_at(indices).with_factors_of(Operator(core_, factor_, chosen(left_, indices), right_));
}

Operator Operator::block(const std::vector<Index>& indices) const {
  if (is_everything(indices, rows())) return *this;
  return core_->block(indices).with_factors_of(
      Operator(core_, factor_, chosen(left_, indices), chosen(right_, indices)));
}

Operator Operator::transposed() const {
  if (const auto* choice = as<ChoiceCore>(core_))
    return Operator(std::make_shared<const ChoiceCore>(choice->n, choice->indices, !choice->embeds), factor_, right_,
                    left_);
  if (as<DiagonalCore>(core_) || as<GramCore>(core_)) return Operator(core_, factor_, right_, left_);
  if (const auto* twice = as<TransposedCore>(core_))
    return twice->A.with_factors_of(Operator(core_, factor_, right_, left_));
  return Operator(std::make_shared<const TransposedCore>(Operator(core_)), factor_, right_, left_);
}

Operator Operator::scaled(double factor) const {
  if (factor == 1.0) return *this;
  if (const auto* d = as<DiagonalCore>(core_)) return diagonal(factor * d->entries);
  return Operator(core_, factor * factor_, left_, right_);
}

Operator Operator::scaled(const Vector& left, const Vector& right) const {
  if (const auto* d = as<DiagonalCore>(core_)) {
    Vector entries = d->entries;
    if (left.size() > 0) entries.array() *= left.array();
    if (right.size() > 0) entries.array() *= right.array();
    return diagonal(std::move(entries));
  }
  return Operator(core_, factor_, product_of(left_, left), product_of(right_, right));
}

Operator Operator::gram(Vector weights, Vector diagonal) const {
  const auto* d = as<DiagonalCore>(core_);
  const auto* choice = as<ChoiceCore>(core_);
  if (!d && !choice)
    return Operator(std::make_shared<const GramCore>(*this, std::move(weights), std::move(diagonal)));
  // every row has one entry, and so has every column at most
  Vector squares = Vector::Ones(rows()), entries(cols());
  if (left_) squares.array() *= left_->array().square();
  if (weights.size() > 0) squares.array() *= weights.array();
  if (d) squares.array() *= d->entries.array().square();
  if (d) entries = squares;
  if (choice) choice->transpose_times(squares, entries);
  if (right_) entries.array() *= right_->array().square();
  if (factor_ != 1.0) entries *= factor_ * factor_;
  if (diagonal.size() > 0) entries += diagonal;
  return Operator::diagonal(std::move(entries));
}

Operator Operator::with_intercept(Vector centre) const {
  return Operator(std::make_shared<const InterceptCore>(*this, std::move(centre)));
}

Operator Operator::within(const Operator& J) const {
  if (J.is_diagonal()) return scaled(J.diagonal(), J.diagonal());
  if (J.selected() && is_diagonal()) return Operator::diagonal(J.transpose_times(diagonal()));
  if (const auto* choice = as<ChoiceCore>(J.core_); choice && choice->embeds) {
    Vector factors = Vector::Constant(J.cols(), J.factor_);
    if (J.left_) factors.array() *= (*J.left_)(choice->indices).array();
    if (J.right_) factors.array() *= J.right_->array();
    const Operator part = block(choice->indices);
    return J.has_factors() ? part.scaled(factors, factors) : part;
  }
  if (const auto* squares = as<GramCore>(core_); squares && squares->added.size() == 0 && !left_ && !right_)
    return (squares->B * J).gram(squares->weights).scaled(factor_);
  return J.transposed() * (*this * J);
}

Matrix Operator::dense() const {
  Matrix out = core_->dense();
  if (left_) out = left_->asDiagonal() * out;
  if (right_) out = out * right_->asDiagonal();
  if (factor_ != 1.0) out *= factor_;
  return out;
}

SparseMatrix Operator::sparse() const {
  SparseMatrix out = core_->sparse();
  if (left_) out = SparseMatrix(left_->asDiagonal() * out);
  if (right_) out = SparseMatrix(out * right_->asDiagonal());
  if (factor_ != 1.0) out *= factor_;
  return out;
}

Vector Operator::row_norms() const {
  if (right_) return core_->few_entries() ? Operator(sparse()).row_norms() : Vector(dense().rowwise().norm());
  Vector out = core_->row_norms();
  if (left_) out.array() *= left_->array().abs();
  return std::abs(factor_) * out;
}

void Operator::require_finite(std::string_view field) const { core_->require_finite(field); }

bool Operator::is_diagonal() const { return as<DiagonalCore>(core_) != nullptr; }
Vector Operator::diagonal() const {
  Vector out = factor_ * core_->diagonal();
  if (left_) out.array() *= left_->array();
  if (right_) out.array() *= right_->array();
  return out;
}

const ConstMatrixView* Operator::view() const {
  const auto* dense = has_factors() ? nullptr : as<DenseCore>(core_);
  return dense ? &dense->view : nullptr;
}

const SparseMatrix* Operator::sparse_view() const {
  const auto* sparse = has_factors() ? nullptr : as<SparseCore>(core_);
  return sparse ? sparse->matrix.get() : nullptr;
}

const std::vector<Index>* Operator::selected() const {
  const auto* choice = has_factors() ? nullptr : as<ChoiceCore>(core_);
  return choice && !choice->embeds ? &choice->indices : nullptr;
}

const std::vector<Index>* Operator::embedded() const {
  const auto* choice = has_factors() ? nullptr : as<ChoiceCore>(core_);
  return choice && choice->embeds ? &choice->indices : nullptr;
}

Operator operator*(const Operator& A, const Operator& B) {
  if (A.is_diagonal()) return B.scaled(A.diagonal(), {});
  if (B.is_diagonal()) return A.scaled({}, B.diagonal());
  if (const auto* indices = B.embedded()) return A.columns(*indices);
  if (const auto* indices = A.selected()) return B.rows_at(*indices);
  return Operator(std::make_shared<const ProductCore>(A, B));
}

}  // namespace pendec
