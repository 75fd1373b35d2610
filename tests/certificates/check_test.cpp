#include "pendec/certificates/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>

#include "pendec/maps/affine.hpp"
#include "pendec/maps/quartic.hpp"
#include "pendec/objectives/quadratic.hpp"
#include "pendec/objectives/regression.hpp"
#include "pendec/sets/box.hpp"
#include "pendec/sets/shell.hpp"
#include "pendec/sets/sparse.hpp"
#include "tests/sets/set_testing.hpp"

namespace pendec {
namespace {

bool mentions(const CheckReport& report, const std::string& property) {
  return std::any_of(report.failures.begin(), report.failures.end(),
                     [&](const std::string& failure) { return failure.find(property) != std::string::npos; });
}

::testing::AssertionResult catches(const CheckReport& report, const std::string& property) {
  if (!report.ok && mentions(report, property)) return ::testing::AssertionSuccess();
  auto result = ::testing::AssertionFailure() << "'" << property << "' was not noticed; noticed were:";
  for (const std::string& failure : report.failures) result << "\n  " << failure;
  return result;
}

/// A right set, of which the tests below replace one ability by a wrong one.
struct Orthant {
  Index n = 4;
  Index dimension() const { return n; }
  bool convex() const { return true; }
  void project(In z, Out y) const { y = (z.array() < 0.0).select(Vector::Zero(n), z); }
  double normal_residual(In x, In v) const { return (x.array() > 0.0).select(v, v.cwiseMax(0.0)).norm(); }
};

/// {x : |xᵢ| ≥ 1}, the same with a set that is not convex.
struct Outside {
  Index n = 4;
  Index dimension() const { return n; }
  void project(In z, Out y) const {
    y = (z.array().abs() < 1.0).select(z.unaryExpr([](double entry) { return std::copysign(1.0, entry); }), z);
  }
  double normal_residual(In x, In v) const {
    const Vector outwards = v.cwiseProduct(x.cwiseSign());
    return (x.array().abs() > 1.0).select(outwards, outwards.cwiseMax(0.0)).norm();
  }
  bool projection_is_unique(In z, double tol) const { return z.cwiseAbs().minCoeff() > tol; }
};

constexpr Index dimensions[] = {1, 2, 5, 50};

TEST(CheckSet, AcceptsRightSets) {
  for (const Index n : dimensions)
    for (const Set& set : {Set(Orthant{n}), Set(Outside{n})}) {
      const CheckReport report = check_set(set);
      EXPECT_TRUE(report.ok) << report.failures.front();
      EXPECT_GT(report.checks, 100);
    }
}

TEST(CheckSet, NoticesThatNearerPointsWereMissed) {
  for (const Index n : dimensions) {
    const Set threshold =
        make_set(n, [](In z, Out y) { y = (z.array().abs() < 0.5).select(Vector::Zero(z.size()), z); });
    const Set sphere_and_origin = make_set(n, [](In z, Out y) { y = z.normalized(); });  // 0 at 0
    EXPECT_TRUE(catches(check_set(threshold), "no point of the set is nearer")) << n;
    EXPECT_TRUE(catches(check_set(sphere_and_origin), "no point of the set is nearer")) << n;
  }
}

/// Says that it contains every point with one nonzero, and projects onto those where it is the first entry.
struct OneSided {
  Index dimension() const { return 3; }
  void project(In z, Out y) const { y = Vector{{z[0], 0.0, 0.0}}; }
  bool contains(In x, double tol) const { return (x.array().abs() > tol).count() <= 1; }
};

TEST(CheckSet, NoticesPointsThatNoProjectionReaches) {
  EXPECT_TRUE(catches(check_set(OneSided{}), "no point that the set contains is nearer"));
}

TEST(CheckSet, ShowsTheCounterexample) {
  const CheckReport low = check_set(make_set(2, [](In z, Out y) { y = 0.5 * z; }));
  const CheckReport high = check_set(make_set(50, [](In z, Out y) { y = 0.5 * z; }));
  EXPECT_TRUE(std::regex_search(low.failures.front(), std::regex("z = \\([^,]+, [^,]+\\); y = \\([^,]+, [^,]+\\)")))
      << low.failures.front();
  EXPECT_TRUE(std::regex_search(high.failures.front(), std::regex("z = \\([^)]*, \\.\\.\\.\\)")))
      << high.failures.front();
}

TEST(CheckSet, NoticesThatANanIsSwallowed) {
  struct Wrong : Orthant {
    void project(In z, Out y) const {
      for (Index i = 0; i < n; ++i) y[i] = z[i] > 0.0 ? z[i] : 0.0;
    }
  };
  struct Refusing : Orthant {
    void project(In z, Out y) const {
      require_finite("z", z);
      Orthant::project(z, y);
    }
  };
  for (const Index n : dimensions) {
    EXPECT_TRUE(catches(check_set(Wrong{{n}}), "NaN")) << n;
    EXPECT_TRUE(check_set(Refusing{{n}}).ok) << n;
  }
}

TEST(CheckSet, NoticesWrongAnswersAboutUniqueness) {
  struct Always : Outside {
    bool projection_is_unique(In, double) const { return true; }
  };
  struct Never : Outside {
    bool projection_is_unique(In, double) const { return false; }
  };
  struct AlwaysOnSphere {
    Set set;
    Index dimension() const { return set.dimension(); }
    void project(In z, Out y) const { set.project(z, y); }
    bool projection_is_unique(In, double) const { return true; }
  };
  for (const Index n : dimensions) {
    EXPECT_TRUE(catches(check_set(Always{{n}}), "equally near")) << n;
    EXPECT_TRUE(catches(check_set(Never{{n}}), "projection_is_unique: at points of the set")) << n;
    EXPECT_TRUE(catches(check_set(AlwaysOnSphere{sphere(n, 1.0)}), "equally near")) << n;
  }
}

TEST(CheckSet, RefusesOptionsAndSetsThatCannotBeChecked) {
  using testing::expect_invalid;
  const double nan = std::nan("");
  expect_invalid("CheckOptions.samples", [] { check_set(Orthant{}, {.samples = 0}); });
  expect_invalid("CheckOptions.scale", [] { check_set(Orthant{}, {.scale = 0.0}); });
  expect_invalid("CheckOptions.scale", [] { check_set(Orthant{}, {.scale = infinity}); });
  expect_invalid("CheckOptions.tolerance", [&] { check_set(Orthant{}, {.tolerance = nan}); });
  expect_invalid("CheckOptions.difference_tolerance", [] { check_set(Orthant{}, {.difference_tolerance = -1.0}); });
  expect_invalid("check_set: set", [] { check_set(Set()); });
  for (const Index n : {0, -1}) expect_invalid("check_set: set.dimension()", [n] { check_set(Orthant{n}); });
}

TEST(CheckSet, NoticesWhatIsNotAProjection) {
  EXPECT_TRUE(catches(check_set(make_set(3, [](In z, Out y) { y = 0.5 * z; })), "projecting twice"));
  EXPECT_TRUE(catches(check_set(make_set(3, [](In z, Out y) { y = z.norm() < 1.0 ? Vector(z) : Vector::Zero(3); })),
                      "no point of the set is nearer"));
  EXPECT_TRUE(catches(check_set(make_set(3, [](In z, Out y) { y = z / 0.0; })), "finite"));
  EXPECT_TRUE(catches(check_set(make_set(3, [](In z, Out y) { y.head(2) = z.head(2); })), "buffer"));
}

TEST(CheckSet, NoticesASetThatIsNotConvex) {
  struct Wrong : Sparse {
    using Sparse::Sparse;
    bool convex() const { return true; }
  };
  EXPECT_TRUE(catches(check_set(Wrong(4, 2)), "midpoints"));
}

TEST(CheckSet, NoticesAWrongDistance) {
  struct Wrong : Orthant {
    double distance(In x) const { return x.norm(); }
  };
  EXPECT_TRUE(catches(check_set(Wrong{}), "distance()"));
}

TEST(CheckSet, NoticesWrongMembership) {
  struct Generous : Orthant {
    bool contains(In, double) const { return true; }
  };
  struct Strict : Orthant {
    bool contains(In, double) const { return false; }
  };
  EXPECT_TRUE(catches(check_set(Generous{}), "not contained"));
  EXPECT_TRUE(catches(check_set(Strict{}), "contained in the set"));
}

TEST(CheckSet, NoticesAProjectorThatDisagrees) {
  struct Lazy final : Projector {
    using Projector::project;
    void project(In z, Out y) override {
      if (last.size() == 0) last = z.cwiseMax(0.0);
      y = last;  // for ever the first answer
    }
    Vector last;
  };
  struct Wrong : Orthant {
    std::unique_ptr<Projector> projector() const { return std::make_unique<Lazy>(); }
  };
  EXPECT_TRUE(catches(check_set(Wrong{}), "projector()"));
}

/// A right set whose normal residual r = dist(v, N(x)) is replaced by wrong(r, v).
template <class Right>
struct WithResidual : Right {
  std::function<double(double, In)> wrong;
  double normal_residual(In x, In v) const { return wrong(Right::normal_residual(x, v), v); }
};

template <class Right>
class CheckNormals : public ::testing::Test {};
using RightSets = ::testing::Types<Orthant, Outside>;
TYPED_TEST_SUITE(CheckNormals, RightSets);

TYPED_TEST(CheckNormals, NoticesAWrongResidual) {
  for (const Index n : dimensions) {
    const auto report = [n](const auto& wrong) { return check_set(WithResidual<TypeParam>{{n}, wrong}); };
    const auto zero = report([](double, In) { return 0.0; });
    EXPECT_TRUE(catches(zero, "tangents are not normal")) << n;
    EXPECT_TRUE(catches(report([](double, In v) { return v.norm(); }), "z - y is normal")) << n;
    EXPECT_TRUE(catches(report([](double r, In) { return 3.0 * r; }), "at most |v|")) << n;
    EXPECT_TRUE(catches(report([](double r, In) { return -r; }), "not negative")) << n;
    EXPECT_TRUE(catches(report([](double r, In) { return r * r; }), "grows with v")) << n;
  }
}

TEST(CheckSet, ComparesTheNormalsOfConvexSetsWithTheProjection) {
  for (const Index n : dimensions) {
    const WithResidual<Orthant> half{{n}, [](double r, In) { return 0.5 * r; }};
    EXPECT_TRUE(catches(check_set(half), "the projection's derivative")) << n;
    EXPECT_TRUE(catches(check_set(half), "directions into the set")) << n;
  }
}

TEST(CheckSet, NoticesAWrongBranch) {
  struct Wrong : Sparse {
    using Sparse::Sparse;
    std::optional<Branch> branch(In y, In z) const {
      auto branch = Sparse::branch(y, z);
      branch->t *= 2.0;
      return branch;
    }
  };
  EXPECT_TRUE(catches(check_set(Wrong(5, 2)), "chart(t) = y"));
}

TEST(CheckSet, NoticesWrongDescriptions) {
  struct Wrong : Orthant {
    std::optional<LinearConstraints> linear_constraints() const { return Box::nonpositive(4).linear_constraints(); }
    std::vector<Range> free_ranges() const { return {{1, 2}}; }
    std::optional<Set> scaled(In) const { return Set(Box::nonpositive(4)); }
  };
  const CheckReport report = check_set(Wrong{});
  EXPECT_TRUE(catches(report, "linear_constraints()"));
  EXPECT_TRUE(catches(report, "free_ranges()"));
  EXPECT_TRUE(catches(report, "scaled()"));
}

/// f(x) = Σ exp(aᵢ xᵢ)
struct Exponential {
  Vector a = Vector::LinSpaced(5, -1.0, 1.5);
  Index dimension() const { return 5; }
  double value_and_gradient(In x, Out g) const {
    const Vector e = (a.array() * x.array()).exp();
    g = a.cwiseProduct(e);
    return e.sum();
  }
  void hessian_times(In x, In d, Out out) const {
    out = a.array().square() * (a.array() * x.array()).exp() * d.array();
  }
};

const Vector usual_point = Vector::LinSpaced(5, -1.0, 2.0);

TEST(CheckObjective, AcceptsARightObjective) {
  const CheckReport report = check_objective(Exponential{}, usual_point);
  EXPECT_TRUE(report.ok) << report.failures.front();
  EXPECT_LT(report.worst, 1e-7);
}

TEST(CheckObjective, AcceptsAStationaryPointAndAnyScale) {
  for (const double scale : {1e-9, 1.0, 1e9}) {
    const Objective f = make_objective(5, [scale](In x, Out g) {
      g = scale * x;
      return 0.5 * scale * x.squaredNorm();
    });
    EXPECT_TRUE(check_objective(f, Vector::Zero(5)).ok) << scale;
    EXPECT_TRUE(check_objective(f, 1e6 * usual_point, {.scale = 1e6}).ok) << scale;
  }
}

TEST(CheckObjective, NoticesOneWrongEntry) {
  const Objective wrong = make_objective(5, [](In x, Out g) {
    const double value = Exponential{}.value_and_gradient(x, g);
    g[3] *= 1.01;
    return value;
  });
  EXPECT_TRUE(catches(check_objective(wrong, usual_point), "the gradient agrees"));
}

TEST(CheckObjective, NoticesAnEntryThatIsNeverWritten) {
  const Objective wrong = make_objective(2, [](In x, Out g) {
    g[0] = x[0];
    return 0.5 * x[0] * x[0];
  });
  EXPECT_TRUE(catches(check_objective(wrong, Vector::Ones(2)), "the gradient agrees"));
}

TEST(CheckObjective, NoticesAWrongHessianOrValue) {
  struct WrongHessian : Exponential {
    void hessian_times(In x, In d, Out out) const {
      Exponential::hessian_times(x, d, out);
      out[0] += 0.1 * d[1];
    }
  };
  struct WrongValue : Exponential {
    double value(In x) const { return 1.0 + (a.array() * x.array()).exp().sum(); }
  };
  const CheckReport report = check_objective(WrongHessian{}, usual_point);
  EXPECT_TRUE(catches(report, "hessian_times agrees"));
  EXPECT_TRUE(catches(report, "symmetric"));
  EXPECT_TRUE(catches(check_objective(WrongValue{}, usual_point), "value()"));
}

/// G(x) = (x₀ x₁, x₁ + x₂², sin x₂)
struct Curved {
  Index input_dimension() const { return 3; }
  Index output_dimension() const { return 3; }
  void evaluate(In x, Out out) const { out << x[0] * x[1], x[1] + x[2] * x[2], std::sin(x[2]); }
  Matrix jacobian(In x) const {
    return Matrix{{x[1], x[0], 0.0}, {0.0, 1.0, 2.0 * x[2]}, {0.0, 0.0, std::cos(x[2])}};
  }
  void adjoint(In x, In w, Out out) const { out = jacobian(x).transpose() * w; }
  void derivative(In x, In d, Out out) const { out = jacobian(x) * d; }
  void hessian_times(In x, In w, In d, Out out) const {
    out << w[0] * d[1], w[0] * d[0], (2.0 * w[1] - w[2] * std::sin(x[2])) * d[2];
  }
};

const Vector x3 = Vector::LinSpaced(3, 0.5, 2.0);

TEST(CheckMap, AcceptsARightMap) {
  const CheckReport report = check_map(Curved{}, x3);
  EXPECT_TRUE(report.ok) << report.failures.front();
  EXPECT_LT(report.worst, 1e-7);
}

TEST(CheckMap, NoticesAWrongAdjoint) {
  struct Wrong : Curved {
    void adjoint(In x, In w, Out out) const { out = jacobian(x) * w; }
  };
  const CheckReport report = check_map(Wrong{}, x3);
  EXPECT_TRUE(catches(report, "jacobian() equals"));
  EXPECT_TRUE(catches(report, "the adjoint agrees"));
  EXPECT_TRUE(catches(report, "<G'(x) d, w>"));
}

TEST(CheckMap, NoticesAWrongHessian) {
  struct Wrong : Curved {
    void hessian_times(In, In, In, Out out) const { out.setZero(); }
  };
  EXPECT_TRUE(catches(check_map(Wrong{}, x3), "hessian_times agrees"));
}

TEST(CheckMap, NoticesAnAdjointThatIsNotLinear) {
  struct Wrong : Curved {
    void adjoint(In x, In w, Out out) const { out = jacobian(x).transpose() * w.cwiseAbs(); }
  };
  EXPECT_TRUE(catches(check_map(Wrong{}, x3), "linear in w"));
}

TEST(CheckMap, NoticesAMapThatOnlyClaimsToBeAffine) {
  struct Wrong : Curved {
    Operator constant_jacobian() const { return Operator::selection(3, {0, 1, 2}); }
  };
  const CheckReport report = check_map(Wrong{}, x3);
  EXPECT_TRUE(catches(report, "constant derivative"));
  EXPECT_TRUE(catches(report, "constant_jacobian() equals"));
}

// What is declared -----

/// cos, which is nothing of what the tests below declare.
struct Wave {
  Index dimension() const { return 3; }
  double value_and_gradient(In x, Out g) const {
    g = -x.array().sin();
    return x.array().cos().sum();
  }
};

TEST(CheckObjective, NoticesAnObjectiveThatOnlyClaimsToBeConvex) {
  struct Wrong : Wave {
    bool convex() const { return true; }
  };
  EXPECT_TRUE(catches(check_objective(Wrong{}, x3), "above its tangents"));
  EXPECT_THROW(require_declared(Objective(Wrong{}), x3), InvalidArgument);
}

TEST(CheckObjective, NoticesAHessianThatOnlyClaimsToBeConstant) {
  struct Wrong : Wave {
    Operator constant_hessian() const { return Operator::diagonal(Vector::Ones(3)); }
  };
  EXPECT_TRUE(catches(check_objective(Wrong{}, x3), "constant_hessian() is the change"));
  EXPECT_THROW(require_declared(Objective(Wrong{}), x3), InvalidArgument);
}

TEST(CheckObjective, NoticesACurvatureThatIsNotBelow) {
  struct Wrong : Wave {
    Matrix curvature_below(In, In, In) const { return Matrix::Identity(3, 3); }
  };
  EXPECT_TRUE(catches(check_objective(Wrong{}, x3), "curvature_below() is below"));
}

TEST(CheckObjective, NoticesAMagnitudeThatIsTooSmall) {
  struct Wrong : Wave {
    double magnitude(In, Out gradient) const { return gradient.setZero(), 0.0; }
  };
  EXPECT_TRUE(catches(check_objective(Wrong{}, x3), "magnitude()"));
}

TEST(CheckObjective, NoticesAHessianThatIsNotThatOfItsProducts) {
  struct Wrong : Wave {
    void hessian_times(In x, In d, Out out) const { out = -x.array().cos() * d.array(); }
    Matrix hessian(In) const { return Matrix::Identity(3, 3); }
  };
  EXPECT_TRUE(catches(check_objective(Wrong{}, x3), "hessian() agrees with hessian_times"));
}

TEST(CheckMap, NoticesAMapThatOnlyClaimsToBeConvex) {
  struct Wrong : Curved {
    bool convex() const { return true; }  // x0 x1 is not
  };
  EXPECT_TRUE(catches(check_map(Wrong{}, x3), "above their tangents"));
  EXPECT_THROW(require_declared(Map(Wrong{}), x3), InvalidArgument);
}

TEST(CheckMap, NoticesBoundsThatForgetPoints) {
  struct Wrong : Curved {
    void tighten(In, In, Out least, Out greatest) const { least.setZero(), greatest.setZero(); }
  };
  EXPECT_TRUE(catches(check_map(Wrong{}, x3), "tighten()"));
}

TEST(CheckMap, NoticesACurvatureThatIsNotBelow) {
  struct Wrong : Curved {
    Matrix curvature_below(In, In) const { return 1e3 * Matrix::Identity(3, 3); }
  };
  EXPECT_TRUE(catches(check_map(Wrong{}, x3), "curvature_below() is below"));
}

TEST(RequireDeclared, HasNoComplaintsAboutWhatIsTrue) {
  Random random(6);
  for (const double size : {1e-8, 1.0, 1e8}) {
    const Matrix A = random.normal_matrix(5, 3);
    const Vector x = size * random.normal_vector(3);
    for (const Objective& f :
         {Objective(LeastSquares(A, size * Vector::Ones(5))), Objective(Logistic(A, Vector::Ones(5))),
          Objective(Quadratic(Matrix(A.transpose() * A), Vector::Ones(3)))})
      EXPECT_NO_THROW(require_declared(f, x));
    EXPECT_NO_THROW(require_declared(Map(Affine(A, size * Vector::Ones(5))), x));
    EXPECT_NO_THROW(require_declared(Map(Quartic(A.transpose().cwiseAbs(), A.transpose(), Vector::Ones(5))), x));
  }
}

}  // namespace
}  // namespace pendec
