#include "linear_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../subsolvers/verified.hpp"

namespace pendec::detail {
namespace {

/// A sum that knows whether it is exact (Knuth's TwoSum), and what it adds up.
struct ExactSum {
  double value = 0.0, size = std::abs(value);
  bool exact = true;

  void add(double term) {
    const double sum = value + term, part = sum - value;
    exact = exact && (value - (sum - part)) + (term - part) == 0.0;
    value = sum;
    size += std::abs(term);
  }
  void add(double a, double b) {
    add(a * b);
    exact = exact && std::fma(a, b, -(a * b)) == 0.0;
  }
};

bool is_power_of_two(double a) {
  int exponent = 0;
  return std::frexp(std::abs(a), &exponent) == 0.5;
}

}  // namespace

/// True: the row was one.
bool LinearRows::add_bound(const Row& row) {
  if (!row.exact() || row.weights.size() > 1 || (row.a.array() != 0.0).count() != 1) return false;
  Index i = 0;
  row.a.cwiseAbs().maxCoeff(&i);
  if (!is_power_of_two(row.a[i])) return false;
  double low = row.low / row.a[i], high = row.high / row.a[i];
  if (row.a[i] < 0.0) std::swap(low, high);
  constraints.lower[i] = std::max(constraints.lower[i], low);
  constraints.upper[i] = std::min(constraints.upper[i], high);
  if (row.weights.empty()) return true;
  const auto& [component, weight] = row.weights.front();
  if (low > -infinity) bounds_.push_back({i, component, row.a[i] / weight, low, false});
  if (high < infinity) bounds_.push_back({i, component, row.a[i] / weight, high, true});
  return true;
}

void LinearRows::add_row(Row row) {
  if (!add_bound(row)) rows_.push_back(std::move(row));
}

void LinearRows::add(const std::vector<Index>& coordinates, const LinearConstraints& rows) {
  const auto spread = [&](const Operator& matrix, In low, In high) {
    const DenseMatrix from(matrix);
    for (Index k = 0; k < high.size(); ++k) {
      Row row{.a = Vector::Zero(constraints.dimension()), .low = low[k], .high = high[k]};
      row.a(coordinates) = from->row(k).transpose();
      add_row(std::move(row));
    }
  };
  spread(rows.A, Vector::Constant(rows.b.size(), -infinity), rows.b);
  spread(rows.E, rows.d, rows.d);
  constraints.lower(coordinates) = constraints.lower(coordinates).cwiseMax(rows.lower).eval();
  constraints.upper(coordinates) = constraints.upper(coordinates).cwiseMin(rows.upper).eval();
}

/// low ≤ Σ weight · G_row(x) ≤ high, with what rounding did to it.
LinearRows::Row LinearRows::combined(const Weights& weights, double low, double high) const {
  Row row{.a = Vector(J_.cols()), .low = low, .high = high, .weights = weights};
  Vector error = Vector::Zero(J_.cols());
  const double unit = rounding_unit(std::ssize(weights));
  for (Index i = 0; i < J_.cols(); ++i) {
    ExactSum sum;
    for (const auto& [j, weight] : weights) {
      sum.add(weight, J_(j, i));
      if (J_error_.size() > 0) error[i] += std::abs(weight) * J_error_(j, i);
    }
    row.a[i] = sum.value;
    if (!sum.exact) error[i] += unit * sum.size;
  }
  if ((error.array() > 0.0).any()) row.a_error = std::move(error);
  for (double* limit : {&row.low, &row.high}) {
    if (std::isinf(*limit)) continue;
    ExactSum sum{*limit};
    double off = 0.0;
    for (const auto& [j, weight] : weights) {
      sum.add(-weight, at_zero_[j]);
      off += std::abs(weight) * at_error_[j];
    }
    *limit = sum.value;
    row.error = std::max(row.error, off + (sum.exact ? 0.0 : unit * sum.size));
  }
  return row;
}

std::string LinearRows::add(const Map& G, const Set& C) {
  if (!G.is_affine()) return "G is not affine";
  const auto rows = C.linear_constraints();
  if (!rows) return fmt::format("C ({}) is no polyhedron", C.name());
  constexpr Index most = 10'000'000;  // entries
  const Index m = G.output_dimension(), n = G.input_dimension();
  if (m > most / n) return "G has too many rows for dense ones";
  const Vector zero = Vector::Zero(n);
  const Operator jacobian = G.jacobian(zero);
  J_ = jacobian.dense();
  at_zero_.resize(m);
  G.evaluate(zero, at_zero_);
  at_error_ = Vector::Zero(m);
  if (!jacobian.is_exact()) {
    Vector slopes(m);
    G.magnitude(zero, at_error_, slopes);
    const double unit = rounding_unit(jacobian.summands());
    at_error_ *= unit;
    J_error_.resize(m, n);
    for (Index j = 0; j < m; ++j) {
      Vector terms(n);
      jacobian.magnitude_transpose_times(Vector::Unit(m, j), terms);
      J_error_.row(j) = unit * terms.transpose();
    }
  }
  for (Index j = 0; j < m; ++j)
    if (rows->lower[j] > -infinity || rows->upper[j] < infinity)
      add_row(combined({{j, 1.0}}, rows->lower[j], rows->upper[j]));
  const auto add_combinations = [&](const Operator& matrix, In low, In high) {
    const DenseMatrix of(matrix);
    for (Index k = 0; k < high.size(); ++k) {
      Weights weights;
      for (Index j = 0; j < m; ++j)
        if ((*of)(k, j) != 0.0) weights.emplace_back(j, (*of)(k, j));
      add_row(combined(weights, low[k], high[k]));
    }
  };
  add_combinations(rows->A, Vector::Constant(rows->b.size(), -infinity), rows->b);
  add_combinations(rows->E, rows->d, rows->d);
  return "";
}

/// By all that the errors of its numbers can do at points within the bounds.
void LinearRows::widen(Row& row) {
  double slack = row.error;
  for (Index i = 0; i < row.a_error.size(); ++i)
    if (row.a_error[i] > 0.0)  // zero is a choice, too
      slack += row.a_error[i] * std::max(std::abs(constraints.lower[i]), std::abs(constraints.upper[i]));
  proves_ = proves_ && std::isfinite(slack);
  if (!std::isfinite(slack)) slack = row.error;
  slack *= 1.0 + rounding_unit(row.a.size());
  row.low = std::nextafter(row.low - slack, -infinity);
  row.high = std::nextafter(row.high + slack, infinity);
}

void LinearRows::finish() {
  const Index n = constraints.dimension();
  std::vector<double> A, b, E, d;  // by rows
  std::vector<Weights> of_equations;
  const auto append = [](std::vector<double>& matrix, std::vector<double>& right, const Vector& a, double limit) {
    matrix.insert(matrix.end(), a.begin(), a.end());
    right.push_back(limit);
  };
  for (Row& row : rows_) {
    if (!row.exact()) widen(row);
    if (row.low == row.high) {
      append(E, d, row.a, row.low);
      of_equations.push_back(std::move(row.weights));
      continue;
    }
    if (row.high < infinity) {
      append(A, b, row.a, row.high);
      origins_.push_back(row.weights);
    }
    if (row.low > -infinity) {
      append(A, b, -row.a, -row.low);
      for (auto& [component, weight] : row.weights) weight = -weight;
      origins_.push_back(std::move(row.weights));
    }
  }
  origins_.insert(origins_.end(), of_equations.begin(), of_equations.end());
  const auto matrix_of = [n](const std::vector<double>& entries, std::size_t rows) {
    return Matrix(ConstMatrixView(entries.data(), n, static_cast<Index>(rows)).transpose());
  };
  const auto vector_of = [](const std::vector<double>& v) {
    return Vector(Eigen::Map<const Vector>(v.data(), std::ssize(v)));
  };
  constraints.A = matrix_of(A, b.size());
  constraints.b = vector_of(b);
  constraints.E = matrix_of(E, d.size());
  constraints.d = vector_of(d);
}

Vector LinearRows::multipliers(In x, In gradient, In lambda) const {
  Vector out = Vector::Zero(at_zero_.size()), rest = -gradient;
  const Index inequalities = constraints.b.size(), equations = constraints.d.size();
  for (std::size_t k = 0; k < origins_.size(); ++k)
    for (const auto& [row, weight] : origins_[k]) out[row] += weight * lambda[static_cast<Index>(k)];
  if (inequalities > 0) rest -= constraints.A.transpose_times(lambda.head(inequalities));
  if (equations > 0) rest -= constraints.E.transpose_times(lambda.segment(inequalities, equations));
  for (const OwnBound& bound : bounds_)
    if (x[bound.variable] == bound.value && (bound.upper ? rest[bound.variable] > 0.0 : rest[bound.variable] < 0.0)) {
      out[bound.row] += rest[bound.variable] / bound.coefficient;
      rest[bound.variable] = 0.0;
    }
  return out;
}

}  // namespace pendec::detail
