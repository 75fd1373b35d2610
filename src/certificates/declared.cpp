// What a problem's own types declare, tried before proofs rest on it.
#include <algorithm>

#include "pendec/certificates/check.hpp"
#include "pendec/maps/affine.hpp"
#include "pendec/maps/quadratic_rows.hpp"
#include "pendec/maps/quartic.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/maps/stack.hpp"
#include "pendec/objectives/linear.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"
#include "pendec/objectives/sum.hpp"

namespace pendec {
namespace {

template <class... Types, class Handle>
bool is_one_of(const Handle& handle) {
  return (handle.template as<Types>() || ...);
}

bool is_of_library(const Objective& f) {
  if (const auto* sum = f.as<Sum>())
    return std::all_of(sum->terms.begin(), sum->terms.end(), [](const Term& t) { return is_of_library(t.f); });
  return is_one_of<Linear, Quadratic, SquaredDistance, LinearModel, LeastSquares, Logistic, Huber, Poisson>(f);
}

bool is_of_library(const Map& G) {
  if (const auto* stack = G.as<Stack>())
    return std::all_of(stack->parts.begin(), stack->parts.end(), [](const Map& part) { return is_of_library(part); });
  return is_one_of<Affine, Selection, Embedding, QuadraticRows, Quartic>(G);
}

}  // namespace

void require_declared(const Problem& problem, In x) {
  if (!is_of_library(problem.f)) require_declared(problem.f, x);
  if (problem.has_G() && !is_of_library(problem.G)) require_declared(problem.G, x);
}

}  // namespace pendec
