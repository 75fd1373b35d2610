// Optimal control of an obstacle problem, discretised: complementarity with sparse derivatives, of any size.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "pendec/maps/affine.hpp"
#include "pendec/maps/selection.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/product.hpp"
#include "pendec/sets/singleton.hpp"
#include "pendec/solvers/alternatives/pair_program.hpp"

namespace pendec::testing {

/// −Δ with zero boundary values on a grid of k × k points inside the unit square, times h².
inline SparseMatrix laplacian(Index k) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) {
      const Index at = i * k + j;
      entries.emplace_back(at, at, 4.0);
      if (i > 0) entries.emplace_back(at, at - k, -1.0);
      if (i + 1 < k) entries.emplace_back(at, at + k, -1.0);
      if (j > 0) entries.emplace_back(at, at - 1, -1.0);
      if (j + 1 < k) entries.emplace_back(at, at + 1, -1.0);
    }
  SparseMatrix L(k * k, k * k);
  L.setFromTriplets(entries.begin(), entries.end());
  return L;
}

/// min ½h²‖y − y_d‖² + ν/2 h²‖u‖²  s.t.  −Δy = u + ξ,  0 ≤ y − ψ ⊥ ξ ≥ 0,  |u| ≤ 50, in x = (y, u, h² ξ).
inline PairProgram obstacle_control(Index k) {
  const Index m = k * k;
  const double h = 1.0 / static_cast<double>(k + 1), square = h * h, nu = 1e-3;
  Vector target(m), obstacle(m);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) {
      const double s = h * static_cast<double>(i + 1), t = h * static_cast<double>(j + 1);
      target[i * k + j] = std::sin(2.0 * std::numbers::pi * s) * std::sin(2.0 * std::numbers::pi * t);
      obstacle[i * k + j] = -0.2 + 0.3 * s * t;
    }
  Vector weights(3 * m), centre = Vector::Zero(3 * m);
  weights << Vector::Constant(m, square), Vector::Constant(m, nu * square), Vector::Zero(m);
  centre.head(m) = target;
  SparseMatrix rows(m, 3 * m);
  std::vector<Eigen::Triplet<double>> entries;
  const SparseMatrix L = laplacian(k);
  for (Index j = 0; j < m; ++j) {
    for (SparseMatrix::InnerIterator entry(L, j); entry; ++entry) entries.emplace_back(entry.row(), j, entry.value());
    entries.emplace_back(j, m + j, -square);
    entries.emplace_back(j, 2 * m + j, -1.0);
  }
  rows.setFromTriplets(entries.begin(), entries.end());
  std::vector<Index> states, forces;
  for (Index i = 0; i < m; ++i) states.push_back(i), forces.push_back(2 * m + i);
  Vector lower = Vector::Constant(3 * m, -infinity), upper = -lower;
  lower.segment(m, m).setConstant(-50.0);
  upper.segment(m, m).setConstant(50.0);
  PairProgram program{.f = Quadratic(Operator::diagonal(weights), -weights.cwiseProduct(centre)),
                      .G = Affine(rows, Vector::Zero(m)),
                      .C = Singleton(Vector::Zero(m)),
                      .X = Box(lower, upper)};
  program.pairs.push_back({PairKind::complementarity, Selection(3 * m, states, -obstacle), Selection(3 * m, forces)});
  return program;
}

}  // namespace pendec::testing
