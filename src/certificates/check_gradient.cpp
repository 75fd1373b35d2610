#include <cmath>
#include <limits>

#include "checker.hpp"
#include "pendec/core/random.hpp"

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

}  // namespace

CheckReport check_gradient(const Objective& f, In x, const CheckOptions& options) {
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
    if (!f.has_hessian()) continue;
    const Vector Hd = hessian_product(f, x, d);
    const auto gradients = [&](double h) { return gradient_at(f, x + h * d); };
    checker.expect_difference("hessian_times agrees with differences of the gradient",
                              detail::difference_error(gradients, Hd, size, 0.0), options.difference_tolerance, k);
    const Vector e = random.normal_vector(x.size()).normalized();
    const Vector He = hessian_product(f, x, e);
    checker.expect("the Hessian is symmetric", std::abs(Hd.dot(e) - d.dot(He)),
                   options.tolerance * (Hd.norm() + He.norm()), k);
  }
  return std::move(checker).report();
}

}  // namespace pendec
