// What is known about a point: the residuals of its stationarity.
#pragma once

#include <algorithm>

#include "pendec/core/members.hpp"
#include "pendec/core/types.hpp"
#include "pendec/export.hpp"

namespace pendec {

/// What was verified at a point y. Residuals are absolute; the scales turn them into relative ones.
///
/// AM-stationarity (Definition 2.2) asks for ε ∈ ∇f(y) + G'(y)*λ + N_D(y) and λ ∈ N_C(G(y) − z) with ε, z → 0.
/// The tuple is built so that λ ∈ N_C(G(y) − z) holds by construction (λ = (w − P_C(w))/t with w = G(y) + tλ₀,
/// z = G(y) − P_C(w)), and ε is measured with the limiting normal cone of D at y.
/// docs/stationarity.md explains the words.
/// A certificate that was never computed claims nothing: its residuals are infinite.
struct PENDEC_EXPORT Certificate {
  double distance_C = infinity;  // dist_C(G(y))
  double distance_D = infinity;  // dist_D(y)
  double epsilon = infinity;     // ‖ε‖, the AM residual
  double z = infinity;           // ‖z‖
  double natural = infinity;     // ‖G(y) − P_C(G(y) + λ)‖: zero iff λ ∈ N_C(G(y)) and G(y) ∈ C
  double m_residual = infinity;  // distance of −∇f(y) − G'(y)*λ₀ to N_D(y) with λ₀ as given or estimated
  double infeasibility_gradient = infinity;  // residual of Prop. 3.2: −G'(y)*(G(y) − P_C(G(y))) to N_D(y)

  double gradient_scale = 1.0;     // ε and m_residual are relative to this: size of ∇f and G'*λ
  double feasibility_scale = 1.0;  // distance_C, z are relative to this: size of G around y
  double jacobian_scale = 1.0;     // infeasibility_gradient is relative to this times distance_C: the norm of G'(y)
  double point_scale = 1.0;        // distance_D is relative to this: size of y
  double worst_row = 0.0;          // the largest violation of a row or part of C and D, relative to its own size
  double worst_z = 0.0;            // the same of z

  bool lambda_given = true;   // false: λ₀ was estimated by least squares
  bool exact_normals = true;  // false: D has no normal cone formula; N_D was sampled by projections

  Vector lambda;    // the multiplier of the tuple
  Vector z_vector;  // its z: lambda is a normal of C at G(y) − z

  double relative_infeasibility() const {
    return std::max({distance_C / feasibility_scale, distance_D / point_scale, worst_row});
  }
  double relative_z() const { return std::max(z / feasibility_scale, worst_z); }
  double relative_stationarity() const { return epsilon / gradient_scale; }

  /// Feasible and AM-stationary below a relative tolerance.
  bool holds(double tolerance) const {
    return relative_infeasibility() <= tolerance && relative_z() <= tolerance && relative_stationarity() <= tolerance;
  }

  static constexpr auto members() {
    using C = Certificate;
    using detail::member;
    return std::tuple{member("distance_C", &C::distance_C),
                      member("distance_D", &C::distance_D),
                      member("epsilon", &C::epsilon),
                      member("z", &C::z),
                      member("natural", &C::natural),
                      member("m_residual", &C::m_residual),
                      member("infeasibility_gradient", &C::infeasibility_gradient),
                      member("gradient_scale", &C::gradient_scale),
                      member("feasibility_scale", &C::feasibility_scale),
                      member("jacobian_scale", &C::jacobian_scale),
                      member("point_scale", &C::point_scale),
                      member("worst_row", &C::worst_row),
                      member("worst_z", &C::worst_z),
                      member("lambda_given", &C::lambda_given),
                      member("exact_normals", &C::exact_normals),
                      member("tuple_lambda", &C::lambda),
                      member("tuple_z", &C::z_vector)};
  }
};

/// What was verified at a pair (x, y) with multipliers (λ, μ): the optimality conditions of the decomposed problem
///     min f(x)  s.t.  G(x) ∈ C,  x = y,  y ∈ D,
/// which a penalty decomposition method drives to zero (Theorem 3.3). At x = y it is the M-stationarity of y. The
/// units are those of the certificate at y.
struct PairCertificate {
  double distance_C = infinity;  // dist_C(G(x))
  double coupling = infinity;    // ‖x − y‖
  double epsilon = infinity;     // ‖∇f(x) + G'(x)*λ + μ‖
  double natural = infinity;     // ‖G(x) − P_C(G(x) + λ)‖
  double normal = infinity;      // distance of μ to N_D(y)
  bool exact_normals = true;     // as for a Certificate

  static constexpr auto members() {
    using C = PairCertificate;
    using detail::member;
    return std::tuple{member("distance_C", &C::distance_C), member("coupling", &C::coupling),
                      member("epsilon", &C::epsilon),       member("natural", &C::natural),
                      member("normal", &C::normal),         member("exact_normals", &C::exact_normals)};
  }
};

}  // namespace pendec
