#include "pendec/penalty/penalty.hpp"

#include <cmath>
#include <utility>

namespace pendec {

Penalty::Penalty(Oracle& oracle, std::vector<Range> coupled, bool with_G)
    : oracle_(oracle), coupled_(std::move(coupled)), with_G_(with_G && oracle.problem().has_G()) {
  const Index n = oracle.dimension();
  const Index m = oracle.problem().has_G() ? oracle.problem().G.output_dimension() : 0;
  lambda = Vector::Zero(m);
  if (has_y()) mu = Vector::Zero(n);
  projected_.resize(m);
}

bool Penalty::couples_everything() const {
  return coupled_.size() == 1 && coupled_.front() == Range{0, oracle_.dimension()};
}

Point Penalty::make_point(Vector x) const {
  const Index n = x.size();
  const Index m = with_G_ ? lambda.size() : 0;
  return {std::move(x), 0.0, Vector::Zero(n), Vector::Zero(m), Vector::Zero(with_G_ ? n : 0), false};
}

void Penalty::penalty_residual(Point& p) {
  // w = G(x) + λ/τ,  r = w − P_C(w)
  oracle_.G(p.x, p.residual);
  p.residual += lambda / tau;
  oracle_.project_C(p.residual, projected_);
  p.residual -= projected_;
}

void Penalty::evaluate_value(Point& p) {
  p.f = oracle_.f(p.x);
  p.has_gradient = false;
  if (with_G_) penalty_residual(p);
}

void Penalty::evaluate(Point& p) {
  p.gradient_f.resize(p.x.size());
  p.f = oracle_.f_and_gradient(p.x, p.gradient_f);
  p.has_gradient = true;
  if (!with_G_) return;
  penalty_residual(p);
  oracle_.adjoint(p.x, p.residual, p.gradient_penalty);
}

double Penalty::evaluate_whole(Point& p) {
  evaluate(p);
  p.has_gradient = false;
  if (!with_G_) return p.f;
  p.gradient_f += tau * p.gradient_penalty;
  return p.f + 0.5 * tau * p.residual.squaredNorm();
}

double Penalty::value(const Point& p, In y) const {
  double squares = p.residual.squaredNorm();
  for (const Range& r : coupled_) {
    const auto difference = p.x.segment(r.begin, r.size) - y.segment(r.begin, r.size);
    squares += use_mu ? (difference + mu.segment(r.begin, r.size) / tau).squaredNorm() : difference.squaredNorm();
  }
  return p.f + 0.5 * tau * squares;
}

void Penalty::gradient(const Point& p, In y, Out g) const {
  if (with_G_) {
    g = p.gradient_f + tau * p.gradient_penalty;
  } else {
    g = p.gradient_f;
  }
  for (const Range& r : coupled_) {
    g.segment(r.begin, r.size) += tau * (p.x.segment(r.begin, r.size) - y.segment(r.begin, r.size));
    if (use_mu) g.segment(r.begin, r.size) += mu.segment(r.begin, r.size);
  }
}

void Penalty::penalty_gradient(const Point& p, In y, Out g) const {
  if (with_G_) {
    g = p.gradient_penalty;
  } else {
    g.setZero();
  }
  for (const Range& r : coupled_)
    g.segment(r.begin, r.size) += p.x.segment(r.begin, r.size) - y.segment(r.begin, r.size);
}

void Penalty::change_of_penalty_gradient(const Point& from, In y_from, const Point& to, In y_to, Out change) const {
  if (with_G_) {
    change = to.gradient_penalty - from.gradient_penalty;
  } else {
    change.setZero();
  }
  for (const Range& r : coupled_)
    change.segment(r.begin, r.size) += (to.x.segment(r.begin, r.size) - from.x.segment(r.begin, r.size)) -
                                       (y_to.segment(r.begin, r.size) - y_from.segment(r.begin, r.size));
}

void Penalty::project(const Point& p, Out y) { project(p, y, shifted_); }

void Penalty::project(const Point& p, Out y, Vector& workspace) {
  if (!use_mu) return oracle_.project_D(p.x, y);
  workspace = p.x + mu / tau;
  oracle_.project_D(workspace, y);
}

void Penalty::add_pull(In v, Out out) const {
  for (const Range& r : coupled_) {
    if (use_mu) {
      out.segment(r.begin, r.size) += tau * v.segment(r.begin, r.size) - mu.segment(r.begin, r.size);
    } else {
      out.segment(r.begin, r.size) += tau * v.segment(r.begin, r.size);
    }
  }
}

double Penalty::coupling(In x, In y) const {
  double squares = 0.0;
  for (const Range& r : coupled_) squares += (x.segment(r.begin, r.size) - y.segment(r.begin, r.size)).squaredNorm();
  return std::sqrt(squares);
}

}  // namespace pendec
