// The linear constraints of a problem, {x : G(x) ∈ C} and those of D, as rows and bounds of its variables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pendec/core/linear_constraints.hpp"
#include "pendec/core/map.hpp"
#include "pendec/core/set.hpp"

namespace pendec::detail {

/// Rows with one entry that is a power of two become bounds; others stay rows.
class LinearRows {
 public:
  explicit LinearRows(Index n) : constraints(LinearConstraints::none(n)) {}

  /// x[coordinates] satisfies `rows`.
  void add(const std::vector<Index>& coordinates, const LinearConstraints& rows);

  /// G(x) ∈ C. Returns why that is nothing linear, or nothing.
  std::string add(const Map& G, const Set& C);

  /// To be called when all have been added.
  void finish();

  /// Multipliers of G(x) ∈ C from those of A x ≤ b and then E x = d: bounds that came from G take what these leave of
  /// the gradient.
  Vector multipliers(In x, In gradient, In lambda) const;

  /// What rounding in rows that had to be computed may do to a bound on f, generously.
  double rounding(In x, In lambda) const;

  /// Are all rows those of the problem, without rounding?
  bool exact() const;

  LinearConstraints constraints;

 private:
  /// Where a row comes from: Σ weight · G_row, with these sizes of what was added up.
  struct Origin {
    std::vector<std::pair<Index, double>> weights = {};  // none: of D
    bool exact = true;
  };
  struct OwnBound {
    Index variable, row;
    double coefficient, value;  // of x
    bool upper;
  };

  void add_row(const Vector& a, double low, double high, Origin origin);
  template <class Visit>
  void for_each_row(In lambda, const Visit& visit) const;  // visit(origin, right-hand side, multiplier)
  bool add_bound(const Vector& a, double low, double high, const Origin& origin);

  struct Rows {  // by rows
    std::vector<double> entries, right;
    std::vector<Origin> origins;
    void add(const Vector& a, double b, Origin origin);
    void write(Matrix& matrix, Vector& b) const;
  };

  Matrix J_;
  Vector at_zero_;  // G(0)
  Rows A_, E_;
  std::vector<OwnBound> bounds_;  // from G
};

}  // namespace pendec::detail
