#include "pendec/objectives/sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {

Sum::Sum(std::vector<Term> terms_) : terms(std::move(terms_)) {
  require(!terms.empty(), "Sum.terms.size()", Index{0}, "at least 1");
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto field = fmt::format("Sum.terms[{}]", k);
    require(std::isfinite(terms[k].weight), field + ".weight", terms[k].weight, "a finite number");
    require(static_cast<bool>(terms[k].f), field + ".objective", std::string("missing"), "an objective");
    require_dimension(field + ".objective.dimension()", terms[k].f.dimension(), dimension());
  }
  const auto all = [&](auto&& holds) { return std::all_of(terms.begin(), terms.end(), holds); };
  if (!all([](const Term& t) { return t.f.is_quadratic(); })) return;
  rounding_ = Vector::Zero(dimension());
  const double unit = 2.0 * epsilon * static_cast<double>(terms.size() + 2);
  for (const Term& t : terms) {
    const ConstantHessian part = *t.f.constant_hessian();
    if (part.dense) rounding_ += unit * std::abs(t.weight) * part.dense->cwiseAbs().rowwise().sum();
    if (part.diagonal) rounding_ += unit * std::abs(t.weight) * part.diagonal->cwiseAbs();
  }
  if (all([](const Term& t) { return t.f.constant_hessian()->diagonal != nullptr; })) {
    hessian_ = Hessian::diagonal;
    diagonal_ = Vector::Zero(dimension());
    for (const Term& t : terms) diagonal_ += t.weight * *t.f.constant_hessian()->diagonal;
    return;
  }
  hessian_ = Hessian::dense;
  Matrix total = Matrix::Zero(dimension(), dimension());
  for (const Term& t : terms) {
    const ConstantHessian part = *t.f.constant_hessian();
    if (part.dense) total += t.weight * *part.dense;
    if (part.diagonal) total.diagonal() += t.weight * *part.diagonal;
  }
  dense_ = SharedMatrix(std::move(total));
}

bool Sum::convex() const {
  return std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.weight >= 0.0 && t.f.convex(); });
}

double Sum::value(In x) const {
  double value = 0.0;
  for (const Term& t : terms) value += t.weight * t.f.value(x);
  return value;
}

double Sum::value_and_gradient(In x, Out g) const {
  Vector part(x.size());
  double value = 0.0;
  g.setZero();
  for (const Term& t : terms) {
    value += t.weight * t.f.value_and_gradient(x, part);
    g += t.weight * part;
  }
  return value;
}

bool Sum::has_hessian() const {
  return std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.f.has_hessian(); });
}

void Sum::hessian_times(In x, In d, Out out) const {
  if (hessian_ == Hessian::diagonal) {
    out = diagonal_.cwiseProduct(d);
  } else if (hessian_ == Hessian::dense) {
    out.noalias() = *dense_ * d;
  } else {
    Vector part(x.size());
    out.setZero();
    for (const Term& t : terms) {
      t.f.hessian_times(x, d, part);
      out += t.weight * part;
    }
  }
}

std::optional<ConstantHessian> Sum::constant_hessian() const {
  if (hessian_ == Hessian::diagonal) return ConstantHessian{.diagonal = &diagonal_};
  if (hessian_ == Hessian::dense) return ConstantHessian{.dense = &*dense_};
  return std::nullopt;
}

std::optional<Matrix> Sum::curvature_below(In at, In lower, In upper) const {
  if (hessian_ == Hessian::diagonal) return Matrix((diagonal_ - rounding_).asDiagonal());
  if (hessian_ == Hessian::dense) {
    Matrix H = *dense_;
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
