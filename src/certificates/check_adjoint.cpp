#include <cmath>
#include <limits>

#include "checker.hpp"
#include "pendec/core/random.hpp"

namespace pendec {
namespace {

/// A buffer in which entries that a map forgets to write show.
Vector unwritten(Index n) { return Vector::Constant(n, std::numeric_limits<double>::quiet_NaN()); }

Vector value_at(const Map& G, In x) {
  Vector out = unwritten(G.output_dimension());
  G.evaluate(x, out);
  return out;
}

Vector adjoint_at(const Map& G, In x, In w) {
  Vector out = unwritten(G.input_dimension());
  G.adjoint(x, w, out);
  return out;
}

/// G'(x) d as constant_jacobian() describes it, if it does so by indices or by a matrix.
std::optional<Vector> constant_product(const Map& G, In d) {
  const auto J = G.constant_jacobian();
  if (!J) return std::nullopt;
  if (J->dense) return Vector(*J->dense * d);
  if (J->selected) return Vector(d(*J->selected));
  return std::nullopt;
}

}  // namespace

CheckReport check_adjoint(const Map& G, In x, const CheckOptions& options) {
  detail::require_valid(options);
  detail::Checker checker;
  Random random(options.seed);
  const double size = std::max(options.scale, x.norm());
  const Matrix J = G.jacobian(x);
  const Matrix from_adjoint = [&] {
    Matrix rows(G.output_dimension(), G.input_dimension());
    for (Index i = 0; i < rows.rows(); ++i) rows.row(i) = adjoint_at(G, x, Vector::Unit(rows.rows(), i)).transpose();
    return rows;
  }();
  checker.expect("jacobian() equals the matrix of the adjoint", (J - from_adjoint).norm(),
                 options.tolerance * from_adjoint.norm(), 0);

  for (Index k = 0; k < options.samples; ++k) {
    const Vector d = random.normal_vector(G.input_dimension()).normalized();
    const Vector w = random.normal_vector(G.output_dimension()).normalized();
    const Vector Jd = from_adjoint * d, Jw = adjoint_at(G, x, w);
    const double reference = options.tolerance * from_adjoint.norm();
    const auto values = [&](double h) { return value_at(G, x + h * d); };
    const double entry = from_adjoint.norm() / std::sqrt(static_cast<double>(from_adjoint.size()));

    checker.expect("the adjoint is linear in w", (from_adjoint.transpose() * w - Jw).norm(), reference, k);
    checker.expect_difference("the adjoint agrees with differences of the value",
                              detail::difference_error(values, Jd, size, entry), options.difference_tolerance, k);
    Vector derivative = unwritten(G.output_dimension());
    G.derivative(x, d, derivative);
    checker.expect("<G'(x) d, w> = <d, G'(x)* w>", std::abs(derivative.dot(w) - d.dot(Jw)), reference, k);
    if (const auto product = constant_product(G, d))
      checker.expect("constant_jacobian() equals the derivative", (*product - Jd).norm(), reference, k);
    if (G.is_affine())
      checker.expect("an affine map has a constant derivative", (adjoint_at(G, x + size * d, w) - Jw).norm(),
                     reference, k);
    if (!G.is_affine() && G.has_hessian()) {
      Vector curvature = unwritten(G.input_dimension());
      G.hessian_times(x, w, d, curvature);
      const auto adjoints = [&](double h) { return adjoint_at(G, x + h * d, w); };
      checker.expect_difference("hessian_times agrees with differences of the adjoint",
                                detail::difference_error(adjoints, curvature, size, 0.0),
                                options.difference_tolerance, k);
    }
  }
  return std::move(checker).report();
}

}  // namespace pendec
