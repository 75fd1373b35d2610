#include "pendec/core/options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "pendec/core/error.hpp"

namespace pendec {
namespace {

/// An integer that stands for no limit; written as "inf", which every reader of JSON keeps.
constexpr Index unlimited = std::numeric_limits<Index>::max();

template <class E>
struct Names;
template <>
struct Names<Method> {
  static constexpr std::array values{std::pair{Method::automatic, "automatic"}, std::pair{Method::pd, "pd"},
                                     std::pair{Method::pdlm, "pdlm"}, std::pair{Method::alm, "alm"}};
};
template <>
struct Names<Route> {
  static constexpr std::array values{
      std::pair{Route::automatic, "automatic"},     std::pair{Route::general, "general"},
      std::pair{Route::sparse_qp, "sparse_qp"},     std::pair{Route::sparse_loss, "sparse_loss"},
      std::pair{Route::disjunctive, "disjunctive"}, std::pair{Route::correlation, "correlation"},
      std::pair{Route::completion, "completion"},   std::pair{Route::convex, "convex"}};
};
template <>
struct Names<Inner> {
  static constexpr std::array values{std::pair{Inner::alternating, "alternating"},
                                     std::pair{Inner::reduced, "reduced"}, std::pair{Inner::projected, "projected"}};
};
template <>
struct Names<InnerTest> {
  static constexpr std::array values{std::pair{InnerTest::gradient, "gradient"},
                                     std::pair{InnerTest::decrease, "decrease"}};
};
template <>
struct Names<Multipliers> {
  static constexpr std::array values{std::pair{Multipliers::none, "none"},
                                     std::pair{Multipliers::constraints, "constraints"},
                                     std::pair{Multipliers::all, "all"}};
};
template <>
struct Names<XStep> {
  static constexpr std::array values{
      std::pair{XStep::gradient, "gradient"}, std::pair{XStep::cg, "cg"},
      std::pair{XStep::bfgs, "bfgs"},         std::pair{XStep::lbfgs, "lbfgs"},
      std::pair{XStep::newton, "newton"},     std::pair{XStep::preconditioner, "preconditioner"},
      std::pair{XStep::exact, "exact"}};
};
template <>
struct Names<LineSearchKind> {
  static constexpr std::array values{std::pair{LineSearchKind::armijo, "armijo"},
                                     std::pair{LineSearchKind::wolfe, "wolfe"}};
};
template <>
struct Names<GradientNorm> {
  static constexpr std::array values{std::pair{GradientNorm::euclidean, "euclidean"},
                                     std::pair{GradientNorm::maximum, "maximum"}};
};
template <>
struct Names<Measure> {
  static constexpr std::array values{std::pair{Measure::residual, "residual"},
                                     std::pair{Measure::published, "published"}};
};

template <class E>
std::string_view name_of(E value) {
  for (const auto& [v, name] : Names<E>::values)
    if (v == value) return name;
  return "?";
}

template <class E>
std::string names_of() {
  std::string all;
  for (const auto& [v, name] : Names<E>::values) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

using detail::check_range;
using detail::for_each_option;

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if (std::is_same_v<T, Index> && value == static_cast<T>(unlimited)) {
    return "inf";
  } else {
    return to_text(value);
  }
}

template <class T>
OptionValue typed_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
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
    for (const auto& [v, candidate] : Names<T>::values)
      if (candidate == text) return v;
    throw InvalidArgument(name, text, "one of " + names_of<T>());
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

std::string_view to_string(Method method) { return name_of(method); }
std::string_view to_string(Route route) { return name_of(route); }

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
