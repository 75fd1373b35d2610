#include "pendec/subsolvers/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "block_lanczos.hpp"
#include "lapack.hpp"
#include "pendec/core/random.hpp"
#include "remainder.hpp"
#include "tridiagonal.hpp"

namespace pendec {

using detail::blas_int;
using detail::multiply;

struct PartialEigen::Workspace {
  Workspace(Index n_, Index k_)
      : n(n_), k(k_), copy(n, n), values(n), vectors(n, k), support(static_cast<std::size_t>(2 * n)) {
    double size = 0.0;
    int integer_size = 0;
    call(&size, -1, &integer_size, -1);
    work.resize(static_cast<std::size_t>(size));
    integer_work.resize(static_cast<std::size_t>(integer_size));
  }

  bool call(double* work_, int work_size, int* integer_work_, int integer_work_size) {
    const int order = blas_int(n), lowest = blas_int(n - k + 1);
    const double none = 0.0;
    int found = 0, info = 0;
    dsyevr_("V", "I", "L", &order, copy.data(), &order, &none, &none, &lowest, &order, &none, &found, values.data(),
            vectors.data(), &order, support.data(), work_, &work_size, integer_work_, &integer_work_size, &info);
    return info == 0 && found == k;
  }

  bool solve(const Deadline& deadline) {
    if (n > detail::order_in_one_piece) return detail::Tridiagonal(copy, deadline).largest(k, values, vectors);
    return call(work.data(), static_cast<int>(work.size()), integer_work.data(),
                static_cast<int>(integer_work.size()));
  }

  Index n, k;
  Matrix copy;  // dsyevr overwrites its argument
  Vector values;
  Matrix vectors;
  std::vector<int> support, integer_work;
  std::vector<double> work;
};

PartialEigen::PartialEigen(Index n, Index k) : work_(std::make_unique<Workspace>(n, k)) {}
PartialEigen::~PartialEigen() = default;

void PartialEigen::compute(MatrixIn Z, EigenPairs& pairs, const Deadline& deadline) {
  Workspace& w = *work_;
  w.copy = Z;
  if (!Z.allFinite() || !w.solve(deadline)) {
    pairs.values = Vector::Constant(w.k, std::numeric_limits<double>::quiet_NaN());
    pairs.vectors = Matrix::Constant(w.n, w.k, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  pairs.values = w.values.head(w.k).reverse();  // LAPACK's are increasing
  pairs.vectors = w.vectors.rowwise().reverse();
}

EigenPairs largest_eigenpairs(MatrixIn Z, Index k, const Deadline& deadline) {
  EigenPairs pairs;
  PartialEigen(Z.rows(), k).compute(Z, pairs, deadline);
  return pairs;
}

struct EigenTracker::State {
  State(Index n_, Index k_, Options options_) : n(n_), k(k_), options(options_), lanczos(n, k), lapack(n, k) {}

  bool track(const detail::BlockLanczos::Product& times, double squared_norm, Index max_products);
  bool proved_by_norm(double squared_norm) const;
  bool proved_by_cholesky(MatrixIn Z, double squared_norm);
  void accept();
  void decompose(MatrixIn Z);

  /// What the remainder's largest eigenvalue must not exceed.
  double bound() const {
    const double least = lanczos.values()[k - 1];
    return options.positive_part ? std::max(least, 0.0) : least;
  }

  Index n, k;
  Options options;
  Counts counts;
  EigenPairs pairs;
  double error = 0.0;
  detail::BlockLanczos lanczos;
  PartialEigen lapack;
  Index failures = 0, pause = 0;  // in a row; matrices that go to LAPACK at once
  Matrix work;
};

/// Runs the iteration where that may pay; false if it failed.
bool EigenTracker::State::track(const detail::BlockLanczos::Product& times, double squared_norm, Index max_products) {
  // Squares that overflow or underflow say nothing.
  if (!(squared_norm > 1e-280 && squared_norm < 1e300)) return false;
  const bool reached = lanczos.run(times, options.tolerance * std::sqrt(squared_norm), max_products);
  counts.products += lanczos.products();
  return reached;
}

/// ‖Z₂‖²_F = ‖Z‖² − ‖Θ‖² − 2‖R‖² ≤ θ_k², with room for the rounding of the squares.
bool EigenTracker::State::proved_by_norm(double squared_norm) const {
  const double remainder = squared_norm - lanczos.values().squaredNorm() - 2.0 * lanczos.residual().squaredNorm();
  const double least = bound();
  return least > 0.0 && remainder + 1e-12 * squared_norm <= least * least;
}

bool EigenTracker::State::proved_by_cholesky(MatrixIn Z, double squared_norm) {
  ++counts.factorizations;
  return detail::remainder_is_below(Z, std::sqrt(squared_norm), lanczos.vectors(), lanczos.values(),
                                    lanczos.residual().norm(), bound(), work);
}

void EigenTracker::State::accept() {
  pairs.values = lanczos.values();
  pairs.vectors = lanczos.vectors();
  error = std::sqrt(2.0) * lanczos.residual().norm();
  failures = 0;
}

void EigenTracker::State::decompose(MatrixIn Z) {
  ++counts.fallbacks;
  lapack.compute(Z, pairs);
  error = 0.0;
  if (pairs.values.allFinite()) lanczos.adopt(pairs.vectors);
}

EigenTracker::EigenTracker(Index n, Index k, Options options) : state_(std::make_unique<State>(n, k, options)) {}
EigenTracker::~EigenTracker() = default;

double EigenTracker::error() const { return state_->error; }
const EigenTracker::Counts& EigenTracker::counts() const { return state_->counts; }

const EigenPairs& EigenTracker::compute(MatrixIn Z, double squared_norm) {
  State& s = *state_;
  ++s.counts.matrices;
  // With half of the spectrum wanted, or after failures, the full decomposition is the quicker way.
  const bool attempt = s.lanczos.warm() && 4 * s.k <= s.n && s.pause-- <= 0;
  if (attempt) {
    const auto times = [&Z](MatrixIn V, MatrixOut out) {
      // Z is its own transpose; the faster of the two forms for few columns.
      multiply(V.cols() < 8 ? 'T' : 'N', Z, 'N', V, 0.0, out);
    };
    // Ritz problems with more than a third of all dimensions cost as much.
    const Index max_products = std::clamp<Index>(std::max<Index>(s.n / 3, 48) / s.k, 4, 24);
    if (s.track(times, squared_norm, max_products) &&
        (s.proved_by_norm(squared_norm) || s.proved_by_cholesky(Z, squared_norm))) {
      s.accept();
      return s.pairs;
    }
    s.failures = std::min<Index>(s.failures + 1, 6);
    s.pause = (Index{1} << s.failures) - 2;  // 0, 2, 6, …, 62
  }
  s.decompose(Z);
  return s.pairs;
}

const EigenPairs& EigenTracker::compute(const LinearOperator& Z) {
  State& s = *state_;
  ++s.counts.matrices;
  Matrix transposed;
  const auto times = [&](MatrixIn V, MatrixOut out) {
    transposed.resize(V.rows(), V.cols());
    Z.times(V, out);
    Z.transpose_times(V, transposed);
    out = 0.5 * (out + transposed);
  };
  if (!s.lanczos.warm()) s.lanczos.adopt(Random(1).normal_matrix(s.n, s.k));
  const double squared_norm = Z.squared_norm();
  const bool reached = s.track(times, squared_norm, 500);
  if (reached && s.proved_by_norm(squared_norm)) {
    s.accept();
    return s.pairs;
  }
  Matrix formed(s.n, s.n);
  times(Matrix::Identity(s.n, s.n), formed);
  if (reached && s.proved_by_cholesky(formed, squared_norm)) {
    s.accept();
  } else {
    s.decompose(formed);
  }
  return s.pairs;
}

}  // namespace pendec
