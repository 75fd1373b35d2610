#include "evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pendec::io::nl {
namespace {

double truth(bool holds) { return holds ? 1.0 : 0.0; }

/// ∂ᵏ/∂aᵏ of a^b for a constant b: 0 where the factors end, not 0 · ∞.
double power_slope(double a, double b, int order) {
  double factor = 1.0;
  for (int k = 0; k < order; ++k) factor *= b - k;
  return factor == 0.0 ? 0.0 : factor * std::pow(a, b - order);
}

}  // namespace

double evaluate(Op op, std::span<const double> x) {
  switch (op) {
    case Op::plus:
      return x[0] + x[1];
    case Op::minus:
      return x[0] - x[1];
    case Op::times:
      return x[0] * x[1];
    case Op::divide:
      return x[0] / x[1];
    case Op::power:
      return std::pow(x[0], x[1]);
    case Op::positive_part:
      return std::max(x[0] - x[1], 0.0);
    case Op::minimum:
      return *std::min_element(x.begin(), x.end());
    case Op::maximum:
      return *std::max_element(x.begin(), x.end());
    case Op::absolute:
      return std::abs(x[0]);
    case Op::negative:
      return -x[0];
    case Op::either:
      return truth(x[0] != 0.0 || x[1] != 0.0);
    case Op::both:
      return truth(x[0] != 0.0 && x[1] != 0.0);
    case Op::less:
      return truth(x[0] < x[1]);
    case Op::less_equal:
      return truth(x[0] <= x[1]);
    case Op::equal:
      return truth(x[0] == x[1]);
    case Op::greater_equal:
      return truth(x[0] >= x[1]);
    case Op::greater:
      return truth(x[0] > x[1]);
    case Op::not_equal:
      return truth(x[0] != x[1]);
    case Op::no:
      return truth(x[0] == 0.0);
    case Op::choose:
      return x[0] != 0.0 ? x[1] : x[2];
    case Op::tanh:
      return std::tanh(x[0]);
    case Op::tan:
      return std::tan(x[0]);
    case Op::sqrt:
      return std::sqrt(x[0]);
    case Op::sinh:
      return std::sinh(x[0]);
    case Op::sin:
      return std::sin(x[0]);
    case Op::log10:
      return std::log10(x[0]);
    case Op::log:
      return std::log(x[0]);
    case Op::exp:
      return std::exp(x[0]);
    case Op::cosh:
      return std::cosh(x[0]);
    case Op::cos:
      return std::cos(x[0]);
    case Op::atanh:
      return std::atanh(x[0]);
    case Op::atan2:
      return std::atan2(x[0], x[1]);
    case Op::atan:
      return std::atan(x[0]);
    case Op::asinh:
      return std::asinh(x[0]);
    case Op::asin:
      return std::asin(x[0]);
    case Op::acosh:
      return std::acosh(x[0]);
    case Op::acos:
      return std::acos(x[0]);
    case Op::sum: {
      double total = 0.0;
      for (const double value : x) total += value;
      return total;
    }
    case Op::square:
      return x[0] * x[0];
    case Op::number:
    case Op::variable:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

int piece(Op op, std::span<const double> x) {
  switch (op) {
    case Op::minimum:
      return static_cast<int>(std::min_element(x.begin(), x.end()) - x.begin());
    case Op::maximum:
      return static_cast<int>(std::max_element(x.begin(), x.end()) - x.begin());
    case Op::choose:
      return x[0] != 0.0 ? 1 : 2;
    case Op::positive_part:
      return x[0] > x[1] ? 1 : 0;
    case Op::absolute:
      return x[0] < 0.0 ? 0 : 1;
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::greater_equal:
    case Op::greater:
    case Op::not_equal:
      return evaluate(op, x) != 0.0 ? 1 : 0;
    default:
      return -1;
  }
}

Partials partials(Op op, double a, double b, double value) {
  switch (op) {
    case Op::plus:
      return {.a = 1.0, .b = 1.0};
    case Op::minus:
      return {.a = 1.0, .b = -1.0};
    case Op::times:
      return {.a = b, .b = a, .ab = 1.0};
    case Op::divide:
      return {.a = 1.0 / b, .b = -value / b, .ab = -1.0 / (b * b), .bb = 2.0 * value / (b * b)};
    case Op::power: {
      Partials p{.a = power_slope(a, b, 1), .aa = power_slope(a, b, 2)};
      if (a > 0.0) {
        const double log = std::log(a);
        p.b = value * log;
        p.ab = std::pow(a, b - 1.0) * (1.0 + b * log);
        p.bb = value * log * log;
      }
      return p;
    }
    case Op::positive_part:
      return a > b ? Partials{.a = 1.0, .b = -1.0} : Partials{};
    case Op::absolute:
      return {.a = a < 0.0 ? -1.0 : 1.0};
    case Op::negative:
      return {.a = -1.0};
    case Op::tanh:
      return {.a = 1.0 - value * value, .aa = -2.0 * value * (1.0 - value * value)};
    case Op::tan:
      return {.a = 1.0 + value * value, .aa = 2.0 * value * (1.0 + value * value)};
    case Op::sqrt:
      return {.a = 0.5 / value, .aa = -0.25 / (value * a)};
    case Op::sinh:
      return {.a = std::cosh(a), .aa = value};
    case Op::sin:
      return {.a = std::cos(a), .aa = -value};
    case Op::log10:
      return {.a = std::numbers::log10e / a, .aa = -std::numbers::log10e / (a * a)};
    case Op::log:
      return {.a = 1.0 / a, .aa = -1.0 / (a * a)};
    case Op::exp:
      return {.a = value, .aa = value};
    case Op::cosh:
      return {.a = std::sinh(a), .aa = value};
    case Op::cos:
      return {.a = -std::sin(a), .aa = -value};
    case Op::atanh: {
      const double slope = 1.0 / (1.0 - a * a);
      return {.a = slope, .aa = 2.0 * a * slope * slope};
    }
    case Op::atan2: {  // the angle of (b, a)
      const double square = a * a + b * b, quartic = square * square;
      return {.a = b / square,
              .b = -a / square,
              .aa = -2.0 * a * b / quartic,
              .ab = (a * a - b * b) / quartic,
              .bb = 2.0 * a * b / quartic};
    }
    case Op::atan: {
      const double slope = 1.0 / (1.0 + a * a);
      return {.a = slope, .aa = -2.0 * a * slope * slope};
    }
    case Op::asinh: {
      const double slope = 1.0 / std::sqrt(1.0 + a * a);
      return {.a = slope, .aa = -a * slope * slope * slope};
    }
    case Op::asin: {
      const double slope = 1.0 / std::sqrt(1.0 - a * a);
      return {.a = slope, .aa = a * slope * slope * slope};
    }
    case Op::acosh: {
      const double slope = 1.0 / std::sqrt(a * a - 1.0);
      return {.a = slope, .aa = -a * slope * slope * slope};
    }
    case Op::acos: {
      const double slope = 1.0 / std::sqrt(1.0 - a * a);
      return {.a = -slope, .aa = -a * slope * slope * slope};
    }
    case Op::square:
      return {.a = 2.0 * a, .aa = 2.0};
    default:
      return {};
  }
}

}  // namespace pendec::io::nl
