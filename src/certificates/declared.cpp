// What a problem's own types declare, tried before proofs rest on it; and their derivatives, where a method fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pendec/certificates/check.hpp"
#include "pendec/core/random.hpp"
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

/// Does the slope fit a function of t near 0? `found` is its difference quotient that fits best.
template <class Function>
bool fits(const Function& value, double slope, double unit, double& found) {
  constexpr double share = 1e-2;  // far more than the error of a difference quotient of a smooth function
  double best = infinity;
  for (const double step : {1e-3, 1e-5, 1e-7}) {
    const double h = step * unit, above = value(h), below = value(-h);
    if (!std::isfinite(above) || !std::isfinite(below)) return true;  // not defined there: nothing is known
    const double quotient = (above - below) / (2.0 * h);
    const double noise = 1e3 * epsilon * (std::abs(above) + std::abs(below)) / h;
    const double excess = std::abs(quotient - slope) - noise - share * std::max(std::abs(quotient), std::abs(slope));
    if (excess < best) best = excess, found = quotient;
  }
  return best <= 0.0;
}

std::string misfit(std::string_view what, double found, double slope) {
  return fmt::format(
      "the values of {} near the point change by {:.3g} along a direction where its derivative is {:.3g}", what,
      found, slope);
}

}  // namespace

std::string doubt_about_derivatives(const Problem& problem, In x) {
  const Index n = x.size();
  const double unit = std::max(x.norm(), 1e-3);
  Vector gradient(n);
  double found = 0.0;
  problem.f.value_and_gradient(x, gradient);
  for (Vector d : {Random(1).normal_vector(n), gradient}) {
    if (!(d.norm() > 0.0) || !d.allFinite()) continue;
    d /= d.norm();
    if (!is_of_library(problem.f) &&
        !fits([&](double t) { return problem.f.value(x + t * d); }, gradient.dot(d), unit, found))
      return misfit("f", found, gradient.dot(d));
    if (!problem.has_G() || is_of_library(problem.G)) continue;
    Vector G(problem.G.output_dimension()), back(n);
    const Vector w = Random(2).normal_vector(G.size());
    problem.G.adjoint(x, w, back);
    const auto combined = [&](double t) { return problem.G.evaluate(x + t * d, G), w.dot(G); };
    if (!fits(combined, back.dot(d), unit, found)) return misfit("G", found, back.dot(d));
  }
  return "";
}

void require_declared(const Problem& problem, In x) {
  if (!is_of_library(problem.f)) require_declared(problem.f, x);
  if (problem.has_G() && !is_of_library(problem.G)) require_declared(problem.G, x);
}

}  // namespace pendec
