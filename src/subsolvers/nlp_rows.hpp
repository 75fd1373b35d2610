// G(x) ∈ C and x ∈ D as sparse rows lower ≤ r(x) ≤ upper beside bounds of x.
#pragma once

#include <vector>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/problem.hpp"
#include "pendec/subsolvers/nlp.hpp"

namespace pendec::detail {

/// Rows: those of G that C bounds, those of C on G, those of D on x. C and D must be polyhedra.
class NlpRows {
 public:
  explicit NlpRows(const Problem& problem);

  Index size() const { return lower.size(); }
  const LinearConstraints& domain() const { return domain_; }  // D, its bounds among it

  void evaluate(const Problem& problem, In x, Out out) const;
  SparseMatrix jacobian(const Problem& problem, In x) const;

  /// Σ yᵢ (row i): of C, an element of N_C; of D without its bounds.
  Vector multiplier(In y) const;
  Vector multiplier_of_domain(In y) const;

  /// y for a multiplier in the space of C, where its rows are bounds; else 0.
  Vector guess(In lambda) const;

  /// The same with what is active at x as equations and the rest left out: a row or bound is if its multiplier is
  /// larger than its slack, each beside its size; that of a multiplier with the wrong sign is not, one that x is
  /// beyond is.
  NlpRows on_active_set(const Problem& problem, const NlpResult& at, In y) const;
  bool same_bounds_as(const NlpRows& other) const;

  Vector lower, upper;

 private:
  LinearConstraints c_, domain_;
  std::vector<Index> bounded_;  // rows of G
  Operator of_domain_;          // A and E of D
};

/// Throws InvalidArgument on misuse.
void require_valid(const Problem& problem, In x0, const NlpOptions& options);

bool is_finite_at(const Problem& problem, In x);

/// |x_j|, and where it is less, 1, but no more than the largest, x_size: a large variable elsewhere excuses no row.
Vector sizes_beside_rows(In x, double x_size);

/// How well x, with multipliers y of the rows and what `end` has of those of bounds, meets the KKT conditions. Fills
/// in all numbers of `end`; `unit` is the size of gradients elsewhere.
NlpResult measured(const Problem& problem, const NlpRows& rows, NlpResult end, In y, double unit);

}  // namespace pendec::detail
