// What a person would do by hand before solving, and how to undo it.
#pragma once

#include <string>
#include <vector>

#include "file.hpp"
#include "function.hpp"
#include "pendec/core/types.hpp"

namespace pendec::io::nl {

/// 0 ≤ F ⊥ H ≥ 0 in the variables that are left, F = sign · body of a row, H the distance of a variable to a bound.
struct Pair {
  Function F, H;
  Index row = 0;                               // of the file
  double sign = 1.0;                           // −1: at an upper bound
  Index variable = 0;                          // of the file
  double H_slope = 1.0;                        // ∂H/∂variable
  Index F_multiplier = -1, H_multiplier = -1;  // their places in Result::lambda
};

/// At its lower bound F ≥ 0, at its upper one F ≤ 0, else F = 0.
struct MixedPair {
  Function F, to_lower, to_upper;  // the distances to the bounds
  Index row = 0, variable = 0;
  Index row_multiplier = -1, lower_multiplier = -1, upper_multiplier = -1;  // places in Result::lambda
};

/// variable = (value − rest of the row)/coefficient: it and the row are left out.
struct Copy {
  Index variable = 0, row = 0;
  Index pair_row = -1;  // whose body it is; −1: none
  double coefficient = 1.0, value = 0.0;
};

/// A row of one variable that became a bound.
struct SingletonRow {
  Index row = 0, variable = 0;
  double coefficient = 1.0;
  bool at_lower = false, at_upper = false;  // it gave that bound
};

struct Presolved {
  // the user's -----
  Function objective;          // of the user's sense
  std::vector<Function> rows;  // bodies
  Commons commons;             // of both
  std::vector<Row> row_bounds;
  Vector start;
  bool maximise = false;

  // what is left -----
  std::vector<Index> place;      // of each variable; −1: fixed or a copy
  std::vector<Index> kept;       // the variables left
  Vector fixed;                  // values of the others
  Vector lower, upper;           // of all variables
  std::vector<Index> kept_rows;  // that are rows of G, in this order; of pairs k = 0 as well
  std::vector<double> row_lower, row_upper;
  std::vector<Function> functions;  // of these rows, in the variables that are left
  Function objective_left;          // likewise
  Commons commons_left;             // of these; z come after the variables left and two for each mixed pair
  std::vector<Pair> pairs;
  std::vector<MixedPair> mixed;
  Index multipliers = 0;  // how many Result::lambda has
  std::vector<Copy> copies;
  std::vector<SingletonRow> singletons;
  std::string contradiction;

  /// The user's variables from those that are left.
  Vector restored(In reduced) const;
};

/// Variables in `untouched` are neither copies nor get bounds of rows: sets say more about them.
Presolved presolve(const File& file, Index objective, const std::vector<char>& untouched,
                   const std::vector<std::string>& names);

}  // namespace pendec::io::nl
