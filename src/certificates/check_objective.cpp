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

/// What f is at a point; not known where it is not defined.
struct Sample {
  Sample(const Objective& f, const Vector& point) : x(point), gradient(point.size()) {
    known = detail::probe(f, x, value, gradient);
  }

  Vector x, gradient;
  double value = 0.0;
  bool known = false;
};

/// What f declares, between two points.
class DeclaredObjective {
 public:
  explicit DeclaredObjective(const Objective& f)
      : f_(f), form_(f.is_quadratic() ? std::nullopt : f.quadratic_form()) {}

  bool is_anything() const { return f_.convex() || f_.is_quadratic() || form_ || f_.lower_bound() > -infinity; }

  /// What rounding may do is asked for only where something seems wrong.
  void test(const Sample& from, const Sample& to) const {
    if (!from.known || !to.known) return;
    const Vector &a = from.x, &b = to.x, d = b - a;
    const double scale = 1e-9 * (from.gradient.norm() + to.gradient.norm()), size = d.norm();
    const double below = from.value + from.gradient.dot(d) - to.value;
    if (f_.convex() && below > scale * size)
      refuse("convex()", "f above its tangents; it lies {:.3g} below one", excess_over(f_, a, b, nullptr),
             scale * size);
    if (const auto H = f_.curvature_below(a, a.cwiseMin(b), a.cwiseMax(b));
        H && below + 0.5 * d.dot(*H * d) > scale * size)
      refuse("curvature_below()", "a parabola below f; it lies {:.3g} above", excess_over(f_, a, b, &*H),
             scale * size);
    if (to.value < f_.lower_bound())
      refuse("lower_bound()", "no more than f; it lies {:.3g} above", f_.lower_bound() - to.value,
             noise_at(f_, b) + scale * size);
    if (f_.is_quadratic() &&
        (to.gradient - from.gradient - f_.constant_hessian()->times(d)).cwiseAbs().maxCoeff() > scale)
      refuse("constant_hessian()", "the change of the gradient; it is off by {:.3g}",
             change_beyond(f_, *f_.constant_hessian(), a, b), scale);
    if (form_)
      refuse("quadratic_form()", "the value of f; it is off by {:.3g}", off_form(f_, *form_, a), scale * size);
  }

 private:
  static void refuse(const char* ability, const char* expected, double off, double allowed) {
    constexpr double underflow = 1e-300;
    if (off > allowed + underflow)
      throw InvalidArgument(fmt::format("Problem.f.{}", ability), "declared",
                            fmt::format(fmt::runtime(expected), off));
  }

  const Objective& f_;
  std::optional<QuadraticForm> form_;
};

}  // namespace

void require_declared(const Objective& f, In x, const std::vector<Vector>& others) {
  DeclaredObjective declared(f);
  if (!declared.is_anything()) return;
  std::vector<Sample> samples;
  for (const Vector& point : detail::points_around(x, others)) samples.emplace_back(f, point);
  for (std::size_t k = 1; k < samples.size(); ++k) {
    declared.test(samples[0], samples[k]);
    if (k > 1) declared.test(samples[k], samples[k - 1]);
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
    checker.expect("lower_bound() is below f", std::max(f.lower_bound() - f.value(to), 0.0), reference, k);
    if (f.convex())
      checker.expect("a convex f lies above its tangents", excess_over(f, x, to, nullptr), reference, k,
                     {{"x", x}, {"y", to}});
    if (const auto H = f.curvature_below(x, x.cwiseMin(to), x.cwiseMax(to)))
      checker.expect("curvature_below() is below f", excess_over(f, x, to, &*H), reference, k, {{"x", x}, {"y", to}});
    if (!f.is_quadratic())
      if (const auto form = f.quadratic_form())
        checker.expect("quadratic_form() has the values of f", off_form(f, *form, to), reference, k, {{"x", to}});
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
