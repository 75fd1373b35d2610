// Losses of linear models on dense or sparse data: least squares, logistic, Huber, Poisson.
#pragma once

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
  Vector scale = {};       // predictions are ⟨a − centre, diag(scale) x⟩; empty: 1
  Vector centre = {};      // empty: 0
};

/// f(x) = Σ_k ℓ(⟨a_k, x⟩; b_k) + ½ ridge ‖x‖², a_k the rows of A. O(nonzeros of A) a call; never copies A.
struct PENDEC_EXPORT LinearModel {
  LinearModel(Operator A, Vector b, Loss loss, LinearModelOptions options = {});

  Index dimension() const { return A.cols() + (options.intercept ? 1 : 0); }
  bool convex() const { return true; }
  double value_and_gradient(In x, Out g) const;
  void hessian_times(In x, In d, Out out) const;

  /// For the squared loss of features as they are.
  bool has_quadratic_form() const;
  std::optional<QuadraticForm> quadratic_form() const;

  /// Σ_k ℓ alone.
  double loss_at(In x) const;

  Operator A;
  Vector b;
  Loss loss;
  LinearModelOptions options;

 private:
  void predict(In x, Vector& t) const;
  void pull_back(const Vector& w, Out g) const;
};

}  // namespace pendec
