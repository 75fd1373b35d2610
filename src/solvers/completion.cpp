#include "pendec/solvers/completion.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "../subsolvers/dense.hpp"
#include "deadline.hpp"
#include "grassmann.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/low_rank.hpp"
#include "pendec/solvers/solve.hpp"

namespace pendec {
namespace {

constexpr Index largest_dense = 2'000'000;
constexpr double certified = 1e-6;
constexpr Index max_iterations = 500;

using Sparse = Eigen::SparseMatrix<double>;

Sparse sparse_matrix(const CompletionProblem& problem) {
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(problem.seen.size());
  for (const Observation& o : problem.seen) triplets.emplace_back(o.row, o.column, o.value);
  Sparse A(problem.rows, problem.cols);
  A.setFromTriplets(triplets.begin(), triplets.end());  // keeps zeros that were seen
  return A;
}

/// Vectors of κ numbers in loops over entries, where κ is small: plain loops, which compilers unroll.
double product(const double* a, const double* b, Index k) {
  double sum = 0.0;
  for (Index l = 0; l < k; ++l) sum += a[l] * b[l];
  return sum;
}
void add(double factor, const double* a, double* sum, Index k) {
  for (Index l = 0; l < k; ++l) sum[l] += factor * a[l];
}
void add_two(double p, const double* a, double q, const double* b, double* sum, Index k) {
  for (Index l = 0; l < k; ++l) sum[l] += p * a[l] + q * b[l];
}

/// Φ(B) = Σ_j min_c ½‖B_j c − a_j‖² + γ/2 ‖c‖², B_j and a_j what is seen of column j. With H_j = B_jᵀB_j + γI,
/// r_j = B_j c_j − a_j and E = Σ_j r_j c_jᵀ:
///   grad Φ = (I − BBᵀ) E,   Hess Φ[Δ] = (I − BBᵀ) Ė − Δ BᵀE,
///   ċ_j = −H_j⁻¹ (Δ_jᵀ r_j + B_jᵀ Δ_j c_j),   ṙ_j = Δ_j c_j + B_j ċ_j,   Ė = Σ_j ṙ_j c_jᵀ + r_j ċ_jᵀ.
/// B is kept transposed: the rows a column of A needs are then contiguous.
class ProjectedResidual final : public detail::SubspaceFunction {
 public:
  ProjectedResidual(const Sparse& A, double gamma) : A_(&A), gamma_(gamma), residual_(Vector::Zero(A.nonZeros())) {}

  std::unique_ptr<SubspaceFunction> copy() const override { return std::make_unique<ProjectedResidual>(*this); }

  double evaluate(const Matrix& B) override {
    const Index k = B.cols();
    Bt_ = B.transpose();
    Ct_.setZero(k, A_->cols());
    E_.setZero(k, A_->rows());
    inverses_.resize(k, k * A_->cols());
    double sum = 0.0;
    Matrix H(k, k);
    for (Index j = 0; j < A_->cols(); ++j) {
      const Index begin = A_->outerIndexPtr()[j], end = A_->outerIndexPtr()[j + 1];
      if (begin == end) continue;
      auto c = Ct_.col(j);
      H.setZero();
      H.diagonal().setConstant(gamma_);
      for (Index e = begin; e < end; ++e) {
        const double* b = row(Bt_, e);
        for (Index l = 0; l < k; ++l) add(b[l], b + l, &H(l, l), k - l);  // the lower triangle
        add(A_->valuePtr()[e], b, c.data(), k);
      }
      // Fewer entries than κ and no γ: the shift picks one of the solutions.
      H.diagonal().array() += 1e-12 * H.trace() + 1e-300;
      const Eigen::LLT<Eigen::Ref<Matrix>> factor(H);
      factor.solveInPlace(c);
      inverse(j) = factor.solve(Matrix::Identity(k, k));
      sum += 0.5 * gamma_ * c.squaredNorm();
      for (Index e = begin; e < end; ++e) {
        const double r = product(row(Bt_, e), c.data(), k) - A_->valuePtr()[e];
        residual_[e] = r;
        sum += 0.5 * r * r;
        add(r, c.data(), row(E_, e), k);
      }
    }
    return sum;
  }

  Matrix gradient(const Matrix& B) const override { return detail::without(B, E_.transpose()); }

  Matrix hessian_times(const Matrix& B, const Matrix& D) const override {
    const Index k = B.cols();
    const Matrix Dt = D.transpose();
    Matrix dE = Matrix::Zero(k, A_->rows());
    Vector right(k), dc(k), Dc(A_->rows());
    for (Index j = 0; j < A_->cols(); ++j) {
      const Index begin = A_->outerIndexPtr()[j], end = A_->outerIndexPtr()[j + 1];
      if (begin == end) continue;
      const double* c = Ct_.col(j).data();
      right.setZero();
      for (Index e = begin; e < end; ++e) {
        const double* d = row(Dt, e);
        Dc[e - begin] = product(d, c, k);
        add_two(-residual_[e], d, -Dc[e - begin], row(Bt_, e), right.data(), k);
      }
      dc.setZero();
      for (Index l = 0; l < k; ++l) add(right[l], inverses_.col(j * k + l).data(), dc.data(), k);
      for (Index e = begin; e < end; ++e)
        add_two(Dc[e - begin] + product(row(Bt_, e), dc.data(), k), c, residual_[e], dc.data(), row(dE, e), k);
    }
    return detail::without(B, dE.transpose()) - detail::times(D, detail::times(Bt_, E_.transpose()));
  }

  Matrix C() const { return Ct_.transpose(); }
  double residual_norm() const { return residual_.norm(); }

 private:
  Eigen::Ref<Matrix> inverse(Index j) { return inverses_.middleCols(j * inverses_.rows(), inverses_.rows()); }
  /// The column of M that belongs to the row of entry e.
  double* row(Matrix& M, Index e) const { return M.data() + M.rows() * A_->innerIndexPtr()[e]; }
  const double* row(const Matrix& M, Index e) const { return M.data() + M.rows() * A_->innerIndexPtr()[e]; }

  const Sparse* A_;
  double gamma_;
  Matrix Bt_, Ct_, E_;  // transposed: κ × rows, κ × cols, κ × rows
  Vector residual_;     // in the order of A's entries
  Matrix inverses_;     // H_j⁻¹, side by side
};

/// Leading left singular vectors of A with zeros for what was not seen, by a few steps of subspace iteration.
Matrix leading_left(const Sparse& A, Index kappa) {
  Matrix Q = detail::orthonormal_columns(Random(1).normal_matrix(A.rows(), kappa));
  for (int step = 0; step < 10; ++step) {
    const Matrix image = A.transpose() * Q;
    Q = detail::orthonormal_columns(A * image);
  }
  return Q;
}

/// At X = BCᵀ normals of the matrices of rank κ are the N with BᵀN = 0, NC = 0. The gradient R of f fulfils the
/// first; the second is judged on an orthonormal basis of C and relative to R, or what rounding leaves of it.
double stationarity(const ProjectedResidual& at, const CompletionResult& r, double gamma, double size) {
  const detail::SymmetricEigen gram = detail::symmetric_eigen(detail::transpose_times(r.C, r.C));
  const double largest = gram.values.maxCoeff();
  Vector inverse = Vector::Zero(gram.values.size());
  for (Index k = 0; k < inverse.size(); ++k)
    if (gram.values[k] > 1e-14 * largest) inverse[k] = 1.0 / std::sqrt(gram.values[k]);
  const double miss = (at.gradient(r.B) * gram.vectors * inverse.asDiagonal()).norm();
  const double scale = std::max({at.residual_norm(), gamma * r.C.norm(), 1e-6 * size});
  return scale > 0.0 ? miss / scale : 0.0;
}

void run_factored(const CompletionProblem& problem, const CompletionOptions& options,
                  const std::function<bool()>& stop, CompletionResult& r) {
  const Sparse A = sparse_matrix(problem);
  const Matrix start = leading_left(A, problem.kappa);
  ProjectedResidual phi(A, problem.gamma);
  const double value = phi.evaluate(start);
  const double first = phi.gradient(start).norm();
  const double noise = 1e3 * epsilon * (std::abs(value) + A.squaredNorm());
  r.B = start;
  // A gradient over subspaces says little about directions with small entries in C: it has to become smaller then.
  for (double tolerance = options.tolerance * first; r.iterations < max_iterations; tolerance *= 1e-2) {
    const detail::SubspaceEnd end =
        detail::minimise_over_subspaces(phi, r.B, std::max(tolerance, noise), max_iterations - r.iterations, stop);
    const auto& at = static_cast<const ProjectedResidual&>(*end.at);
    r.B = end.B;
    r.C = at.C();
    r.iterations += end.iterations;
    r.stationarity = stationarity(at, r, problem.gamma, A.norm());
    if (r.stationarity <= certified || tolerance <= noise || stop()) break;
  }
}

void run_dense(const CompletionProblem& problem, const CompletionOptions& options, CompletionResult& r) {
  Options settings = default_preset(Method::automatic);
  settings.limits.seconds = options.seconds;
  const Result run =
      solve(problem.problem(), Vector::Zero(problem.rows * problem.cols), settings, {.stop = options.stop});
  const detail::ThinSvd svd = detail::thin_svd(ConstMatrixView(run.y.data(), problem.rows, problem.cols));
  r.B = svd.U.leftCols(problem.kappa);
  r.C = svd.V.leftCols(problem.kappa) * svd.sigma.head(problem.kappa).asDiagonal();
  r.f = run.f;
  r.iterations = run.counts.inner;
  r.stationarity = run.certificate.relative_stationarity();
  const Matrix X = detail::times_transpose(r.B, r.C);
  r.box_error = std::max({problem.box->first - X.minCoeff(), X.maxCoeff() - problem.box->second, 0.0});
}

}  // namespace

void CompletionProblem::validate() const {
  require(rows >= 1, "rows", rows, "at least 1");
  require(cols >= 1, "cols", cols, "at least 1");
  require(kappa >= 1 && kappa <= std::min(rows, cols), "kappa", kappa,
          fmt::format("1 <= kappa <= min(rows, cols) = {}", std::min(rows, cols)));
  require(gamma >= 0.0 && std::isfinite(gamma), "gamma", gamma, "a number, at least 0");
  require(!seen.empty(), "seen", Index{0}, "at least one entry");
  std::vector<std::pair<Index, Index>> places;
  places.reserve(seen.size());
  for (const Observation& o : seen) {
    const bool inside = o.row >= 0 && o.row < rows && o.column >= 0 && o.column < cols;
    if (!inside) throw InvalidArgument("seen", fmt::format("({}, {})", o.row, o.column), "a place of the matrix");
    if (!std::isfinite(o.value))
      throw InvalidArgument(fmt::format("seen({}, {})", o.row, o.column), to_text(o.value), "a finite number");
    places.emplace_back(o.row, o.column);
  }
  std::sort(places.begin(), places.end());
  const auto twice = std::adjacent_find(places.begin(), places.end());
  if (twice != places.end())
    throw InvalidArgument("seen", fmt::format("({}, {})", twice->first, twice->second), "each place once");
  if (!box) return;
  require(box->first <= box->second, "box.lower", box->first, fmt::format("at most box.upper = {}", box->second));
  require(rows * cols <= largest_dense, "rows * cols", rows * cols,
          fmt::format("at most {} with a box", largest_dense));
}

double CompletionProblem::scale() const {
  double largest = 0.0;
  for (const Observation& o : seen) largest = std::max(largest, std::abs(o.value));
  if (box)
    for (const double side : {box->first, box->second})
      if (std::isfinite(side)) largest = std::max(largest, std::abs(side));
  return largest;
}

Problem CompletionProblem::problem() const {
  validate();
  const Index n = rows * cols;
  // ½ w (x − c)² + constant is ½ (x − a)² + γ/2 x² for w = 1 + γ, c = a/w; unseen entries have w = γ.
  Vector weights = Vector::Constant(n, gamma), centre = Vector::Zero(n);
  for (const Observation& o : seen) {
    weights[o.row + rows * o.column] = 1.0 + gamma;
    centre[o.row + rows * o.column] = o.value / (1.0 + gamma);
  }
  Problem p{
      .f = SquaredDistance(centre, weights), .D = LowRank(rows, cols, kappa), .space = Space::matrix(rows, cols)};
  if (box) {
    p.G = Selection::identity(n);
    p.C = Box(Vector::Constant(n, box->first), Vector::Constant(n, box->second));
  }
  return p;
}

CompletionResult complete_matrix(const CompletionProblem& problem, const CompletionOptions& options) {
  problem.validate();
  require(options.tolerance > 0.0 && options.tolerance < 1.0, "tolerance", options.tolerance, "between 0 and 1");
  require(options.seconds >= 0.0, "seconds", options.seconds, "at least 0");
  const detail::Deadline deadline(options.seconds, options.stop);
  const auto stop = [&] { return deadline.passed(); };
  CompletionResult r;
  if (problem.box) {
    run_dense(problem, options, r);
  } else {
    run_factored(problem, options, stop, r);
  }
  double squares = 0.0;
  for (const Observation& o : problem.seen) squares += std::pow(r.entry(o.row, o.column) - o.value, 2);
  r.rmse = std::sqrt(squares / static_cast<double>(problem.seen.size()));
  const double gamma_part = 0.5 * problem.gamma * r.C.squaredNorm();
  r.f = 0.5 * squares + gamma_part;
  r.seconds = deadline.seconds();
  if (r.stationarity <= certified && r.box_error <= 1e-6 * problem.scale()) {
    r.status = Status::converged;
    r.message = "a stationary point of the matrices of this rank";
  } else {
    r.status = deadline.reason(Status::stalled);
    r.message = r.stationarity <= certified ? "the box is violated" : "stopped before the gradient was small";
    if (problem.gamma == 0.0 && !problem.box)
      r.message += "; without gamma, columns with fewer than kappa entries are not determined";
  }
  return r;
}

Biases fit_biases(Index rows, Index cols, const std::vector<Observation>& seen, double shrinkage) {
  require(!seen.empty(), "seen", Index{0}, "at least one entry");
  require(shrinkage >= 0.0 && std::isfinite(shrinkage), "shrinkage", shrinkage, "a number, at least 0");
  Biases b{0.0, Vector::Zero(rows), Vector::Zero(cols)};
  for (const Observation& o : seen) b.mean += o.value / static_cast<double>(seen.size());
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (const bool of_rows : {false, true}) {
      Vector& bias = of_rows ? b.row : b.column;
      Vector sums = Vector::Zero(bias.size()), counts = Vector::Constant(bias.size(), shrinkage + 1e-300);
      for (const Observation& o : seen) {
        const Index i = of_rows ? o.row : o.column;
        sums[i] += o.value - b.mean - (of_rows ? b.column[o.column] : b.row[o.row]);
        counts[i] += 1.0;
      }
      bias = sums.cwiseQuotient(counts);
    }
  }
  return b;
}

std::pair<std::vector<Observation>, std::vector<Observation>> split(const std::vector<Observation>& seen,
                                                                    double fraction, std::uint64_t seed) {
  require(fraction >= 0.0 && fraction < 1.0, "fraction", fraction, "0 <= fraction < 1");
  const auto count = static_cast<Index>(seen.size());
  const auto held = static_cast<Index>(std::floor(fraction * static_cast<double>(count)));
  std::vector<Index> order(seen.size());
  std::iota(order.begin(), order.end(), Index{0});
  Random random(seed);
  for (Index k = 0; k < held; ++k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(k + random.below(count - k))]);
  std::vector<bool> out(seen.size(), false);
  for (Index k = 0; k < held; ++k) out[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = true;
  std::pair<std::vector<Observation>, std::vector<Observation>> parts;
  for (std::size_t e = 0; e < seen.size(); ++e) (out[e] ? parts.second : parts.first).push_back(seen[e]);
  return parts;
}

double rmse(const std::vector<Observation>& entries, const Biases& biases, const CompletionResult* result) {
  double squares = 0.0;
  for (const Observation& o : entries) {
    const double predicted = biases.at(o.row, o.column) + (result ? result->entry(o.row, o.column) : 0.0);
    squares += std::pow(predicted - o.value, 2);
  }
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(entries.size(), 1)));
}

}  // namespace pendec
