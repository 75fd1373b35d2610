#include "pendec/core/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// An integer that stands for no limit; written as "inf", which every reader of JSON keeps.
constexpr Index unlimited = std::numeric_limits<Index>::max();

using detail::check_range;
using detail::for_each_option;

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(to_string(value));
  } else if (std::is_same_v<T, Index> && value == static_cast<T>(unlimited)) {
    return "inf";
  } else {
    return to_text(value);
  }
}

template <class T>
OptionValue typed_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(to_string(value));
  } else {
    return value;
  }
}

template <class T>
T parse(const std::string& name, std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "1" || text == "on") return true;
    if (text == "false" || text == "0" || text == "off") return false;
    throw InvalidArgument(name, text, "true or false");
  } else if constexpr (std::is_enum_v<T>) {
    return by_name<T>(name, text);
  } else {
    T value{};
    if (std::is_same_v<T, Index> && text == "inf") return static_cast<T>(unlimited);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw InvalidArgument(name, text, std::is_integral_v<T> ? "an integer, or inf" : "a number");
    return value;
  }
}

}  // namespace

void validate(const Options& options) {
  detail::check_ranges(options, "");
  require(options.penalty.tau_max >= options.penalty.tau0, "penalty.tau_max", options.penalty.tau_max,
          fmt::format(">= penalty.tau0 = {}", options.penalty.tau0));
  require(options.spectral.gamma_max >= options.spectral.gamma_min, "spectral.gamma_max", options.spectral.gamma_max,
          fmt::format(">= spectral.gamma_min = {}", options.spectral.gamma_min));
  const bool forced = options.driver.route != Route::automatic && options.driver.route != Route::general;
  require(!forced || options.method == Method::automatic, "method", to_string(options.method),
          fmt::format("automatic with driver.route = {}", to_string(options.driver.route)));
}

void set_option(Options& options, std::string_view name, std::string_view value) {
  bool found = false;
  for_each_option(options, "", [&](const std::string& candidate, auto& target, const auto& field) {
    if (candidate != name) return;
    found = true;
    const auto parsed = parse<std::remove_cvref_t<decltype(target)>>(candidate, value);
    check_range(candidate, parsed, field);
    target = parsed;
  });
  if (!found) throw InvalidArgument("option", name, "an option's dotted name, such as penalty.tau0");
}

std::vector<OptionText> describe(const Options& options) {
  std::vector<OptionText> rows;
  for_each_option(options, "", [&](const std::string& name, const auto& value, const auto& field) {
    rows.push_back({name, value_text(value), std::string(field.text), typed_value(value)});
  });
  return rows;
}

Options default_preset(Method method) {
  Options o;
  o.method = method;
  if (method == Method::pd) {
    o.penalty.multipliers = Multipliers::none;
  } else if (method == Method::alm) {
    o.penalty.tau0 = 1.0;
    o.penalty.alpha_tau = 5.0;
    o.penalty.progress = 0.7;
  }
  return o;
}

Options paper_preset(Method method) {
  Options o;
  o.method = method;
  o.penalty.tau0 = 1.0;
  o.penalty.alpha_tau = 1.1;
  o.penalty.tau_max = 1e8;
  o.penalty.progress = 0.8;
  o.penalty.always_increase = method == Method::pd;
  o.penalty.multipliers = method == Method::pd ? Multipliers::none : Multipliers::all;
  o.penalty.multiplier_bound = 1e8;
  o.penalty.measure = Measure::published;
  o.penalty.eps_out = 1e-5;
  o.penalty.bound_iterations = 200;
  o.penalty.project_start = false;
  o.penalty.duplicate_free = true;
  o.inner.method = Inner::alternating;
  o.inner.test = InnerTest::decrease;
  o.inner.eps_in = 1e-5;
  o.inner.max_iterations = unlimited;
  o.x_update.step = XStep::lbfgs;
  o.x_update.steps = 1000;
  o.x_update.eps_solv = 1e-5;
  o.x_update.norm = GradientNorm::maximum;
  o.x_update.line_search = LineSearchKind::wolfe;
  o.spectral.barzilai_borwein = false;
  o.spectral.restart = true;
  o.driver.normalise = false;
  o.driver.several_starts = false;
  o.driver.polish = false;
  o.driver.branch_search = 0;
  o.driver.route = Route::general;
  o.limits.outer = unlimited;
  return o;
}

}  // namespace pendec
