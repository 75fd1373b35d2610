#include "pendec/objectives/regression.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "losses.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/scratch.hpp"

namespace pendec {
namespace {

using detail::Terms;

/// The largest κ with ℓ(t) ≥ ℓ(m) + ℓ'(m)(t − m) + ½κ(t − m)² for t between m and `end`, for every entry. Away from m
/// the ratio of the two sides first may rise and then falls, or only does one of both: its least value is at m or at
/// `end`.
template <class Kind>
Terms curvature_towards(const Terms& m, const Kind& at_m, const Terms& end, const Kind& at_end) {
  const Terms d = end - m, linear = at_m.slope() * d;
  const Terms rounding = 8.0 * epsilon * (1.0 + at_m.size() + linear.abs() + at_end.size());
  const Terms ratio = 2.0 * (at_end.value() - at_m.value() - linear - rounding) / d.square();
  const Terms near = (d.abs() < 1e-3).select(at_end.curvature(), ratio);  // ℓ'' itself is least at an end
  return (d.isFinite() && near.isFinite()).select(near.min(at_m.curvature()).max(0.0), 0.0);
}

/// The least and the greatest values of ⟨a_k, x⟩ in a box.
void range_of_predictions(const Operator& A, In lower, In upper, Vector& least, Vector& greatest) {
  least = greatest = Vector::Zero(A.rows());
  const auto add = [&](Index k, Index j, double a) {
    if (a == 0.0) return;
    least[k] += a * (a > 0.0 ? lower[j] : upper[j]);
    greatest[k] += a * (a > 0.0 ? upper[j] : lower[j]);
  };
  if (const auto* dense = A.view()) {
    for (Index j = 0; j < dense->cols(); ++j)
      for (Index k = 0; k < dense->rows(); ++k) add(k, j, (*dense)(k, j));
    return;
  }
  const SparseMatrix entries = A.sparse();
  for (Index j = 0; j < entries.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(entries, j); entry; ++entry) add(entry.row(), j, entry.value());
}

void require_observations(Loss loss, const Vector& b, const std::string& field) {
  require_finite(field, b);
  for (Index k = 0; k < b.size(); ++k) {
    if (loss == Loss::logistic)
      require(b[k] == 1.0 || b[k] == -1.0, fmt::format("{}[{}]", field, k), b[k], "-1 or 1 for the logistic loss");
    if (loss == Loss::poisson)
      require(b[k] >= 0.0, fmt::format("{}[{}]", field, k), b[k], "counts >= 0 for the Poisson loss");
  }
}

}  // namespace

LinearModel::LinearModel(Operator A_, Vector b_, Loss loss_, LinearModelOptions options_)
    : LinearModel(std::move(A_), std::move(b_), loss_, std::move(options_), "LinearModel", "b") {}

LinearModel::LinearModel(Operator A_, Vector b_, Loss loss_, LinearModelOptions options_, std::string_view owner,
                         std::string_view observed)
    : A(std::move(A_)), b(std::move(b_)), loss(loss_), options(std::move(options_)) {
  const std::string field = fmt::format("{}.{}", owner, observed);
  require_dimension(field + ".size()", b.size(), A.rows());
  A.require_finite(fmt::format("{}.A", owner));
  require_observations(loss, b, field);
  require(options.ridge >= 0.0, "LinearModel.ridge", options.ridge, "ridge >= 0");
  require(options.huber > 0.0, "LinearModel.huber", options.huber, "huber > 0");
  if (options.centre.size() > 0) {
    require(options.intercept, "LinearModel.centre", "given", "an intercept");
    require_dimension("LinearModel.centre.size()", options.centre.size(), A.cols());
  }
  design = options.intercept ? A.with_intercept(options.centre) : A;
}

Vector LinearModel::ridge_of_entries() const {
  if (options.ridge == 0.0) return {};
  Vector out = Vector::Constant(dimension(), options.ridge);
  if (options.intercept) out[A.cols()] = 0.0;
  return out;
}

double LinearModel::loss_at(In x) const {
  Scratch t(design.rows());
  design.times(x, *t);
  return detail::sum_of_losses(loss, options.huber, *t, b);
}

double LinearModel::value(In x) const {
  const double sum = loss_at(x);
  return options.ridge == 0.0 ? sum : sum + 0.5 * options.ridge * x.head(A.cols()).squaredNorm();
}

double LinearModel::value_and_gradient(In x, Out g) const {
  Scratch t(design.rows());
  design.times(x, *t);
  const double sum = detail::sum_of_losses(loss, options.huber, *t, b, t->data());
  design.transpose_times(*t, g);
  if (options.ridge == 0.0) return sum;
  const Index n = A.cols();
  g.head(n) += options.ridge * x.head(n);
  return sum + 0.5 * options.ridge * x.head(n).squaredNorm();
}

void LinearModel::hessian_times(In x, In d, Out out) const {
  Scratch t(design.rows()), w(design.rows());
  design.times(d, *w);
  if (loss != Loss::squared) {
    design.times(x, *t);
    detail::for_losses(loss, options.huber, *t, b, [&](const auto& terms, Index begin, Index size) {
      w->segment(begin, size).array() *= terms.curvature();
    });
  }
  design.transpose_times(*w, out);
  if (options.ridge != 0.0) out.head(A.cols()) += options.ridge * d.head(A.cols());
}

Operator LinearModel::hessian(In x) const {
  if (loss == Loss::squared) return *constant_hessian();
  Vector t(design.rows());
  design.times(x, t);
  detail::for_losses(loss, options.huber, t, b, [&](const auto& terms, Index begin, Index size) {
    t.segment(begin, size) = terms.curvature().matrix();
  });
  return design.gram(std::move(t), ridge_of_entries());
}

std::optional<Operator> LinearModel::constant_hessian() const {
  if (loss != Loss::squared) return std::nullopt;
  return design.gram({}, ridge_of_entries());
}

std::optional<QuadraticForm> LinearModel::quadratic_form() const {
  if (!has_quadratic_form()) return std::nullopt;
  Vector products(dimension());
  design.transpose_times(b, products);
  QuadraticForm form = form_of_squares(design.gram().dense(), products, b.norm(), A.rows());
  if (options.ridge == 0.0) return form;
  Matrix with_ridge = form.Q.dense();
  with_ridge.diagonal() += ridge_of_entries();
  form.Q = std::move(with_ridge);
  return form;
}

Matrix LinearModel::curvature_below(In at, In lower, In upper) const {
  if (loss == Loss::squared) return constant_hessian()->dense();
  Vector predictions(design.rows()), least, greatest, curvature(design.rows());
  design.times(at, predictions);
  range_of_predictions(design, lower, upper, least, greatest);
  detail::for_losses(loss, options.huber, predictions, b, [&](const auto& terms, Index begin, Index size) {
    using Kind = std::decay_t<decltype(terms)>;
    const Terms m = predictions.segment(begin, size).array();
    const auto towards = [&](const Terms& end) {
      const Kind there(detail::terms_of(end), detail::terms_of(b, begin, size), options.huber);
      return curvature_towards(m, terms, end, there);
    };
    const Terms below = least.segment(begin, size).array(), above = greatest.segment(begin, size).array();
    curvature.segment(begin, size) = towards(below.min(m)).min(towards(above.max(m))).matrix();
  });
  return design.gram(std::move(curvature), ridge_of_entries()).dense();
}

double LinearModel::magnitude(In x, Out gradient) const {
  Vector t(design.rows()), sizes(design.rows());
  design.times(x, t);
  design.magnitude_times(x, sizes);
  double sum = 0.0;
  detail::for_losses(loss, options.huber, t, b, [&](const auto& terms, Index begin, Index size) {
    const Terms p = sizes.segment(begin, size).array();
    for (const double value : terms.value_size(p)) sum += value;
    sizes.segment(begin, size) = terms.slope_size(p).matrix();
  });
  design.magnitude_transpose_times(sizes, gradient);
  const Index n = A.cols();
  gradient.head(n) += options.ridge * x.head(n).cwiseAbs();
  return sum + 0.5 * options.ridge * x.head(n).squaredNorm();
}

LeastSquares::LeastSquares(Operator A_, Vector b_, LinearModelOptions options_)
    : LinearModel(std::move(A_), std::move(b_), Loss::squared, std::move(options_), "LeastSquares", "b") {}

Logistic::Logistic(Operator A_, Vector labels, LinearModelOptions options_)
    : LinearModel(std::move(A_), std::move(labels), Loss::logistic, std::move(options_), "Logistic", "labels") {}

Huber::Huber(Operator A_, Vector b_, LinearModelOptions options_)
    : LinearModel(std::move(A_), std::move(b_), Loss::huber, std::move(options_), "Huber", "b") {}

Poisson::Poisson(Operator A_, Vector counts, LinearModelOptions options_)
    : LinearModel(std::move(A_), std::move(counts), Loss::poisson, std::move(options_), "Poisson", "counts") {}

}  // namespace pendec
