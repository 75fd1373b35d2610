#include "correlation_distance.hpp"

#include <algorithm>
#include <cmath>

#include "../../subsolvers/block_lanczos.hpp"
#include "../../subsolvers/lapack.hpp"
#include "pendec/core/random.hpp"
#include "pendec/subsolvers/eigen.hpp"

namespace pendec::detail {
namespace {

constexpr Index largest_factored = 3000;   // beyond, matrices of the size of A are not added to it
constexpr double least_eigenvalue = 1e-8;  // of S, relative: with smaller ones a TangentInverse is not tried
constexpr Index build_interval = 10;       // iterations a TangentInverse serves

/// A V for symmetric A; the faster of the two forms for few columns.
void symmetric_times(MatrixIn A, MatrixIn V, MatrixOut out) {
  multiply(V.cols() < 8 ? 'T' : 'N', A, 'N', V, 0.0, out);
}

}  // namespace

CorrelationDistance::CorrelationDistance(MatrixIn A, Index k, const Deadline& deadline)
    : A_(A), deadline_(deadline), image_(A.rows(), k), S_(k, k) {}

double CorrelationDistance::evaluate(const Matrix& V, Matrix& gradient) {
  ++products_;
  symmetric_times(A_, V, image_);
  multiply('T', V, 'N', V, 0.0, S_);
  gradient = image_;
  multiply('N', V, 'N', S_, -1.0, gradient);
  return 0.25 * S_.squaredNorm() - 0.5 * image_.reshaped().dot(V.reshaped());
}

void CorrelationDistance::accept(const Matrix& V, const Vector& radial, double reduction) {
  reductions_.push_back(reduction);
  const Index iterate = static_cast<Index>(reductions_.size());
  if (use_tangent_inverse_ && iterate < next_build_) return;
  const SymmetricEigen eigen = symmetric_eigen(S_);
  if (use_tangent_inverse_ || tangent_inverse_pays(eigen.values)) {
    use_tangent_inverse_ = tangent_inverse_.build(A_, V, S_, radial, deadline_);
    next_build_ = iterate + build_interval;
    if (use_tangent_inverse_) return;
  }
  gram_inverse_.update(V, eigen);
}

bool CorrelationDistance::tangent_inverse_pays(const Vector& s) const {
  constexpr std::size_t window = 20;
  const Index n = A_.rows(), k = s.size();
  const bool possible = n <= largest_factored && 4 * k <= n && s[0] > least_eigenvalue * s[k - 1];
  if (!possible || reductions_.size() <= window) return false;
  const double now = reductions_.back(), before = reductions_[reductions_.size() - 1 - window];
  const double rate = std::log(before / now) / static_cast<double>(window);  // of one iteration
  const double remaining = rate > 0.0 ? std::log(now) / rate : infinity;
  // A build costs about as much as n/k products for each of its groups, and there will be several.
  return remaining > static_cast<double>(3 * TangentInverse::groups(s) * n) / static_cast<double>(k);
}

bool CorrelationDistance::precondition(const Matrix& V, Matrix& D) {
  if (use_tangent_inverse_) {
    tangent_inverse_.apply(D);
    subtract_rows(row_products(D, V), V, D);
  } else {
    gram_inverse_.apply(V, D);
  }
  return true;
}

Matrix leading_unit_rows(MatrixIn A, Index k, const Deadline& deadline) {
  constexpr Index max_products = 12, largest_decomposed = 3000;
  constexpr double accuracy = 1e-4;  // a start need not be better
  BlockLanczos lanczos(A.rows(), k);
  lanczos.adopt(Random(1).normal_matrix(A.rows(), k));
  const auto product = [&](MatrixIn V, MatrixOut out) {
    deadline.check();
    symmetric_times(A, V, out);
  };
  EigenPairs pairs;
  const bool few = 4 * k <= A.rows();
  try {
    if (few && lanczos.run(product, accuracy * A.norm(), max_products)) {
      pairs = {lanczos.values(), lanczos.vectors()};
    } else if (!few || A.rows() <= largest_decomposed) {
      pairs = largest_eigenpairs(A, k, deadline);
    }
  } catch (const OutOfTime&) {
  }
  if (pairs.values.size() == 0) {  // what the steps have reached, if there were any, has to do
    Matrix image(A.rows(), k);
    symmetric_times(A, lanczos.vectors(), image);
    pairs = {image.colwise().norm(), lanczos.vectors()};
  }
  // Directions that are not positive get a small share: a column of zeros would never change.
  const double least = 1e-4 * std::max(pairs.values.maxCoeff(), 1e-300);
  Matrix V = pairs.vectors * pairs.values.cwiseMax(least).cwiseSqrt().asDiagonal();
  normalise_rows(V);
  return V;
}

Matrix best_signs(MatrixIn A, const Deadline& deadline) {
  constexpr int starts = 50;
  Random random(2);
  Matrix best;
  double most = -infinity;
  for (int k = 0; k < starts && !(k > 0 && deadline.passed()); ++k) {
    Matrix v = k == 0 ? leading_unit_rows(A, 1, deadline) : random.normal_matrix(A.rows(), 1);
    normalise_rows(v);
    Vector image = A * v;
    for (Index i = 0, unchanged = 0; unchanged < v.rows(); i = (i + 1) % v.rows()) {
      // a change of vᵢ adds −4 vᵢ Σ_{j ≠ i} aᵢⱼ vⱼ
      const double change = v(i, 0) * image[i] - A(i, i);
      ++unchanged;
      if (!(change < -1e-12 * (std::abs(image[i]) + std::abs(A(i, i))))) continue;
      image -= 2.0 * v(i, 0) * A.col(i);
      v(i, 0) = -v(i, 0);
      unchanged = 0;
    }
    const double value = v.col(0).dot(image);
    if (value <= most) continue;
    most = value;
    best = std::move(v);
  }
  return best;
}

bool is_deficient(const Matrix& V) {
  const Vector s = symmetric_eigenvalues(transpose_times(V, V));
  return s[0] <= 1e-6 * s[s.size() - 1];
}

Matrix cut_to_rank(const Matrix& V, Index rank, const Deadline& deadline) {
  Matrix cut;
  try {
    const SymmetricEigen S = symmetric_eigen(transpose_times(V, V, deadline), deadline);
    const Index positive = (S.values.array() > 1e-8 * S.values.maxCoeff()).count();
    cut = times(V, S.vectors.rightCols(std::min(rank, positive)), deadline);
  } catch (const OutOfTime&) {
    cut = V.rightCols(std::min(rank, V.cols()));
  }
  normalise_rows(cut);
  return cut;
}

}  // namespace pendec::detail
