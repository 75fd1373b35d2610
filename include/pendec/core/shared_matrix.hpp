// Matrix data that several objects read and nobody copies.
#pragma once

#include <memory>
#include <utility>

#include "pendec/core/types.hpp"

namespace pendec {

/// A dense column-major matrix, either owned (moved in) or borrowed from a caller who keeps it alive.
class SharedMatrix {
 public:
  SharedMatrix() : view_(nullptr, 0, 0) {}
  SharedMatrix(Matrix owned) : SharedMatrix(std::make_shared<const Matrix>(std::move(owned))) {}  // NOLINT: implicit
  template <class Derived>
  SharedMatrix(const Eigen::MatrixBase<Derived>& expression)
      : SharedMatrix(Matrix(expression)) {}  // NOLINT: implicit

  /// Borrows `view`; `keep_alive` may hold whatever owns the numbers.
  static SharedMatrix borrow(const ConstMatrixView& view, std::shared_ptr<const void> keep_alive = nullptr) {
    SharedMatrix m;
    m.owner_ = std::move(keep_alive);
    new (&m.view_) ConstMatrixView(view.data(), view.rows(), view.cols());
    return m;
  }

  SharedMatrix(const SharedMatrix& other) = default;
  SharedMatrix& operator=(const SharedMatrix& other) {
    if (this == &other) return *this;
    owner_ = other.owner_;
    new (&view_) ConstMatrixView(other.view_.data(), other.view_.rows(), other.view_.cols());
    return *this;
  }
  ~SharedMatrix() = default;

  const ConstMatrixView& operator*() const { return view_; }
  const ConstMatrixView* operator->() const { return &view_; }

 private:
  explicit SharedMatrix(const std::shared_ptr<const Matrix>& m) : owner_(m), view_(m->data(), m->rows(), m->cols()) {}

  std::shared_ptr<const void> owner_;
  ConstMatrixView view_;
};

}  // namespace pendec
