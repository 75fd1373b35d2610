// Low-rank multitask logistic regression, (6.5) of the paper.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "pendec/certificates/stationarity.hpp"
#include "pendec/core/deadline.hpp"
#include "pendec/core/options.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/core/result.hpp"
#include "pendec/core/status.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"
#include "pendec/xupdate/x_update.hpp"

namespace pendec {

/// One binary classification problem: a row of X an example, labels −1 and 1.
struct Task {
  std::string name;
  Matrix X;
  Vector labels;
};

/// min Σ_t mean_i log(1 + exp(−y_ti ⟨x_ti, w_t⟩)) + η/2 ‖U‖²  s.t.  W = U + V, rank V ≤ κ; rows of W, U, V are tasks.
struct PENDEC_EXPORT MultitaskProblem {
  std::vector<Task> tasks;
  double eta = 1.0;
  Index kappa = 1;

  Index features() const { return tasks.empty() ? 0 : tasks.front().X.cols(); }
  void validate() const;  // throws InvalidArgument

  static constexpr auto fields() {
    using P = MultitaskProblem;
    using detail::field;
    return std::tuple{field("eta", &P::eta, "weight of what leaves the shared subspace", 0, infinity, true),
                      field("kappa", &P::kappa, "dimension of the shared subspace", 1)};
  }

  /// On x = [vec W; vec U; vec V] with G(x) = W − U − V ∈ {0} and V ∈ LowRank, for solve().
  Problem problem() const;

  /// The weights of each task alone, with `ridge`/2 ‖w‖² so that separable tasks have a minimum as well; zero for
  /// those that there is no time for.
  Matrix single_task(double ridge = 1e-6, const Deadline& deadline = Deadline()) const;

  /// The exact x-update of that problem where only V has a y: eliminating U and V leaves a Newton iteration per task,
  /// min loss(w) + ρ/2 ‖w − c‖² with ρ = 1/(1/η + 2/τ), c = Y − (λ + μ)/τ.
  ExactXUpdate x_update() const;
};

/// `subspace` eliminates U and V: at a minimum V = W BBᵀ, and what is left is a smooth function of the κ-dimensional
/// subspace B. The others are the settings of Section 6.2, from the single-task start of the paper.
enum class MultitaskAlgorithm { subspace, pd_inaccurate, pd_mid, pd_accurate, alm_fast, alm_accurate };

template <>
struct Names<MultitaskAlgorithm> {
  static constexpr std::array values{std::pair{MultitaskAlgorithm::subspace, "subspace"},
                                     std::pair{MultitaskAlgorithm::pd_inaccurate, "pd_inaccurate"},
                                     std::pair{MultitaskAlgorithm::pd_mid, "pd_mid"},
                                     std::pair{MultitaskAlgorithm::pd_accurate, "pd_accurate"},
                                     std::pair{MultitaskAlgorithm::alm_fast, "alm_fast"},
                                     std::pair{MultitaskAlgorithm::alm_accurate, "alm_accurate"}};
};
PENDEC_EXPORT Options multitask_options(MultitaskAlgorithm algorithm);  // of the paper's; throws for subspace

struct MultitaskOptions {
  MultitaskAlgorithm algorithm = MultitaskAlgorithm::subspace;
  Index random_starts = 1;  // besides the two from the singular vectors of the single-task weights
  double tolerance = 1e-9;  // of the gradient over subspaces, relative to its terms
  double seconds = infinity;
  std::stop_token stop = {};

  static constexpr auto fields() {
    using O = MultitaskOptions;
    using detail::field;
    return std::tuple{
        field(
            "algorithm", &O::algorithm,
            "algorithm: subspace, or one of the paper's: pd_inaccurate, pd_mid, pd_accurate, alm_fast, alm_accurate"),
        field("random_starts", &O::random_starts, "starts besides the two from single tasks", 0),
        field("tolerance", &O::tolerance, "of the gradient over subspaces, relative to its terms", 0, 1, true),
        field("seconds", &O::seconds, "give up after this many seconds", 0)};
  }
};

/// MultitaskDetails. `converged`: the certificate of [W; U; V] is below 1e-6; `interrupted`: perhaps so, but not all
/// starts were tried.
PENDEC_EXPORT Result multitask_logistic(const MultitaskProblem& problem, const MultitaskOptions& options = {});

}  // namespace pendec
