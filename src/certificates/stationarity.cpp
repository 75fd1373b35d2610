#include "pendec/certificates/stationarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "active_multipliers.hpp"
#include "pendec/core/error.hpp"
#include "pendec/core/random.hpp"
#include "probe.hpp"

namespace pendec {
namespace {

/// Everything a certificate reads at y, evaluated once.
struct At {
  const Problem& problem;
  Vector y;
  double f = 0.0;
  Vector gradient;    // ∇f(y)
  Vector G, nearest;  // G(y), P_C(G(y)); empty without G
  Vector rows;        // sizes of the rows of G

  At(const Problem& p, In point) : problem(p), y(point), gradient(point.size()) {
    f = p.f.value_and_gradient(y, gradient);
    if (!p.has_G()) return;
    G.resize(p.G.output_dimension());
    p.G.evaluate(y, G);
    nearest = p.C.projection(G);
  }

  Vector adjoint(In w) const {
    Vector out(y.size());
    problem.G.adjoint(y, w, out);
    return out;
  }

  /// ∇f(y) + G'(y)*λ.
  Vector lagrangian_gradient(In lambda) const {
    return problem.has_G() ? Vector(gradient + adjoint(lambda)) : gradient;
  }
};

// A violation below this share of G's size is an error of its evaluation, and points nowhere.
constexpr double rounding = 100.0 * epsilon;

double first_positive(double a, double b) { return a > 0.0 ? a : b; }

/// ‖y‖, or 1 where y is zero: exactly, or up to rounding errors of rounding errors.
double size_of(In y) {
  const double norm = y.norm();
  return norm > epsilon * epsilon ? norm : 1.0;
}

/// The part of v along D at y, by a small projected step: (Π_D(y + sv) − y)/s. Zero for proximal normals.
Vector onto_tangent(const Set& D, In y, In v) {
  const double size = v.norm();
  if (size == 0.0) return Vector::Zero(v.size());
  const double s = 1e-6 * size_of(y) / size;
  return (D.projection(y + s * v) - y) / s;
}

/// Distance of v to N_D(y): the set's formula, or, where there is none, the part of v along D.
double normal_distance(const Set& D, In y, In v, bool& exact) {
  if (const auto formula = D.normal_residual(y, v)) return *formula;
  exact = false;
  return onto_tangent(D, y, v).norm();
}

/// Σ_j |J_ij d_j|, what the rows of J d add up: they may cancel. Of an operator without entries, the sums alone.
Vector terms_of(const Operator& J, In d) {
  Vector terms(J.rows());
  J.has_entries() ? J.magnitude_times(d, terms) : J.times(d, terms);
  return terms;
}

/// The size of each row of G at y: of G(y) and of what C asks for, whose terms may cancel: their rounding is no
/// violation. Where C asks for zero, a difference say, that of the terms at d; where these tend to zero, too, a share
/// of the change by any vector of the size of d. The terms of an affine row that has a constant do not, where it
/// holds: other variables, however large, are no excuse for it.
Vector sizes_of_rows(const At& at, const Operator& J, In d, In any) {
  constexpr double rounding_of_terms = 1e-6, rounding_of_change = 1e-9;  // of which a tolerance leaves a millionth
  constexpr double unit_of_zero = 1e-2, constant_share = 1e-3;
  const Vector terms = terms_of(J, at.y).cwiseAbs(), along = terms_of(J, d).cwiseAbs();
  const Vector moved = J.times(any).cwiseAbs(), constants = (at.nearest - at.G + J.times(at.y)).cwiseAbs();
  const double of_y = rounding_of_change * at.y.norm() / any.norm();
  const bool affine = at.problem.G.is_affine() && J.has_entries();
  Vector sizes = at.G.cwiseAbs().cwiseMax(at.nearest.cwiseAbs());
  for (Index i = 0; i < sizes.size(); ++i) {
    const bool zero = at.nearest[i] == 0.0, own = affine && constants[i] > constant_share * terms[i];
    const double others = !zero ? of_y * moved[i] : own ? constants[i] : unit_of_zero * moved[i];
    sizes[i] = std::max({sizes[i], zero ? along[i] : rounding_of_terms * terms[i], others});
  }
  return sizes;
}

/// ‖∇²f(y) d‖ and the terms of G'(y) d for d = y (or a vector of ones at the origin): how much a relative change of y
/// moves the gradient and G. They are the natural units of the residuals even where ∇f(y) or G(y) vanish.
void natural_scales(At& at, Certificate& c) {
  constexpr double h = 1e-4;
  const Vector d = at.y.norm() > epsilon * epsilon ? at.y : Vector(Vector::Ones(at.y.size()));
  Vector any = Random(1).normal_vector(at.y.size());
  any *= d.norm() / any.norm();
  const auto enlarge = [](double& scale, double size) {
    if (std::isfinite(size)) scale = std::max(scale, size);
  };
  const auto change = [&](const Vector& direction) {
    Vector moved(at.y.size());
    double value = 0.0;
    return detail::probe(at.problem.f, at.y + h * direction, value, moved) ? (moved - at.gradient).norm() / h : 0.0;
  };
  enlarge(c.gradient_scale, change(d));
  enlarge(c.gradient_scale, std::sqrt(epsilon) * change(any));
  if (!at.problem.has_G()) return;
  at.rows = sizes_of_rows(at, at.problem.G.jacobian(at.y), d, any);
  enlarge(c.feasibility_scale, at.rows.norm());
}

/// Entries of y are wrong by rounding of the largest one.
Vector sizes_of_entries(In y) {
  constexpr double rounding_of_entries = 1e-9;  // of which a tolerance leaves 1e-15
  return y.cwiseAbs().cwiseMax(rounding_of_entries * y.lpNorm<Eigen::Infinity>());
}

/// Projection of v onto the normal cone of a convex set at a point (near) p, by Moreau's decomposition on a small
/// scale.
Vector onto_normal_cone(const Set& set, In p, In v) {
  const double size = v.norm();
  if (size == 0.0) return Vector::Zero(v.size());
  const double s = 1e-6 * first_positive(p.norm(), 1.0) / size;
  return (p + s * v - set.projection(p + s * v)) / s;
}

/// w ↦ (G ∘ chart)'* w and d ↦ (G ∘ chart)' d at y, without a matrix where the maps can do without; without a branch
/// the chart is the identity.
class Linearisation {
 public:
  explicit Linearisation(const At& at) : at_(at), branch_(at.problem.D.branch(at.y, at.y)) {
    if (branch_ && branch_->t.size() == 0) branch_.reset();
  }
  const std::optional<Branch>& branch() const { return branch_; }

  Vector pull_back(In gradient) const {
    if (!branch_) return gradient;
    Vector out(branch_->t.size());
    branch_->chart.adjoint(branch_->t, gradient, out);
    return out;
  }
  Vector adjoint(In w) const { return pull_back(at_.adjoint(w)); }
  Vector times(In d) const {
    Vector moved = d;
    if (branch_) {
      moved.resize(at_.y.size());
      branch_->chart.derivative(branch_->t, d, moved);
    }
    Vector out(at_.G.size());
    at_.problem.G.derivative(at_.y, moved, out);
    return out;
  }
  /// The largest eigenvalue of J Jᵀ, by power iteration, with a margin.
  double squared_norm() const {
    Vector w = Vector::Ones(at_.G.size()) + 0.1 * Vector::LinSpaced(at_.G.size(), 0.0, 1.0);
    double size = 0.0;
    for (int it = 0; it < 30; ++it) {
      w.normalize();
      w = times(adjoint(w));
      const double before = std::exchange(size, w.norm());
      if (size - before <= 1e-3 * size) break;
    }
    return 1.1 * size;
  }

 private:
  const At& at_;
  std::optional<Branch> branch_;
};

/// λ ∈ N_C(G(y)) with the least ‖∇f + G'*λ + ν‖ over normals ν of D at y (of its branch, where there is one): by
/// least squares on what is active where everything is polyhedral, else by accelerated projected gradient (FISTA) on
/// λ, the best ν eliminated.
Vector estimate_multiplier(const At& at) {
  const Linearisation J(at);
  const Vector gradient = J.pull_back(at.gradient);
  if (J.branch() && at.problem.G.has_jacobian()) {
    const Branch& branch = *J.branch();
    const Operator entries = at.problem.G.jacobian(at.y) * branch.chart.jacobian(branch.t);
    if (auto lambda =
            detail::active_multiplier(at.problem.C, branch.domain, at.nearest, at.rows, branch.t, entries, gradient))
      return *std::move(lambda);
  }
  const double L = J.squared_norm();
  Vector lambda = Vector::Zero(at.G.size());
  if (L == 0.0) return lambda;
  Vector previous = lambda, point = lambda;
  double momentum = 1.0;
  for (int it = 0; it < 2000; ++it) {
    Vector r = gradient + J.adjoint(point);
    r = J.branch() ? Vector(r + onto_normal_cone(J.branch()->domain, J.branch()->t, -r))
                   : -onto_tangent(at.problem.D, at.y, -r);
    lambda = onto_normal_cone(at.problem.C, at.nearest, point - J.times(r) / L);
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    point = lambda + ((momentum - 1.0) / next) * (lambda - previous);
    if ((lambda - previous).norm() <= 1e-12 * lambda.norm()) break;
    previous = lambda;
    momentum = next;
  }
  return lambda;
}

/// Chooses t in λ = (w − P_C(w))/t, z = G − P_C(w), w = G + tλ₀ so that neither z nor the change of G'*λ is large.
void build_tuple(const At& at, In lambda0, Certificate& c) {
  const Vector g0 = at.adjoint(lambda0);
  const double unit = c.feasibility_scale / first_positive(lambda0.norm(), c.gradient_scale);
  double least = infinity;
  c.lambda = lambda0;
  for (int e = -12; e <= 4; ++e) {
    const double t = unit * std::pow(10.0, e);
    const Vector w = at.G + t * lambda0;
    const Vector p = at.problem.C.projection(w);
    const Vector lambda = (w - p) / t;
    const Vector z = at.G - p;
    const double off = std::max(at.problem.C.relative_size(z, at.rows), z.norm() / c.feasibility_scale);
    const double cost = std::max((at.adjoint(lambda) - g0).norm() / c.gradient_scale, off);
    if (!(cost < least)) continue;
    least = cost;
    c.lambda = lambda;
    c.z_vector = z;
    c.z = z.norm();
    c.worst_z = off;
  }
}

}  // namespace

Certificate certify(const Problem& given, In y, std::optional<Vector> lambda) {
  const Problem problem = given.completed();
  require_dimension("certify: y.size()", y.size(), problem.dimension());
  require_finite("certify: y", y);
  if (lambda) require_finite("certify: lambda", *lambda);
  At at(problem, y);
  Certificate c;
  if (!std::isfinite(at.f) || !at.gradient.allFinite() || !at.G.allFinite()) return c;
  c.lambda_given = lambda.has_value();
  c.distance_D = problem.D.distance(y);
  const Vector nearest = problem.D.projection(y);
  c.worst_row = problem.D.relative_violation(y, nearest, sizes_of_entries(y).cwiseMax(nearest.cwiseAbs()));
  c.point_scale = size_of(y);
  c.gradient_scale = at.gradient.norm();
  c.feasibility_scale = problem.has_G() ? std::max(at.G.norm(), at.nearest.norm()) : 0.0;
  natural_scales(at, c);
  c.gradient_scale = first_positive(c.gradient_scale, 1.0);
  c.feasibility_scale = first_positive(c.feasibility_scale, 1.0);

  Vector lambda0 = lambda.value_or(Vector());
  c.distance_C = c.natural = c.infeasibility_gradient = 0.0;
  if (!problem.has_G()) c.z = 0.0;
  if (problem.has_G()) {
    c.distance_C = (at.G - at.nearest).norm();
    c.worst_row = std::max(c.worst_row, problem.C.relative_violation(at.G, at.nearest, at.rows));
    if (!lambda) lambda0 = estimate_multiplier(at);
    require_dimension("certify: lambda.size()", lambda0.size(), at.G.size());
    c.natural = (at.G - problem.C.projection(at.G + lambda0)).norm();
    c.gradient_scale = std::max(c.gradient_scale, at.adjoint(lambda0).norm());
    build_tuple(at, lambda0, c);
    if (c.distance_C > rounding * c.feasibility_scale) {
      c.infeasibility_gradient = normal_distance(problem.D, y, -at.adjoint(at.G - at.nearest), c.exact_normals);
      c.jacobian_scale = std::sqrt(Linearisation(at).squared_norm());
    }
  }
  c.m_residual = normal_distance(problem.D, y, -at.lagrangian_gradient(lambda0), c.exact_normals);
  c.epsilon = problem.has_G() ? normal_distance(problem.D, y, -at.lagrangian_gradient(c.lambda), c.exact_normals)
                              : c.m_residual;
  return c;
}

PairCertificate certify_pair(const Problem& given, In x, In y, In lambda, In mu) {
  const Problem problem = given.completed();
  const Index n = problem.dimension();
  require_dimension("certify_pair: x.size()", x.size(), n);
  require_dimension("certify_pair: y.size()", y.size(), n);
  require_dimension("certify_pair: lambda.size()", lambda.size(), problem.has_G() ? problem.G.output_dimension() : 0);
  require_dimension("certify_pair: mu.size()", mu.size(), n);
  for (const auto& part : {x, y, lambda, mu}) require_finite("certify_pair: x, y, lambda or mu", part);
  const At at(problem, x);
  PairCertificate c;
  if (!std::isfinite(at.f) || !at.gradient.allFinite() || !at.G.allFinite()) return c;
  c.coupling = (x - y).norm();
  c.distance_C = c.natural = 0.0;
  if (problem.has_G()) {
    c.distance_C = (at.G - at.nearest).norm();
    c.natural = (at.G - problem.C.projection(at.G + lambda)).norm();
  }
  c.epsilon = (at.lagrangian_gradient(lambda) + mu).norm();
  c.normal = normal_distance(problem.D, y, mu, c.exact_normals);
  return c;
}

std::string to_text(const Certificate& c) {
  return fmt::format("infeasibility {:.1e}, AM-stationarity {:.1e}, z {:.1e}, M-stationarity {:.1e} (relative{}{})",
                     c.relative_infeasibility(), c.relative_stationarity(), c.relative_z(),
                     c.m_residual / c.gradient_scale, c.lambda_given ? "" : "; multiplier estimated",
                     c.exact_normals ? "" : "; normals of D sampled");
}

}  // namespace pendec
