// Small problems of every class, for tests that run every method on every problem.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "experiments/instances.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/solvers/lowrank/correlation.hpp"

namespace pendec::testing_support {

struct SmallProblem {
  std::string name;
  Problem problem;
  Vector start;
};

inline SmallProblem sparse_qp() {
  Random random(101);
  auto qp = experiments::random_sparse_qp(6, 10.0, random);
  qp.s = 2;
  return {"sparse_qp", qp.problem(), qp.start()};
}

inline SmallProblem sparse_portfolio() {
  Random random(102);
  auto qp = experiments::random_sparse_qp(8, 10.0, random);
  qp.s = 3;
  qp.simplex = true;
  return {"sparse_portfolio", qp.problem(), qp.start()};
}

inline SmallProblem sparse_logistic() {
  Random random(103);
  const Matrix A = random.normal_matrix(40, 6);
  Vector labels(40);
  for (Index k = 0; k < 40; ++k) labels[k] = A(k, 1) - 0.5 * A(k, 4) + random.normal() > 0.0 ? 1.0 : -1.0;
  return {"sparse_logistic", {.f = Logistic(A, labels), .D = Sparse(6, 2)}, Vector::Zero(6)};
}

inline SmallProblem correlation() {
  return {"correlation", correlation_problem(experiments::correlation_matrix(2, 8), 2),
          Matrix(Matrix::Identity(8, 8)).reshaped()};
}

inline SmallProblem low_rank_in_a_box() {
  Random random(104);
  const Vector a = random.normal_vector(20);
  return {"low_rank_in_a_box",
          {.f = SquaredDistance(a),
           .G = Selection::identity(20),
           .C = Box(Vector::Constant(20, -1.0), Vector::Constant(20, 1.0)),
           .D = LowRank(5, 4, 2)},
          Vector::Constant(20, 0.1)};
}

inline SmallProblem complementarity() {
  Random random(105);
  auto c = experiments::random_complementarity(4, 2, random);
  return {"complementarity", c.problem, c.start};
}

inline SmallProblem switching() {
  Random random(106);
  const Matrix A = random.normal_matrix(2, 8);
  return {"switching",
          {.f = SquaredDistance(random.normal_vector(8)),
           .G = Affine(A),
           .C = Box(Vector::Constant(2, -0.5), Vector::Constant(2, 0.5)),
           .D = BoxSwitching::switching(4)},
          Vector::Constant(8, 0.3)};
}

inline SmallProblem union_of_polyhedra() {
  Random random(107);
  auto d = experiments::random_disjunctive(4, 4, 5, 1, random);
  return {"union_of_polyhedra", d.problem, d.start};
}

/// ½‖Ax + Bu − b‖² with x sparse and u free: the free block is not duplicated.
inline SmallProblem sparse_and_free() {
  Random random(108);
  return {"sparse_and_free",
          {.f = LeastSquares(random.normal_matrix(12, 8), random.normal_vector(12)),
           .D = Product({Set(Sparse(5, 2)), Set(Free(3))})},
          Vector::Zero(8)};
}

/// Linear objective on the unit circle, a user's set without branches, cut by a half-plane.
inline SmallProblem circle() {
  const auto project = [](In z, Out y) {
    const double norm = z.norm();
    if (norm == 0.0) {
      y << 1.0, 0.0;
    } else {
      y = z / norm;
    }
  };
  const auto f = [](In x, Out g) {
    g << 1.0, 2.0;
    return x[0] + 2.0 * x[1];
  };
  return {"circle",
          {.f = make_objective(2, f),
           .G = Affine((Matrix(1, 2) << 0.0, 1.0).finished()),
           .C = Box(Vector::Constant(1, -0.5), Vector::Constant(1, infinity)),
           .D = make_set(2, project)},
          (Vector(2) << 0.3, 0.9).finished()};
}

inline std::vector<SmallProblem> small_problems() {
  return {sparse_qp(),       sparse_portfolio(), sparse_logistic(),    correlation(),     low_rank_in_a_box(),
          complementarity(), switching(),        union_of_polyhedra(), sparse_and_free(), circle()};
}

}  // namespace pendec::testing_support
