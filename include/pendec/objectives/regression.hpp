// Objectives of regression models, sums of losses of A x: least squares, logistic, Huber, Poisson.
#pragma once

#include <string_view>

#include "pendec/core/names.hpp"
#include "pendec/core/objective.hpp"

namespace pendec {

/// ℓ(t; b) for a prediction t = ⟨a, x⟩ of an observation b.
enum class Loss {
  squared,   // ½(t − b)²
  logistic,  // log(1 + exp(−bt)), b = ±1
  huber,     // ½(t − b)² up to |t − b| ≤ M, linear beyond (Huber 1964)
  poisson    // exp(t) − bt, b ≥ 0
};
template <>
struct Names<Loss> {
  static constexpr std::array values{std::pair{Loss::squared, "squared"}, std::pair{Loss::logistic, "logistic"},
                                     std::pair{Loss::huber, "huber"}, std::pair{Loss::poisson, "poisson"}};
};

struct LinearModelOptions {
  bool intercept = false;  // x has one entry more, the last one, which is added to every prediction
  double ridge = 0.0;      // ½ ridge ‖x‖² is added, without the intercept
  double huber = 1.345;    // M
  Vector centre = {};      // with an intercept: predictions are ⟨a − centre, x⟩; empty: 0
};

/// f(x) = Σ_k ℓ(⟨a_k, x⟩; b_k) + ½ ridge ‖x‖², a_k the rows of A. One product with A and, for a gradient, one with Aᵀ
/// a call; never copies A.
struct PENDEC_EXPORT LinearModel {
  LinearModel(Operator A, Vector b, Loss loss, LinearModelOptions options = {});

  Index dimension() const { return design.cols(); }
  bool convex() const { return true; }
  double value(In x) const;
  double value_and_gradient(In x, Out g) const;
  void hessian_times(In x, In d, Out out) const;
  Operator hessian(In x) const;
  std::optional<Operator> constant_hessian() const;  // of the squared loss

  /// For the squared loss of features as they are.
  bool has_quadratic_form() const { return loss == Loss::squared && options.centre.size() == 0; }
  std::optional<QuadraticForm> quadratic_form() const;

  /// Aᵀ diag(κ) A: κ_k is the largest curvature of a parabola that touches the k-th loss at its prediction and stays
  /// below it wherever the prediction can go in the box.
  Matrix curvature_below(In at, In lower, In upper) const;

  double lower_bound() const { return loss == Loss::poisson ? -infinity : 0.0; }

  /// The predictions are wrong by rounding of |A||x|, and residuals by that of |b| as well, however small they are.
  double magnitude(In x, Out gradient) const;
  Index summands() const { return design.gram().summands(); }

  /// Σ_k ℓ alone.
  double loss_at(In x) const;

  Operator A;
  Vector b;
  Loss loss;
  LinearModelOptions options;
  Operator design;  // A, with the intercept's column

 protected:
  /// By the names its user knows.
  LinearModel(Operator A, Vector b, Loss loss, LinearModelOptions options, std::string_view owner,
              std::string_view observed);

 private:
  Vector ridge_of_entries() const;  // empty: 0
};

/// f(x) = ½‖Ax − b‖².
struct PENDEC_EXPORT LeastSquares : LinearModel {
  LeastSquares(Operator A, Vector b, LinearModelOptions options = {});
};

/// f(x) = Σ_k log(1 + exp(−label_k ⟨a_k, x⟩)), labels ±1, a_k the rows of A.
struct PENDEC_EXPORT Logistic : LinearModel {
  Logistic(Operator A, Vector labels, LinearModelOptions options = {});
};

/// Residuals ⟨a_k, x⟩ − b_k count by their squares up to options.huber, linearly beyond.
struct PENDEC_EXPORT Huber : LinearModel {
  Huber(Operator A, Vector b, LinearModelOptions options = {});
};

/// f(x) = Σ_k exp(⟨a_k, x⟩) − b_k ⟨a_k, x⟩, counts b_k ≥ 0.
struct PENDEC_EXPORT Poisson : LinearModel {
  Poisson(Operator A, Vector counts, LinearModelOptions options = {});
};

}  // namespace pendec
