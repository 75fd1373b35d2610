// What a user's types declare wrongly proves nothing: solve() names the field instead.
#include <gtest/gtest.h>

#include "pendec/pendec.hpp"

namespace pendec {
namespace {

/// Σ x⁴/4 − x²/2 + x/10, which is neither convex nor quadratic.
struct TwoWells {
  Index dimension() const { return 4; }
  double value_and_gradient(In x, Out g) const {
    g = x.array().cube() - x.array() + 0.1;
    return (0.25 * x.array().pow(4) - 0.5 * x.array().square() + 0.1 * x.array()).sum();
  }
};

/// ½‖x‖², declared as it is; and what else may be declared of it.
struct Bowl {
  Index dimension() const { return 4; }
  double value_and_gradient(In x, Out g) const { return g = x, 0.5 * x.squaredNorm(); }
  bool convex() const { return true; }
  Operator constant_hessian() const { return Operator::diagonal(Vector::Ones(4)); }
};

struct Rows {  // x0 x1 + x2
  Index input_dimension() const { return 4; }
  Index output_dimension() const { return 1; }
  void evaluate(In x, Out out) const { out[0] = x[0] * x[1] + x[2]; }
  void adjoint(In x, In w, Out out) const { out << w[0] * x[1], w[0] * x[0], w[0], 0.0; }
};

std::string refused(const Problem& problem) {
  try {
    const Result r = solve(problem, Vector::Constant(4, 0.5));
    EXPECT_NE(r.status, Status::optimal);
    EXPECT_NE(r.status, Status::infeasible);
  } catch (const InvalidArgument& error) {
    EXPECT_FALSE(error.value().empty());
    EXPECT_FALSE(error.expected().empty());
    return error.field();
  }
  return "nothing";
}

TEST(Declared, AHessianThatIsNotConstantIsRefused) {
  struct Wrong : TwoWells {
    Operator constant_hessian() const { return Operator::diagonal(Vector::Ones(4)); }
  };
  EXPECT_EQ(refused({.f = Wrong{}, .D = Sparse(4, 2)}), "Problem.f.constant_hessian()");
  EXPECT_EQ(refused({.f = Wrong{}, .D = Box::nonnegative(4)}), "Problem.f.constant_hessian()");
}

TEST(Declared, AFormThatIsNotThatOfFIsRefused) {
  struct Wrong : TwoWells {
    QuadraticForm quadratic_form() const { return {.Q = Matrix(Matrix::Identity(4, 4)), .c = Vector::Zero(4)}; }
  };
  EXPECT_EQ(refused({.f = Wrong{}, .D = Sparse(4, 2)}), "Problem.f.quadratic_form()");
}

TEST(Declared, AnObjectiveThatIsNotConvexIsRefused) {
  struct Wrong : TwoWells {
    bool convex() const { return true; }
    void hessian_times(In x, In d, Out out) const { out = (3.0 * x.array().square() - 1.0) * d.array(); }
  };
  EXPECT_EQ(refused({.f = Wrong{}, .D = Sparse(4, 2)}), "Problem.f.convex()");
  EXPECT_EQ(refused({.f = Wrong{}, .D = Box(Vector::Constant(4, -2.0), Vector::Constant(4, 2.0))}),
            "Problem.f.convex()");
  const std::vector<Set> parts{Box(Vector::Zero(4), Vector::Ones(4)),
                               Box(Vector::Constant(4, -2.0), Vector::Constant(4, -1.0))};
  EXPECT_EQ(refused({.f = Wrong{}, .D = UnionOf(parts)}), "Problem.f.convex()");
}

TEST(Declared, AJacobianThatIsNotConstantIsRefused) {
  struct Wrong : Rows {
    Matrix constant_jacobian() const { return Vector{{0.5, 0.5, 1.0, 0.0}}.transpose(); }
  };
  const Set C = Singleton(Vector::Ones(1));
  EXPECT_EQ(refused({.f = SquaredDistance(Vector::Ones(4)), .G = Wrong{}, .C = C, .D = Sparse(4, 2)}),
            "Problem.G.constant_jacobian()");
  EXPECT_EQ(refused({.f = SquaredDistance(Vector::Ones(4)), .G = Wrong{}, .C = C, .D = Box::nonnegative(4)}),
            "Problem.G.constant_jacobian()");
  EXPECT_EQ(refused({.f = SquaredDistance(Vector::Ones(4)),
                     .G = Stack({Selection::identity(4), Wrong{}}),
                     .C = Product({Box::nonnegative(4), C}),
                     .D = Sparse(4, 2)}),
            "Problem.G.constant_jacobian()");
}

TEST(Declared, WhatIsTrueIsProvedWith) {
  EXPECT_EQ(solve({.f = Bowl{}, .D = Sparse(4, 2)}, Vector::Ones(4)).status, Status::optimal);
  struct Line : Rows {
    void evaluate(In x, Out out) const { out[0] = x.sum(); }
    void adjoint(In, In w, Out out) const { out.setConstant(w[0]); }
    Matrix constant_jacobian() const { return Matrix::Ones(1, 4); }
  };
  const Result r =
      solve({.f = Bowl{}, .G = Line{}, .C = Singleton(Vector::Ones(1)), .D = Sparse(4, 2)}, Vector::Ones(4));
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.f, 0.25, 1e-9);
}

}  // namespace
}  // namespace pendec
