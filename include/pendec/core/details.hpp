// What the solver of a class knows beyond a point and a bound. Each struct lists its members once, for JSON, result
// files and Python alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "pendec/core/members.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// Nothing beyond the result itself.
struct NoDetails {
  static constexpr std::string_view type = "general";
  static constexpr auto members() { return std::tuple{}; }
};

/// Smaller is better, within one criterion. With L = −2 log-likelihood (m log(RSS/m) for least squares) and k
/// parameters of p features: AIC L + 2k; BIC L + k log m; EBIC BIC + 2 log (p over k) (Chen, Chen 2008);
/// GIC L + k log p log log m (Fan, Tang 2013). For Huber's loss L is twice the loss.
struct Criteria {
  double aic = infinity, bic = infinity, ebic = infinity, gic = infinity;

  static constexpr auto members() {
    using C = Criteria;
    using detail::member;
    return std::tuple{member("aic", &C::aic), member("bic", &C::bic), member("ebic", &C::ebic),
                      member("gic", &C::gic)};
  }
};

/// A linear model. y has one coefficient per feature, in the units of the data, and last the intercept, if any; the
/// certificate is one for features scaled to unit variance.
struct ModelDetails {
  double intercept = 0.0;
  double loss = infinity;  // summed over the observations; f is that with the ridge term
  Criteria criteria = {};
  double cv_mean = infinity, cv_error = 0.0;  // loss per observation on held-out folds, and its standard error

  static constexpr auto members() {
    using M = ModelDetails;
    using detail::member;
    return std::tuple{member("intercept", &M::intercept), member("loss", &M::loss), member("criteria", &M::criteria),
                      member("cv_mean", &M::cv_mean), member("cv_error", &M::cv_error)};
  }
};

struct PortfolioDetails {
  double mean = infinity;             // meanᵀw; not finite: there is no portfolio
  double volatility = infinity;       // √(wᵀΣw)
  std::optional<double> target = {};  // the least mean return that was asked for

  static constexpr auto members() {
    using P = PortfolioDetails;
    using detail::member;
    return std::tuple{member("mean", &P::mean), member("volatility", &P::volatility), member("target", &P::target)};
  }
};

/// Few nonzeros. lambda holds the multipliers of A x ≤ b, then E x = d, on the support (filled up to s); with groups
/// and bounds those of the bounds after them.
struct SparseDetails {
  static constexpr std::string_view type = "sparse";
  Index s = 0;                          // how many were allowed
  std::vector<Index> support = {};      // indices of the nonzeros
  std::vector<std::string> names = {};  // of the variables of the support, where they have names
  std::optional<ModelDetails> model = {};
  std::optional<PortfolioDetails> portfolio = {};

  static constexpr auto members() {
    using S = SparseDetails;
    using detail::member;
    return std::tuple{member("s", &S::s), member("support", &S::support), member("names", &S::names),
                      member("model", &S::model), member("portfolio", &S::portfolio)};
  }
};

/// How the parts of a union were dealt with; the five add up to their number.
struct PartCounts {
  Index screened = 0;    // not opened: a bound by their distance was enough
  Index bounded = 0;     // opened and excluded by a quadratic program that bounds f below on the part
  Index infeasible = 0;  // proved to have no point with G(x) ∈ C
  Index solved = 0;      // solved to the end
  Index unresolved = 0;  // neither: the reason why a status is not `optimal`

  Index sum() const { return screened + bounded + infeasible + solved + unresolved; }

  static constexpr auto members() {
    using C = PartCounts;
    using detail::member;
    return std::tuple{member("screened", &C::screened), member("bounded", &C::bounded),
                      member("infeasible", &C::infeasible), member("solved", &C::solved),
                      member("unresolved", &C::unresolved)};
  }
};

/// A union of convex parts.
struct PartsDetails {
  static constexpr std::string_view type = "parts";
  Index part = -1;         // of y; −1 if no feasible point was found
  PartCounts counts = {};  // all zero without certificate
  Vector bounds = {};      // for each part: no feasible point of it that is better than f(y) has a smaller f; ∞ if
                           // infeasible

  static constexpr auto members() {
    using P = PartsDetails;
    using detail::member;
    return std::tuple{member("part", &P::part), member("counts", &P::counts), member("bounds", &P::bounds)};
  }
};

/// What is known about a solution of a program with pairs. With multipliers ν in
///     ∇f(x) + G'(x)*λ + Σ (ν_F ∇F_i(x) + ν_H ∇H_i(x)) + N_X(x) ∋ 0
/// each (ν_F, ν_H) is a normal of the pair's set at (F_i, H_i): a regular one (S) or a limiting one (M), and they
/// differ only for biactive pairs. S implies B: along no direction of the linearised program does f fall. Where the
/// multipliers do not show that, linear programs over the sides of biactive pairs may.
enum class PairStationarity {
  none,  // not verified
  M,     // limiting normals
  B,     // no direction of the linearised program falls by more than 1e-8 of what the gradient could
  S      // regular normals: all multipliers of biactive pairs have the right signs
};
PENDEC_EXPORT std::string_view to_string(PairStationarity type);

struct PairReport {
  Index constraint = 0, row = 0;  // pairs[constraint], row of F and H
  double F = 0.0, H = 0.0;        // F_i(x) and H_i(x)
  double nu_F = 0.0, nu_H = 0.0;
  bool biactive = false;   // F = H = 0: the point where the two alternatives meet
  double violation = 0.0;  // distance of (F, H) from the set of its kind of pairs

  static constexpr auto members() {
    using R = PairReport;
    using detail::member;
    return std::tuple{member("constraint", &R::constraint),
                      member("row", &R::row),
                      member("F", &R::F),
                      member("H", &R::H),
                      member("nu_F", &R::nu_F),
                      member("nu_H", &R::nu_H),
                      member("biactive", &R::biactive),
                      member("violation", &R::violation)};
  }
};

/// Pairs of alternative constraints: y is that of the problem with slacks, which it holds exactly in the pairs' sets;
/// lambda shows the stationarity.
struct PairsDetails {
  static constexpr std::string_view type = "pairs";
  Vector x = {};  // the variables: y without the slacks
  PairStationarity stationarity = PairStationarity::none;
  Index linear_programs = 0;  // solved to find out
  std::vector<PairReport> table = {};

  static constexpr auto members() {
    using P = PairsDetails;
    using detail::member;
    return std::tuple{member("x", &P::x), member("stationarity", &P::stationarity),
                      member("linear_programs", &P::linear_programs), member("table", &P::table)};
  }
};

/// X = VVᵀ is a correlation matrix in floating point: its diagonal is 1 up to a few units of rounding, it is positive
/// semidefinite and of rank at most V.cols() by construction. x and y are left empty: they would have n² entries.
struct PENDEC_EXPORT CorrelationDetails {
  static constexpr std::string_view type = "correlation";
  Matrix V = {};             // n × rank, rows of length one
  bool global = false;       // f and the bound agree to 1e-6 of what correlation matrices can change of f, or to
                             // rounding: X is a global minimum up to that
  double fixed_error = 0.0;  // largest |xᵢⱼ − aᵢⱼ| over fixed entries; only then the bound may lie above f

  Index rank() const { return V.cols(); }
  Matrix X() const;

  static constexpr auto members() {
    using C = CorrelationDetails;
    using detail::member;
    return std::tuple{member("V", &C::V), member("global", &C::global), member("fixed_error", &C::fixed_error)};
  }
};

/// mean + rowᵢ + columnⱼ, for every place.
struct PENDEC_EXPORT Biases {
  double mean = 0.0;
  Vector row = {}, column = {};

  static Biases zero(Index rows, Index cols) { return {0.0, Vector::Zero(rows), Vector::Zero(cols)}; }
  double at(Index i, Index j) const { return mean + row[i] + column[j]; }

  static constexpr auto members() {
    using B = Biases;
    using detail::member;
    return std::tuple{member("mean", &B::mean), member("row", &B::row), member("column", &B::column)};
  }
};

/// X = B Cᵀ, BᵀB = I; x and y are left empty: they would have an entry for every place. The certificate's distance_C
/// is how far entries leave the box, or its side if they have a multiplier.
struct CompletionDetails {
  static constexpr std::string_view type = "completion";
  Matrix B = {}, C = {};
  std::optional<Biases> biases = {};  // to be added to X, where they were subtracted from the entries
  double rmse = 0.0;                  // root mean square of xᵢⱼ − aᵢⱼ over the entries seen
  std::optional<double> held_out_rmse = {}, bias_rmse = {};  // over entries kept back, and of the biases alone there

  double entry(Index row, Index column) const { return B.row(row).dot(C.row(column)); }

  static constexpr auto members() {
    using D = CompletionDetails;
    using detail::member;
    return std::tuple{member("B", &D::B),
                      member("C", &D::C),
                      member("biases", &D::biases),
                      member("rmse", &D::rmse),
                      member("held_out_rmse", &D::held_out_rmse),
                      member("bias_rmse", &D::bias_rmse)};
  }
};

/// W = U + V with rank V ≤ κ; tasks × features. x and y, which would be [W; U; V], are left empty.
struct MultitaskDetails {
  static constexpr std::string_view type = "multitask";
  std::vector<std::string> tasks = {}, features = {};  // their names, where they have some
  Matrix W = {}, U = {}, V = {};
  std::vector<double> stationary_values = {};  // the different ones that starts ended at and that are verified,
                                               // increasing

  static constexpr auto members() {
    using M = MultitaskDetails;
    using detail::member;
    return std::tuple{member("tasks", &M::tasks), member("features", &M::features),
                      member("W", &M::W),         member("U", &M::U),
                      member("V", &M::V),         member("stationary_values", &M::stationary_values)};
  }
};

/// A cut of a graph: y has the sides −1 and 1. Results are of minimisation: f is −cut, and bound −upper_bound. The
/// certificate is that of X = VVᵀ, of which the cut was made.
struct CutDetails {
  static constexpr std::string_view type = "cut";
  Matrix V = {};                  // n × rank, unit rows
  double relaxation = 0.0;        // ½ Σ w_ij (1 − x_ij) at X
  double cut = 0.0;               // the heaviest cut found
  double upper_bound = infinity;  // no cut is heavier, and no admissible X; rounding is accounted for

  static constexpr auto members() {
    using C = CutDetails;
    using detail::member;
    return std::tuple{member("V", &C::V), member("relaxation", &C::relaxation), member("cut", &C::cut),
                      member("upper_bound", &C::upper_bound)};
  }
};

using Details = std::variant<NoDetails, SparseDetails, PartsDetails, PairsDetails, CorrelationDetails,
                             CompletionDetails, MultitaskDetails, CutDetails>;

}  // namespace pendec
