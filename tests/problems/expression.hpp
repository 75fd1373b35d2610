// Quadratic expressions, so that test problems read as they are printed.
#pragma once

#include <vector>

#include "pendec/core/error.hpp"
#include "pendec/maps/quadratic_rows.hpp"
#include "pendec/objectives/quadratic.hpp"

namespace pendec::testing {

/// ½xᵀQx + aᵀx + c.
struct Expression {
  Matrix Q;
  Vector a;
  double c = 0.0;
};

inline Expression operator+(Expression l, const Expression& r) {
  l.Q += r.Q;
  l.a += r.a;
  l.c += r.c;
  return l;
}
inline Expression operator*(double s, Expression e) {
  e.Q *= s;
  e.a *= s;
  e.c *= s;
  return e;
}
inline Expression operator+(Expression e, double s) {
  e.c += s;
  return e;
}
inline Expression operator-(const Expression& e) { return -1.0 * e; }
inline Expression operator-(const Expression& l, const Expression& r) { return l + -1.0 * r; }
inline Expression operator-(const Expression& e, double s) { return e + (-s); }
inline Expression operator+(double s, const Expression& e) { return e + s; }
inline Expression operator-(double s, const Expression& e) { return -e + s; }

/// Of affine expressions.
inline Expression operator*(const Expression& l, const Expression& r) {
  require(l.Q.isZero(0.0) && r.Q.isZero(0.0), "product", l.Q.norm() + r.Q.norm(), "affine factors");
  return {l.a * r.a.transpose() + r.a * l.a.transpose(), l.c * r.a + r.c * l.a, l.c * r.c};
}
inline Expression square(const Expression& e) { return e * e; }

/// x₀, …, x_{n−1}.
inline std::vector<Expression> variables(Index n) {
  std::vector<Expression> x;
  for (Index i = 0; i < n; ++i) x.push_back({Matrix::Zero(n, n), Vector::Unit(n, i), 0.0});
  return x;
}

/// Without the constant, which is no part of a Quadratic.
inline Quadratic objective(const Expression& e) { return {e.Q, e.a}; }

inline QuadraticRows rows(const std::vector<Expression>& all) {
  std::vector<Matrix> Q;
  Matrix A(std::ssize(all), all.front().a.size());
  Vector b(std::ssize(all));
  for (std::size_t j = 0; j < all.size(); ++j) {
    Q.push_back(all[j].Q);
    A.row(static_cast<Index>(j)) = all[j].a.transpose();
    b[static_cast<Index>(j)] = all[j].c;
  }
  return {std::move(Q), std::move(A), std::move(b)};
}

}  // namespace pendec::testing
