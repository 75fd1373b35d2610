// The function of the left factor that completion of a matrix minimises, with or without a box on the entries.
#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <vector>

#include "../../subsolvers/manifold/grassmann.hpp"
#include "pendec/solvers/lowrank/completion.hpp"

namespace pendec::detail {

/// λ_ij for the entries of one column that have one.
struct ColumnMultipliers {
  std::vector<Index> rows;
  std::vector<double> values;
};

/// lower ≤ xᵢⱼ + biasᵢⱼ ≤ upper in the augmented Lagrangian: τ/2 dist²(xᵢⱼ + biasᵢⱼ + λᵢⱼ/τ, [lower, upper]) for
/// every entry.
struct BoxTerm {
  double lower, upper;
  Biases biases;
  double tau;
  std::vector<ColumnMultipliers> lambda;  // of every column
};

/// Φ(B) = Σ_j min_c ½‖B_j c − a_j‖² + γ/2 ‖c‖² + box term, B_j and a_j what is seen of column j. An entry outside the
/// box, shifted by its multiplier, is one more residual there, of weight τ: with the sum over all residuals
/// w_e/2 (⟨b_e, c⟩ − t_e)² of column j, ρ_e = w_e (⟨b_e, c_j⟩ − t_e), H_j = Σ w_e b_e b_eᵀ + γI and E = Σ ρ_e c_jᵀ
/// (in the rows of the e),
///   grad Φ = (I − BBᵀ) E,   Hess Φ[Δ] = (I − BBᵀ) Ė − Δ BᵀE,
///   ċ_j = −H_j⁻¹ Σ (ρ_e δ_e + w_e ⟨δ_e, c_j⟩ b_e),   ρ̇_e = w_e (⟨δ_e, c_j⟩ + ⟨b_e, ċ_j⟩),   Ė = Σ ρ̇_e c_jᵀ + ρ_e
///   ċ_jᵀ.
/// B is kept transposed, too: the rows a column of A needs are then contiguous.
class ProjectedResidual final : public SubspaceFunction {
 public:
  using Sparse = Eigen::SparseMatrix<double>;

  /// All must outlive this; no box if null.
  ProjectedResidual(const Sparse& A, double gamma, const Deadline& deadline, const BoxTerm* box = nullptr);

  std::unique_ptr<SubspaceFunction> copy() const override { return std::make_unique<ProjectedResidual>(*this); }
  double evaluate(const Matrix& B) override;
  Matrix gradient(const Matrix& B) const override;
  Matrix hessian_times(const Matrix& B, const Matrix& D) const override;

  Matrix C() const { return Ct_.transpose(); }
  double residual_norm() const;  // of all ρ
  double slope_norm() const;     // of the gradients in all c_j: zero if every column was solved exactly
  /// max |xᵢⱼ − Π(xᵢⱼ + λᵢⱼ/τ)|: how far entries leave the box, or those with a multiplier their side of it.
  double box_error() const;
  std::vector<ColumnMultipliers> multipliers() const;  // τ times what is outside: the next λ

 private:
  double solve_column(Index j);
  double add_outside(Index j);
  void add_residual(Index row, double weight, double rho);
  const double* row_of(const Matrix& M, Index e) const {
    return M.data() + M.rows() * rows_[static_cast<std::size_t>(e)];
  }

  const Sparse* A_;
  double gamma_;
  const Deadline* deadline_;
  const BoxTerm* box_;
  Matrix B_;
  Matrix Bt_, Ct_, E_;  // transposed: κ × rows, κ × cols, κ × rows
  Matrix inverses_;     // H_j⁻¹, side by side
  // The residuals, column after column: those seen, then those outside the box.
  std::vector<Index> begin_, rows_;
  std::vector<double> weights_, rho_;
  double slopes_ = 0.0;  // the sum of their squares
  // Of the column at hand.
  Vector c_, slope_, step_, correction_;
  Matrix H_;
  Vector shift_;    // rowᵢ of the biases + λ/τ
  Vector outside_;  // shifted entries less the nearest in the box
};

/// Zero without any.
Biases biases_of(const CompletionProblem& problem);

/// f, with the root mean square, at B, C, by norms whose squares neither overflow nor vanish on the way.
double measure(const CompletionProblem& problem, CompletionDetails& details);

/// How far entries leave the box.
double box_violation(const CompletionProblem& problem, const CompletionDetails& details);

/// M with C M orthonormal, up to directions that C does not have.
Matrix orthonormaliser(const Matrix& C);

}  // namespace pendec::detail
