#include <cmath>
#include <limits>

#include "checker.hpp"
#include "pendec/core/random.hpp"
#include "probe.hpp"

namespace pendec {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Vector gradient_at(const Objective& f, In x) {
  Vector g = Vector::Constant(x.size(), nan);  // entries that f forgets to write show
  f.value_and_gradient(x, g);
  return g;
}

Vector hessian_product(const Objective& f, In x, In d) {
  Vector out = Vector::Constant(x.size(), nan);
  f.hessian_times(x, d, out);
  return out;
}

/// What rounding may do to f(x).
double noise_at(const Objective& f, In x) {
  Vector sizes(x.size());
  return 64.0 * epsilon * f.magnitude(x, sizes);
}

/// How far f(to) lies below its tangent at `from` plus ½dᵀHd, beyond rounding; no H: 0.
double excess_over(const Objective& f, In from, In to, const Matrix* H) {
  Vector g = gradient_at(f, from), d = to - from;
  const double curved = H ? 0.5 * d.dot(*H * d) : 0.0;
  const double below = f.value(from) + g.dot(d) + curved;
  const double noise =
      noise_at(f, from) + noise_at(f, to) + 64.0 * epsilon * (g.cwiseAbs().dot(d.cwiseAbs()) + std::abs(curved));
  return below - f.value(to) - noise;
}

/// The change of the gradient less that of a constant Hessian, beyond rounding.
double change_beyond(const Objective& f, const Operator& H, In from, In to) {
  const Vector a = gradient_at(f, from), b = gradient_at(f, to);
  Vector change(a.size()), sizes(a.size()), more(a.size());
  H.times(to - from, change);
  f.magnitude(from, sizes);
  f.magnitude(to, more);
  return ((b - a - change).cwiseAbs() - 64.0 * epsilon * (sizes + more + change.cwiseAbs())).maxCoeff();
}

/// f(x) less its form there, beyond what that says about its errors and rounding.
double off_form(const Objective& f, const QuadraticForm& form, In x) {
  const Vector size = x.cwiseAbs();
  Vector Qx(x.size()), sizes(x.size());
  form.Q.times(x, Qx);
  form.Q.magnitude_times(size, sizes);
  const double value = x.dot(0.5 * Qx + form.c) + form.constant;
  const double terms = size.dot(0.5 * sizes + form.c.cwiseAbs()) + std::abs(form.constant);
  const double spread = form.Q.diagonal().cwiseMax(0.0).cwiseSqrt().dot(size);
  const double stated = 0.5 * form.Q_error * spread * spread + form.constant_error +
                        (form.c_error.size() > 0 ? form.c_error.dot(size) : 0.0);
  return std::abs(f.value(x) - value) - stated - noise_at(f, x) - 64.0 * epsilon * terms;
}

}  // namespace

void require_declared(const Objective& f, In x) {
  const auto form = f.is_quadratic() ? std::nullopt : f.quadratic_form();
  if (!f.convex() && !f.is_quadratic() && !form) return;  // nothing is declared
  Random random(1);
  double size = std::max(1.0, x.norm() / std::sqrt(static_cast<double>(x.size())));
  Vector g(x.size()), h(x.size()), change(x.size());
  for (int points = 4; points > 0; --points, size *= 0.3) {  // far from x little shows of what f is near it
    const Vector a = x + size * random.normal_vector(x.size()), b = x + size * random.normal_vector(x.size());
    double at = 0.0, there = 0.0;
    if (!detail::probe(f, a, at, g) || !detail::probe(f, b, there, h)) continue;  // nothing can be said
    const double scale = 1e-9 * (g.norm() + h.norm());
    // what rounding may do is asked for only where something seems wrong
    if (f.convex() && at + g.dot(b - a) - there > scale * size && excess_over(f, a, b, nullptr) > scale * size)
      throw InvalidArgument(
          "Problem.f.convex()", "true",
          fmt::format("f above its tangents; it lies {:.3g} below one", excess_over(f, a, b, nullptr)));
    if (f.is_quadratic()) {
      const Operator& H = *f.constant_hessian();
      H.times(b - a, change);
      if ((h - g - change).cwiseAbs().maxCoeff() > scale && change_beyond(f, H, a, b) > scale)
        throw InvalidArgument(
            "Problem.f.constant_hessian()", "given",
            fmt::format("the change of the gradient; it is off by {:.3g}", change_beyond(f, H, a, b)));
    }
    if (form && off_form(f, *form, a) > scale * size)
      throw InvalidArgument("Problem.f.quadratic_form()", "given",
                            fmt::format("the value of f; it is off by {:.3g}", off_form(f, *form, a)));
  }
}

CheckReport check_objective(const Objective& f, In x, const CheckOptions& options) {
  detail::require_valid(options);
  detail::Checker checker;
  Random random(options.seed);
  Vector g = Vector::Constant(x.size(), nan);
  const double value = f.value_and_gradient(x, g);
  const double size = std::max(options.scale, x.norm());
  // One wrong entry of n has to show in the product with a random direction.
  const double entry = g.norm() / std::sqrt(static_cast<double>(x.size()));

  checker.expect("value() equals value_and_gradient()", std::abs(f.value(x) - value),
                 options.tolerance * std::abs(value), 0);
  for (Index k = 0; k < options.samples; ++k) {
    const Vector d = random.normal_vector(x.size()).normalized();
    const auto values = [&](double h) { return Vector::Constant(1, f.value(x + h * d)); };
    checker.expect_difference("the gradient agrees with differences of the value",
                              detail::difference_error(values, Vector::Constant(1, g.dot(d)), size, entry),
                              options.difference_tolerance, k);
    const Vector to = x + size * random.normal_vector(x.size());
    Vector sizes(x.size());
    const double reference = options.tolerance * (1.0 + std::abs(value) + std::abs(f.value(to)));
    checker.expect(
        "magnitude() is no less than |f| and |gradient|",
        std::max(std::abs(value) - f.magnitude(x, sizes), 0.0) + (g.cwiseAbs() - sizes).cwiseMax(0.0).sum(),
        options.tolerance * (std::abs(value) + g.norm()), k);
    if (f.convex())
      checker.expect("a convex f lies above its tangents", excess_over(f, x, to, nullptr), reference, k,
                     {{"x", x}, {"y", to}});
    if (const auto H = f.curvature_below(x, x.cwiseMin(to), x.cwiseMax(to)))
      checker.expect("curvature_below() is below f", excess_over(f, x, to, &*H), reference, k, {{"x", x}, {"y", to}});
    if (f.is_quadratic())
      checker.expect("constant_hessian() is the change of the gradient",
                     change_beyond(f, *f.constant_hessian(), x, to),
                     options.tolerance * (g.norm() + gradient_at(f, to).norm()), k, {{"x", x}, {"y", to}});
    if (!f.has_hessian()) continue;
    const Vector Hd = hessian_product(f, x, d);
    const auto gradients = [&](double h) { return gradient_at(f, x + h * d); };
    checker.expect_difference("hessian_times agrees with differences of the gradient",
                              detail::difference_error(gradients, Hd, size, 0.0), options.difference_tolerance, k);
    const Vector e = random.normal_vector(x.size()).normalized();
    const Vector He = hessian_product(f, x, e);
    Vector product(x.size());
    f.hessian(x).times(d, product);
    checker.expect("hessian() agrees with hessian_times", (product - Hd).norm(), options.tolerance * Hd.norm(), k);
    checker.expect("the Hessian is symmetric", std::abs(Hd.dot(e) - d.dot(He)),
                   options.tolerance * (Hd.norm() + He.norm()), k);
  }
  return std::move(checker).report();
}

}  // namespace pendec
