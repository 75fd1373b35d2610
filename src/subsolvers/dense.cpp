#include "dense.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lapack.hpp"

namespace pendec::detail {
namespace {

/// Up to it Eigen's factorisation takes less time than LAPACK's call, whose threads would wait for each other.
constexpr Index small_order = 128;

template <class... Parts>
void forget(Parts&... parts) {
  (parts.setConstant(std::numeric_limits<double>::quiet_NaN()), ...);
}

/// Calls a routine twice: once for the size of its workspace, once for the work.
template <class Routine>
bool with_workspace(const Routine& routine) {
  double size = 0.0;
  int integer_size = 0, info = 0, ask = -1;
  routine(&size, &ask, &integer_size, &ask, &info);
  // a size beyond LAPACK's integers comes back negative
  if (info != 0 || !(size >= 1.0) || size > std::numeric_limits<int>::max() || integer_size < 0) return false;
  std::vector<double> work(static_cast<std::size_t>(size));
  std::vector<int> integers(static_cast<std::size_t>(std::max(integer_size, 1)));
  const int work_size = static_cast<int>(work.size()), integers_size = static_cast<int>(integers.size());
  routine(work.data(), &work_size, integers.data(), &integers_size, &info);
  return info == 0;
}

SymmetricEigen symmetric(MatrixIn A, const char* job) {
  if (A.size() == 0) return {};
  SymmetricEigen e{Vector(A.rows()), A};
  const int n = blas_int(A.rows());
  const bool done =
      A.allFinite() &&
      with_workspace([&](double* work, const int* size, int* integers, const int* integer_size, int* info) {
        dsyevd_(job, "L", &n, e.vectors.data(), &n, e.values.data(), work, size, integers, integer_size, info);
      });
  if (!done) forget(e.values, e.vectors);
  return e;
}

ThinSvd svd(MatrixIn A, const char* job) {
  const Index least = std::min(A.rows(), A.cols());
  ThinSvd s{Matrix(A.rows(), least), Vector(least), {}};
  Matrix copy = A, Vt(least, A.cols());
  const int m = blas_int(A.rows()), n = blas_int(A.cols()), k = blas_int(least);
  std::vector<int> integers(static_cast<std::size_t>(8 * least));
  const bool done = A.allFinite() && with_workspace([&](double* work, const int* size, int*, const int*, int* info) {
                      dgesdd_(job, &m, &n, copy.data(), &m, s.sigma.data(), s.U.data(), &m, Vt.data(), &k, work, size,
                              integers.data(), info);
                    });
  if (!done) forget(s.U, s.sigma, Vt);
  s.V = Vt.transpose();
  return s;
}

Matrix product(char transpose_a, MatrixIn A, char transpose_b, MatrixIn B) {
  Matrix out(transpose_a == 'N' ? A.rows() : A.cols(), transpose_b == 'N' ? B.cols() : B.rows());
  if (out.size() > 0) multiply(transpose_a, A, transpose_b, B, 0.0, out);
  return out;
}

}  // namespace

Matrix times(MatrixIn A, MatrixIn B) { return product('N', A, 'N', B); }
Matrix transpose_times(MatrixIn A, MatrixIn B) { return product('T', A, 'N', B); }
Matrix times_transpose(MatrixIn A, MatrixIn B) { return product('N', A, 'T', B); }

double inner(const Matrix& A, const Matrix& B) { return A.reshaped().dot(B.reshaped()); }

/// A finite sum has finite terms.
bool all_finite(MatrixIn A) { return std::isfinite(A.sum()) || A.allFinite(); }

bool cholesky_in_place(Matrix& A) {
  if (A.rows() <= small_order) {
    const Eigen::LLT<Eigen::Ref<Matrix>> in_place(A);
    return in_place.info() == Eigen::Success && A.diagonal().allFinite();
  }
  const int n = blas_int(A.rows());
  int info = 0;
  dpotrf_("L", &n, A.data(), &n, &info);
  return info == 0 && A.diagonal().allFinite();
}

bool Cholesky::compute(MatrixIn A) {
  L_ = A;
  return cholesky_in_place(L_);
}

void Cholesky::solve_in_place(Out b) const {
  if (L_.rows() <= small_order) {
    const auto L = L_.triangularView<Eigen::Lower>();
    L.solveInPlace(b);
    L.transpose().solveInPlace(b);
    return;
  }
  const int n = blas_int(L_.rows()), one = 1;
  int info = 0;
  dpotrs_("L", &n, &one, L_.data(), &n, b.data(), &n, &info);
}

void Cholesky::divide_from_right(MatrixOut B) const {
  const int m = blas_int(B.rows()), n = blas_int(B.cols()), ldb = blas_int(B.outerStride());
  const double one = 1.0;
  dtrsm_("R", "L", "T", "N", &m, &n, &one, L_.data(), &n, B.data(), &ldb);
}

FullQr full_qr(MatrixIn A) {
  const int m = blas_int(A.rows()), n = blas_int(A.cols());
  FullQr qr{Matrix::Zero(m, m), Matrix::Zero(n, n)};
  qr.Q.leftCols(n) = A;
  Vector tau(n);
  const bool done = A.allFinite() && with_workspace([&](double* work, const int* size, int*, const int*, int* info) {
                      dgeqrf_(&m, &n, qr.Q.data(), &m, tau.data(), work, size, info);
                    });
  for (Index j = 0; j < n; ++j) qr.R.col(j).head(j + 1) = qr.Q.col(j).head(j + 1);
  const bool formed = done && with_workspace([&](double* work, const int* size, int*, const int*, int* info) {
                        dorgqr_(&m, &m, &n, qr.Q.data(), &m, tau.data(), work, size, info);
                      });
  if (!formed) forget(qr.Q, qr.R);
  return qr;
}

SymmetricEigen symmetric_eigen(MatrixIn A) { return symmetric(A, "V"); }
Vector symmetric_eigenvalues(MatrixIn A) { return symmetric(A, "N").values; }

SymmetricEigen generalised_eigen(MatrixIn A, MatrixIn B) {
  SymmetricEigen e{Vector(A.rows()), A};
  Matrix copy = B;
  const int n = blas_int(A.rows()), type = 1;
  const bool done =
      A.allFinite() && B.allFinite() &&
      with_workspace([&](double* work, const int* size, int* integers, const int* integer_size, int* info) {
        dsygvd_(&type, "V", "L", &n, e.vectors.data(), &n, copy.data(), &n, e.values.data(), work, size, integers,
                integer_size, info);
      });
  if (!done) forget(e.values, e.vectors);
  return e;
}

ThinSvd thin_svd(MatrixIn A) { return svd(A, "S"); }
Vector singular_values(MatrixIn A) { return svd(A, "N").sigma; }

}  // namespace pendec::detail
