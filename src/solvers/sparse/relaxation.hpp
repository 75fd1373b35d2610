// The perspective relaxation of a node of branch and bound.
#pragma once

#include <functional>
#include <vector>

#include "column_qp.hpp"
#include "dual_bound.hpp"
#include "model.hpp"
#include "split.hpp"

namespace pendec::sparse {

/// min ½xᵀQ0x + cᵀx + ½Σ_{in} δᵢxᵢ² + Ω(x) over the rows and the hulls of the bounds, where
///     Ω(x) = min {½ Σ ‖x_g‖²_δ / z_g : 0 ≤ z ≤ 1, Σz ≤ slots}   over the open groups
/// pays for the fraction z_g of each group. With a_g = ‖x_g‖_δ sorted, the largest have z = 1 and the others share:
/// z_g = a_g/θ, Ω = ½Σ_{top} a² + ½(Σ_{tail} a)²/(slots − |top|). For groups of one variable each such piece is
/// quadratic: Newton's method over the pieces, on the columns that are not zero; others are priced by θ. For larger
/// groups, and where families have counts of their own, z is held fixed in turn, which majorises Ω. Whatever happens
/// on the way, the bound is that of DualBound.
class Relaxation {
 public:
  Relaxation(const Model& model, Split split, std::function<bool()> stop);

  struct Outcome {
    bool infeasible = false;  // the node has no point at all
    double bound = -infinity;
    double allowance = 0.0;   // for rounding, in the bound
    double value = infinity;  // of the relaxation at x: no bound, but what the bound tends to
  };

  /// Starts from x (the columns where it is not zero), and leaves its own x there. Ends early once the bound
  /// reaches `cutoff`, or cannot reach it any more, or `stop` says so.
  Outcome solve(const Choices& choices, Index slots, Vector& x, double cutoff);

  void set_split(Split split) { split_ = std::move(split), set_roots(); }
  const Split& split() const { return split_; }

  const DualBound& best_bound() const { return best_; }  // the evaluation that gave Outcome::bound
  const Vector& shares() const { return z_; }            // z of each group at x; 1 if in, 0 if out

 private:
  enum class Role : signed char { none, in, top, positive, negative };  // tails by sign

  void set_roots();
  double bound_by_contradiction(const Choices& choices, Index slots, const QpResult& qp);
  void take_columns(const Choices& choices, Index slots, const Vector* x);
  void share_out(const Choices& choices, Index slots, const Vector& x);
  void share_out_by_families(const Choices& choices, Index slots);
  double theta_of(Index group) const;
  void assign_roles(const Choices& choices, Index slots, const Vector& x);
  void build_plain(const Choices& choices);
  void build_pieces(const Choices& choices, Index slots);
  void build_majoriser(const Choices& choices);
  void bounds_of_columns(const Choices& choices);
  bool step(const Choices& choices, Index slots, const Vector& target, Vector& x, double& value);
  bool price(const Choices& choices, Index slots, const DualBound& at);
  void drop_zeros(const Choices& choices, Vector& x);
  double evaluate(const Choices& choices, Index slots, const Vector& x);
  void fill_columns(const Vector& compact, Vector& full) const;
  bool open(const Choices& choices, Index i) const;

  const Model& model_;
  Split split_;
  Vector weight_, root_;  // δ⁺ and its root
  bool singletons_;
  std::function<bool()> stop_;
  ColumnQp qp_;
  DualBound bound_, best_;

  std::vector<Index> columns_;
  std::vector<signed char> entering_;  // ±1: the sign with which a column has just come in
  std::vector<char> member_, tabu_;
  std::vector<Role> role_, last_role_;
  std::vector<Index> order_;
  Vector a_, z_, trial_;
  double theta_ = 0.0;
  Vector family_theta_;  // at least θ
  Index tops_ = 0;
  Matrix H_;
  Vector q_, lower_, upper_;
};

}  // namespace pendec::sparse
