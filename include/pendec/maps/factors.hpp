// Matrices of low rank from their factors: the charts of the sets of such matrices.
#pragma once

#include "pendec/core/map.hpp"

namespace pendec {

/// [vec U; vec V] ↦ vec(U Vᵀ), U rows × kappa, V cols × kappa.
struct PENDEC_EXPORT FactorProduct {
  Index input_dimension() const { return (rows + cols) * kappa; }
  Index output_dimension() const { return rows * cols; }
  void evaluate(In t, Out x) const;
  void adjoint(In t, In w, Out out) const;
  void derivative(In t, In d, Out out) const;
  void hessian_times(In t, In w, In d, Out out) const;

  Index rows, cols, kappa;
};

/// vec V ↦ vec(V Vᵀ), V n × kappa.
struct PENDEC_EXPORT FactorSquare {
  Index input_dimension() const { return n * kappa; }
  Index output_dimension() const { return n * n; }
  void evaluate(In t, Out x) const;
  void adjoint(In t, In w, Out out) const;
  void derivative(In t, In d, Out out) const;
  void hessian_times(In t, In w, In d, Out out) const;

  Index n, kappa;
};

}  // namespace pendec
