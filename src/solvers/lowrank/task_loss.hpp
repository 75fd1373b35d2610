// The logistic loss of one task, and its proximal step.
#pragma once

#include "pendec/solvers/lowrank/multitask.hpp"

namespace pendec::detail {

/// Mean logistic loss of the weights w, with gradient and Hessian where asked for.
double task_loss(const Task& task, In w, Vector* gradient = nullptr, Matrix* hessian = nullptr);

/// mean_i p_i |x_i|, entry by entry: the size of the terms that cancel in the gradient −mean_i p_i y_i x_i.
Vector gradient_terms(const Task& task, In w);

/// Whether ⟨y_i x_i, w⟩ > 0 for every example, whatever the rounding.
bool separates(const Task& task, In w);

/// f at the split W = U + V of the details, and its certificate.
void assess_tasks(const MultitaskProblem& problem, Result& result);

struct Proximal {
  double loss = 0.0;  // without the quadratic
  Vector gradient;    // likewise: R(c − w), but without its cancellation where R is large
  Matrix hessian;     // likewise, at w or one last small step before it
};

/// w ← argmin loss(w) + ½ (w − c)ᵀ R (w − c), R positive semidefinite: Newton's method with step halving from w.
Proximal proximal_step(const Task& task, const Matrix& R, In c, Vector& w);

}  // namespace pendec::detail
