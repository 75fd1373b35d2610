// Sets with finitely many convex pieces, in one form: what is chosen, and how much of it may be chosen.
#pragma once

#include <vector>

#include "pendec/core/types.hpp"

namespace pendec {

class Set;

/// Some coordinates that lie in one of several convex pieces. Where {0} is one more piece, atoms that vanish count
/// for no budget.
struct Atom {
  std::vector<Index> coordinates;
  std::vector<Set> pieces;
  bool zero = false;
};

/// At most `most` of these atoms do not vanish.
struct Budget {
  std::vector<Index> atoms;
  Index most = 0;
};

/// {x : every atom in one of its pieces, within all budgets, and whatever is chosen in the one piece of every
/// `common` atom}. Atoms are disjoint, common ones may overlap; coordinates in no atom are free but for what is
/// common.
struct Alternatives {
  Index dimension = 0;
  std::vector<Atom> atoms = {};
  std::vector<Budget> budgets = {};
  std::vector<Atom> common = {};
};

}  // namespace pendec
