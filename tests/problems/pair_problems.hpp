// Small programs with pairs, re-expressed from the literature with their best known values.
#pragma once

#include <string>
#include <vector>

#include "pendec/solvers/alternatives/pair_program.hpp"
#include "tests/problems/expression.hpp"

namespace pendec::testing {

struct PairProblem {
  std::string name;
  PairProgram program;
  Vector start;
  double constant;  // of the objective
  double best;      // best known value
};

/// A problem as it is put together below.
struct PairBuilder {
  Index n;
  Expression f;
  std::vector<Expression> zero = {}, nonnegative = {};  // = 0, ≥ 0
  std::vector<Expression> F = {}, H = {};
  std::vector<double> lower = {}, upper = {};  // of x; free if empty
  std::vector<double> start = {};              // the origin if empty
  PairKind kind = PairKind::complementarity;

  PairProblem named(std::string name, double best) const;
};

/// S. Leyffer, MacMPEC: AMPL collection of mathematical programs with equilibrium constraints (2000); the values are
/// those of its table of results.
std::vector<PairProblem> macmpec();

/// Programs with vanishing constraints: the academic example of W. Achtziger and C. Kanzow (Math. Program. 114, 2008)
/// and others whose minima follow by trying the alternatives, given beside them.
std::vector<PairProblem> vanishing_problems();

/// Programs with switching constraints; as above.
std::vector<PairProblem> switching_problems();

}  // namespace pendec::testing
