#include "experiments/instances.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "pendec/maps/quartic.hpp"
#include "pendec/sets/polyhedron.hpp"
#include "pendec/subsolvers/sqp.hpp"

namespace pendec::experiments {
namespace {

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw InvalidArgument("data file", path.string(), "a readable file");
  return file;
}

Matrix read_csv(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      out(i, j) = rows[static_cast<std::size_t>(i)].at(static_cast<std::size_t>(j));
  return out;
}

Vector vector_of(const nlohmann::json& numbers) {
  Vector v(static_cast<Index>(numbers.size()));
  for (Index i = 0; i < v.size(); ++i) v[i] = numbers[static_cast<std::size_t>(i)];
  return v;
}

Matrix matrix_of(const nlohmann::json& rows) {
  Matrix m(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < m.rows(); ++i) m.row(i) = vector_of(rows[static_cast<std::size_t>(i)]);
  return m;
}

void add_part(std::vector<Set>& polyhedra, Matrix A, Vector b) {
  try {
    polyhedra.push_back(Polyhedron(std::move(A), std::move(b)));
  } catch (const InvalidArgument&) {  // an empty part: not a part at all
  }
}

Problem disjunctive_problem(Logistic f, Quartic quartic, std::vector<Set> polyhedra) {
  const Index m = quartic.p.cols();
  return {.f = std::move(f), .G = std::move(quartic), .C = Box::nonpositive(m), .D = UnionOf(std::move(polyhedra))};
}

Matrix uniform_matrix(Index rows, Index cols, double a, double b, Random& random) {
  Matrix m(rows, cols);
  for (double& entry : m.reshaped()) entry = random.uniform(a, b);
  return m;
}

}  // namespace

Problem SparseQp::problem() const {
  const Index n = c.size();
  Problem p{.f = Quadratic(Q, nu * c), .D = Sparse(n, s)};
  if (simplex) {
    p.G = Selection::identity(n);
    p.C = Simplex(n);
  }
  return p;
}

Vector SparseQp::start() const {
  const Index n = c.size();
  return Vector::Constant(n, simplex ? 1.0 / static_cast<double>(n) : 0.0);
}

SparseQp random_sparse_qp(Index n, double condition, Random& random) {
  const Vector y = random.uniform_vector(n, -1.0, 1.0);
  const Matrix Y = Matrix::Identity(n, n) - 2.0 / y.squaredNorm() * (y * y.transpose());
  Vector d(n);
  for (Index i = 0; i < n; ++i) d[i] = std::pow(condition, static_cast<double>(i) / static_cast<double>(n - 1));
  const Matrix Q = Y * d.asDiagonal() * Y;
  return {fmt::format("QP_{}_{}", n, condition), 0.5 * (Q + Q.transpose()), random.uniform_vector(n, -1.0, 1.0)};
}

SparseQp beck_eldar() {
  SparseQp qp{"Beck-Eldar 2.2", Matrix::Ones(5, 5) + Matrix::Identity(5, 5), Vector(5)};
  qp.c << -3.0, -2.0, -3.0, -12.0, -5.0;
  qp.s = 2;
  return qp;
}

SparseQp read_sparse_qp(const std::filesystem::path& data, const std::string& name) {
  std::ifstream file = open(data / "qp" / (name + ".txt"));
  Index n = 0;
  file >> n;
  SparseQp qp{name, Matrix(n, n), Vector(n)};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) file >> qp.Q(i, j);
  for (double& c : qp.c) file >> c;
  if (!file) throw InvalidArgument("data file", name, "n, then n rows of Q, then c");
  return qp;
}

SparseQp read_portfolio(const std::filesystem::path& data, const std::string& name) {
  static const std::map<std::string, std::pair<Index, double>> settings{{"DTS1", {2, 1e-3}}, {"DTS2", {4, 1e-3}},
                                                                        {"DTS3", {6, 1e-3}}, {"FF10", {2, 0.05}},
                                                                        {"FF17", {2, 0.05}}, {"FF48", {5, 0.05}}};
  const auto setting = settings.find(name);
  if (setting == settings.end()) throw InvalidArgument("portfolio", name, "DTS1, DTS2, DTS3, FF10, FF17 or FF48");
  SparseQp qp{name, read_csv(data / "portfolio" / (name + "_cov.csv")),
              -read_csv(data / "portfolio" / (name + "_mean.csv")).col(0)};
  std::tie(qp.s, qp.nu) = setting->second;
  qp.simplex = true;
  return qp;
}

Matrix correlation_matrix(int which, Index n) {
  struct Parameters {
    double shift, scale, rate;
  };
  static constexpr Parameters table[] = {{0.5, 0.5, 0.05}, {0.0, 1.0, 1.0}, {0.6, 0.4, 0.1}};
  require(which >= 1 && which <= 3, "correlation_matrix: which", Index{which}, "1, 2 or 3");
  const auto [shift, scale, rate] = table[which - 1];
  Matrix A(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) A(i, j) = shift + scale * std::exp(-rate * static_cast<double>(std::abs(i - j)));
  return A;
}

Disjunctive random_disjunctive(Index n, Index parts, Index rows, Index m, Random& random) {
  const Index examples = 200;
  Matrix data = uniform_matrix(examples, n, 0.0, 1.0, random);
  Vector labels(examples);
  for (double& label : labels) label = random.uniform() < 0.5 ? -1.0 : 1.0;
  std::vector<Set> polyhedra;
  for (Index q = 0; q < parts; ++q) {
    Matrix A = uniform_matrix(rows, n, -1.0, 1.0, random);
    add_part(polyhedra, std::move(A), random.uniform_vector(rows, -1.0, 1.0));
  }
  Matrix c = uniform_matrix(n, m, 0.0, 1.0, random);  // drawn in this order
  Quartic quartic(std::move(c), uniform_matrix(n, m, -0.5, 0.5, random), Vector::Constant(m, 0.1));
  const Vector start = quartic.p.col(0);
  return {disjunctive_problem(Logistic(std::move(data), std::move(labels)), std::move(quartic), std::move(polyhedra)),
          start};
}

Disjunctive read_disjunctive(const std::filesystem::path& path) {
  std::ifstream file = open(path);
  const nlohmann::json d = nlohmann::json::parse(file);
  std::vector<Set> polyhedra;
  for (std::size_t q = 0; q < d.at("A").size(); ++q)
    add_part(polyhedra, matrix_of(d.at("A")[q]), vector_of(d.at("b").at(q)));
  Quartic quartic(matrix_of(d.at("c")), matrix_of(d.at("p")), vector_of(d.at("t")));
  return {disjunctive_problem(Logistic(matrix_of(d.at("data")), vector_of(d.at("labels"))), std::move(quartic),
                              std::move(polyhedra)),
          vector_of(d.at("x0"))};
}

Disjunctive feasible_disjunctive(Index n, Index parts, Index rows, Index m, Random& random) {
  constexpr int most_draws = 1000;
  for (int draw = 0; draw < most_draws; ++draw) {
    try {
      Disjunctive instance = random_disjunctive(n, parts, rows, m, random);
      const auto solved = solve_disjunctive(instance.problem, instance.start);
      if (solved.parts().part < 0) continue;
      if (m > 1) instance.start = sqp({.f = instance.problem.f, .D = Free(n)}, Vector::Zero(n)).x;
      return instance;
    } catch (const InvalidArgument&) {  // all parts are empty
    }
  }
  throw InvalidArgument("disjunctive instance", fmt::format("n = {}, {} rows, {} constraints", n, rows, m),
                        fmt::format("sizes for which one of {} draws is feasible", most_draws));
}

Complementarity random_complementarity(Index pairs, Index equations, Random& random) {
  const Index n = 2 * pairs;
  const Vector a = random.normal_vector(n);
  const Matrix A = random.normal_matrix(equations, n);
  Vector feasible = Vector::Zero(n);
  for (Index i = 0; i < pairs; ++i) feasible[random.uniform() < 0.5 ? i : pairs + i] = random.uniform(0.0, 2.0);
  return {{.f = SquaredDistance(a),
           .G = Affine(A),
           .C = Singleton(A * feasible),
           .D = BoxSwitching::complementarity(pairs)},
          Vector::Zero(n)};
}

std::optional<std::filesystem::path> data_folder(const std::filesystem::path& root) {
  if (const char* named = std::getenv("PENDEC_DATA")) return std::filesystem::path(named);
  const auto beside = root / ".." / "shared" / "data";
  if (std::filesystem::exists(beside)) return beside;
  return std::nullopt;
}

}  // namespace pendec::experiments
