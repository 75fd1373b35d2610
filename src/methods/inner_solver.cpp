#include "pendec/methods/inner_solver.hpp"

namespace pendec {

InnerSolver::~InnerSolver() = default;

void start_in_D(Penalty& q, Pair& pair, bool project) {
  if (project) q.oracle().project_D(Vector(pair.p.x), pair.p.x);
  pair.y.resize(0);
}

}  // namespace pendec
