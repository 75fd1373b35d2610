// One small problem of each class, with a reference value found by enumerating the branches of D.
#pragma once

#include <string>
#include <vector>

#include "pendec/pendec.hpp"

namespace pendec::experiments {

struct Showcase {
  std::string id;    // a short name, for files
  std::string name;  // for people
  Problem problem;
  Vector start;
  double reference = 0.0;  // the global minimum
};

/// Sparse QP, sparse portfolio, nearest low-rank correlation, union of polyhedra, complementarity.
std::vector<Showcase> showcases();

/// The least value of f over all branches given, each solved by SQP from `start`; infinity if none is feasible.
double least_over(const Problem& problem, const std::vector<Branch>& branches);

}  // namespace pendec::experiments
