// The linear constraints of a problem, {x : G(x) ∈ C} and those of D, as rows and bounds of its variables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/map.hpp"
#include "pendec/core/set.hpp"

namespace pendec::detail {

/// Rows with one entry that is a power of two become bounds; others stay rows. Where rounding entered a row (C
/// combines rows of G, or G is a composition) it is widened by all that rounding can do within the bounds: what is
/// proved about these constraints holds for the problem.
class LinearRows {
 public:
  explicit LinearRows(Index n) : constraints(LinearConstraints::none(n)) {}

  /// x[coordinates] satisfies `rows`.
  void add(const std::vector<Index>& coordinates, const LinearConstraints& rows);

  /// G(x) ∈ C. Returns why that is nothing linear, or nothing.
  std::string add(const Map& G, const Set& C);

  /// To be called when all have been added, and the bounds are known.
  void finish();

  /// Multipliers of G(x) ∈ C from those of A x ≤ b and then E x = d: bounds that came from G take what these leave of
  /// the gradient.
  Vector multipliers(In x, In gradient, In lambda) const;

  /// False: a variable without bounds has a coefficient that had to be computed, and nothing is proved.
  bool proves() const { return proves_; }

  LinearConstraints constraints;

 private:
  /// A row with what its numbers may be off by, and what it comes from: Σ weight · G_row.
  struct Row {
    Vector a, a_error = {};  // no error: exact
    double low, high, error = 0.0;
    std::vector<std::pair<Index, double>> weights = {};  // none: of D
    bool exact() const { return a_error.size() == 0 && error == 0.0; }
  };
  struct OwnBound {
    Index variable, row;
    double coefficient, value;  // of x
    bool upper;
  };
  using Weights = std::vector<std::pair<Index, double>>;

  void add_row(Row row);
  bool add_bound(const Row& row);
  Row combined(const Weights& weights, double low, double high) const;
  void widen(Row& row);

  Matrix J_, J_error_;         // of G; no error: exact
  Vector at_zero_, at_error_;  // G(0)
  std::vector<Row> rows_;
  std::vector<Weights> origins_;  // of the rows of A, then of E
  std::vector<OwnBound> bounds_;  // from G
  bool proves_ = true;
};

}  // namespace pendec::detail
