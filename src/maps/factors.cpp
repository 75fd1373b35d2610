#include "pendec/maps/factors.hpp"

#include "../subsolvers/dense.hpp"

namespace pendec {
namespace {

/// The two blocks of t = [vec U; vec V].
struct FactorViews {
  FactorViews(In t, const FactorProduct& chart)
      : U(t.data(), chart.rows, chart.kappa), V(t.data() + U.size(), chart.cols, chart.kappa) {}
  ConstMatrixView U, V;
};

}  // namespace

void FactorProduct::evaluate(In t, Out x) const {
  const FactorViews f(t, *this);
  MatrixView(x.data(), rows, cols) = detail::times_transpose(f.U, f.V);
}

void FactorProduct::adjoint(In t, In w, Out out) const {
  // ⟨W, D_U Vᵀ + U D_Vᵀ⟩ = ⟨W V, D_U⟩ + ⟨Wᵀ U, D_V⟩
  const FactorViews f(t, *this);
  const ConstMatrixView W(w.data(), rows, cols);
  MatrixView(out.data(), rows, kappa) = detail::times(W, f.V);
  MatrixView(out.data() + f.U.size(), cols, kappa) = detail::transpose_times(W, f.U);
}

void FactorProduct::derivative(In t, In d, Out out) const {
  const FactorViews f(t, *this), D(d, *this);
  MatrixView X(out.data(), rows, cols);
  X = detail::times_transpose(D.U, f.V);
  X += detail::times_transpose(f.U, D.V);
}

void FactorProduct::hessian_times(In, In w, In d, Out out) const { adjoint(d, w, out); }  // ⟨W, U Vᵀ⟩ is bilinear

void FactorSquare::evaluate(In t, Out x) const {
  const ConstMatrixView V(t.data(), n, kappa);
  MatrixView(x.data(), n, n) = detail::times_transpose(V, V);
}

void FactorSquare::adjoint(In t, In w, Out out) const {
  // ⟨W, D Vᵀ + V Dᵀ⟩ = ⟨(W + Wᵀ) V, D⟩
  const ConstMatrixView V(t.data(), n, kappa);
  const ConstMatrixView W(w.data(), n, n);
  MatrixView result(out.data(), n, kappa);
  result = detail::times(W, V);
  result += detail::transpose_times(W, V);
}

void FactorSquare::derivative(In t, In d, Out out) const {
  const ConstMatrixView V(t.data(), n, kappa), D(d.data(), n, kappa);
  MatrixView result(out.data(), n, n);
  result = detail::times_transpose(D, V);
  result += result.transpose().eval();
}

void FactorSquare::hessian_times(In, In w, In d, Out out) const { adjoint(d, w, out); }  // ⟨W, V Vᵀ⟩ is quadratic

}  // namespace pendec
