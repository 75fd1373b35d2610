#include "tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lapack.hpp"
#include "workspace.hpp"

namespace pendec::detail {

/// LAPACK's dsytrd, with a look at the clock before every panel.
Tridiagonal::Tridiagonal(MatrixIn A, const Deadline& deadline)
    : deadline_(deadline), reflectors_(A.rows(), A.rows() + 1), diagonal_(A.rows()), off_(A.rows()), tau_(A.rows()) {
  deadline_.check();  // of a large matrix a copy takes its time, too
  reflectors_ << A, Vector::Zero(A.rows());
  deadline_.check();
  constexpr double one = 1.0, minus_one = -1.0;
  const Deadline stopwatch;
  const Index n = reflectors_.rows();
  const int width = n > 2000 ? 16 : 32;  // a panel reads the matrix that often: with 5000 rows 32 take half a second
  const int stride = blas_int(n);
  // Squares must neither overflow nor vanish.
  const double largest = reflectors_.cwiseAbs().maxCoeff();
  if (largest > 0.0) exponent_ = std::clamp(std::ilogb(largest), -1000, 1000);
  reflectors_ *= std::ldexp(1.0, -exponent_);
  Matrix W(n, width + 1);  // as above
  Index i = 0;
  for (; n - i > order_in_one_piece; i += width) {
    deadline_.check();
    const int order = blas_int(n - i), rest = order - width;
    dlatrd_("L", &order, &width, &reflectors_(i, i), &stride, &off_[i], &tau_[i], W.data(), &stride);
    dsyr2k_("L", "N", &rest, &width, &minus_one, &reflectors_(i + width, i), &stride, &W(width, 0), &stride, &one,
            &reflectors_(i + width, i + width), &stride);
    for (Index j = i; j < i + width; ++j) {
      reflectors_(j + 1, j) = off_[j];
      diagonal_[j] = reflectors_(j, j);
    }
  }
  const int order = blas_int(n - i);
  with_workspace([&](double* work, const int* size, int*, const int*, int* info) {
    dsytrd_("L", &order, &reflectors_(i, i), &stride, &diagonal_[i], &off_[i], &tau_[i], work, size, info);
  });
  seconds_ = stopwatch.seconds();
}

Vector Tridiagonal::scaled(Vector values) const { return values * std::ldexp(1.0, exponent_); }

Vector Tridiagonal::eigenvalues() && {
  const int n = blas_int(diagonal_.size());
  int info = 0;
  dsterf_(&n, diagonal_.data(), off_.data(), &info);
  if (info != 0) diagonal_.setConstant(std::numeric_limits<double>::quiet_NaN());
  return scaled(std::move(diagonal_));
}

bool Tridiagonal::eigenpairs(Vector& values, Matrix& vectors) && {
  deadline_.check(seconds_);  // the tridiagonal problem, in one piece, takes less time than the reduction
  const int n = blas_int(diagonal_.size());
  vectors.resize(n, n);
  const bool done =
      with_workspace([&](double* work, const int* size, int* integers, const int* integer_size, int* info) {
        dstedc_("I", &n, diagonal_.data(), off_.data(), vectors.data(), &n, work, size, integers, integer_size, info);
      });
  values = scaled(std::move(diagonal_));
  return done && back_transform(vectors);
}

bool Tridiagonal::largest(Index k, Vector& values, Matrix& vectors) && {
  const int n = blas_int(diagonal_.size()), lowest = blas_int(n - k + 1), columns = blas_int(k);
  const double none = 0.0;
  int found = 0, accurately = 1;
  std::vector<int> support(static_cast<std::size_t>(2 * k));
  values.resize(n);
  vectors.resize(n, k);
  const bool done =
      with_workspace([&](double* work, const int* size, int* integers, const int* integer_size, int* info) {
        dstemr_("V", "I", &n, diagonal_.data(), off_.data(), &none, &none, &lowest, &n, &found, values.data(),
                vectors.data(), &n, &columns, support.data(), &accurately, work, size, integers, integer_size, info);
      });
  values = scaled(values.head(k));
  return done && found == columns && back_transform(vectors);
}

bool Tridiagonal::back_transform(Matrix& Z) const {
  constexpr Index width = 128;
  const int n = blas_int(Z.rows());
  bool done = true;
  for (Index j = 0; j < Z.cols(); j += width) {
    deadline_.check();
    const int columns = blas_int(std::min(width, Z.cols() - j));
    done = done && with_workspace([&](double* work, const int* size, int*, const int*, int* info) {
             dormtr_("L", "L", "N", &n, &columns, reflectors_.data(), &n, tau_.data(), Z.col(j).data(), &n, work,
                     size, info);
           });
  }
  return done;
}

}  // namespace pendec::detail
