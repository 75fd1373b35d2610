// Models in .nl files: the 90 of MacMPEC, every operation, presolve and its duals, bad files, .sol files.
#include "pendec/io/nl.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "pendec/core/random.hpp"
#include "pendec/io/file.hpp"
#include "tests/support/data.hpp"

namespace pendec::io {
namespace {

// Texts of models -----

/// The header of a model with these sizes, with so many linear terms in rows and objectives; all variables nonlinear
/// in both where `nonlinear`.
struct NlSizes {
  Index n = 1, m = 0, objectives = 1, pairs = 0, discrete = 0, common = 0;
  bool nonlinear = true;
  Index in_rows = 0, in_objectives = 0;
};

std::string header(const NlSizes& s, char form = 'g') {
  const Index curved = s.nonlinear ? s.n : 0;
  return fmt::format(
      "{}3 1 1 0\t# problem of a test\n {} {} {} 0 0\n {} {} {} 0\n 0 0\n {} {} {}\n 0 0 1 1\n {} 0 {} 0 0\n {} {}\n"
      " 0 0\n {} 0 0 0 0\n",
      form, s.n, s.m, s.objectives, s.nonlinear ? s.m : 0, s.nonlinear ? s.objectives : 0, s.pairs, curved, curved,
      curved, s.nonlinear ? 0 : s.discrete, s.nonlinear ? s.discrete : 0, s.in_rows, s.in_objectives, s.common);
}

std::string free_bounds(Index n) {
  std::string text = "b\n";
  for (Index i = 0; i < n; ++i) text += "3\n";
  return text;
}

/// The objective `expression` of free variables.
NlModel objective_model(const std::string& expression, Index n) {
  return parse_nl(header({.n = n}) + "O0 0\n" + expression + free_bounds(n));
}

std::string problem_with(const std::string& text) {
  try {
    parse_nl(text, "model.nl");
  } catch (const FileError& error) {
    return error.what();
  }
  return "nothing";
}

std::filesystem::path macmpec(const std::filesystem::path& data) { return data / "macmpec"; }

// MacMPEC -----

/// Relative to the sizes compared; derivatives by central differences along a random direction.
double difference(In a, In b) { return (a - b).norm() / (1.0 + a.norm() + b.norm()); }

void expect_derivatives(const Problem& p, const Vector& x) {
  Random random(5);
  const Vector d = random.normal_vector(x.size());
  const double h = 1e-6;
  const Vector after = x + h * d, before = x - h * d;
  Vector gradient(x.size()), g_after(x.size()), g_before(x.size()), product(x.size());
  const double f = p.f.value_and_gradient(x, gradient);
  EXPECT_EQ(f, p.f.value(x));
  const double slope = (p.f.value(after) - p.f.value(before)) / (2.0 * h);
  EXPECT_NEAR(slope, gradient.dot(d), 1e-6 * (1.0 + std::abs(f) + std::abs(slope)));
  p.f.value_and_gradient(after, g_after);
  p.f.value_and_gradient(before, g_before);
  p.f.hessian_times(x, d, product);
  EXPECT_LE(difference((g_after - g_before) / (2.0 * h), product), 1e-6);
  EXPECT_LE(difference(p.f.hessian(x).times(d), product), 1e-13);
  if (!p.has_G()) return;
  const Index m = p.G.output_dimension();
  const Vector w = random.normal_vector(m);
  Vector G_after(m), G_before(m), along(m);
  p.G.evaluate(after, G_after);
  p.G.evaluate(before, G_before);
  p.G.derivative(x, d, along);
  EXPECT_LE(difference((G_after - G_before) / (2.0 * h), along), 1e-6);
  EXPECT_LE(difference(p.G.jacobian(x).times(d), along), 1e-13);
  p.G.adjoint(x, w, gradient);
  EXPECT_NEAR(gradient.dot(d), w.dot(along), 1e-11 * (1.0 + gradient.norm() * d.norm()));
  p.G.adjoint(after, w, g_after);
  p.G.adjoint(before, w, g_before);
  p.G.hessian_times(x, w, d, product);
  EXPECT_LE(difference((g_after - g_before) / (2.0 * h), product), 1e-6);
  EXPECT_LE(difference(p.G.hessian(x, w).times(d), product), 1e-13);
}

TEST(Nl, EveryModelOfMacMpecHasTheSizesOfItsTableAndRightDerivativesAtItsStart) {
  PENDEC_REQUIRE_DATA(data);
  std::ifstream table(macmpec(data) / "best.csv");
  std::string line;
  std::getline(table, line);
  int models = 0, compared = 0;
  while (std::getline(table, line)) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    SCOPED_TRACE(cells[0]);
    const NlModel model = read_nl(macmpec(data) / (cells[0] + ".nl"));
    ++models;
    EXPECT_EQ(model.header.variables, std::stol(cells[1]));
    if (!cells[3].empty()) {
      EXPECT_EQ(model.header.pairs, std::stol(cells[3]));
      EXPECT_EQ(model.header.rows - model.header.pairs, std::stol(cells[2]));
      ++compared;
    }
    EXPECT_EQ(model.start().size(), model.header.variables);
    EXPECT_EQ(model.row_values(model.start()).size(), model.header.rows);
    expect_derivatives(model.file.problem, model.file.start);
  }
  EXPECT_EQ(models, 90);
  EXPECT_GE(compared, 75);
}

TEST(Nl, LinearAndQuadraticModelsAreRecognised) {
  PENDEC_REQUIRE_DATA(data);
  for (const char* name : {"qpec1", "ex9.1.3", "portfl-i-1", "qpec-100-1"}) {
    const NlModel model = read_nl(macmpec(data) / (std::string(name) + ".nl"));
    EXPECT_TRUE(model.file.problem.f.has_quadratic_form()) << name;
    EXPECT_TRUE(model.file.problem.G.is_affine()) << name;
    ASSERT_TRUE(model.file.pairs) << name;
  }
}

TEST(Nl, SmallModelsEndAtTheirBestKnownValues) {
  PENDEC_REQUIRE_DATA(data);
  const std::map<std::string, double> best{{"bard1m", 17.0}, {"ex9.2.6", -1.0}, {"scholtes1", 2.0}, {"qpec1", 80.0}};
  for (const auto& [name, value] : best) {
    const NlModel model = read_nl(macmpec(data) / (name + ".nl"));
    const Result r = solve_nl(model);
    EXPECT_NEAR(nl_solution(model, r).f, value, 1e-6 * std::abs(value)) << name;
    EXPECT_TRUE(r.success()) << name;
  }
}

// Operations -----

struct Operation {
  const char* expression;  // of v0, v1
  double (*value)(double, double);
};

class NlOperation : public ::testing::TestWithParam<Operation> {};

TEST_P(NlOperation, HasItsValueAndDerivatives) {
  const NlModel model = objective_model(GetParam().expression, 2);
  const Vector x{{0.3, 0.7}};
  EXPECT_NEAR(model.file.problem.f.value(x), GetParam().value(0.3, 0.7), 1e-14);
  EXPECT_EQ(model.objective_value(x), model.file.problem.f.value(x));
  expect_derivatives(model.file.problem, x);
}

INSTANTIATE_TEST_SUITE_P(
    All, NlOperation,
    ::testing::Values(
        Operation{"o0\nv0\nv1\n", [](double a, double b) { return a + b; }},
        Operation{"o1\nv0\nv1\n", [](double a, double b) { return a - b; }},
        Operation{"o2\nv0\nv1\n", [](double a, double b) { return a * b; }},
        Operation{"o3\nv0\nv1\n", [](double a, double b) { return a / b; }},
        Operation{"o5\nv0\nv1\n", [](double a, double b) { return std::pow(a, b); }},
        Operation{"o5\nv0\nn3\n", [](double a, double) { return a * a * a; }},
        Operation{"o5\nn2\nv0\n", [](double a, double) { return std::pow(2.0, a); }},
        Operation{"o6\nv1\nv0\n", [](double a, double b) { return b - a; }},
        Operation{"o11\n2\no44\nv0\nv1\n", [](double, double b) { return b; }},
        Operation{"o12\n2\no44\nv0\nv1\n", [](double a, double) { return std::exp(a); }},
        Operation{"o15\no1\nv0\nv1\n", [](double a, double b) { return std::abs(a - b); }},
        Operation{"o16\no44\nv0\n", [](double a, double) { return -std::exp(a); }},
        Operation{"o35\no22\nv0\nv1\no44\nv0\nv1\n", [](double a, double) { return std::exp(a); }},
        Operation{"o35\no21\no24\nv0\nv1\no34\nn0\no44\nv0\no41\nv1\n", [](double, double b) { return std::sin(b); }},
        Operation{"o37\nv0\n", [](double a, double) { return std::tanh(a); }},
        Operation{"o38\nv0\n", [](double a, double) { return std::tan(a); }},
        Operation{"o39\nv0\n", [](double a, double) { return std::sqrt(a); }},
        Operation{"o40\nv0\n", [](double a, double) { return std::sinh(a); }},
        Operation{"o41\nv0\n", [](double a, double) { return std::sin(a); }},
        Operation{"o42\nv0\n", [](double a, double) { return std::log10(a); }},
        Operation{"o43\nv0\n", [](double a, double) { return std::log(a); }},
        Operation{"o44\no2\nv0\nv1\n", [](double a, double b) { return std::exp(a * b); }},
        Operation{"o45\nv0\n", [](double a, double) { return std::cosh(a); }},
        Operation{"o46\nv0\n", [](double a, double) { return std::cos(a); }},
        Operation{"o47\nv0\n", [](double a, double) { return std::atanh(a); }},
        Operation{"o48\nv0\nv1\n", [](double a, double b) { return std::atan2(a, b); }},
        Operation{"o49\nv0\n", [](double a, double) { return std::atan(a); }},
        Operation{"o50\nv0\n", [](double a, double) { return std::asinh(a); }},
        Operation{"o51\nv0\n", [](double a, double) { return std::asin(a); }},
        Operation{"o52\no0\nn1\nv0\n", [](double a, double) { return std::acosh(1.0 + a); }},
        Operation{"o53\nv0\n", [](double a, double) { return std::acos(a); }},
        Operation{"o54\n3\nv0\no2\nn3\nv1\no41\nv0\n", [](double a, double b) { return a + 3.0 * b + std::sin(a); }},
        Operation{"o3\no43\nv0\no0\nv1\no5\nv0\nn2\n",
                  [](double a, double b) { return std::log(a) / (b + a * a); }}));

TEST(Nl, CommonExpressionsAreEnteredOnceWhereverTheyStand) {
  // V2 = 2 v0 + v0 v1, V3 = exp(V2) + V2, f = V3² + V2
  const std::string text = header({.n = 2, .common = 2}) +
                           "V2 1 0\n0 2\no2\nv0\nv1\nV3 1 0\n2 1\no44\nv2\nO0 0\no0\no5\nv3\nn2\nv2\n" +
                           free_bounds(2);
  const NlModel model = parse_nl(text);
  const Vector x{{0.3, 0.7}};
  const double V2 = 0.6 + 0.21, V3 = std::exp(V2) + V2;
  EXPECT_NEAR(model.file.problem.f.value(x), V3 * V3 + V2, 1e-13);
  expect_derivatives(model.file.problem, x);
}

/// V = Σ exp(x_i), W = V² sin(x_0), and rows x_i V + W ≤ 100 in more numbers than either may be copied; f = W + Σ
/// x_i².
std::string model_of_commons(Index n, Index m, const std::string& bounds) {
  std::string text = header({.n = n, .m = m, .common = 2}) + fmt::format("V{} 0 0\no54\n{}\n", n, n);
  for (Index i = 0; i < n; ++i) text += fmt::format("o44\nv{}\n", i);
  text += fmt::format("V{} 0 0\no2\no5\nv{}\nn2\no41\nv0\n", n + 1, n);
  for (Index i = 0; i < m; ++i) text += fmt::format("C{}\no0\no2\nv{}\nv{}\nv{}\n", i, i % n, n, n + 1);
  text += fmt::format("O0 0\no0\nv{}\no54\n{}\n", n + 1, n);
  for (Index i = 0; i < n; ++i) text += fmt::format("o5\nv{}\nn4\n", i);
  text += "r\n";
  for (Index i = 0; i < m; ++i) text += "1 100\n";
  return text + "b\n" + bounds;
}

TEST(Nl, CommonExpressionsOfManyRowsAreEvaluatedOnceWithTheirDerivatives) {
  constexpr Index n = 5, m = 60;
  for (const char* first : {"0 -1 1\n", "4 0.2\n"}) {  // a variable of theirs may be fixed
    const std::string others = "0 -1 1\n0 -1 1\n0 -1 1\n0 -1 1\n";
    const NlModel model = parse_nl(model_of_commons(n, m, first + others));
    const Vector x{{0.2, -0.3, 0.1, 0.4, -0.5}};
    const double V = x.array().exp().sum(), W = V * V * std::sin(x[0]);
    EXPECT_NEAR(model.objective_value(x), W + x.array().pow(4).sum(), 1e-12);
    const Vector rows = model.row_values(x);
    for (Index i = 0; i < m; ++i) EXPECT_NEAR(rows[i], x[i % n] * V + W, 1e-12);
    const Vector left = x.tail(model.file.problem.dimension());
    EXPECT_NEAR(model.file.problem.f.value(left), W + x.array().pow(4).sum(), 1e-12);
    expect_derivatives(model.file.problem, left);
    const Result r = solve_nl(model);
    EXPECT_TRUE(r.success()) << r.message;
    const NlSolution s = nl_solution(model, r);
    for (Index i = 0; i < n; ++i) {  // reduced costs are what duals leave of the gradient
      const Vector h = 1e-6 * Vector::Unit(n, i);
      const double slope = (model.objective_value(s.x + h) - model.objective_value(s.x - h)) / 2e-6;
      const Vector of_rows = (model.row_values(s.x + h) - model.row_values(s.x - h)) / 2e-6;
      EXPECT_NEAR(s.reduced_costs[i], slope - of_rows.dot(s.duals), 1e-6 * (1.0 + std::abs(slope)));
    }
  }
}

TEST(Nl, ALongExpressionMayBeInThousandsOfRows) {
  const NlModel model = parse_nl(model_of_commons(1000, 6000, free_bounds(1000).substr(2)));
  EXPECT_TRUE(model.row_values(Vector::Zero(1000)).isApproxToConstant(0.0));
  const auto begin = std::chrono::steady_clock::now();
  const Map& G = model.file.problem.G;
  Vector product(1000);
  const Vector x = Vector::Constant(1000, 0.01), w = Vector::Ones(6000), d = Random(4).normal_vector(1000);
  G.hessian_times(x, w, d, product);
  EXPECT_LE(difference(G.hessian(x, w).times(d), product), 1e-12);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5.0);
}

TEST(Nl, RowsOfTheSameVariablesShareTheirSecondDerivatives) {
  // V = Σ x, rows x_i exp(−V): with a block of its own for each row, ten gigabytes
  constexpr Index n = 600;
  std::string text = header({.n = n, .m = n, .common = 1}) + fmt::format("V{} {} 0\n", n, n);
  for (Index i = 0; i < n; ++i) text += fmt::format("{} 1\n", i);
  text += "n0\n";
  for (Index i = 0; i < n; ++i) text += fmt::format("C{}\no2\nv{}\no44\no16\nv{}\n", i, i, n);
  text += "O0 0\nn0\nr\n";
  for (Index i = 0; i < n; ++i) text += "1 5\n";
  const NlModel model = parse_nl(text + free_bounds(n));
  Random random(3);
  const Vector x = 0.01 * random.normal_vector(n), d = random.normal_vector(n);
  Vector w = Vector::Zero(n), product(n);
  w[3] = 1.0;
  w[500] = -2.0;
  const Map& G = model.file.problem.G;
  G.hessian_times(x, w, d, product);
  EXPECT_LE(difference(G.hessian(x, w).times(d), product), 1e-13);
  EXPECT_GT(product.norm(), 1.0);
}

TEST(Nl, ExpressionsThatDoubleEachOtherAreNotUnfolded) {
  std::string text = header({.n = 1, .common = 60}) + "V1 0 0\no44\nv0\n";
  for (int k = 2; k <= 60; ++k) text += fmt::format("V{} 0 0\no0\nv{}\nv{}\n", k, k - 1, k - 1);
  const NlModel model = parse_nl(text + "O0 0\nv60\n" + free_bounds(1));
  EXPECT_DOUBLE_EQ(model.file.problem.f.value(Vector::Zero(1)), std::ldexp(1.0, 59));
}

TEST(Nl, DepthIsNoLimit) {
  std::string text;
  constexpr int deep = 200'000;
  for (int k = 0; k < deep; ++k) text += "o41\n";
  const NlModel model = objective_model(text + "v0\n", 1);
  EXPECT_TRUE(std::isfinite(model.file.problem.f.value(Vector::Ones(1))));
}

// Problems -----

/// min or max cᵀx of two variables with one row.
std::string linear_program(int sense, const std::string& row, const std::string& bounds,
                           const std::string& more = "") {
  return header({.n = 2, .m = 1, .nonlinear = false, .in_rows = 2, .in_objectives = 2}) + more +
         fmt::format("C0\nn0\nO0 {}\nn0\n", sense) + "r\n" + row + "b\n" + bounds +
         "J0 2\n0 1\n1 2\nG0 2\n0 1\n1 1\n";
}

TEST(Nl, DualsAreThoseOfTheModellingLanguages) {
  // min x + y, x + 2 y ≥ 4: at (0, 2) one more on the right costs ½
  const NlModel least = parse_nl(linear_program(0, "2 4\n", "2 0\n2 0\n"));
  const Result r = solve_nl(least);
  const NlSolution s = nl_solution(least, r);
  EXPECT_EQ(solve_result_num(r) / 100, 0);
  EXPECT_NEAR(s.f, 2.0, 1e-8);
  EXPECT_NEAR(s.duals[0], 0.5, 1e-6);
  EXPECT_NEAR(s.reduced_costs[0], 0.5, 1e-6);
  EXPECT_NEAR(s.reduced_costs[1], 0.0, 1e-6);
  // max x + y, x + 2 y ≤ 4: at (4, 0) one more on the right gains 1, and y is held at 0
  const NlModel most = parse_nl(linear_program(1, "1 4\n", "2 0\n2 0\n"));
  const NlSolution t = nl_solution(most, solve_nl(most));
  EXPECT_TRUE(most.maximise);
  EXPECT_NEAR(t.f, 4.0, 1e-8);
  EXPECT_NEAR(t.duals[0], 1.0, 1e-6);
  EXPECT_NEAR(t.reduced_costs[1], -1.0, 1e-6);
}

TEST(Nl, RowsOfOneVariableBecomeBoundsAndGetTheirDualsBack) {
  // min x + y: 2 x ≥ 3, y = 1 by its bounds
  const std::string text = header({.n = 2, .m = 1, .nonlinear = false, .in_rows = 1, .in_objectives = 2}) +
                           "C0\nn0\nO0 0\nn0\nr\n2 3\nb\n3\n4 1\nJ0 1\n0 2\nG0 2\n0 1\n1 1\n";
  const NlModel model = parse_nl(text);
  EXPECT_EQ(model.file.problem.dimension(), 1);
  EXPECT_FALSE(model.file.problem.has_G());
  const NlSolution s = nl_solution(model, solve_nl(model));
  EXPECT_NEAR(s.x[0], 1.5, 1e-9);
  EXPECT_EQ(s.x[1], 1.0);
  EXPECT_NEAR(s.duals[0], 0.5, 1e-9);
  EXPECT_NEAR(s.reduced_costs[0], 0.0, 1e-9);
  EXPECT_NEAR(s.reduced_costs[1], 1.0, 1e-9);
}

/// min Σ (x_i − c_i)² with rows a_iᵀx = b_i, each of one variable x_i and of some that come before it, some of which
/// their bounds fix: in an order that says nothing about which comes first.
struct Chain {
  Matrix A;
  Vector b, c, fixed;
  std::vector<Index> order = {};  // of the rows

  NlModel model() const {
    const Index n = c.size(), m = b.size();
    std::string text = header({.n = n, .m = m, .in_rows = static_cast<Index>((A.array() != 0.0).count())}) +
                       "O0 0\no54\n" + fmt::format("{}\n", n);
    for (Index i = 0; i < n; ++i) text += fmt::format("o5\no0\nv{}\nn{}\nn2\n", i, -c[i]);
    for (Index i = 0; i < m; ++i) text += fmt::format("C{}\nn0\n", i);
    text += "r\n";
    for (Index i = 0; i < m; ++i) text += fmt::format("4 {}\n", b[order[static_cast<std::size_t>(i)]]);
    text += "b\n";
    for (Index i = 0; i < n; ++i) text += std::isnan(fixed[i]) ? "3\n" : fmt::format("4 {}\n", fixed[i]);
    for (Index i = 0; i < m; ++i) {
      const Vector row = A.row(order[static_cast<std::size_t>(i)]);
      text += fmt::format("J{} {}\n", i, (row.array() != 0.0).count());
      for (Index j = 0; j < n; ++j)
        if (row[j] != 0.0) text += fmt::format("{} {}\n", j, row[j]);
    }
    return parse_nl(text);
  }
};

Chain random_chain(std::uint64_t seed) {
  Random random(seed);
  constexpr Index n = 7;
  Chain out{.A = Matrix::Zero(0, n), .b = {}, .c = random.normal_vector(n), .fixed = Vector::Constant(n, NAN)};
  std::vector<Vector> rows;
  for (Index i = 0; i < n; ++i) {
    const double kind = random.uniform();
    if (kind < 0.2) out.fixed[i] = random.normal();
    if (kind < 0.2 || kind > 0.8) continue;
    Vector row = Vector::Zero(n);
    for (Index j = 0; j < i; ++j)
      if (random.uniform() < 0.5) row[j] = random.normal();
    row[i] = 0.5 + random.uniform();
    rows.push_back(row);
  }
  out.A.resize(std::ssize(rows), n);
  for (std::size_t i = 0; i < rows.size(); ++i) out.A.row(static_cast<Index>(i)) = rows[i];
  out.b = random.normal_vector(std::ssize(rows));
  for (Index i = std::ssize(rows); i-- > 0;) out.order.push_back(i);
  return out;
}

TEST(Nl, ChainsOfRowsHaveTheDualsOfTheWholeModel) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = random_chain(seed);
    const NlModel model = chain.model();
    const NlSolution s = nl_solution(model, solve_nl(model));
    Vector rest = 2.0 * (s.x - chain.c) - s.reduced_costs;
    for (Index i = 0; i < s.duals.size(); ++i) {
      const Index row = chain.order[static_cast<std::size_t>(i)];
      rest -= s.duals[i] * chain.A.row(row).transpose();
      const double h = 1e-3;  // f is quadratic in the right-hand side
      Chain more = chain, less = chain;
      more.b[row] += h;
      less.b[row] -= h;
      const NlModel up = more.model(), down = less.model();
      const double slope = (nl_solution(up, solve_nl(up)).f - nl_solution(down, solve_nl(down)).f) / (2.0 * h);
      EXPECT_NEAR(s.duals[i], slope, 1e-5 * (1.0 + std::abs(slope)));
    }
    EXPECT_LE(rest.norm(), 1e-6 * (1.0 + s.duals.norm()));
    for (Index i = 0; i < s.x.size(); ++i)
      EXPECT_TRUE(!std::isnan(chain.fixed[i]) || std::abs(s.reduced_costs[i]) <= 1e-6) << i;
  }
}

TEST(Nl, WhatIsLeftOfTermsThatCancelIsNoCoefficient) {
  // min (x − 2)² + (y − 1)², and a row that says nothing about x: 3 (0.1 x) − 0.3 x = 0
  const std::string objective = "O0 0\no0\no5\no0\nn-2\nv0\nn2\no5\no0\nn-1\nv1\nn2\nr\n4 0\nb\n3\n3\n";
  const std::string before = header({.n = 2, .m = 1, .in_rows = 1}) + "C0\nn0\n" + objective + "J0 1\n0 5.55e-17\n";
  const std::string here =
      header({.n = 2, .m = 1, .in_rows = 1}) + "C0\no2\nn3\no2\nn0.1\nv0\n" + objective + "J0 1\n0 -0.3\n";
  for (const std::string& text : {before, here}) {
    const NlModel model = parse_nl(text);
    const NlSolution s = nl_solution(model, solve_nl(model));
    EXPECT_NEAR(s.x[0], 2.0, 1e-9);
    EXPECT_NEAR(s.duals[0], 0.0, 1e-9);
  }
  // 1e9 x − (1e9 − 1e-3) x + z = 1, z = 1: neither coefficient nor right-hand side have digits enough for a bound
  const NlModel row =
      parse_nl(header({.n = 2, .m = 1, .in_rows = 2}) +
               "C0\no2\nn1e9\nv0\nO0 0\no5\nv0\nn2\nr\n2 1\nb\n3\n4 1\nJ0 2\n0 -999999999.999\n1 1\n");
  EXPECT_TRUE(row.file.problem.has_G());
}

TEST(Nl, ChainsOfRowsTakeTimeInProportionToTheirLength) {
  constexpr Index n = 100'000;  // the last variable is fixed, and row i tells x_i from x_{i + 1}
  std::string text = header({.n = n, .m = n - 1, .nonlinear = false, .in_rows = 2 * (n - 1), .in_objectives = 1});
  for (Index i = 0; i + 1 < n; ++i) text += fmt::format("C{}\nn0\n", i);
  text += "O0 0\nn0\nr\n";
  for (Index i = 0; i + 1 < n; ++i) text += "4 -1\n";
  text += "b\n";
  for (Index i = 0; i + 1 < n; ++i) text += "3\n";
  text += "4 0\n";
  for (Index i = 0; i + 1 < n; ++i) text += fmt::format("J{} 2\n{} 1\n{} -1\n", i, i, i + 1);
  const auto begin = std::chrono::steady_clock::now();
  const NlModel model = parse_nl(text + "G0 1\n0 1\n");
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5.0);
  EXPECT_EQ(model.file.problem.dimension(), 1);
  EXPECT_EQ(nl_solution(model, solve_nl(model)).x[0], 1.0 - n);
}

TEST(Nl, ContradictionsAreFoundBeforeAnythingIsSolved) {
  const NlModel model = parse_nl(header({.n = 1, .m = 1, .nonlinear = false, .in_rows = 1, .in_objectives = 1}) +
                                 "C0\nn0\nO0 0\nn0\nr\n2 3\nb\n0 0 2\nJ0 1\n0 1\nG0 1\n0 1\n");
  EXPECT_FALSE(model.contradiction.empty());
  const Result r = solve_nl(model);
  EXPECT_EQ(r.status, Status::infeasible);
  EXPECT_EQ(solve_result_num(r), 200);
  EXPECT_NE(to_sol(model, r).find("objno 0 200"), std::string::npos);
}

/// min (x − 1)² + (y − t)² with the row y + shift in a complementarity of kind k with x, bounds as given.
NlModel pair_model(int k, const std::string& bounds_of_x, double a, double b) {
  return parse_nl(header({.n = 2, .m = 1, .pairs = 1, .in_rows = 1, .in_objectives = 2}) +
                  fmt::format("C0\nn0\nO0 0\no0\no5\no0\nn{}\nv0\nn2\no5\no0\nn{}\nv1\nn2\nr\n5 {} 1\nb\n{}3\n"
                              "J0 1\n1 1\nG0 2\n0 0\n1 0\n",
                              -a, -b, k, bounds_of_x));
}

TEST(Nl, AllFourKindsOfComplementarityMeanWhatTheFormatSays) {
  struct Case {
    int k;
    const char* bounds;
    double a, b, x, y;  // wanted and found
  };
  const Case cases[] = {{1, "2 0\n", 1.0, 3.0, 0.0, 3.0},      {1, "2 0\n", 2.0, -1.0, 2.0, 0.0},
                        {2, "1 5\n", 7.0, -3.0, 5.0, -3.0},    {2, "1 5\n", 1.0, 3.0, 1.0, 0.0},
                        {3, "0 -1 1\n", 3.0, -4.0, 1.0, -4.0}, {3, "0 -1 1\n", -3.0, 4.0, -1.0, 4.0},
                        {3, "0 -1 1\n", 0.5, 0.1, 0.5, 0.0},   {0, "3\n", 4.0, 2.0, 4.0, 0.0}};
  for (const Case& c : cases) {
    const NlModel model = pair_model(c.k, c.bounds, c.a, c.b);
    const Result r = solve_nl(model);
    const NlSolution s = nl_solution(model, r);
    EXPECT_TRUE(r.success()) << c.k;
    EXPECT_NEAR(s.x[0], c.x, 1e-6) << c.k << ' ' << c.a << ' ' << r.message;
    EXPECT_NEAR(s.x[1], c.y, 1e-6) << c.k << ' ' << c.a;
    // the derivative of the Lagrangian by what no bound holds is zero
    const Vector gradient{{2.0 * (s.x[0] - c.a), 2.0 * (s.x[1] - c.b) - s.duals[0]}};
    EXPECT_NEAR(gradient[1], 0.0, 1e-6) << c.k;
    EXPECT_NEAR(gradient[0], s.reduced_costs[0], 1e-6) << c.k;
  }
}

TEST(Nl, FewPairsOfAQuadraticOrABoundedLinearObjectiveAreProved) {
  const NlModel quadratic = pair_model(1, "2 0\n", 1.0, 3.0);
  const Result r = solve_nl(quadratic);
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_NEAR(r.bound, nl_solution(quadratic, r).f, 1e-6);
  // max x + 2 y, 0 ≤ x ≤ 2 ⊥ y ≥ 0, y ≤ 3: (0, 3)
  const NlModel linear =
      parse_nl(header({.n = 2, .m = 1, .pairs = 1, .nonlinear = false, .in_rows = 1, .in_objectives = 2}) +
               "C0\nn0\nO0 1\nn0\nr\n5 1 1\nb\n0 0 2\n1 3\nJ0 1\n1 1\nG0 2\n0 1\n1 2\n");
  const Result s = solve_nl(linear);
  EXPECT_EQ(s.status, Status::optimal) << s.message;
  EXPECT_NEAR(nl_solution(linear, s).f, 6.0, 1e-8);
  EXPECT_NEAR(nl_solution(linear, s).bound, 6.0, 1e-5);
}

TEST(Nl, CopiesOfBodiesAreLeftOutAndComeBack) {
  // bv == y + 1, 0 ≤ x ⊥ bv ≥ 0; f = (x − 2)² + (y − 3)²: x, y, bv
  const std::string text =
      header({.n = 3, .m = 2, .pairs = 1, .in_rows = 3}) +
      "C0\nn0\nC1\nn0\nO0 0\no0\no5\no0\nn-2\nv0\nn2\no5\no0\nn-3\nv1\nn2\nr\n5 1 1\n4 1\nb\n2 0\n3\n3\n"
      "J0 1\n2 1\nJ1 2\n1 -1\n2 1\n";
  const NlModel model = parse_nl(text);
  ASSERT_TRUE(model.file.pairs);
  EXPECT_EQ(model.file.pairs->dimension(), 2);
  EXPECT_FALSE(model.file.pairs->G);
  const Result r = solve_nl(model);
  const NlSolution s = nl_solution(model, r);
  EXPECT_NEAR(s.f, 4.0, 1e-6);
  EXPECT_NEAR(s.x[2], s.x[1] + 1.0, 1e-12);
  for (Index i = 1; i < 3; ++i) EXPECT_NEAR(s.reduced_costs[i], 0.0, 1e-6);
}

TEST(Nl, AStartWhereNothingIsFiniteIsLeft) {
  const NlModel model = parse_nl(header({.n = 1}) + "O0 0\no1\nv0\no43\nv0\nb\n2 0\n");  // x − log x
  const Result r = solve_nl(model);
  EXPECT_TRUE(r.success()) << r.message;
  EXPECT_NEAR(nl_solution(model, r).x[0], 1.0, 1e-5);
  // sin(x)/x between −4 and 4 from 0, where a step away from the bounds is none
  const NlModel inside = parse_nl(header({.n = 1}) + "O0 0\no3\no41\nv0\nv0\nb\n0 -4 4\n");
  EXPECT_TRUE(solve_nl(inside).success());
  const NlModel nowhere = parse_nl(header({.n = 1}) + "O0 0\no43\no16\no5\nv0\nn4\nb\n3\n");  // log(−x⁴)
  EXPECT_EQ(solve_result_num(solve_nl(nowhere)), 502);
  EXPECT_NE(to_sol(nowhere, solve_nl(nowhere)).find("objno 0 502"), std::string::npos);
}

TEST(Nl, NothingIsCertifiedAtAKink) {
  const auto model = [](int sense, const std::string& expression, const char* bounds) {
    return parse_nl(header({.n = 1}) + fmt::format("O0 {}\n", sense) + expression + "b\n" + bounds);
  };
  // max |x| and max(0, x) from 0: all slopes of a piece are zero, or lead to the lesser side
  for (const char* expression : {"o15\nv0\n", "o12\n2\nn0\nv0\n", "o35\no22\nv0\nn0\nn0\nv0\n"}) {
    const NlModel most = model(1, expression, "0 -1 2\n");
    const Result r = solve_nl(most);
    EXPECT_EQ(solve_result_num(r), 2) << expression;
    EXPECT_NEAR(nl_solution(most, r).x[0], 2.0, 1e-6) << expression;
  }
  const NlModel least = model(0, "o15\nv0\n", "0 -1 2\n");
  const Result r = solve_nl(least);
  EXPECT_GE(solve_result_num(r), 100) << r.message;
  EXPECT_LE(solve_result_num(r), 101);
  EXPECT_NEAR(nl_solution(least, r).x[0], 0.0, 1e-6);
  // beside a kink, or where a bound leaves one piece, there is nothing to doubt
  for (const char* bounds : {"0 0.5 2\n", "0 0 2\n"})
    EXPECT_EQ(solve_result_num(solve_nl(model(0, "o15\nv0\n", bounds))), 2);
}

// Choices -----

/// min Σ (x_i − c_i)² over four variables between 0 and 10.
NlModel distance_model(const std::string& suffixes, const std::vector<double>& c, Index discrete = 0,
                       const std::vector<const char*>& bounds = std::vector<const char*>(4, "0 0 10\n")) {
  std::string text = header({.n = 4, .discrete = discrete}) + suffixes + "O0 0\no54\n4\n";
  for (int i = 0; i < 4; ++i) text += fmt::format("o5\no0\nv{}\nn{}\nn2\n", i, -c[static_cast<std::size_t>(i)]);
  text += "b\n";
  for (const char* of_variable : bounds) text += of_variable;
  return parse_nl(text);
}

std::string suffix_of(const char* name, const std::vector<double>& values, int kind = 0) {
  std::string text = fmt::format("S{} {} {}\n", kind + 4, values.size(), name);
  for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("{} {}\n", i, values[i]);
  return text;
}

void expect_optimum(const NlModel& model, const Vector& expected) {
  const Result r = solve_nl(model);
  EXPECT_EQ(r.status, Status::optimal) << r.message;
  EXPECT_LE((nl_solution(model, r).x - expected).norm(), 1e-6) << nl_solution(model, r).x.transpose();
}

TEST(Nl, SuffixesSayWhatIsChosenAndTheOptimumIsProved) {
  const std::vector<double> c{3.0, 1.0, 2.0, 4.0};
  expect_optimum(distance_model(suffix_of("sosno", {1, 1, 2, 2}) + suffix_of("ref", {1, 2, 1, 2}), c),
                 Vector{{3.0, 0.0, 0.0, 4.0}});
  expect_optimum(distance_model(suffix_of("sosno", {-1, -1, -1, -1}) + suffix_of("ref", {1, 3, 2, 4}), c),
                 Vector{{0.0, 1.0, 0.0, 4.0}});
  expect_optimum(distance_model(suffix_of("card_group", {1, 1, 1, 1}) + suffix_of("card_limit", {3, 3, 3, 3}), c),
                 Vector{{3.0, 0.0, 2.0, 4.0}});
  expect_optimum(distance_model(suffix_of("card_limit", {2}, 3), c), Vector{{3.0, 0.0, 0.0, 4.0}});
  expect_optimum(distance_model(suffix_of("semicont_lower", {3.5, 3.5, 0, 0}), c), Vector{{3.5, 0.0, 2.0, 4.0}});
}

TEST(Nl, BinaryVariablesAreZeroOrOneAndOtherIntegersAreNamed) {
  expect_optimum(distance_model("", {0.4, 0.6, 3.0, -1.0}, 4, std::vector<const char*>(4, "0 0 1\n")),
                 Vector{{0.0, 1.0, 1.0, 0.0}});
  const NlModel one = distance_model("", {0.4, 0.6, 3.0, -1.0}, 4, std::vector<const char*>(4, "0 0.5 1\n"));
  EXPECT_EQ(nl_solution(one, solve_nl(one)).x, Vector::Ones(4));
  try {
    distance_model("", {1, 1, 1, 1}, 1);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("the integer variable x[3] has bounds 0 to 10"), std::string::npos)
        << error.what();
  }
}

void expect_point(const NlModel& model, const Vector& expected) {
  const Result r = solve_nl(model);
  EXPECT_TRUE(r.success()) << r.message;
  EXPECT_LE((nl_solution(model, r).x - expected).norm(), 1e-6) << nl_solution(model, r).x.transpose();
}

void expect_contradiction(const NlModel& model, const std::string& why) {
  EXPECT_EQ(solve_result_num(solve_nl(model)), 200);
  EXPECT_NE(model.contradiction.find(why), std::string::npos) << model.contradiction;
}

TEST(Nl, ALimitOfTheProblemCountsGroupsAloneAndWhatIsNotZeroForSure) {
  const std::vector<double> c{3.0, 1.0, 2.0, 4.0};
  const std::string limit = suffix_of("card_limit", {1}, 3);
  // a semicontinuous variable and a set of SOS1 are in no card_group
  expect_point(distance_model(
                   limit + suffix_of("card_group", {1, 2, 0, 0}) + suffix_of("semicont_lower", {0, 0, 1.5, 1.5}), c),
               Vector{{3.0, 0.0, 2.0, 4.0}});
  expect_point(distance_model(limit + suffix_of("card_group", {1, 2, 0, 0}) + suffix_of("sosno", {0, 0, 1, 1}), c),
               Vector{{3.0, 0.0, 0.0, 4.0}});
  // where bounds say which are nonzero
  const std::string all = suffix_of("card_group", {1, 2, 3, 3});
  expect_point(distance_model(limit + all, c, 0, {"4 1\n", "0 0 10\n", "0 0 10\n", "0 0 10\n"}),
               Vector{{1.0, 0.0, 0.0, 0.0}});
  expect_contradiction(distance_model(limit + all, c, 0, {"4 1\n", "0 0 10\n", "4 1\n", "0 0 10\n"}),
                       "2 variables of all groups have bounds without 0, 1 may be nonzero");
  expect_contradiction(
      distance_model(suffix_of("sosno", {1, 1, 1, 1}), c, 0, {"4 1\n", "0 2 3\n", "0 0 10\n", "0 0 10\n"}),
      "2 variables of a group");
  expect_point(
      distance_model(suffix_of("sosno", {1, 1, 2, 2}), c, 0, {"0 0 10\n", "0 2 3\n", "0 0 10\n", "0 0 10\n"}),
      Vector{{0.0, 2.0, 0.0, 4.0}});
}

TEST(Nl, AFixedVariableIsOneOfItsValuesOrThereIsNone) {
  const std::vector<double> c{3.0, 1.0, 2.0, 4.0};
  const std::string least = suffix_of("semicont_lower", {0.5, 0.5, 0, 0});
  expect_contradiction(distance_model(least, c, 0, {"4 0.1\n", "0 0 10\n", "0 0 10\n", "0 0 10\n"}),
                       "x[0] is fixed at 0.1, between 0 and its semicont_lower 0.5");
  expect_point(distance_model(least, c, 0, {"4 0.5\n", "4 0\n", "0 0 10\n", "0 0 10\n"}),
               Vector{{0.5, 0.0, 2.0, 4.0}});
  expect_contradiction(distance_model("", c, 1, {"0 0 10\n", "0 0 10\n", "0 0 10\n", "0 0.2 0.8\n"}),
                       "no integer lies between the bounds of x[3]");
  expect_point(distance_model("", c, 1, {"0 0 10\n", "0 0 10\n", "0 0 10\n", "0 2.5 3\n"}),
               Vector{{3.0, 1.0, 2.0, 3.0}});
}

// Bad files -----

TEST(Nl, WhatIsWrongIsSaidWithItsLine) {
  const std::string start = header({.n = 2, .m = 1, .in_rows = 1, .in_objectives = 1});
  const std::string good =
      start + "C0\no41\nv0\nO0 0\nv1\nr\n1 4\n" + free_bounds(2) + "k1\n1\nJ0 1\n0 0\nG0 1\n1 0\n";
  EXPECT_EQ(problem_with(good), "nothing");
  const auto replaced = [&](const std::string& what, const std::string& by) {
    return std::string(good).replace(good.rfind(what), what.size(), by);
  };
  EXPECT_EQ(problem_with(replaced("J0 1\n0 0\n", "")),
            "model.nl:24: 1 linear terms (segments J) fewer than the header has");
  EXPECT_EQ(problem_with(replaced("G0 1\n1 0\n", "G0 2\n0 1\n1 0\n")),
            "model.nl:27: 1 linear terms (segments G) more than the header has");
  EXPECT_EQ(problem_with(replaced("G0", "J0")), "model.nl:25: the linear part of row 0 for a second time");
  EXPECT_EQ(problem_with(replaced("k1\n1\n", "r\n1 4\n")), "model.nl:21: segment r for a second time");
  EXPECT_EQ(problem_with(good.substr(0, good.size() - 1)),
            "model.nl:26: the last line has no end: the file is cut off");
  EXPECT_EQ(problem_with("hello"), "model.nl:1: no .nl file: it begins neither with g nor with b");
  EXPECT_EQ(problem_with(start + "C0\no99\nv0\n"), "model.nl:12: o99 is no operation of this format");
  EXPECT_EQ(problem_with(start + "C0\no13\nv0\n"), "model.nl:12: the operation floor (o13) is not supported");
  EXPECT_EQ(problem_with(start + "C0\nv7\n"), "model.nl:12: a variable is 7; expected 0 to 1");
  EXPECT_EQ(problem_with(start + "C3\nn0\n"), "model.nl:11: the row is 3; expected 0 to 0");
  EXPECT_EQ(problem_with(start + "F0 1 2 gamma\n"), "model.nl:11: the imported function \"gamma\" is not known here");
  EXPECT_EQ(problem_with(start + "C0\no54\n99999999\nv0\n"),
            "model.nl:13: 99999999 arguments: more than the file has");
  EXPECT_EQ(problem_with(start + "C0\nn1e999\n"), "model.nl:12: \"1e999\" is not a number");
  EXPECT_EQ(problem_with(start + "C0\nn0\nO0 0\nn0\n"),
            "model.nl:14: the bounds of the rows (segment r) are missing");
  std::string many = header({.n = 1});
  many.replace(many.find(" 1 0 1"), 6, " 2000000000 0 1");
  EXPECT_NE(problem_with(many).find("more variables, rows and objectives than the file has bytes"),
            std::string::npos);
}

TEST(Nl, EveryBeginningOfAFileIsRefused) {
  PENDEC_REQUIRE_DATA(data);
  for (const char* name : {"bard1m", "gnash10", "design-cent-4"}) {
    const std::string text = read_text(macmpec(data) / (std::string(name) + ".nl"));
    for (std::size_t length = 0; length < text.size(); length += 7)
      EXPECT_THROW(parse_nl(std::string_view(text).substr(0, length)), FileError) << name << ' ' << length;
    EXPECT_THROW(parse_nl(std::string_view(text).substr(0, text.size() - 1)), FileError) << name;
    EXPECT_NO_THROW(parse_nl(text)) << name;
  }
}

// The binary form -----

/// The same model with numbers as bytes.
std::string as_binary(const std::string& text) {
  std::stringstream in(text);
  std::string line, out;
  const auto integer = [&](long value) {
    const auto narrow = static_cast<std::int32_t>(value);
    out.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  };
  const auto number = [&](double value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto words = [&] {
    std::getline(in, line);
    std::stringstream row(line.substr(0, line.find('#')));
    std::vector<std::string> all;
    for (std::string word; row >> word;) all.push_back(word);
    return all;
  };
  for (int k = 0; k < 10; ++k) {
    std::getline(in, line);
    if (k == 0) line[0] = 'b';
    if (k == 5) line = " 0 0 1 0";
    out += line + '\n';
  }
  long n = 0, m = 0;
  std::stringstream(text.substr(text.find('\n') + 1)) >> n >> m;
  std::function<void()> tree = [&] {
    const std::string node = words()[0];
    out += node[0];
    if (node[0] == 'n') return number(std::stod(node.substr(1)));
    integer(std::stol(node.substr(1)));
    if (node[0] != 'o') return;
    const int code = std::stoi(node.substr(1));
    long arguments = code == 35 ? 3 : (code <= 6 || code == 48 || (code >= 20 && code <= 30)) ? 2 : 1;
    if (code == 54 || code == 11 || code == 12) {
      arguments = std::stol(words()[0]);
      integer(arguments);
    }
    for (long k = 0; k < arguments; ++k) tree();
  };
  const auto terms = [&](long count) {
    for (long k = 0; k < count; ++k) {
      const auto term = words();
      integer(std::stol(term[0]));
      number(std::stod(term[1]));
    }
  };
  const auto interval = [&](const std::vector<std::string>& row) {
    out += row[0][0];
    for (std::size_t k = 1; k < row.size(); ++k)
      row[0] == "5" ? integer(std::stol(row[k])) : number(std::stod(row[k]));
  };
  while (in.peek() != EOF) {
    const auto first = words();
    if (first.empty()) continue;
    out += first[0][0];
    if (first[0].size() > 1) integer(std::stol(first[0].substr(1)));
    for (std::size_t k = 1; k < first.size(); ++k) integer(std::stol(first[k]));
    switch (first[0][0]) {
      case 'V':
        terms(std::stol(first[1]));
        tree();
        break;
      case 'C':
      case 'O':
        tree();
        break;
      case 'x':
      case 'd':
        terms(std::stol(first[0].substr(1)));
        break;
      case 'J':
      case 'G':
        terms(std::stol(first[1]));
        break;
      case 'r':
        for (long k = 0; k < m; ++k) interval(words());
        break;
      case 'b':
        for (long k = 0; k < n; ++k) interval(words());
        break;
      case 'k':
        for (long k = std::stol(first[0].substr(1)); k > 0; --k) integer(std::stol(words()[0]));
        break;
      default:
        ADD_FAILURE() << first[0];
        return out;
    }
  }
  return out;
}

TEST(Nl, TheBinaryFormIsTheSameModel) {
  PENDEC_REQUIRE_DATA(data);
  for (const char* name : {"bard1m", "gnash10", "design-cent-4", "water-FL", "pack-rig1-8"}) {
    const std::string text = read_text(macmpec(data) / (std::string(name) + ".nl"));
    const NlModel one = parse_nl(text), other = parse_nl(as_binary(text));
    const Vector x = one.start() + 0.01 * Random(2).normal_vector(one.header.variables).cwiseAbs();
    EXPECT_EQ(one.start(), other.start()) << name;
    EXPECT_EQ(one.objective_value(x), other.objective_value(x)) << name;
    EXPECT_EQ(one.row_values(x), other.row_values(x)) << name;
    const std::string bytes = as_binary(text);
    for (std::size_t length = 0; length < bytes.size(); length += 97)
      EXPECT_THROW(parse_nl(std::string_view(bytes).substr(0, length)), FileError) << name << ' ' << length;
  }
}

// .sol -----

TEST(Nl, TheSolutionFileIsWhatCallersRead) {
  const NlModel model = parse_nl(linear_program(0, "2 4\n", "2 0\n2 0\n"));
  const std::string text = to_sol(model, solve_nl(model));
  const std::size_t options = text.find("\n\nOptions\n3\n1\n1\n0\n1\n1\n2\n2\n");
  ASSERT_NE(options, std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("pendec ")) << text;
  EXPECT_NE(text.find("\nobjno 0 "), std::string::npos);
  EXPECT_NE(text.find("suffix 4 1 3 0 0\nrc\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nstationarity\n0 "), std::string::npos) << text;
  const std::string refused = to_sol(model.header, "no\n\nOptions of this kind", 500);
  EXPECT_EQ(refused, "no\n Options of this kind\n\nOptions\n3\n1\n1\n0\n1\n0\n2\n0\nobjno 0 500\n");
}

TEST(Nl, OptionsOfTheHeaderAreEchoedWithTheirTolerance) {
  NlHeader header = parse_nl_header(
      "g3 0 3 0 1e-09\n 1 0 1 0 0\n 0 0\n 0 0\n 0 0 0\n 0 0 0 1\n 0 0 0 0 0\n 0 0\n 0 0\n"
      " 0 0 0 0 0\n");
  const std::string text = to_sol(header, "m", 0);
  EXPECT_EQ(text, "m\n\nOptions\n5\n0\n3\n0\n0\n0\n1\n0\n1.0000000000000001e-09\nobjno 0 0\n");
}

}  // namespace
}  // namespace pendec::io
