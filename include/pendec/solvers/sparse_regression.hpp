// Linear models with few features: one size, a path of sizes, and the choice among them.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "pendec/core/operator.hpp"
#include "pendec/export.hpp"
#include "pendec/objectives/linear_model.hpp"
#include "pendec/report/global_status.hpp"

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
};

/// Smaller is better, within one criterion. With L = −2 log-likelihood (m log(RSS/m) for least squares) and k
/// parameters of p features: AIC L + 2k; BIC L + k log m; EBIC BIC + 2 log (p over k) (Chen, Chen 2008);
/// GIC L + k log p log log m (Fan, Tang 2013). For Huber's loss L is twice the loss.
struct Criteria {
  double aic = infinity, bic = infinity, ebic = infinity, gic = infinity;
};

/// A model with at most s features.
struct SparseFit {
  Index s = 0;
  Vector coefficients;  // one per feature, in the units of the data
  double intercept = 0.0;
  std::vector<Index> support;
  double f = infinity;             // the loss, summed over the observations, with the ridge term
  double lower_bound = -infinity;  // on f over all models with at most s features, for least squares alone: of the
                                   // normal equations as formed in floating point, features centred and scaled
  std::string status;      // "optimal" … for least squares (GlobalStatus), "converged" … otherwise (Status)
  bool certified = false;  // status is "optimal"
  bool exchange_optimal = false;  // no exchange of one feature improves f: verified
  double loss = infinity;         // f without the ridge term
  Criteria criteria;
  double cv_mean = infinity, cv_error = 0.0;  // loss per observation on held-out folds, and its standard error
  double seconds = 0.0;
};

/// Least squares: to the certified optimum, through solve_sparse_qp. Other losses: PDLM, polish and exchanges through
/// solve, without a certificate. Misuse throws InvalidArgument.
PENDEC_EXPORT SparseFit sparse_regression(const Operator& A, const Vector& b, Index s,
                                          const SparseRegressionOptions& options = {});

/// One model per size, each started from the one before; with options.folds also cross-validated.
PENDEC_EXPORT std::vector<SparseFit> sparse_path(const Operator& A, const Vector& b, const std::vector<Index>& sizes,
                                                 const SparseRegressionOptions& options = {});

enum class Criterion { aic, bic, ebic, gic, cv };
PENDEC_EXPORT std::string_view to_string(Criterion criterion);
PENDEC_EXPORT double value_of(const SparseFit& fit, Criterion criterion);

/// Index of the best model of a path.
PENDEC_EXPORT std::size_t choose(const std::vector<SparseFit>& path, Criterion criterion);

}  // namespace pendec
