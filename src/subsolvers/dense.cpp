#include "dense.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lapack.hpp"
#include "tridiagonal.hpp"
#include "workspace.hpp"

namespace pendec::detail {
namespace {

/// Up to it Eigen's factorisation takes less time than LAPACK's call, whose threads would wait for each other.
constexpr Index small_order = 128;

template <class... Parts>
void forget(Parts&... parts) {
  (parts.setConstant(std::numeric_limits<double>::quiet_NaN()), ...);
}

/// By LAPACK's driver, in one piece.
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

/// As many columns at once as take about a tenth of a second.
Matrix product(char transpose_a, MatrixIn A, char transpose_b, MatrixIn B, const Deadline& deadline) {
  constexpr double operations = 1e9;
  Matrix out(transpose_a == 'N' ? A.rows() : A.cols(), transpose_b == 'N' ? B.cols() : B.rows());
  if (out.size() == 0) return out;
  const double column = static_cast<double>(A.size() + 1);
  const Index width = std::max<Index>(static_cast<Index>(operations / column), 64);
  for (Index j = 0; j < out.cols(); j += width) {
    if (j > 0) deadline.check();
    const Index size = std::min(width, out.cols() - j);
    const bool columns = transpose_b == 'N';
    const auto part = B.block(columns ? 0 : j, columns ? j : 0, columns ? B.rows() : size, columns ? size : B.cols());
    multiply(transpose_a, A, transpose_b, part, 0.0, out.middleCols(j, size));
  }
  return out;
}

}  // namespace

Matrix times(MatrixIn A, MatrixIn B, const Deadline& deadline) { return product('N', A, 'N', B, deadline); }
Matrix transpose_times(MatrixIn A, MatrixIn B, const Deadline& deadline) { return product('T', A, 'N', B, deadline); }
Matrix times_transpose(MatrixIn A, MatrixIn B, const Deadline& deadline) { return product('N', A, 'T', B, deadline); }

double inner(const Matrix& A, const Matrix& B) { return A.reshaped().dot(B.reshaped()); }

/// A finite sum has finite terms.
bool all_finite(MatrixIn A) { return std::isfinite(A.sum()) || A.allFinite(); }

bool cholesky_in_place(Matrix& A, const Deadline& deadline) {
  if (A.rows() <= small_order) {
    const Eigen::LLT<Eigen::Ref<Matrix>> in_place(A);
    return in_place.info() == Eigen::Success && A.diagonal().allFinite();
  }
  constexpr Index width = 512;  // what is left of a panel is LAPACK's
  constexpr double one = 1.0, minus_one = -1.0;
  const int n = blas_int(A.rows());
  for (Index j = 0; j < n; j += width) {
    if (j > 0) deadline.check();
    const int columns = blas_int(std::min<Index>(width, n - j)), below = n - blas_int(j) - columns;
    int info = 0;
    dpotrf_("L", &columns, &A(j, j), &n, &info);
    if (info != 0) return false;
    if (below == 0) break;
    double* panel = &A(j + columns, j);
    dtrsm_("R", "L", "T", "N", &below, &columns, &one, &A(j, j), &n, panel, &n);
    dsyrk_("L", "N", &below, &columns, &minus_one, panel, &n, &one, &A(j + columns, j + columns), &n);
  }
  return A.diagonal().allFinite();
}

bool Cholesky::compute(MatrixIn A, const Deadline& deadline) {
  L_ = A;
  return cholesky_in_place(L_, deadline);
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

void Cholesky::divide_from_right(MatrixOut B, const Deadline& deadline) const {
  constexpr Index height = 512;
  const int n = blas_int(B.cols()), ldb = blas_int(B.outerStride());
  const double one = 1.0;
  for (Index i = 0; i < B.rows(); i += height) {
    if (i > 0) deadline.check();
    const int rows = blas_int(std::min(height, B.rows() - i));
    dtrsm_("R", "L", "T", "N", &rows, &n, &one, L_.data(), &n, B.data() + i, &ldb);
  }
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

SymmetricEigen symmetric_eigen(MatrixIn A, const Deadline& deadline) {
  if (A.rows() <= order_in_one_piece || !A.allFinite()) return symmetric(A, "V");
  SymmetricEigen e;
  if (!Tridiagonal(A, deadline).eigenpairs(e.values, e.vectors)) forget(e.values, e.vectors);
  return e;
}

Vector symmetric_eigenvalues(MatrixIn A, const Deadline& deadline) {
  if (A.rows() <= order_in_one_piece || !A.allFinite()) return symmetric(A, "N").values;
  return Tridiagonal(A, deadline).eigenvalues();
}

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
