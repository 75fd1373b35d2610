#include "pendec/core/linear_constraints.hpp"

#include <algorithm>

namespace pendec {

LinearConstraints LinearConstraints::none(Index n) {
  return {Matrix(0, n),
          Vector(0),
          Matrix(0, n),
          Vector(0),
          Vector::Constant(n, -infinity),
          Vector::Constant(n, infinity)};
}

double LinearConstraints::violation(In x) const {
  double worst = 0.0;
  if (b.size() > 0) worst = std::max(worst, (A * x - b).maxCoeff());
  if (d.size() > 0) worst = std::max(worst, (E * x - d).cwiseAbs().maxCoeff());
  if (x.size() > 0) worst = std::max({worst, (lower - x).maxCoeff(), (x - upper).maxCoeff()});
  return worst;
}

}  // namespace pendec
