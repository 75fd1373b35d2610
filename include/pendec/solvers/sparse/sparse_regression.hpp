// Linear models with few features: one size, a path of sizes, and the choice among them.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/core/operator.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/export.hpp"
#include "pendec/objectives/regression.hpp"

namespace pendec {

struct SparseRegressionOptions {
  Loss loss = Loss::squared;
  bool intercept = true;
  double ridge = 0.0;  // on the coefficients of features scaled to unit variance
  double huber = 1.345;
  bool nonnegative = false;
  std::vector<Index> forced_in = {}, forced_out = {};
  std::vector<std::vector<Index>> groups = {};  // s then counts groups
  double gap = 1e-9;  // least squares: gap of the certificate, relative to f (½‖b‖² if the fit is all but perfect)
  double seconds = infinity;  // for all sizes and folds: each gets an equal share of what is left
  Index nodes = std::numeric_limits<Index>::max();
  Index folds = 0;         // of cross-validation; 0: none
  std::uint64_t seed = 1;  // of the folds
  std::stop_token stop = {};

  static constexpr auto fields() {
    using O = SparseRegressionOptions;
    using detail::field;
    return std::tuple{field("loss", &O::loss, "loss: squared (certified), logistic, huber or poisson"),
                      field("intercept", &O::intercept, "with a constant term"),
                      field("ridge", &O::ridge, "adds ridge/2 |x|^2, features scaled to unit variance", 0),
                      field("huber", &O::huber, "where Huber's loss turns linear", 0, infinity, true),
                      field("nonnegative", &O::nonnegative, "coefficients are at least 0"),
                      field("forced_in", &O::forced_in, "features that are always chosen, and count"),
                      field("forced_out", &O::forced_out, "features that are never chosen"),
                      field("groups", &O::groups, "s then counts groups of features"),
                      field("gap", &O::gap, "least squares: stop when (f - bound)/|f| is below this", 0),
                      field("seconds", &O::seconds, "give up after this many seconds; sizes and folds share them", 0),
                      field("nodes", &O::nodes, "nodes of branch and bound at most, for each size", 0),
                      field("folds", &O::folds, "folds of cross-validation; 0: none", 0),
                      field("seed", &O::seed, "of the folds")};
  }
};

/// A model with at most s features: SparseDetails with a model. Least squares: to the certified optimum, through
/// solve_sparse_qp; the bound is one of the normal equations as formed in floating point, features centred and
/// scaled. Other losses: PDLM, polish and exchanges through solve, without a bound. f is the loss, summed over the
/// observations, with the ridge term. Misuse throws InvalidArgument.
PENDEC_EXPORT Result sparse_regression(const Operator& A, const Vector& b, Index s,
                                       const SparseRegressionOptions& options = {});

/// One model per size, each started from the one before; with options.folds also cross-validated.
PENDEC_EXPORT std::vector<Result> sparse_path(const Operator& A, const Vector& b, const std::vector<Index>& sizes,
                                              const SparseRegressionOptions& options = {});

/// What a model's y, of whatever origin, amounts to.
struct PENDEC_EXPORT ScaledModel {
  Problem problem;        // in features scaled to unit variance (unit mean square without an intercept): what was
                          // solved, for least squares with the intercept eliminated
  Vector x;               // y there
  double f = infinity;    // loss and ridge term
  double size = 0.0;      // of what cancels in f: gaps are relative to the larger one
  SparseDetails details;  // support, loss, criteria
};
PENDEC_EXPORT ScaledModel scaled_model(const Operator& A, const Vector& b, Index s,
                                       const SparseRegressionOptions& options, const Vector& y);

enum class Criterion { aic, bic, ebic, gic, cv };
template <>
struct Names<Criterion> {
  static constexpr std::array values{std::pair{Criterion::aic, "aic"}, std::pair{Criterion::bic, "bic"},
                                     std::pair{Criterion::ebic, "ebic"}, std::pair{Criterion::gic, "gic"},
                                     std::pair{Criterion::cv, "cv"}};
};
PENDEC_EXPORT double value_of(const Result& fit, Criterion criterion);

/// Index of the best model of a path.
PENDEC_EXPORT std::size_t choose(const std::vector<Result>& path, Criterion criterion);

}  // namespace pendec
