#include "pendec/sets/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

class SimilarityProjector final : public Projector {
 public:
  explicit SimilarityProjector(const Similarity& similarity)
      : inner_(similarity.set.projector()), factor_(similarity.factor), moved_(similarity.dimension()) {
    if (!similarity.shift.isZero(0.0)) shift_ = similarity.shift;
  }

  using Projector::project;
  void project(In z, Out y) override {
    if (shift_.size() == 0) {
      moved_ = z / factor_;
    } else {
      moved_ = (z - shift_) / factor_;
    }
    inner_->project(moved_, y);
    y *= factor_;
    if (shift_.size() > 0) y += shift_;
  }
  double error() const override { return std::abs(factor_) * inner_->error(); }

 private:
  std::unique_ptr<Projector> inner_;
  double factor_;
  Vector shift_, moved_;  // no shift: empty
};

/// t ↦ factor · chart(t / unit) + shift.
struct SimilarChart {
  Map chart;
  double unit, factor;
  Vector shift;

  Index input_dimension() const { return chart.input_dimension(); }
  Index output_dimension() const { return chart.output_dimension(); }
  void evaluate(In t, Out x) const {
    chart.evaluate(t / unit, x);
    x = factor * x + shift;
  }
  void adjoint(In t, In w, Out out) const {
    chart.adjoint(t / unit, w, out);
    out *= factor / unit;
  }
  void derivative(In t, In d, Out out) const {
    chart.derivative(t / unit, d, out);
    out *= factor / unit;
  }
  bool has_hessian() const { return chart.has_hessian(); }
  void hessian_times(In t, In w, In d, Out out) const {
    chart.hessian_times(t / unit, w, d, out);
    out *= factor / (unit * unit);
  }
  Operator jacobian(In t) const { return chart.jacobian(t / unit).scaled(factor / unit); }
  std::optional<Operator> constant_jacobian() const {
    if (!chart.is_affine()) return std::nullopt;
    return chart.constant_jacobian()->scaled(factor / unit);
  }
};

/// How far (x − shift)/factor may be from the point of the set that x came from.
double rounding(const Similarity& s, In x) {
  return 8.0 * epsilon * (x.norm() + s.shift.norm()) / std::abs(s.factor);
}

/// The point of the set that x came from, if rounding did not leave the set; else (x − shift)/factor.
Vector origin(const Similarity& s, In x) {
  const Vector w = (x - s.shift) / s.factor;
  const Vector p = s.set.projection(w);
  return (p - w).norm() <= rounding(s, x) ? p : w;
}

/// Coordinates of an affine chart are measured like x; those of factors, x = t · tᵀ, like its square root.
std::optional<Branch> similar(const Similarity& s, std::optional<Branch> b) {
  if (!b) return b;
  const double size = std::abs(s.factor);
  const double unit = b->chart.is_affine() ? size : std::sqrt(size);
  b->chart = SimilarChart{b->chart, unit, s.factor, s.shift};
  b->domain = magnified(b->domain, unit);
  b->t *= unit;
  return b;
}

}  // namespace

Similarity::Similarity(Set set_, double factor_, Vector shift_)
    : set(std::move(set_)), factor(factor_), shift(std::move(shift_)) {
  require(static_cast<bool>(set), "Similarity.set", std::string("missing"), "a set");
  require(factor != 0.0 && std::isfinite(factor) && std::isfinite(1.0 / factor), "Similarity.factor", factor,
          "a finite number other than 0 whose inverse is finite too");
  require_dimension("Similarity.shift.size()", shift.size(), set.dimension());
  require_finite("Similarity.shift", shift);
}

void Similarity::project(In z, Out y) const {
  set.project((z - shift) / factor, y);
  y = factor * y + shift;
}

std::unique_ptr<Projector> Similarity::projector() const { return std::make_unique<SimilarityProjector>(*this); }

bool Similarity::contains(In x, double tol) const {
  return set.contains((x - shift) / factor, tol / std::abs(factor));
}

double Similarity::distance(In x) const { return std::abs(factor) * set.distance((x - shift) / factor); }

std::optional<double> Similarity::normal_residual(In x, In v) const {
  const Vector u = std::copysign(1.0, factor) * v, w = origin(*this, x);
  auto residual = set.normal_residual(w, u);
  if (!residual || *residual == 0.0) return residual;
  // Bounds are met exactly or not at all: within rounding, the point of the set farthest towards u may meet them.
  const double step = rounding(*this, x);
  const Vector edge = set.projection(w + (step / u.norm()) * u);
  if ((edge - w).norm() <= 2.0 * step)
    residual = std::min(*residual, set.normal_residual(edge, u).value_or(infinity));
  return residual;
}

std::optional<bool> Similarity::projection_is_unique(In z, double tol) const {
  return set.projection_is_unique((z - shift) / factor, tol / std::abs(factor));
}

std::optional<Branch> Similarity::branch(In y, In z) const {
  return similar(*this, set.branch(origin(*this, y), (z - shift) / factor));
}

std::optional<Branch> Similarity::branch_at(BranchKey key, In near) const {
  return similar(*this, set.branch_at(key, (near - shift) / factor));
}

std::optional<Neighbours> Similarity::neighbours(BranchKey key, In z, Index most) const {
  auto all = set.neighbours(key, (z - shift) / factor, most);
  if (all)
    for (Neighbour& neighbour : all->nearest) neighbour.excess *= factor * factor;
  return all;
}

std::optional<LinearConstraints> Similarity::linear_constraints() const {
  auto rows = set.linear_constraints();
  if (!rows) return rows;
  rows->A = rows->A.scaled(1.0 / factor);  // A (x − shift)/factor ≤ b
  rows->E = rows->E.scaled(1.0 / factor);
  if (rows->b.size() > 0) rows->b += rows->A.times(shift);
  if (rows->d.size() > 0) rows->d += rows->E.times(shift);
  rows->lower = factor * rows->lower + shift;
  rows->upper = factor * rows->upper + shift;
  if (factor < 0.0) std::swap(rows->lower, rows->upper);
  return rows;
}

std::optional<Set> Similarity::scaled(In row) const {
  auto inner = set.scaled(row);
  if (!inner) return inner;
  return Set(Similarity(std::move(*inner), factor, shift.cwiseQuotient(row)));
}

std::optional<Vector> Similarity::ray(In z) const {
  if (!shift.isZero(0.0)) return std::nullopt;
  auto inner = set.ray(z / factor);
  if (inner) *inner *= std::copysign(1.0, factor);
  return inner;
}

std::optional<Alternatives> Similarity::alternatives() const {
  auto all = set.alternatives();
  if (!all) return all;
  const bool moved = !shift.isZero(0.0);
  for (std::vector<Atom>* atoms : {&all->atoms, &all->common})
    for (Atom& atom : *atoms) {
      if (moved && atom.zero) return std::nullopt;
      for (Set& piece : atom.pieces) piece = Similarity(piece, factor, shift(atom.coordinates));
    }
  return all;
}

Set translated(const Set& set, Vector shift) { return Similarity(set, 1.0, std::move(shift)); }

Set magnified(const Set& set, double factor) {
  Similarity out(set, factor, Vector::Zero(set.dimension()));
  const bool cone = factor > 0.0 && set.ray(out.shift).has_value();
  return cone ? set : Set(std::move(out));
}

}  // namespace pendec
