#include "pendec/report/result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "option_json.hpp"

namespace pendec {

Counts& Counts::operator+=(const Counts& other) {
  for (const auto member : {&Counts::f, &Counts::gradient, &Counts::G, &Counts::adjoint, &Counts::project_C,
                            &Counts::project_D, &Counts::outer, &Counts::inner, &Counts::x_steps, &Counts::fallbacks})
    this->*member += other.*member;
  return *this;
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::converged:
      return "converged";
    case Status::tests_met_uncertified:
      return "tests_met_uncertified";
    case Status::infeasible:
      return "infeasible";
    case Status::stationary_infeasible:
      return "stationary_infeasible";
    case Status::penalty_limit:
      return "penalty_limit";
    case Status::max_iterations:
      return "max_iterations";
    case Status::max_time:
      return "max_time";
    case Status::stalled:
      return "stalled";
    case Status::unbounded:
      return "unbounded";
    case Status::not_finite:
      return "not_finite";
    case Status::interrupted:
      return "interrupted";
  }
  return "?";
}

std::string summary(const Result& r) {
  return fmt::format(
      "{} ({}): f = {:.10g}\n  {}\n  {}\n  {} outer, {} inner iterations, {} projections onto D, {:.3g} s ({:.0f} % "
      "projecting)\n",
      to_string(r.status), r.method, r.f, r.message, to_text(r.certificate), r.counts.outer, r.counts.inner,
      r.counts.project_D, r.times.total, r.times.total > 0.0 ? 100.0 * r.times.project_D / r.times.total : 0.0);
}

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities and no NaN: they become null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json array(const Vector& v) {
  Json out = Json::array();
  for (const double value : v) out.push_back(number(value));
  return out;
}

Json certificate_json(const Certificate& c) {
  return {{"distance_C", number(c.distance_C)},
          {"distance_D", number(c.distance_D)},
          {"epsilon", number(c.epsilon)},
          {"z", number(c.z)},
          {"natural", number(c.natural)},
          {"m_residual", number(c.m_residual)},
          {"infeasibility_gradient", number(c.infeasibility_gradient)},
          {"gradient_scale", number(c.gradient_scale)},
          {"feasibility_scale", number(c.feasibility_scale)},
          {"jacobian_scale", number(c.jacobian_scale)},
          {"point_scale", number(c.point_scale)},
          {"lambda_given", c.lambda_given},
          {"exact_normals", c.exact_normals},
          {"tuple_lambda", array(c.lambda)},
          {"tuple_z", array(c.z_vector)}};
}

Json pair_json(const PairCertificate& c) {
  return {{"distance_C", number(c.distance_C)}, {"coupling", number(c.coupling)}, {"epsilon", number(c.epsilon)},
          {"natural", number(c.natural)},       {"normal", number(c.normal)},     {"exact_normals", c.exact_normals}};
}

Json counts_json(const Counts& c) {
  return {{"f", c.f},
          {"gradient", c.gradient},
          {"G", c.G},
          {"adjoint", c.adjoint},
          {"project_C", c.project_C},
          {"project_D", c.project_D},
          {"outer", c.outer},
          {"inner", c.inner},
          {"x_steps", c.x_steps},
          {"fallbacks", c.fallbacks}};
}

Json trace_json(const std::vector<Progress>& trace) {
  Json rows = Json::array();
  for (const Progress& p : trace)
    rows.push_back({{"outer", p.outer},
                    {"inner", p.inner},
                    {"projections", p.projections},
                    {"tau", number(p.tau)},
                    {"f", number(p.f)},
                    {"coupling", number(p.coupling)},
                    {"violation", number(p.violation)},
                    {"gradient", number(p.gradient)},
                    {"seconds", number(p.seconds)}});
  return rows;
}

}  // namespace

Json option_json(const OptionText& option) {
  return std::visit(
      [&](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double>)
          if (!std::isfinite(value)) return option.value;
        return value;
      },
      option.typed);
}

namespace {

Json result_json(const Result& r) {
  Json options = Json::object();
  for (const OptionText& row : describe(r.options)) options[row.name] = option_json(row);
  return {{"pendec_result", 1},
          {"version", r.version},
          {"status", to_string(r.status)},
          {"message", r.message},
          {"method", r.method},
          {"f", number(r.f)},
          {"f_x", number(r.f_x)},
          {"tau", number(r.tau)},
          {"certificate", certificate_json(r.certificate)},
          {"pair", pair_json(r.pair)},
          {"search",
           {{"branch", r.search.branch},
            {"solved", r.search.solved},
            {"neighbours", r.search.neighbours},
            {"exchange_optimal", r.search.exchange_optimal}}},
          {"bound", number(r.bound)},
          {"counts", counts_json(r.counts)},
          {"seconds", {{"total", r.times.total}, {"project_D", r.times.project_D}, {"polish", r.times.polish}}},
          {"x", array(r.x)},
          {"y", array(r.y)},
          {"lambda", array(r.lambda)},
          {"mu", array(r.mu)},
          {"trace", trace_json(r.trace)},
          {"options", options}};
}

}  // namespace

std::string digest(const Json& result) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, byte by byte
  for (const auto& [key, value] : result.items()) {
    if (key == "digest") continue;
    for (const char c : key + value.dump()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

std::string to_json(const Result& r) {
  Json out = result_json(r);
  out["digest"] = digest(out);
  return out.dump(2);
}

}  // namespace pendec
