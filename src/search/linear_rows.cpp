#include "linear_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pendec::detail {
namespace {

/// A sum that knows whether it is exact (Knuth's TwoSum).
struct ExactSum {
  double value = 0.0;
  bool exact = true;

  void add(double term) {
    const double sum = value + term, part = sum - value;
    exact = exact && (value - (sum - part)) + (term - part) == 0.0;
    value = sum;
  }
};

bool is_power_of_two(double a) {
  int exponent = 0;
  return std::frexp(std::abs(a), &exponent) == 0.5;
}

/// limit − shift; infinite limits stay.
double shifted(double limit, double shift, bool& exact) {
  if (std::isinf(limit)) return limit;
  ExactSum sum{limit};
  sum.add(-shift);
  exact = exact && sum.exact;
  return sum.value;
}

}  // namespace

void LinearRows::Rows::add(const Vector& a, double b, Origin origin) {
  entries.insert(entries.end(), a.begin(), a.end());
  right.push_back(b);
  origins.push_back(std::move(origin));
}

void LinearRows::Rows::write(Matrix& matrix, Vector& b) const {
  const Index count = std::ssize(right), n = matrix.cols();
  matrix = ConstMatrixView(entries.data(), n, count).transpose();
  b = Eigen::Map<const Vector>(right.data(), count);
}

void LinearRows::finish() {
  A_.write(constraints.A, constraints.b);
  E_.write(constraints.E, constraints.d);
}

/// True: the row was one.
bool LinearRows::add_bound(const Vector& a, double low, double high, const Origin& origin) {
  if (!origin.exact || origin.weights.size() > 1 || (a.array() != 0.0).count() != 1) return false;
  Index i = 0;
  a.cwiseAbs().maxCoeff(&i);
  if (!is_power_of_two(a[i])) return false;
  low /= a[i], high /= a[i];
  if (a[i] < 0.0) std::swap(low, high);
  constraints.lower[i] = std::max(constraints.lower[i], low);
  constraints.upper[i] = std::min(constraints.upper[i], high);
  if (origin.weights.empty()) return true;
  const auto& [row, weight] = origin.weights.front();
  if (low > -infinity) bounds_.push_back({i, row, a[i] / weight, low, false});
  if (high < infinity) bounds_.push_back({i, row, a[i] / weight, high, true});
  return true;
}

/// low ≤ aᵀx ≤ high.
void LinearRows::add_row(const Vector& a, double low, double high, Origin origin) {
  if (add_bound(a, low, high, origin)) return;
  if (low == high) {
    E_.add(a, low, std::move(origin));
    return;
  }
  if (high < infinity) A_.add(a, high, origin);
  if (low > -infinity) {
    for (auto& [row, weight] : origin.weights) weight = -weight;
    A_.add(-a, -low, std::move(origin));
  }
}

void LinearRows::add(const std::vector<Index>& coordinates, const LinearConstraints& rows) {
  Vector a(constraints.dimension());
  const auto spread = [&](const Matrix& from, Index k) -> const Vector& {
    a.setZero();
    a(coordinates) = from.row(k).transpose();
    return a;
  };
  for (Index k = 0; k < rows.b.size(); ++k) add_row(spread(rows.A, k), -infinity, rows.b[k], {});
  for (Index k = 0; k < rows.d.size(); ++k) add_row(spread(rows.E, k), rows.d[k], rows.d[k], {});
  constraints.lower(coordinates) = constraints.lower(coordinates).cwiseMax(rows.lower).eval();
  constraints.upper(coordinates) = constraints.upper(coordinates).cwiseMin(rows.upper).eval();
}

std::string LinearRows::add(const Map& G, const Set& C) {
  if (!G.is_affine()) return "G is not affine";
  const auto rows = C.linear_constraints();
  if (!rows) return fmt::format("C ({}) is no polyhedron", C.name());
  constexpr Index most = 10'000'000;  // entries
  if (G.output_dimension() > most / G.input_dimension()) return "G has too many rows for dense ones";
  const Vector zero = Vector::Zero(G.input_dimension());
  J_ = G.jacobian(zero).dense();
  at_zero_.resize(G.output_dimension());
  G.evaluate(zero, at_zero_);
  for (Index j = 0; j < at_zero_.size(); ++j) {
    Origin origin{.weights = {{j, 1.0}}};
    const double low = shifted(rows->lower[j], at_zero_[j], origin.exact);
    const double high = shifted(rows->upper[j], at_zero_[j], origin.exact);
    if (low > -infinity || high < infinity) add_row(J_.row(j).transpose(), low, high, std::move(origin));
  }
  const auto combined = [&](const auto& weights, double right, bool equation) {
    Origin origin;
    for (Index j = 0; j < weights.size(); ++j)
      if (weights[j] != 0.0) {
        origin.weights.emplace_back(j, weights[j]);
        origin.exact = origin.exact && is_power_of_two(weights[j]);
      }
    Vector a(J_.cols());
    for (Index i = 0; i < a.size(); ++i) {
      ExactSum sum;
      for (const auto& [j, weight] : origin.weights) sum.add(weight * J_(j, i));
      a[i] = sum.value;
      origin.exact = origin.exact && sum.exact;
    }
    ExactSum limit{right};
    for (const auto& [j, weight] : origin.weights) limit.add(-weight * at_zero_[j]);
    origin.exact = origin.exact && limit.exact;
    add_row(a, equation ? limit.value : -infinity, limit.value, std::move(origin));
  };
  for (Index k = 0; k < rows->b.size(); ++k) combined(rows->A.row(k), rows->b[k], false);
  for (Index k = 0; k < rows->d.size(); ++k) combined(rows->E.row(k), rows->d[k], true);
  return "";
}

template <class Visit>
void LinearRows::for_each_row(In lambda, const Visit& visit) const {
  Index k = 0;
  for (const Rows* rows : {&A_, &E_})
    for (std::size_t row = 0; row < rows->right.size(); ++row)
      visit(rows->origins[row], rows->right[row], lambda[k++]);
}

Vector LinearRows::multipliers(In x, In gradient, In lambda) const {
  Vector out = Vector::Zero(at_zero_.size()), rest = -gradient;
  const Index inequalities = constraints.b.size();
  for_each_row(lambda, [&](const Origin& origin, double, double multiplier) {
    for (const auto& [row, weight] : origin.weights) out[row] += weight * multiplier;
  });
  rest -= constraints.A.transpose() * lambda.head(inequalities);
  rest -= constraints.E.transpose() * lambda.segment(inequalities, constraints.d.size());
  for (const OwnBound& bound : bounds_)
    if (x[bound.variable] == bound.value && (bound.upper ? rest[bound.variable] > 0.0 : rest[bound.variable] < 0.0)) {
      out[bound.row] += rest[bound.variable] / bound.coefficient;
      rest[bound.variable] = 0.0;
    }
  return out;
}

bool LinearRows::exact() const {
  const auto is_exact = [](const Origin& origin) { return origin.exact; };
  return std::all_of(A_.origins.begin(), A_.origins.end(), is_exact) &&
         std::all_of(E_.origins.begin(), E_.origins.end(), is_exact);
}

double LinearRows::rounding(In x, In lambda) const {
  if (J_.size() == 0) return 0.0;
  const Vector terms = J_.cwiseAbs() * x.cwiseAbs() + 2.0 * at_zero_.cwiseAbs();
  double sum = 0.0;
  for_each_row(lambda, [&](const Origin& origin, double right, double multiplier) {
    if (origin.exact) return;
    double size = std::abs(right);
    for (const auto& [row, weight] : origin.weights) size += std::abs(weight) * terms[row];
    sum += std::abs(multiplier) * size;
  });
  return 1e3 * epsilon * sum;
}

}  // namespace pendec::detail
