// Transforms keep abilities: each of a transformed objective or map against that of its original, over the catalogue
// of problem files and the small problems. What a transform forgets fails here.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pendec/certificates/check.hpp"
#include "pendec/io/catalogue.hpp"
#include "pendec/io/problem_file.hpp"
#include "pendec/maps/composition.hpp"
#include "pendec/objectives/regression.hpp"
#include "pendec/transform/lifted.hpp"
#include "pendec/transform/restricted.hpp"
#include "pendec/transform/scaled.hpp"
#include "tests/problems/small_problems.hpp"

namespace pendec {
namespace {

/// Declares what the catalogue may lack: a map with everything, curved and convex.
struct Squares {
  Index input_dimension() const { return 4; }
  Index output_dimension() const { return 2; }
  void evaluate(In x, Out out) const { out << x.squaredNorm(), x.head(2).squaredNorm() + x[3]; }
  void adjoint(In x, In w, Out out) const { out = jacobian(x).transpose() * w; }
  void derivative(In x, In d, Out out) const { out = jacobian(x) * d; }
  Matrix jacobian(In x) const {
    Matrix J = Matrix::Zero(2, 4);
    J.row(0) = 2.0 * x.transpose();
    J.row(1).head(2) = 2.0 * x.head(2).transpose();
    J(1, 3) = 1.0;
    return J;
  }
  void hessian_times(In x, In w, In d, Out out) const { hessian(x, w).times(d, out); }
  Operator hessian(In, In w) const {
    return Operator::diagonal(
        (Vector(4) << 2.0 * (w[0] + w[1]), 2.0 * (w[0] + w[1]), 2.0 * w[0], 2.0 * w[0]).finished());
  }
  bool convex() const { return true; }
  Operator curvature_below(In at, In w) const { return hessian(at, w); }
  void tighten(In, In upper, Out least, Out greatest) const {
    if (!(upper[0] >= 0.0)) return;
    least = least.cwiseMax(-1.001 * std::sqrt(upper[0])).eval();
    greatest = greatest.cwiseMin(1.001 * std::sqrt(upper[0])).eval();
  }
};

template <class T>
struct Sample {
  std::string name;
  T object;
};

std::string linear_in(Index n) {
  return R"({"pendec": 1, "objective": {"type": "linear", "c": )" +
         nlohmann::json(std::vector<double>(static_cast<std::size_t>(n), 1.0)).dump() + "}";
}

SparseMatrix with_holes(Index rows, Index cols) {
  Matrix A = Random(11).normal_matrix(rows, cols);
  return A.cwiseMax(0.2).unaryExpr([](double a) { return a == 0.2 ? 0.0 : a; }).sparseView();
}

std::vector<Sample<Objective>> objectives() {
  std::vector<Sample<Objective>> all;
  for (const io::Entry& e : io::objectives())
    all.push_back(
        {std::string(e.name),
         io::parse_problem(R"({"pendec": 1, "objective": )" + std::string(e.example) + "}", ".").problem.f});
  for (const auto& p : testing_support::small_problems()) all.push_back({p.name, p.problem.f});
  const SparseMatrix A = with_holes(9, 6), Q = SparseMatrix(A.transpose() * A);
  all.push_back({"sparse quadratic", Quadratic(Q, Vector::Ones(6))});
  all.push_back({"low rank plus diagonal", Quadratic(Operator(A).gram({}, Vector::Ones(6)), Vector::Ones(6))});
  all.push_back({"sparse least squares", LeastSquares(A, Vector::Ones(9))});
  all.push_back({"sparse logistic", Logistic(A, Vector::Ones(9))});
  all.push_back({"sparse sum", Sum({{2.0, Quadratic(Q, Vector::Ones(6))}, {1.0, SquaredDistance(Vector::Ones(6))}})});
  return all;
}

std::vector<Sample<Map>> maps() {
  std::vector<Sample<Map>> all{{"squares", Squares{}}};
  for (const io::Entry& e : io::maps())
    for (Index rows = 1; rows <= 8; ++rows) {  // those of the example
      const std::string text = linear_in(4) + R"(, "G": )" + std::string(e.example) +
                               R"(, "C": {"type": "box", "upper": 0, "n": )" + std::to_string(rows) + "}}";
      try {
        all.push_back({std::string(e.name), io::parse_problem(text, ".").problem.G});
        break;
      } catch (const std::exception&) {
        EXPECT_LT(rows, 8) << e.name;
      }
    }
  for (const auto& p : testing_support::small_problems())
    if (p.problem.has_G()) all.push_back({p.name, p.problem.G});
  all.push_back({"sparse affine", Affine(with_holes(5, 6), Vector::Ones(5))});
  return all;
}

double off(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return infinity;
  return (a - b).norm() / (1.0 + b.norm());
}

/// t ↦ x = J t + shift, with f̂(t) = f(x)/unit: what all transforms with affine charts are.
struct Change {
  Matrix J;
  Vector shift;
  double unit = 1.0;
  Vector rows = {};  // units of G

  Vector x(In t) const { return J * t + shift; }
};

void expect_abilities_kept(const Objective& f, const Objective& g, const Change& c) {
  EXPECT_EQ(g.has_value(), f.has_value());
  EXPECT_EQ(g.convex(), f.convex());
  EXPECT_EQ(g.has_hessian(), f.has_hessian());
  EXPECT_EQ(g.is_quadratic(), f.is_quadratic());
  Random random(8);
  const Vector t = random.normal_vector(c.J.cols()), x = c.x(t);
  Vector gradient(t.size()), expected(x.size());
  const double value = f.value_and_gradient(x, expected);
  EXPECT_LE(std::abs(g.value_and_gradient(t, gradient) * c.unit - value), 1e-12 * (1.0 + std::abs(value)));
  EXPECT_LE(off(gradient * c.unit, c.J.transpose() * expected), 1e-12);
  EXPECT_LE(std::abs(g.value(t) * c.unit - value), 1e-12 * (1.0 + std::abs(value)));
  EXPECT_GE(g.magnitude(t, gradient) * c.unit, f.magnitude(x, expected) * (1.0 - 1e-12));
  EXPECT_GE(g.summands(), f.summands());
  EXPECT_LE(off(gradient * c.unit, c.J.cwiseAbs().transpose() * expected), 1e-12);
  if (f.has_hessian() && g.has_hessian()) {
    const Matrix H = c.J.transpose() * f.hessian(x).dense() * c.J / c.unit;
    EXPECT_LE(off(g.hessian(t).dense(), H), 1e-12);
    const Vector d = random.normal_vector(t.size());
    g.hessian_times(t, d, gradient);
    EXPECT_LE(off(gradient, H * d), 1e-12);
  }
  if (f.is_quadratic() && g.is_quadratic()) {
    EXPECT_EQ(g.constant_hessian()->is_diagonal(), f.constant_hessian()->is_diagonal()) << "the form is kept, too";
    EXPECT_LE(off(g.constant_hessian()->dense(), c.J.transpose() * f.constant_hessian()->dense() * c.J / c.unit),
              1e-12);
  }
  const Vector least = t.array() - 1.0, greatest = t.array() + 2.0;
  const auto H = f.curvature_below(x, c.x(least), c.x(greatest)), K = g.curvature_below(t, least, greatest);
  ASSERT_EQ(K.has_value(), H.has_value());
  if (H) {
    EXPECT_LE(off(*K, c.J.transpose() * *H * c.J / c.unit), 1e-12);
  }
  EXPECT_TRUE(check_objective(g, t).ok) << ::testing::PrintToString(check_objective(g, t).failures);
}

void expect_abilities_kept(const Map& F, const Map& G, const Change& c) {
  EXPECT_EQ(G.is_affine(), F.is_affine());
  EXPECT_EQ(G.convex(), F.convex());
  EXPECT_EQ(G.has_hessian(), F.has_hessian());
  Random random(9);
  const Vector t = random.normal_vector(c.J.cols()), x = c.x(t), d = random.normal_vector(t.size());
  const Vector w = random.normal_vector(F.output_dimension()).cwiseAbs(), of_F = w.cwiseQuotient(c.rows);
  const Matrix R = c.rows.cwiseInverse().asDiagonal();
  Vector at(w.size()), there(w.size()), pulled(t.size()), expected(x.size());
  F.evaluate(x, at);
  G.evaluate(t, there);
  EXPECT_LE(off(there, R * at), 1e-12);
  F.adjoint(x, of_F, expected);
  G.adjoint(t, w, pulled);
  EXPECT_LE(off(pulled, c.J.transpose() * expected), 1e-12);
  F.derivative(x, c.J * d, at);
  G.derivative(t, d, there);
  EXPECT_LE(off(there, R * at), 1e-12);
  EXPECT_LE(off(G.jacobian(t).dense(), R * F.jacobian(x).dense() * c.J), 1e-12);
  if (F.is_affine() && G.is_affine()) {
    EXPECT_LE(off(G.constant_jacobian()->dense(), R * F.constant_jacobian()->dense() * c.J), 1e-12);
  }
  if (F.has_hessian() && G.has_hessian()) {
    const Matrix H = c.J.transpose() * F.hessian(x, of_F).dense() * c.J;
    EXPECT_LE(off(G.hessian(t, w).dense(), H), 1e-12);
    G.hessian_times(t, w, d, pulled);
    EXPECT_LE(off(pulled, H * d), 1e-12);
  }
  Vector slopes(w.size()), steepest(w.size());
  F.magnitude(x, at, slopes);
  G.magnitude(t, there, steepest);
  EXPECT_GE((there - R * at).minCoeff(), -1e-12 * there.norm()) << "more is added up, not less";
  EXPECT_GE((steepest - R * slopes * c.J.cwiseAbs().minCoeff()).minCoeff(), -1e-12 * steepest.norm());
  const auto H = F.curvature_below(x, of_F), K = G.curvature_below(t, w);
  ASSERT_EQ(K.has_value(), H.has_value());
  if (H) {
    EXPECT_LE(off(K->dense(), c.J.transpose() * H->dense() * c.J), 1e-12);
  }
  // x is free where the chart puts in no coordinate: only where it does can bounds be compared
  F.evaluate(x, at);
  const Vector low = at.array() - 0.5, high = at.array() + 0.5;
  Vector least = Vector::Constant(x.size(), -infinity), greatest = -least;
  F.tighten(low, high, least, greatest);
  Vector t_least = Vector::Constant(t.size(), -infinity), t_greatest = -t_least;
  G.tighten(R * low, R * high, t_least, t_greatest);
  for (Index k = 0; k < t.size(); ++k)
    for (Index i = 0; i < x.size(); ++i) {
      if (c.J(i, k) <= 0.0 || (c.J.row(i).array() != 0.0).count() != 1) continue;
      if (std::isfinite(least[i])) {
        EXPECT_NEAR(t_least[k] * c.J(i, k) + c.shift[i], least[i], 1e-6 * (1.0 + std::abs(least[i])));
      }
      if (std::isfinite(greatest[i])) {
        EXPECT_NEAR(t_greatest[k] * c.J(i, k) + c.shift[i], greatest[i], 1e-6 * (1.0 + std::abs(greatest[i])));
      }
    }
  EXPECT_TRUE(check_map(G, t).ok) << ::testing::PrintToString(check_map(G, t).failures);
}

TEST(Scaled, KeepsTheAbilitiesOfEveryObjective) {
  for (const auto& [name, f] : objectives()) {
    SCOPED_TRACE(name);
    const Index n = f.dimension();
    const Problem other = scaled(Problem{.f = f}.completed(), {4.0, 3.0, Vector()});
    expect_abilities_kept(f, other.f, {4.0 * Matrix::Identity(n, n), Vector::Zero(n), 3.0});
  }
}

TEST(Scaled, KeepsTheAbilitiesOfEveryMap) {
  for (const auto& [name, F] : maps()) {
    SCOPED_TRACE(name);
    const Index n = F.input_dimension(), m = F.output_dimension();
    const Vector rows = Vector::LinSpaced(m, 0.5, 3.0);
    const Problem problem{.f = Linear(Vector::Ones(n)), .G = F, .C = Box(Vector::Zero(m), Vector::Ones(m))};
    const Problem other = scaled(problem.completed(), {4.0, 3.0, rows});
    expect_abilities_kept(F, other.G, {4.0 * Matrix::Identity(n, n), Vector::Zero(n), 1.0, rows});
  }
}

std::vector<Sample<Set>> sets() {
  std::vector<Sample<Set>> all;
  for (const io::Entry& e : io::sets())
    for (Index n = 1; n <= 64; ++n) {  // that of the example
      const std::string text = linear_in(n) + R"(, "D": )" + std::string(e.example) + "}";
      try {
        all.push_back({std::string(e.name), io::parse_problem(text, ".").problem.D});
        break;
      } catch (const std::exception&) {
        EXPECT_LT(n, 64) << e.name;
      }
    }
  for (const auto& p : testing_support::small_problems())
    if (p.problem.D) all.push_back({p.name, p.problem.D});
  return all;
}

/// E is D in other units: w ∈ D iff factor · w ∈ E.
void expect_abilities_kept(const Set& D, const Set& E, double factor) {
  Random random(10);
  const Vector z = random.normal_vector(D.dimension()), y = D.projection(z), w = factor * z;
  EXPECT_EQ(E.name(), D.name());
  EXPECT_EQ(E.convex(), D.convex());
  EXPECT_EQ(E.free_ranges(), D.free_ranges());
  EXPECT_LE(off(E.projection(w), factor * y), 1e-12);
  Vector kept(w.size());
  E.projector()->project(w, kept);
  EXPECT_LE(off(kept, factor * y), 1e-12);
  const auto residual = D.normal_residual(y, z - y), other = E.normal_residual(factor * y, z - y);
  ASSERT_EQ(other.has_value(), residual.has_value());
  if (residual) {
    EXPECT_NEAR(*other, *residual, 1e-6 * (1.0 + z.norm()));
  }
  EXPECT_EQ(E.projection_is_unique(w, 1e-9 * factor), D.projection_is_unique(z, 1e-9));
  EXPECT_EQ(E.ray(w).has_value(), D.ray(z).has_value());
  const auto branch = D.branch(y, z), there = E.branch(factor * y, w);
  ASSERT_EQ(there.has_value(), branch.has_value());
  if (branch) {
    EXPECT_EQ(there->key, branch->key);
    EXPECT_EQ(there->chart.is_affine(), branch->chart.is_affine());
    const auto near = D.neighbours(branch->key, z, 5), near_there = E.neighbours(branch->key, w, 5);
    ASSERT_EQ(near_there.has_value(), near.has_value());
    if (near) {
      EXPECT_EQ(near_there->total, near->total);
      for (std::size_t k = 0; k < near->nearest.size(); ++k)
        EXPECT_EQ(near_there->nearest[k].key, near->nearest[k].key);
    }
  }
  const auto rows = D.linear_constraints(), rows_there = E.linear_constraints();
  ASSERT_EQ(rows_there.has_value(), rows.has_value());
  if (rows) {
    EXPECT_EQ(rows_there->b.size(), rows->b.size());
    EXPECT_EQ(rows_there->d.size(), rows->d.size());
    for (Index i = 0; i < y.size(); ++i) {
      EXPECT_EQ(std::isfinite(rows_there->lower[i]), std::isfinite(rows->lower[i]));
      EXPECT_EQ(std::isfinite(rows_there->upper[i]), std::isfinite(rows->upper[i]));
    }
  }
  const Vector units = Vector::Constant(y.size(), 2.0);
  EXPECT_EQ(E.scaled(units).has_value(), D.scaled(units).has_value());
  const auto choices = D.alternatives(), choices_there = E.alternatives();
  ASSERT_EQ(choices_there.has_value(), choices.has_value());
  if (!choices) return;
  ASSERT_EQ(choices_there->atoms.size(), choices->atoms.size());
  ASSERT_EQ(choices_there->common.size(), choices->common.size());
  ASSERT_EQ(choices_there->budgets.size(), choices->budgets.size());
  for (std::size_t k = 0; k < choices->budgets.size(); ++k)
    EXPECT_EQ(choices_there->budgets[k].most, choices->budgets[k].most);
  for (std::size_t k = 0; k < choices->atoms.size(); ++k) {
    const Atom &a = choices->atoms[k], &b = choices_there->atoms[k];
    EXPECT_EQ(b.coordinates, a.coordinates);
    EXPECT_EQ(b.zero, a.zero);
    ASSERT_EQ(b.pieces.size(), a.pieces.size());
    const Vector part = z(a.coordinates);
    for (std::size_t j = 0; j < a.pieces.size(); ++j)
      EXPECT_LE(off(b.pieces[j].projection(factor * part), factor * a.pieces[j].projection(part)), 1e-12);
  }
}

TEST(Scaled, KeepsTheAbilitiesOfEverySet) {
  for (const auto& [name, D] : sets()) {
    SCOPED_TRACE(name);
    const Problem problem{.f = Linear(Vector::Ones(D.dimension())), .D = D};
    const Set E = scaled(problem.completed(), {4.0, 3.0, Vector()}).D;
    expect_abilities_kept(D, E, 0.25);
    const CheckReport report = check_set(E, {.samples = 20});
    EXPECT_TRUE(report.ok) << ::testing::PrintToString(report.failures);
  }
}

/// A chart of a support, as Sparse, Similarity and Product hand them out.
Branch support(Index n) {
  std::vector<Index> indices;
  for (Index i = 0; i < n; i += 2) indices.push_back(i);
  const Index size = std::ssize(indices);
  return {"", {}, Embedding(n, indices), Free(size), Vector::Ones(size)};
}

Change change_of(const Map& chart) {
  const Vector zero = Vector::Zero(chart.input_dimension());
  Vector shift(chart.output_dimension());
  chart.evaluate(zero, shift);
  return {chart.jacobian(zero).dense(), shift};
}

TEST(Restricted, KeepsTheAbilitiesOfEveryObjectiveOnASupport) {
  for (const auto& [name, f] : objectives()) {
    SCOPED_TRACE(name);
    const Branch branch = support(f.dimension());
    const Problem on = restricted(Problem{.f = f}.completed(), branch);
    expect_abilities_kept(f, on.f, change_of(branch.chart));
  }
}

TEST(Restricted, KeepsTheAbilitiesOfEveryMapOnASupport) {
  for (const auto& [name, F] : maps()) {
    SCOPED_TRACE(name);
    const Index n = F.input_dimension(), m = F.output_dimension();
    const Branch branch = support(n);
    const Problem problem{.f = Linear(Vector::Ones(n)), .G = F, .C = Box(Vector::Zero(m), Vector::Ones(m))};
    Change change = change_of(branch.chart);
    change.rows = Vector::Ones(m);
    expect_abilities_kept(F, restricted(problem.completed(), branch).G, change);
  }
}

TEST(Restricted, SeesThroughTheUnitsOfADefaultSolve) {
  const Problem problem{.f = LeastSquares(Random(1).normal_matrix(9, 6), Vector::Ones(9)), .D = Sparse(6, 2)};
  const Problem units = scaled(problem.completed(), {4.0, 3.0, Vector()});
  const Vector y = Vector::Unit(6, 1) + Vector::Unit(6, 4);
  const auto branch = units.D.branch(y, y);
  ASSERT_TRUE(branch.has_value());
  ASSERT_TRUE(branch->chart.is_affine());
  EXPECT_NE(branch->chart.constant_jacobian()->embedded(), nullptr) << "a support in other units is a support";
  const Problem on = restricted(units, *branch);
  ASSERT_TRUE(on.f.is_quadratic());
  EXPECT_TRUE(on.f.convex() && on.f.has_value());
  EXPECT_EQ(on.f.constant_hessian()->dense().rows(), 2);
}

TEST(Lifted, KeepsTheAbilitiesOfEveryObjectiveAndMap) {
  for (const auto& [name, f] : objectives()) {
    SCOPED_TRACE(name);
    const Index n = f.dimension();
    const Objective g = lifted(f, n + 3);
    EXPECT_EQ(g.has_value(), f.has_value());
    EXPECT_EQ(g.convex(), f.convex());
    EXPECT_EQ(g.is_quadratic(), f.is_quadratic());
    EXPECT_EQ(g.has_hessian(), f.has_hessian());
    const Vector t = Random(3).normal_vector(n + 3);
    EXPECT_EQ(g.curvature_below(t, t.array() - 1.0, t.array() + 1.0).has_value(),
              f.curvature_below(t.head(n), t.head(n).array() - 1.0, t.head(n).array() + 1.0).has_value());
    if (f.has_hessian()) {
      EXPECT_LE(off(g.hessian(t).dense().topLeftCorner(n, n), f.hessian(t.head(n)).dense()), 1e-12);
    }
    EXPECT_TRUE(check_objective(g, t).ok) << ::testing::PrintToString(check_objective(g, t).failures);
  }
  for (const auto& [name, F] : maps()) {
    SCOPED_TRACE(name);
    const Index n = F.input_dimension(), m = F.output_dimension(), total = n + 2 * m + 1;
    const Vector t = Random(3).normal_vector(total);
    for (const Map& G : {lifted(F, total), with_slacks(F, total, n), with_slacks(F, total, n + m)}) {
      EXPECT_EQ(G.is_affine(), F.is_affine());
      EXPECT_EQ(G.convex(), F.convex());
      EXPECT_EQ(G.has_hessian(), F.has_hessian());
      EXPECT_EQ(G.curvature_below(t, Vector::Ones(m)).has_value(),
                F.curvature_below(t.head(n), Vector::Ones(m)).has_value());
      EXPECT_TRUE(check_map(G, t).ok) << ::testing::PrintToString(check_map(G, t).failures);
    }
  }
}

/// Counts adjoints.
struct Counting {
  Map F;
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  Index input_dimension() const { return F.input_dimension(); }
  Index output_dimension() const { return F.output_dimension(); }
  void evaluate(In x, Out out) const { F.evaluate(x, out); }
  void adjoint(In x, In w, Out out) const { ++*calls, F.adjoint(x, w, out); }
  Operator jacobian(In x) const { return F.jacobian(x); }
};

TEST(Composition, HasItsJacobianFromThoseOfItsParts) {
  const Counting outer{Squares{}};
  const Composition both(outer, Affine(Random(2).normal_matrix(4, 3), Vector::Ones(4)));
  const Vector x = Vector::Constant(3, 0.3);
  const Matrix J = Map(both).jacobian(x).dense();
  EXPECT_EQ(*outer.calls, 0) << "no adjoint is needed";
  EXPECT_TRUE(check_map(both, x).ok);
  EXPECT_EQ(J.rows(), 2);
}

TEST(Composition, OfCurvedMapsHasADerivative) {
  const Composition both(Affine(Random(2).normal_matrix(3, 6)), FactorProduct{2, 3, 1});
  EXPECT_TRUE(check_map(both, Vector::LinSpaced(5, -1.0, 1.0)).ok);
  EXPECT_FALSE(Map(both).is_affine());
}

}  // namespace
}  // namespace pendec
