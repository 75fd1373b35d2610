#include "pendec/objectives/sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"
#include "pendec/core/scratch.hpp"

namespace pendec {

namespace {

/// Σ weight · diagonal.
Vector sum_of_diagonals(const std::vector<Term>& terms) {
  Vector sum = Vector::Zero(terms.front().f.dimension());
  for (const Term& t : terms) sum += t.weight * t.f.constant_hessian()->diagonal();
  return sum;
}

Matrix sum_of_matrices(const std::vector<Term>& terms) {
  const Index n = terms.front().f.dimension();
  Matrix sum = Matrix::Zero(n, n);
  for (const Term& t : terms) {
    const Operator& part = *t.f.constant_hessian();
    if (const auto* dense = part.view()) sum += t.weight * *dense;
    if (part.is_diagonal()) sum.diagonal() += t.weight * part.diagonal();
  }
  return sum;
}

SparseMatrix sum_of_sparse_matrices(const std::vector<Term>& terms) {
  const Index n = terms.front().f.dimension();
  SparseMatrix sum(n, n);
  for (const Term& t : terms) sum += t.weight * t.f.constant_hessian()->sparse();
  return sum;
}

}  // namespace

Sum::Sum(std::vector<Term> terms_) : terms(std::move(terms_)) {
  require(!terms.empty(), "Sum.terms.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto field = fmt::format("Sum.terms[{}]", k);
    require(std::isfinite(terms[k].weight), field + ".weight", terms[k].weight, "a finite number");
    require(static_cast<bool>(terms[k].f), field + ".objective", std::string("missing"), "an objective");
    require_dimension(field + ".objective.dimension()", terms[k].f.dimension(), dimension());
  }
  const auto all = [&](auto&& holds) {
    return std::all_of(terms.begin(), terms.end(), [&](const Term& t) { return holds(t.f.constant_hessian()); });
  };
  using Part = const std::optional<Operator>&;
  if (!all([](Part part) { return part.has_value(); })) return;
  if (all([](Part part) { return part->is_diagonal(); })) {
    hessian_ = Operator::diagonal(sum_of_diagonals(terms));
  } else if (all([](Part part) { return part->is_diagonal() || part->view(); })) {
    hessian_ = sum_of_matrices(terms);
  } else if (all([](Part part) { return part->is_diagonal() || part->sparse_view(); })) {
    hessian_ = sum_of_sparse_matrices(terms);
  } else {
    std::vector<Operator> parts;
    for (const Term& t : terms) parts.push_back(t.f.constant_hessian()->scaled(t.weight));
    hessian_ = Operator::sum(std::move(parts));
    return;
  }
  rounding_ = Vector::Zero(dimension());
  const double unit = rounding_unit(std::ssize(terms));
  Vector sizes(dimension());
  for (const Term& t : terms) {
    t.f.constant_hessian()->magnitude_times(Vector::Ones(dimension()), sizes);
    rounding_ += unit * std::abs(t.weight) * sizes;
  }
}

bool Sum::convex() const {
  return std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.weight >= 0.0 && t.f.convex(); });
}

bool Sum::has_value() const {
  return std::any_of(terms.begin(), terms.end(), [](const Term& t) { return t.f.has_value(); });
}

double Sum::value(In x) const {
  double value = 0.0;
  for (const Term& t : terms) value += t.weight * t.f.value(x);
  return value;
}

double Sum::value_and_gradient(In x, Out g) const {
  Scratch part(x.size());
  double value = 0.0;
  g.setZero();
  for (const Term& t : terms) {
    value += t.weight * t.f.value_and_gradient(x, *part);
    g += t.weight * *part;
  }
  return value;
}

bool Sum::has_hessian() const {
  return std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.f.has_hessian(); });
}

void Sum::hessian_times(In x, In d, Out out) const {
  if (hessian_) return hessian_->times(d, out);
  Scratch part(x.size());
  out.setZero();
  for (const Term& t : terms) {
    t.f.hessian_times(x, d, *part);
    out += t.weight * *part;
  }
}

Operator Sum::hessian(In x) const {
  if (hessian_) return *hessian_;
  std::vector<Operator> parts;
  for (const Term& t : terms) parts.push_back(t.f.hessian(x).scaled(t.weight));
  return Operator::sum(std::move(parts));
}

bool Sum::has_quadratic_form() const {
  return std::all_of(terms.begin(), terms.end(),
                     [](const Term& t) { return t.weight >= 0.0 && t.f.has_quadratic_form(); });
}

std::optional<QuadraticForm> Sum::quadratic_form() const {
  if (!has_quadratic_form()) return std::nullopt;
  const double unit = rounding_unit(std::ssize(terms));
  Matrix Q = Matrix::Zero(dimension(), dimension()), error = Q;
  QuadraticForm sum;
  sum.c = sum.c_error = Vector::Zero(dimension());
  for (const Term& t : terms) {
    const auto part = t.f.quadratic_form();
    if (!part) return std::nullopt;
    Q += t.weight * *part->Q.view();
    sum.c += t.weight * part->c;
    sum.constant += t.weight * part->constant;
    const Vector root = part->Q.view()->diagonal().cwiseMax(0.0).cwiseSqrt();
    error += t.weight * (unit * part->Q.view()->cwiseAbs() + part->Q_error * root * root.transpose());
    sum.c_error += t.weight * unit * part->c.cwiseAbs();
    if (part->c_error.size() > 0) sum.c_error += t.weight * part->c_error;
    sum.constant_error += t.weight * (unit * std::abs(part->constant) + part->constant_error);
  }
  const Vector root = Q.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (Index j = 0; j < Q.cols(); ++j)
    for (Index i = 0; i < Q.rows(); ++i) {
      if (error(i, j) == 0.0) continue;
      if (root[i] * root[j] == 0.0) return std::nullopt;  // terms cancel, and what they leave is rounding
      sum.Q_error = std::max(sum.Q_error, error(i, j) / (root[i] * root[j]));
    }
  sum.Q = std::move(Q);
  return sum;
}

double Sum::lower_bound() const {
  double sum = 0.0, size = 0.0;
  for (const Term& t : terms) {
    const double part = t.weight == 0.0 ? 0.0 : t.weight > 0.0 ? t.weight * t.f.lower_bound() : -infinity;
    sum += part;
    size += std::abs(part);
  }
  return sum == 0.0 || std::isinf(sum) ? sum : sum - rounding_unit(std::ssize(terms)) * size;
}

std::optional<Matrix> Sum::curvature_below(In at, In lower, In upper) const {
  if (rounding_.size() > 0) {
    Matrix H = hessian_->dense();
    H.diagonal() -= rounding_;
    return H;
  }
  Matrix H = Matrix::Zero(dimension(), dimension());
  for (const Term& t : terms) {
    const auto part = t.weight >= 0.0 ? t.f.curvature_below(at, lower, upper) : std::nullopt;
    if (!part) return std::nullopt;
    H += t.weight * *part;
  }
  return H;
}

Index Sum::summands() const {
  Index sum = std::ssize(terms);
  for (const Term& t : terms) sum += t.f.summands();
  return sum;
}

double Sum::magnitude(In x, Out gradient) const {
  Vector part(x.size());
  double value = 0.0;
  gradient.setZero();
  for (const Term& t : terms) {
    value += std::abs(t.weight) * t.f.magnitude(x, part);
    gradient += std::abs(t.weight) * part;
  }
  return value;
}

}  // namespace pendec
