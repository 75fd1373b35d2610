#include <cmath>
#include <limits>
#include <utility>

#include "checker.hpp"
#include "pendec/core/random.hpp"
#include "probe.hpp"

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

/// How far each row of G(to) lies below its tangent at `from`, beyond rounding.
Vector below_tangents(const Map& G, In from, In to) {
  const Operator J = G.jacobian(from);
  const Vector at = value_at(G, from), there = value_at(G, to);
  Vector moved(at.size()), sizes(at.size());
  J.times(to - from, moved);
  J.magnitude_times(from.cwiseAbs() + to.cwiseAbs(), sizes);
  return at + moved - there - 64.0 * epsilon * (at.cwiseAbs() + there.cwiseAbs() + sizes);
}

/// How far wᵀG(to) lies below its tangent at `from` plus ½dᵀHd, beyond rounding.
double below_curved(const Map& G, const Operator& H, In w, In from, In to) {
  const Vector d = to - from;
  Vector Hd(d.size());
  H.times(d, Hd);
  const double curved = 0.5 * d.dot(Hd);
  return w.dot(value_at(G, from) - value_at(G, to)) + adjoint_at(G, from, w).dot(d) + curved -
         64.0 * epsilon *
             (w.cwiseAbs().dot(value_at(G, from).cwiseAbs() + value_at(G, to).cwiseAbs()) + std::abs(curved));
}

}  // namespace

void require_declared(const Map& G, In x, const std::vector<Vector>& others) {
  if (!G.convex() && !G.is_affine()) return;  // nothing is declared
  Vector at = unwritten(G.output_dimension()), there = at, moved = at, sizes = at;
  const std::vector<Vector> points = detail::points_around(x, others);
  bool known = detail::probe(G, points[0], at);
  for (std::size_t k = 1; k < points.size(); ++k) {
    const Vector &a = points[k - 1], &b = points[k];
    if (k > 1) at = there;
    const bool both = std::exchange(known, detail::probe(G, b, there)) && known;
    if (!both) continue;  // nothing can be said
    const double scale = 1e-9 * (at.norm() + there.norm());
    if (G.is_affine()) {
      G.constant_jacobian()->times(b - a, moved);
      G.constant_jacobian()->magnitude_times(a.cwiseAbs() + b.cwiseAbs(), sizes);
      if (const double off = (there - at - moved).norm(); off > scale + 1e-9 * sizes.norm())
        throw InvalidArgument("Problem.G.constant_jacobian()", "declared",
                              fmt::format("the change of G; it is off by {:.3g}", off));
    } else {
      Index row = 0;
      if (const double below = below_tangents(G, a, b).maxCoeff(&row); below > scale)
        throw InvalidArgument("Problem.G.convex()", "declared",
                              fmt::format("rows above their tangents; row {} lies {:.3g} below one", row, below));
    }
  }
}

CheckReport check_map(const Map& G, In x, const CheckOptions& options) {
  detail::require_valid(options);
  detail::Checker checker;
  Random random(options.seed);
  const double size = std::max(options.scale, x.norm());
  const Matrix J = G.jacobian(x).dense();
  const Matrix from_adjoint = [&] {
    Matrix rows(G.output_dimension(), G.input_dimension());
    for (Index i = 0; i < rows.rows(); ++i) rows.row(i) = adjoint_at(G, x, Vector::Unit(rows.rows(), i)).transpose();
    return rows;
  }();
  checker.expect("jacobian() equals the matrix of the adjoint", (J - from_adjoint).norm(),
                 options.tolerance * from_adjoint.norm(), 0);
  Vector sizes = unwritten(G.output_dimension()), slopes = unwritten(G.output_dimension());
  G.magnitude(x, sizes, slopes);
  checker.expect(
      "magnitude() is no less than |G| and |G'|",
      (value_at(G, x).cwiseAbs() - sizes).cwiseMax(0.0).sum() + (J.cwiseAbs().colwise() - slopes).cwiseMax(0.0).sum(),
      options.tolerance * (sizes.norm() + slopes.norm()), 0);

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
    if (G.is_affine()) {
      Vector product(G.output_dimension());
      G.constant_jacobian()->times(d, product);
      checker.expect("constant_jacobian() equals the derivative", (product - Jd).norm(), reference, k);
    }
    if (G.is_affine())
      checker.expect("an affine map has a constant derivative", (adjoint_at(G, x + size * d, w) - Jw).norm(),
                     reference, k);
    const Vector to = x + size * random.normal_vector(x.size()), at = value_at(G, x), there = value_at(G, to);
    const double allowed = options.tolerance * (1.0 + at.norm() + there.norm());
    if (G.convex())
      checker.expect("the rows of a convex map lie above their tangents", below_tangents(G, x, to).maxCoeff(),
                     allowed, k, {{"x", x}, {"y", to}});
    if (const auto H = G.curvature_below(x, w.cwiseAbs()))
      checker.expect("curvature_below() is below", below_curved(G, *H, w.cwiseAbs(), x, to), allowed, k,
                     {{"x", x}, {"y", to}});
    Vector least = Vector::Constant(x.size(), -infinity), greatest = -least;
    G.tighten(at.cwiseMin(there), at.cwiseMax(there), least, greatest);
    for (const Vector& point : {Vector(x), to})
      checker.expect("tighten() keeps what satisfies the bounds",
                     (least.array() <= point.array()).all() && (point.array() <= greatest.array()).all(), k,
                     {{"x", point}});
    if (!G.is_affine() && G.has_hessian()) {
      Vector curvature = unwritten(G.input_dimension());
      G.hessian_times(x, w, d, curvature);
      Vector product(G.input_dimension());
      G.hessian(x, w).times(d, product);
      checker.expect("hessian() agrees with hessian_times", (product - curvature).norm(),
                     options.tolerance * curvature.norm(), k);
      const auto adjoints = [&](double h) { return adjoint_at(G, x + h * d, w); };
      checker.expect_difference("hessian_times agrees with differences of the adjoint",
                                detail::difference_error(adjoints, curvature, size, 0.0),
                                options.difference_tolerance, k);
    }
  }
  return std::move(checker).report();
}

}  // namespace pendec
