#include "pendec/solvers/sparse/sparse_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../../subsolvers/dense.hpp"
#include "model.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "pendec/solvers/solve.hpp"
#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec {
namespace {

Vector column_sums(const Operator& A) {
  Vector sums(A.cols());
  A.transpose_times(Vector::Ones(A.rows()), sums);
  return sums;
}

/// Gram matrix of the columns minus `mean`, times `scale`. Dense data are centred first; sparse ones stay sparse, and
/// columns whose mean is much larger than their deviation lose digits.
Matrix centred_gram(const Operator& A, const Vector& mean, const Vector& scale) {
  if (const auto* dense = A.view()) {
    const Matrix centred = (dense->rowwise() - mean.transpose()) * scale.asDiagonal();
    return detail::transpose_times(centred, centred);
  }
  Matrix gram = A.gram().dense();
  gram -= static_cast<double>(A.rows()) * mean * mean.transpose();
  return scale.asDiagonal() * gram * scale.asDiagonal();
}

/// Σ_k (a_kj − mean_j)².
Vector centred_squares(const Operator& A, const Vector& mean) {
  if (const auto* dense = A.view()) return (dense->rowwise() - mean.transpose()).colwise().squaredNorm();
  return A.transposed().row_norms().cwiseAbs2() - static_cast<double>(A.rows()) * mean.cwiseAbs2();
}

/// One size after the other on the same data; features are scaled to unit variance (unit mean square without an
/// intercept), constant ones are left as they are.
class Fitter {
 public:
  Fitter(const Operator& A, const Vector& b, const SparseRegressionOptions& options)
      : A_(A),
        b_(b),
        options_(options),
        p_(A.cols()),
        m_(A.rows()),
        unscaled_(A, b, options.loss, {.intercept = options.intercept, .huber = options.huber}) {
    require(m_ > 0 && p_ > 0, "A", fmt::format("{} x {}", m_, p_), "at least one observation and one feature");
    detail::check_ranges(options, "SparseRegressionOptions.");
    require_forced();
    mean_ = options.intercept ? Vector(column_sums(A) / static_cast<double>(m_)) : Vector::Zero(p_);
    const Vector variance = centred_squares(A, mean_) / static_cast<double>(m_);
    scale_ = Vector::Ones(p_);
    for (Index j = 0; j < p_; ++j) {
      if (variance[j] > 1e-24 * mean_[j] * mean_[j])
        scale_[j] = 1.0 / std::sqrt(variance[j]);
      else
        constant_features_.push_back(j);
    }
    LinearModelOptions model{.intercept = options.intercept, .ridge = options.ridge, .huber = options.huber};
    if (options.intercept) model.centre = mean_.cwiseProduct(scale_);
    model_ = std::make_unique<LinearModel>(A.scaled({}, scale_), b, options.loss, std::move(model));
  }

  Result fit(Index s, const Deadline& deadline) {
    Result out = options_.loss == Loss::squared ? least_squares(s, deadline) : general(s, deadline);
    auto& details = std::get<SparseDetails>(out.details);
    details.s = s;
    details.model->criteria = criteria(details);
    out.route = "sparse_regression";
    out.times.total = deadline.seconds();
    return out;
  }

  ScaledModel scaled(Index s, const Vector& y) {
    require_dimension("y.size()", y.size(), model_->dimension());
    Vector x = y;
    x.head(p_) = y.head(p_).cwiseQuotient(scale_);
    if (options_.intercept) x[p_] += mean_.dot(y.head(p_));
    Result out;
    out.details = SparseDetails{.s = s, .model = ModelDetails{}};
    take(out, x);
    ScaledModel at{.problem = problem(s), .x = x, .details = std::get<SparseDetails>(out.details)};
    at.details.model->criteria = criteria(at.details);
    at.f = at.details.model->loss + 0.5 * options_.ridge * x.head(p_).squaredNorm();
    if (options_.loss == Loss::squared) at.size = constant_, at.x.conservativeResize(p_);
    return at;
  }

 private:
  Criteria criteria(const SparseDetails& fit) const {
    const double m = static_cast<double>(m_), p = static_cast<double>(p_), loss = fit.model->loss;
    const double k = static_cast<double>(fit.support.size());
    const double parameters = k + (options_.intercept ? 1.0 : 0.0);
    const double L = options_.loss == Loss::squared ? m * std::log(2.0 * loss / m) : 2.0 * loss;
    const double log_choices = std::lgamma(p + 1.0) - std::lgamma(k + 1.0) - std::lgamma(p - k + 1.0);
    const double bic = L + parameters * std::log(m);
    return {L + 2.0 * parameters, bic, bic + 2.0 * log_choices,
            L + parameters * std::log(std::max(p, 2.0)) * std::log(std::max(std::log(m), 1.0))};
  }

  void require_forced() const {
    const auto require_index = [&](const char* field, Index j) {
      require(0 <= j && j < p_, field, j, fmt::format("features from 0 to {}", p_ - 1));
    };
    for (const Index j : options_.forced_in) require_index("SparseRegressionOptions.forced_in", j);
    for (const Index j : options_.forced_out) {
      require_index("SparseRegressionOptions.forced_out", j);
      require(std::find(options_.forced_in.begin(), options_.forced_in.end(), j) == options_.forced_in.end(),
              "SparseRegressionOptions.forced_out", j, "no feature that is forced in");
    }
  }

  /// ½‖A x − b‖² with the intercept eliminated: the Gram matrix of the centred features.
  SparseQp normal_equations(Index s) {
    if (gram_.rows() == 0) prepare_gram();
    SparseQp qp{.Q = gram_,
                .c = linear_,
                .s = s,
                .groups = options_.groups,
                .forced_in = options_.forced_in,
                .forced_out = options_.forced_out,
                .constant = constant_,
                .error = error_};
    if (options_.nonnegative) {
      qp.constraints = LinearConstraints::none(p_);
      qp.constraints.lower.setZero();
    }
    return qp;
  }

  Result least_squares(Index s, const Deadline& deadline) {
    Result out = solve_sparse_qp(normal_equations(s), {.gap = options_.gap,
                                                       .seconds = deadline.left(),
                                                       .nodes = options_.nodes,
                                                       .start = last_support_,
                                                       .stop = deadline.token()});
    std::get<SparseDetails>(out.details).model.emplace();
    if (!out.has_point()) return out;
    Vector x(p_ + 1);
    x << out.y, b_.mean();
    // From the residuals: the quadratic's value is a difference of large numbers where the fit is good.
    const double ridge = 0.5 * options_.ridge * out.y.squaredNorm();
    take(out, options_.intercept ? x : Vector(x.head(p_)));
    out.f = out.sparse().model->loss + ridge;
    out.bound = std::min(std::max(out.bound, 0.0), out.f);
    // What was proved of the normal equations must hold for the residuals, too; and no sum of squares is unbounded.
    const bool proved = out.status == Status::optimal || out.status == Status::gap_limit;
    if (!proved && out.status != Status::unbounded) return out;
    const double open = out.f - out.bound, size = std::max(out.f, constant_);
    if (out.status == Status::optimal && open <= 1e-9 * size) {
      out.message = "proved: no model with as few features has a smaller f";
    } else if (proved && open <= std::max(options_.gap, 1e-9) * size) {
      out.status = Status::gap_limit;
      out.message = "within the gap asked for of the best model with as few features";
    } else {
      out.status = out.certificate.holds(out.options.driver.tolerance) ? Status::converged : Status::stalled;
      out.message = fmt::format("rounding in the normal equations leaves f - bound = {:.1e}", open);
    }
    return out;
  }

  void prepare_gram() {
    Matrix gram = centred_gram(A_, mean_, scale_);
    gram = 0.5 * (gram + gram.transpose()).eval();
    gram.diagonal().array() += options_.ridge;
    const double centre = options_.intercept ? b_.mean() : 0.0;
    const Vector centred = b_.array() - centre;
    linear_.resize(p_);
    A_.transpose_times(centred, linear_);
    linear_ -= centred.sum() * mean_;
    linear_ = -linear_.cwiseProduct(scale_);
    for (const Index j : constant_features_)  // what centring leaves of them is rounding
      linear_[j] = 0.0, gram.row(j).setZero(), gram.col(j).setZero(), gram(j, j) = options_.ridge;
    constant_ = 0.5 * centred.squaredNorm();
    gram_ = std::move(gram);
    error_ = rounding_of_gram(centred.norm(), centre);
  }

  /// What rounding does to sums over the observations, and to features and b when a mean is subtracted that is larger
  /// than their deviation.
  SparseQp::DataError rounding_of_gram(double b_norm, double b_mean) const {
    const double m = static_cast<double>(m_), unit = rounding_unit(m_);
    const double shift = 1.0 + mean_.cwiseProduct(scale_).cwiseAbs().maxCoeff();
    const double b_size = b_norm + std::sqrt(m) * std::abs(b_mean);
    const Vector spread = (gram_.view()->diagonal().array() - options_.ridge).max(0.0).sqrt();
    return {.Q = unit * (A_.view() == nullptr ? shift * shift : shift),
            .c = unit * shift * b_size * spread,
            .constant = unit * b_norm * b_size};
  }

  /// In scaled features; of least squares without the intercept, which is eliminated.
  Problem problem(Index s) {
    if (options_.loss == Loss::squared) return normal_equations(s).problem();
    return {.f = *model_, .D = features(s)};
  }

  /// Any smooth loss: the library's general default, from the last size's model.
  Result general(Index s, const Deadline& deadline) {
    const Index n = model_->dimension();
    Options options;
    options.limits.seconds = deadline.left();
    const Vector start = last_.size() == n ? last_ : Vector::Zero(n);
    Result out = solve(problem(s), start, options, {.stop = deadline.token()});
    out.details = SparseDetails{.model = ModelDetails{}};
    take(out, Vector(out.y));
    out.x.resize(0);  // and mu: they are those of scaled features
    out.mu.resize(0);
    out.pair = {};
    return out;
  }

  /// Few features, each within its sign; the intercept, which is in no group, is free.
  Set features(Index s) const {
    require(options_.groups.empty() || !options_.nonnegative, "SparseRegressionOptions.groups",
            "groups of features with a sign", "least squares for that");
    const Index n = model_->dimension();
    SparseQp choice{.Q = {},
                    .c = Vector::Zero(n),
                    .s = s,
                    .constraints = LinearConstraints::none(n),
                    .groups = options_.groups,
                    .forced_in = options_.forced_in,
                    .forced_out = options_.forced_out};
    if (options_.nonnegative) choice.constraints.lower.head(p_).setZero();
    for (Index j = 0; options_.groups.empty() && j < p_; ++j) choice.groups.push_back({j});
    return sparse::support_set(sparse::make_rules(choice));
  }

  /// x in the scaled units of the model.
  void take(Result& out, const Vector& x) {
    last_ = x;
    last_support_.clear();
    for (Index j = 0; j < p_; ++j)
      if (x[j] != 0.0) last_support_.push_back(j);
    auto& details = std::get<SparseDetails>(out.details);
    details.support = last_support_;
    out.y = x;
    out.y.head(p_) = x.head(p_).cwiseProduct(scale_);
    if (options_.intercept) details.model->intercept = out.y[p_] = x[p_] - mean_.dot(out.y.head(p_));
    details.model->loss = unscaled_.loss_at(out.y);
  }

  const Operator& A_;
  const Vector& b_;
  const SparseRegressionOptions& options_;
  Index p_, m_;
  Vector scale_, mean_;
  std::vector<Index> constant_features_;
  LinearModel unscaled_;  // without the ridge, which is for features of unit variance
  std::unique_ptr<LinearModel> model_;
  Operator gram_;  // with the ridge
  Vector linear_;
  double constant_ = 0.0;
  SparseQp::DataError error_;
  Vector last_;
  std::vector<Index> last_support_;
};

void require_sizes(const std::vector<Index>& sizes) {
  for (const Index s : sizes) require(s >= 0, "s", s, "s >= 0");
}

/// What the fits that are still to come share.
struct Remaining {
  Deadline deadline;
  Index fits;
  Deadline next() { return deadline.share(fits--); }
};

/// Ends with the fit that a stop was requested in.
std::vector<Result> fit_all(Fitter& fitter, const std::vector<Index>& sizes, Remaining& remaining) {
  std::vector<Result> path;
  for (const Index s : sizes) {
    path.push_back(fitter.fit(s, remaining.next()));
    if (remaining.deadline.interrupted()) break;
  }
  return path;
}

/// Shuffled once, then cut into equal parts.
std::vector<std::vector<Index>> make_folds(Index m, Index folds, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), Index{0});
  Random random(seed);
  for (Index k = m - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);
  std::vector<std::vector<Index>> parts(static_cast<std::size_t>(folds));
  for (Index k = 0; k < m; ++k)
    parts[static_cast<std::size_t>(k % folds)].push_back(order[static_cast<std::size_t>(k)]);
  return parts;
}

void cross_validate(const Operator& A, const Vector& b, const std::vector<Index>& sizes,
                    const SparseRegressionOptions& options, Remaining& remaining, std::vector<Result>& path) {
  require(options.folds >= 2 && options.folds <= A.rows(), "SparseRegressionOptions.folds", options.folds,
          fmt::format("0, or 2 to {} (the observations)", A.rows()));
  Matrix losses = Matrix::Constant(options.folds, static_cast<Index>(sizes.size()), infinity);
  const auto folds = make_folds(A.rows(), options.folds, options.seed);
  for (std::size_t held_out = 0; held_out < folds.size() && !remaining.deadline.passed(); ++held_out) {
    std::vector<Index> others;
    for (std::size_t k = 0; k < folds.size(); ++k)
      if (k != held_out) others.insert(others.end(), folds[k].begin(), folds[k].end());
    const Operator train = A.rows_at(others), test = A.rows_at(folds[held_out]);
    const Vector train_b = b(others), test_b = b(folds[held_out]);
    Fitter fitter(train, train_b, options);
    const LinearModel judge(test, test_b, options.loss, {.intercept = options.intercept, .huber = options.huber});
    const auto fits = fit_all(fitter, sizes, remaining);
    if (remaining.deadline.interrupted()) return;  // without all folds there is no mean
    for (std::size_t k = 0; k < fits.size(); ++k) {
      if (!fits[k].has_point()) continue;  // stopped before there was one
      losses(static_cast<Index>(held_out), static_cast<Index>(k)) =
          judge.loss_at(fits[k].y) / static_cast<double>(test_b.size());
    }
  }
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto column = losses.col(static_cast<Index>(k)).array();
    const double folds_count = static_cast<double>(options.folds);
    ModelDetails& model = *std::get<SparseDetails>(path[k].details).model;
    model.cv_mean = column.mean();
    if (model.cv_mean == infinity) continue;  // a fold is missing: nothing is said
    model.cv_error = std::sqrt((column - column.mean()).square().sum() / (folds_count - 1.0) / folds_count);
  }
}

}  // namespace

Result sparse_regression(const Operator& A, const Vector& b, Index s, const SparseRegressionOptions& options) {
  return sparse_path(A, b, {s}, options).front();
}

std::vector<Result> sparse_path(const Operator& A, const Vector& b, const std::vector<Index>& sizes,
                                const SparseRegressionOptions& options) {
  require_sizes(sizes);
  Remaining remaining{Deadline(options.seconds, options.stop), (options.folds + 1) * std::ssize(sizes)};
  Fitter fitter(A, b, options);
  auto path = fit_all(fitter, sizes, remaining);
  if (options.folds != 0 && path.size() == sizes.size()) cross_validate(A, b, sizes, options, remaining, path);
  return path;
}

ScaledModel scaled_model(const Operator& A, const Vector& b, Index s, const SparseRegressionOptions& options,
                         const Vector& y) {
  return Fitter(A, b, options).scaled(s, y);
}

double value_of(const Result& fit, Criterion criterion) {
  const ModelDetails& model = *fit.sparse().model;
  double value = model.cv_mean;
  detail::for_each_member(model.criteria, [&](std::string_view name, double known) {
    if (name == to_string(criterion)) value = known;
  });
  return value;
}

std::size_t choose(const std::vector<Result>& path, Criterion criterion) {
  require(!path.empty(), "path", "empty", "at least one model");
  const auto best = std::min_element(path.begin(), path.end(), [&](const Result& a, const Result& b) {
    return value_of(a, criterion) < value_of(b, criterion);
  });
  return static_cast<std::size_t>(best - path.begin());
}

}  // namespace pendec
