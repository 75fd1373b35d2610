#include "pendec/sets/low_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../subsolvers/block_lanczos.hpp"
#include "../subsolvers/dense.hpp"
#include "../subsolvers/lapack.hpp"
#include "numerical_rank.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/free.hpp"
#include "pendec/core/random.hpp"
#include "pendec/maps/factors.hpp"

namespace pendec {
namespace {

using detail::multiply;

/// The kappa leading singular triplets.
Factors leading(MatrixIn Z, Index kappa) {
  const detail::ThinSvd svd = detail::thin_svd(Z);
  return {svd.U.leftCols(kappa), svd.sigma.head(kappa), svd.V.leftCols(kappa)};
}

void write_product(const Factors& f, MatrixOut Y) { multiply('N', f.U * f.sigma.asDiagonal(), 'T', f.V, 0.0, Y); }

/// Z or Zᵀ, whichever has at least as many rows as columns, by its products.
struct Tall {
  detail::BlockLanczos::Product times, transpose_times;
  Index rows, cols;
  double squared_norm;
};

/// Follows the leading singular triplets as subsolvers/eigen.hpp does eigenpairs: block Lanczos on TᵀT gives V, T V =
/// U Σ Wᵀ turns it, and the result is judged by the residual of T itself. With R = Tᵀ U − V Σ, U Σ Vᵀ is exactly the
/// projection of T − U Rᵀ if the largest singular value of the remainder is at most σ_kappa.
class SingularTracker {
 public:
  SingularTracker(Index cols, Index kappa) : kappa_(kappa), lanczos_(cols, kappa) {}

  bool warm() const { return lanczos_.warm(); }
  void reset(const Factors& f) {
    lanczos_.adopt(f.V);
    sigma_ = f.sigma[kappa_ - 1];
  }

  /// True if the triplets are accurate; that none was missed is for proved_by_norm or proved_by_cholesky to say.
  bool run(const Tall& T, double tolerance, Index max_products) {
    if (!(T.squared_norm > 1e-140 && T.squared_norm < 1e150)) return false;  // fourth powers must not leave the range
    const double target = tolerance * std::sqrt(T.squared_norm);
    const auto gram = [&](MatrixIn V, MatrixOut out) {
      image_.resize(T.rows, V.cols());
      T.times(V, image_);
      T.transpose_times(image_, out);
    };
    // ‖TᵀT Q − Q Θ‖ is about σ_kappa ‖R‖.
    if (!lanczos_.run(gram, target * sigma_, max_products)) return false;
    image_.resize(T.rows, kappa_);
    T.times(lanczos_.vectors(), image_);
    const detail::ThinSvd svd = detail::thin_svd(image_);
    factors_ = {svd.U, svd.sigma, lanczos_.vectors() * svd.V};
    sigma_ = factors_.sigma[kappa_ - 1];
    residual_.resize(T.cols, kappa_);
    T.transpose_times(factors_.U, residual_);
    residual_ -= factors_.V * factors_.sigma.asDiagonal();
    return residual_.norm() <= target;
  }

  /// The Frobenius norm of the remainder is at most σ_kappa.
  bool proved_by_norm(const Tall& T) const {
    const double remainder = T.squared_norm - factors_.sigma.squaredNorm() - residual_.squaredNorm();
    return remainder + 1e-12 * T.squared_norm <= sigma_ * sigma_;
  }

  /// σ² I − T₂ᵀ T₂ ≻ 0 with T₂ = T − U Σ Vᵀ, for σ a little below σ_kappa: forming T₂ costs ε‖T‖ an operation, its
  /// product with itself m ε‖T₂‖², and a factorisation that succeeds proves its matrix positive up to (n + 1) ε trace
  /// (Rump 2006). T is overwritten by T₂.
  bool proved_by_cholesky(Matrix& T) const {
    const double rounding = 4.0 * (static_cast<double>(kappa_) + 4.0) * epsilon * T.norm();
    multiply('N', factors_.U * factors_.sigma.asDiagonal(), 'T', factors_.V, 1.0, T, -1.0);
    const int n = detail::blas_int(T.cols()), m = detail::blas_int(T.rows());
    const double target = sigma_ - error() - rounding;
    const double order = static_cast<double>(n);
    const double squared = target * target * (1.0 - 2.0 * (order + 1.0) * order * epsilon) -
                           2.0 * static_cast<double>(m) * epsilon * T.squaredNorm();
    if (!(target > 0.0 && squared > 0.0)) return false;
    const double minus = -1.0, one = 1.0;
    Matrix M = Matrix::Identity(n, n) * squared;
    dsyrk_("L", "T", &n, &m, &minus, T.data(), &m, &one, M.data(), &n);
    int info = 0;
    dpotrf_("L", &n, M.data(), &n, &info);
    return info == 0;
  }

  const Factors& factors() const { return factors_; }
  double error() const { return residual_.norm(); }

 private:
  Index kappa_;
  detail::BlockLanczos lanczos_;
  double sigma_ = 0.0;  // the smallest singular value kept
  Factors factors_;
  Matrix image_, residual_;
};

Factors transposed(Factors f) {
  std::swap(f.U, f.V);
  return f;
}

class LowRankProjector final : public Projector {
 public:
  explicit LowRankProjector(const LowRank& set)
      : set_(set), wide_(set.rows < set.cols), tracker_(std::min(set.rows, set.cols), set.kappa) {}

  void project(In z, Out y) override {
    const ConstMatrixView Z(z.data(), set_.rows, set_.cols);
    const Tall tall = {[&](MatrixIn V, MatrixOut out) { multiply(wide_ ? 'T' : 'N', Z, 'N', V, 0.0, out); },
                       [&](MatrixIn U, MatrixOut out) { multiply(wide_ ? 'N' : 'T', Z, 'N', U, 0.0, out); },
                       std::max(set_.rows, set_.cols), std::min(set_.rows, set_.cols), Z.squaredNorm()};
    MatrixView Y(y.data(), set_.rows, set_.cols);
    const bool attempt = tracker_.warm() && 4 * set_.kappa <= tall.cols;
    const bool reached = attempt && tracker_.run(tall, tolerance, 12);
    const auto form = [&] { return wide_ ? Matrix(Z.transpose()) : Matrix(Z); };
    write_product(reached ? proved(tall, form) : decompose(Z), Y);
  }

  std::optional<Factors> project(const LinearOperator& Z) override {
    const Tall tall = {[&](MatrixIn V, MatrixOut out) { wide_ ? Z.transpose_times(V, out) : Z.times(V, out); },
                       [&](MatrixIn U, MatrixOut out) { wide_ ? Z.times(U, out) : Z.transpose_times(U, out); },
                       std::max(set_.rows, set_.cols), std::min(set_.rows, set_.cols), Z.squared_norm()};
    if (!tracker_.warm()) start(tall);
    const auto form = [&] {
      Matrix dense(tall.rows, tall.cols);
      tall.times(Matrix::Identity(tall.cols, tall.cols), dense);
      return dense;
    };
    return tracker_.run(tall, tolerance, 500) ? proved(tall, form) : decompose_tall(form());
  }

  double error() const override { return error_; }

 private:
  static constexpr double tolerance = 1e-12;

  /// A random block; its image tells the size of the singular values to come.
  void start(const Tall& tall) {
    Factors guess{{}, {}, Random(1).normal_matrix(tall.cols, set_.kappa)};
    Matrix image(tall.rows, set_.kappa);
    tall.times(guess.V.colwise().normalized(), image);
    guess.sigma = image.colwise().norm();
    tracker_.reset(guess);
  }

  /// The tracker's factors if they are proved to be the leading ones, else those of the tall matrix that `form`
  /// makes.
  template <class Form>
  Factors proved(const Tall& tall, const Form& form) {
    if (!tracker_.proved_by_norm(tall)) {
      Matrix dense = form();
      if (!tracker_.proved_by_cholesky(dense)) return decompose_tall(form());
    }
    error_ = tracker_.error();
    return wide_ ? transposed(tracker_.factors()) : tracker_.factors();
  }

  Factors decompose(MatrixIn Z) {
    error_ = 0.0;
    Factors f = leading(Z, set_.kappa);
    if (f.sigma.allFinite()) tracker_.reset(wide_ ? transposed(f) : f);
    return f;
  }

  Factors decompose_tall(MatrixIn T) {
    error_ = 0.0;
    Factors f = leading(T, set_.kappa);
    if (f.sigma.allFinite()) tracker_.reset(f);
    return wide_ ? transposed(std::move(f)) : f;
  }

  LowRank set_;
  bool wide_;
  SingularTracker tracker_;
  double error_ = 0.0;
};

}  // namespace

LowRank::LowRank(Index rows_, Index cols_, Index kappa_) : rows(rows_), cols(cols_), kappa(kappa_) {
  require(rows >= 1, "LowRank.rows", rows, "at least 1");
  require(cols >= 1, "LowRank.cols", cols, "at least 1");
  require(kappa >= 1 && kappa <= std::min(rows, cols), "LowRank.kappa", kappa,
          fmt::format("1 <= kappa <= min(rows, cols) = {}", std::min(rows, cols)));
}

void LowRank::project(In z, Out y) const {
  write_product(leading(ConstMatrixView(z.data(), rows, cols), kappa), MatrixView(y.data(), rows, cols));
}

std::unique_ptr<Projector> LowRank::projector() const { return std::make_unique<LowRankProjector>(*this); }

double LowRank::normal_residual(In x, In v) const {
  const detail::ThinSvd svd = detail::thin_svd(ConstMatrixView(x.data(), rows, cols));
  const Vector& sigma = svd.sigma;
  const Index rank = detail::numerical_rank(sigma);
  const auto U = svd.U.leftCols(rank);
  const auto V = svd.V.leftCols(rank);

  // W = (I − U Uᵀ) V (I − V Vᵀ); what is not in W violates Uᵀ V = 0 or V V_X = 0.
  const ConstMatrixView normal(v.data(), rows, cols);
  Matrix W = normal - detail::times(U, detail::transpose_times(U, normal));
  W -= detail::times_transpose(detail::times(W, V), V);
  const double outside = (normal - W).norm();
  if (rank >= kappa) return outside;

  // rank W ≤ min(rows, cols) − kappa: the kappa smallest singular values have to vanish, rank of which do.
  const double excess = detail::singular_values(W).tail(kappa).norm();
  return std::hypot(outside, excess);
}

bool LowRank::projection_is_unique(In z, double tol) const {
  if (kappa == std::min(rows, cols)) return true;
  const Vector sigma = detail::singular_values(ConstMatrixView(z.data(), rows, cols));
  return sigma[kappa] <= tol || sigma[kappa - 1] - sigma[kappa] > tol;
}

double LowRank::spectral_gap(In z) const {
  if (kappa == std::min(rows, cols)) return infinity;
  const Vector sigma = detail::singular_values(ConstMatrixView(z.data(), rows, cols));
  return sigma[kappa] == 0.0 ? infinity : sigma[kappa - 1] - sigma[kappa];
}

std::optional<Set> LowRank::scaled(In row) const {
  if (row.minCoeff() != row.maxCoeff()) return std::nullopt;
  return Set(*this);
}

std::optional<Branch> LowRank::branch(In y, In) const {
  if (convex()) return std::nullopt;
  const Factors f = leading(ConstMatrixView(y.data(), rows, cols), kappa);
  const Vector root = f.sigma.cwiseSqrt();
  Vector t((rows + cols) * kappa);
  t << Matrix(f.U * root.asDiagonal()).reshaped(), Matrix(f.V * root.asDiagonal()).reshaped();
  return Branch{fmt::format("rank {}", kappa), {kappa}, FactorProduct{rows, cols, kappa}, Free(t.size()), t};
}

std::optional<Branch> LowRank::branch_at(BranchKey, In near) const {
  return branch(Set(*this).projection(near), near);
}

std::optional<Neighbours> LowRank::neighbours(BranchKey, In, Index) const { return Neighbours{}; }

}  // namespace pendec
