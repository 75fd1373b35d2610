#include "grassmann.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../dense.hpp"

namespace pendec::detail {
namespace {

/// Steihaug's conjugate gradients: an approximate minimiser of ⟨g, D⟩ + ½⟨D, Hess D⟩ over ‖D‖ ≤ radius.
Matrix trust_region_step(const SubspaceFunction& phi, const Matrix& B, const Matrix& g, double forcing, double radius,
                         const Deadline& deadline) {
  Matrix D = Matrix::Zero(g.rows(), g.cols()), r = -g, p = r;
  double rr = r.squaredNorm();
  const double target = forcing * std::sqrt(rr);
  const auto to_boundary = [&] {
    const double a = p.squaredNorm(), b = inner(D, p), c = D.squaredNorm() - radius * radius;
    return Matrix(D + ((-b + std::sqrt(std::max(b * b - a * c, 0.0))) / a) * p);
  };
  for (Index it = 0; it < std::min<Index>(2 * g.size(), 200) && std::sqrt(rr) > target && !deadline.passed(); ++it) {
    const Matrix Hp = phi.hessian_times(B, p);
    const double curvature = inner(p, Hp);
    if (!(curvature > 0.0)) return to_boundary();
    const double alpha = rr / curvature;
    if ((D + alpha * p).norm() >= radius) return to_boundary();
    D += alpha * p;
    r -= alpha * Hp;
    const double next = r.squaredNorm();
    p = without(B, r + (next / rr) * p);
    rr = next;
  }
  return D;
}

}  // namespace

SubspaceEnd minimise_over_subspaces(const SubspaceFunction& start, const Matrix& B, double tolerance,
                                    Index max_iterations, const Deadline& deadline, double radius) {
  SubspaceEnd end;
  end.at = start.copy();
  end.B = B;
  end.value = end.at->evaluate(B);
  Matrix g = end.at->gradient(B);
  end.gradient = g.norm();
  const double first = end.gradient;
  for (; end.iterations < max_iterations && end.gradient > tolerance && !deadline.passed(); ++end.iterations) {
    const double forcing = std::min(0.1, end.gradient / first);
    const Matrix D = trust_region_step(*end.at, end.B, g, forcing, radius, deadline);
    const double predicted = -inner(g, D) - 0.5 * inner(D, end.at->hessian_times(end.B, D));
    std::unique_ptr<SubspaceFunction> trial = end.at->copy();
    trial->predict(end.B, D);
    const Matrix B_trial = orthonormal_columns(end.B + D);
    double value = infinity;
    try {
      value = trial->evaluate(B_trial);
    } catch (const OutOfTime&) {
      break;
    }
    // Near the end rounding decides both differences; with it they agree.
    const double noise = 1e3 * epsilon * std::abs(end.value);
    const double ratio = (end.value - value + noise) / (predicted + noise);
    if (ratio > 0.75 && D.norm() > 0.9 * radius) radius *= 2.0;
    if (!(ratio > 0.25)) radius = 0.25 * std::min(radius, D.norm());
    if (radius < 1e-14) break;
    if (!(ratio > 0.05)) continue;
    end.at = std::move(trial);
    end.B = B_trial;
    end.value = value;
    g = end.at->gradient(B_trial);
    end.gradient = g.norm();
  }
  end.radius = radius;
  return end;
}

Matrix orthonormal_columns(const Matrix& A) {
  // Cholesky twice; one that fails means dependent columns.
  Matrix Q = A;
  for (int pass = 0; pass < 2; ++pass) {
    Cholesky gram;
    if (!gram.compute(transpose_times(Q, Q)) ||
        gram.L().diagonal().minCoeff() < 1e-6 * gram.L().diagonal().maxCoeff())
      return thin_svd(A).U;
    gram.divide_from_right(Q);
  }
  return Q;
}

Matrix without(const Matrix& B, const Matrix& X) { return X - times(B, transpose_times(B, X)); }

}  // namespace pendec::detail
