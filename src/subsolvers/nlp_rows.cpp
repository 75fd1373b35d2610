#include "nlp_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec::detail {
namespace {

LinearConstraints rows_of(const Set& set, std::string_view field) {
  auto constraints = set.linear_constraints();
  require(constraints.has_value(), field, set.name(), "a polyhedral set (one with linear_constraints())");
  return std::move(*constraints);
}

double largest(const auto& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

}  // namespace

NlpRows::NlpRows(const Problem& problem)
    : c_(problem.has_G() ? rows_of(problem.C, "Problem.C") : LinearConstraints::none(0)),
      domain_(rows_of(problem.D, "Problem.D")) {
  for (Index i = 0; i < c_.dimension(); ++i)
    if (c_.lower[i] > -infinity || c_.upper[i] < infinity) bounded_.push_back(i);
  std::vector<Operator> of_domain;
  if (domain_.b.size() > 0) of_domain.push_back(domain_.A);
  if (domain_.d.size() > 0) of_domain.push_back(domain_.E);
  if (!of_domain.empty()) of_domain_ = Operator::stacked(std::move(of_domain));
  const Index count = std::ssize(bounded_) + c_.b.size() + c_.d.size() + domain_.b.size() + domain_.d.size();
  lower.resize(count);
  upper.resize(count);
  lower << c_.lower(bounded_), Vector::Constant(c_.b.size(), -infinity), c_.d,
      Vector::Constant(domain_.b.size(), -infinity), domain_.d;
  upper << c_.upper(bounded_), c_.b, c_.d, domain_.b, domain_.d;
}

void NlpRows::evaluate(const Problem& problem, In x, Out out) const {
  const Index bounds = std::ssize(bounded_), rows = c_.b.size(), equal = c_.d.size();
  if (problem.has_G()) {
    Vector G(c_.dimension());
    problem.G.evaluate(x, G);
    out.head(bounds) = G(bounded_);
    if (rows > 0) c_.A.times(G, out.segment(bounds, rows));
    if (equal > 0) c_.E.times(G, out.segment(bounds + rows, equal));
  }
  if (of_domain_.rows() > 0) of_domain_.times(x, out.tail(of_domain_.rows()));
}

SparseMatrix NlpRows::jacobian(const Problem& problem, In x) const {
  std::vector<Operator> parts;
  if (problem.has_G()) {
    const Operator J = problem.G.jacobian(x);
    const bool all = std::ssize(bounded_) == c_.dimension();
    if (!bounded_.empty()) parts.push_back(all ? J : J.rows_at(bounded_));
    if (c_.b.size() > 0) parts.push_back(c_.A * J);
    if (c_.d.size() > 0) parts.push_back(c_.E * J);
  }
  if (of_domain_.rows() > 0) parts.push_back(of_domain_);
  if (parts.empty()) return SparseMatrix(0, x.size());
  return Operator::stacked(std::move(parts)).sparse();
}

Vector NlpRows::multiplier(In y) const {
  Vector lambda = Vector::Zero(c_.dimension());
  const Index bounds = std::ssize(bounded_), rows = c_.b.size(), equal = c_.d.size();
  lambda(bounded_) = y.head(bounds);
  if (rows > 0) lambda += c_.A.transpose_times(y.segment(bounds, rows));
  if (equal > 0) lambda += c_.E.transpose_times(y.segment(bounds + rows, equal));
  return lambda;
}

Vector NlpRows::multiplier_of_domain(In y) const {
  if (of_domain_.rows() == 0) return Vector::Zero(domain_.dimension());
  return of_domain_.transpose_times(y.tail(of_domain_.rows()));
}

Vector NlpRows::guess(In lambda) const {
  Vector y = Vector::Zero(size());
  if (lambda.size() == c_.dimension()) y.head(std::ssize(bounded_)) = lambda(bounded_);
  return y;
}

void require_valid(const Problem& problem, In x0, const NlpOptions& options) {
  require_dimension("nlp x0", x0.size(), problem.dimension());
  require_finite("nlp x0", x0);
  require(problem.D.convex(), "Problem.D", problem.D.name(), "a convex set");
  require(options.max_iterations >= 1, "NlpOptions.max_iterations", options.max_iterations, "at least 1");
  require(options.tolerance > 0.0, "NlpOptions.tolerance", options.tolerance, "a positive number");
  require(options.radius > 0.0, "NlpOptions.radius", options.radius, "a positive number");
  require(options.barrier >= 0.0, "NlpOptions.barrier", options.barrier, "at least 0");
  const Index rows = problem.has_G() ? problem.G.output_dimension() : 0;
  if (options.lambda.size() > 0) require_dimension("NlpOptions.lambda", options.lambda.size(), rows);
  if (options.mu.size() > 0) require_dimension("NlpOptions.mu", options.mu.size(), problem.dimension());
  require_finite("NlpOptions.lambda", options.lambda);
  require_finite("NlpOptions.mu", options.mu);
}

bool is_finite_at(const Problem& problem, In x) {
  Vector gradient(x.size());
  if (!std::isfinite(problem.f.value_and_gradient(x, gradient)) || !gradient.allFinite()) return false;
  if (!problem.has_G()) return true;
  Vector G(problem.G.output_dimension());
  problem.G.evaluate(x, G);
  return G.allFinite();
}

namespace {

constexpr double tiny = std::numeric_limits<double>::min();

/// lower ≤ value ≤ upper with its multiplier, both beside their sizes.
struct TwoSided {
  double violation = 0.0, slack = infinity, multiplier = 0.0;  // slack < 0: outside
  bool at_upper = false;                                       // where the multiplier has its sign, or the value is

  TwoSided(double value, double low, double high, double y, double size, double share)
      : multiplier(std::abs(y) * share), at_upper(y != 0.0 ? y > 0.0 : high - value < value - low) {
    const auto size_of = [](double b) { return std::isfinite(b) ? std::abs(b) : 0.0; };
    const double scale = std::max({size, size_of(low), size_of(high), tiny});
    violation = std::max({0.0, low - value, value - high}) / scale;
    slack = (at_upper ? high - value : value - low) / scale;
  }
};

/// Everything that the KKT conditions at a point are made of.
struct KktPoint {
  Vector gradient, values, reaction, bounds;  // ∇f, r(x), r'(x)ᵀy, multipliers of the bounds
  Vector sizes, slopes;  // of the terms of rows, Σ_j |row_j| |x_j|, and of their largest entries
  double x_size = 0.0, dual = 0.0;

  KktPoint(const Problem& problem, const NlpRows& rows, const NlpResult& at, In y, double unit)
      : gradient(at.x.size()), values(rows.size()), sizes(Vector::Zero(rows.size())), slopes(sizes) {
    const LinearConstraints& D = rows.domain();
    problem.f.value_and_gradient(at.x, gradient);
    rows.evaluate(problem, at.x, values);
    const SparseMatrix J = rows.jacobian(problem, at.x);
    reaction = J.transpose() * y;
    bounds = at.mu - rows.multiplier_of_domain(y);
    for (Index j = 0; j < bounds.size(); ++j)  // whatever a variable that cannot move takes
      if (D.lower[j] == D.upper[j]) bounds[j] = -gradient[j] - reaction[j];
    dual = std::max({unit, largest(gradient), largest(bounds), largest(reaction), tiny});
    x_size = std::max(largest(at.x), tiny);
    const Vector beside = sizes_beside_rows(at.x, x_size);
    for (Index j = 0; j < J.outerSize(); ++j)
      for (SparseMatrix::InnerIterator entry(J, j); entry; ++entry) {
        sizes[entry.row()] += std::abs(entry.value()) * beside[j];
        slopes[entry.row()] = std::max(slopes[entry.row()], std::abs(entry.value()));
      }
  }

  TwoSided row(const NlpRows& rows, In y, Index i) const {
    return {values[i], rows.lower[i], rows.upper[i], y[i], sizes[i], slopes[i] / dual};
  }
  TwoSided bound(const NlpRows& rows, In x, Index j) const {
    return {x[j], rows.domain().lower[j], rows.domain().upper[j], bounds[j], x_size, 1.0 / dual};
  }
};

}  // namespace

NlpRows NlpRows::on_active_set(const Problem& problem, const NlpResult& at, In y) const {
  const KktPoint here(problem, *this, at, y, 0.0);
  NlpRows out = *this;
  const auto choose = [](const TwoSided& one, double& low, double& high) {
    if (low == high) return;
    if (one.slack < one.multiplier)
      (one.at_upper ? low : high) = one.at_upper ? high : low;
    else
      low = -infinity, high = infinity;
  };
  for (Index i = 0; i < size(); ++i) choose(here.row(*this, y, i), out.lower[i], out.upper[i]);
  for (Index j = 0; j < at.x.size(); ++j)
    choose(here.bound(*this, at.x, j), out.domain_.lower[j], out.domain_.upper[j]);
  return out;
}

bool NlpRows::same_bounds_as(const NlpRows& other) const {
  return lower == other.lower && upper == other.upper && domain_.lower == other.domain_.lower &&
         domain_.upper == other.domain_.upper;
}

Vector sizes_beside_rows(In x, double x_size) { return x.cwiseAbs().cwiseMax(std::min(1.0, x_size)); }

NlpResult measured(const Problem& problem, const NlpRows& rows, NlpResult end, In y, double unit) {
  const KktPoint here(problem, rows, end, y, unit);
  end.f = problem.f.value(end.x);
  if (problem.has_G()) {
    Vector G(problem.G.output_dimension());
    problem.G.evaluate(end.x, G);
    end.violation = problem.C.linear_constraints()->violation(G);
  }
  end.mu = rows.multiplier_of_domain(y) + here.bounds;
  end.stationarity = largest(here.gradient + here.reaction + here.bounds);
  double violation = 0.0, complementarity = 0.0;
  const auto note = [&](const TwoSided& one, bool equation) {
    violation = std::max(violation, one.violation);
    if (!equation) complementarity = std::max(complementarity, std::min(std::max(one.slack, 0.0), one.multiplier));
  };
  for (Index i = 0; i < rows.size(); ++i) note(here.row(rows, y, i), rows.lower[i] == rows.upper[i]);
  end.relative_violation = violation;
  const LinearConstraints& D = rows.domain();
  for (Index j = 0; j < end.x.size(); ++j) note(here.bound(rows, end.x, j), D.lower[j] == D.upper[j]);
  end.kkt_error = std::max({end.stationarity / here.dual, violation, complementarity});
  if (std::isnan(end.kkt_error)) end.kkt_error = infinity;
  return end;
}

}  // namespace pendec::detail
