// A sparse QP as its solver sees it: checked, every variable in one group, with the bounds its constraints imply.
#pragma once

#include <cstddef>
#include <vector>

#include "pendec/solvers/sparse/sparse_qp.hpp"

namespace pendec::sparse {

/// Positions in standard containers.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

enum class Choice : signed char { open, in, out };
using Choices = std::vector<Choice>;  // one per group

/// What may be chosen.
struct Rules {
  Index s = 0;             // groups that may be chosen, those that are always in included
  LinearConstraints rows;  // bounds: of a chosen variable
  std::vector<std::vector<Index>> groups;
  std::vector<Index> group_of;
  std::vector<Budget> families;  // of groups, disjoint: counts besides s
  std::vector<Index> family_of;  // of each group, −1: none; empty without families
  Choices root;

  Index dimension() const { return rows.dimension(); }
  Index group_count() const { return static_cast<Index>(groups.size()); }
  bool singletons() const { return group_count() == dimension(); }
};

struct Model : Rules {
  DenseMatrix Q;
  Vector c;
  double constant = 0.0;
  Vector curvature_error, c_error;  // what Q (as a diagonal) and c may be off by …
  double constant_error = 0.0;      // … and the constant
  DenseMatrix A, E;                 // of rows
  Vector hull_lower, hull_upper;    // of {0} ∪ [lower, upper]
  Vector reach_lower, reach_upper;  // bounds of a chosen variable that the rows imply as well, a little widened
};

/// Throw InvalidArgument where `problem` does not make sense.
Rules make_rules(const SparseQp& problem);
Model make_model(const SparseQp& problem);

/// {x : the groups that are in, and at most s − |in| of the open ones, within their bounds}; of groups of several
/// variables the bounds are left out.
Set support_set(const Rules& rules);

Index slots(const Rules& rules, const Choices& choices);  // s − groups that are in

/// How many more groups may be chosen, in all and of each family.
class Room {
 public:
  Room(const Rules& rules, Index all);
  Room(const Rules& rules, const Choices& choices, Index slots);

  bool fits(Index group) const { return all_ > 0 && left_of(group) > 0; }
  void take(Index group);
  Index all() const { return all_; }
  Index left_of(Index group) const;  // in its family; 1 if it has none
  Index of_family(Index family) const { return families_[at(family)]; }

 private:
  const Rules* rules_;
  Index all_;
  std::vector<Index> families_;
};

/// Open groups that there is no room for go out.
void shut(const Rules& rules, Choices& choices);

}  // namespace pendec::sparse
