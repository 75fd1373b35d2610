// Points from supports: the convex QP on the chosen groups, and the search among neighbouring choices.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "column_qp.hpp"
#include "dual_bound.hpp"
#include "model.hpp"
#include "split.hpp"

namespace pendec::sparse {

using Chosen = std::vector<Index>;  // groups, ascending

/// x without the entries that are rounding errors beside numbers as large as `scale`.
Vector without_dust(In x, double scale);

/// The solution on one choice of groups.
struct Polished {
  double f = infinity;  // infinity: infeasible, or not solved to accuracy
  double size = 0.0;    // of what was added up to f
  std::vector<Index> columns;
  Vector x, lambda, nu;  // x on the columns
};

class Supports {
 public:
  /// `expired` is asked between solves.
  Supports(const Model& model, std::function<bool()> expired);

  /// The best point so far: of polish, whatever asked for it.
  const Polished& best() const { return best_; }
  Index solved() const { return solved_; }
  bool unbounded() const { return unbounded_; }
  bool has_point() const { return best_.f < infinity; }
  Vector best_x() const;
  double rounding() const { return 1e-13 * best_.size; }  // of best().f, generously
  double allowed_gap(double relative) const;              // f − lower bound up to this counts as closed

  /// f on a choice, remembered; groups that are always in are added, those never in removed.
  double polish(Chosen chosen);

  /// The groups that are in and, as long as there is room, the open ones with the largest shares.
  void round(const Choices& choices, const Vector& shares);

  /// Exchanges of one group, and additions while there is room, as long as they help by more than rounding. With
  /// `exhaustive`, every exchange is solved or excluded by its bound: true if none of them helps any more.
  bool improve(const Split& split, bool exhaustive);

  /// The best choice with as many groups as s allows: its multipliers then prove M-stationarity, which those of a
  /// smaller choice need not do.
  void fill_up();

  /// From the groups that must be in, one by one; `preference` decides while no point is feasible.
  void greedy(const Split& split, const Vector& preference);

 private:
  const Polished& solve(const Chosen& chosen);
  Room room_beside(const Chosen& chosen) const;
  Chosen open_beside(const Chosen& chosen) const;  // groups that may be chosen too
  bool satisfies_rows(const Polished& p) const;
  bool proves_unbounded(const std::vector<Index>& columns, const Vector& direction) const;
  bool try_additions(const Split& split, const Chosen& base, Index most_trials, bool& complete);
  void rank_additions(const Split& split, const Chosen& base, const Polished& at, double cutoff);

  const Model& model_;
  std::function<bool()> expired_;
  ColumnQp qp_;
  DualBound bound_;
  std::map<Chosen, double> known_;
  Polished current_, best_;
  Chosen best_choice_;
  Index solved_ = 0;
  bool unbounded_ = false;
  bool unsettled_ = false;  // a choice could neither be solved to accuracy nor be seen to be infeasible
  Matrix H_;
  Vector q_, lower_, upper_;
  std::vector<std::pair<double, Index>> ranked_;
};

}  // namespace pendec::sparse
