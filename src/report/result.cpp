#include "pendec/report/result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
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
    case Status::gap_limit:
      return "gap_limit";
  }
  return "?";
}

Status status_at(const Deadline& deadline, Status otherwise) {
  if (deadline.interrupted()) return Status::interrupted;
  return deadline.passed() ? Status::max_time : otherwise;
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

Json certificate_json(const Certificate& c) {
  return {{"distance_C", json_number(c.distance_C)},
          {"distance_D", json_number(c.distance_D)},
          {"epsilon", json_number(c.epsilon)},
          {"z", json_number(c.z)},
          {"natural", json_number(c.natural)},
          {"m_residual", json_number(c.m_residual)},
          {"infeasibility_gradient", json_number(c.infeasibility_gradient)},
          {"gradient_scale", json_number(c.gradient_scale)},
          {"feasibility_scale", json_number(c.feasibility_scale)},
          {"jacobian_scale", json_number(c.jacobian_scale)},
          {"point_scale", json_number(c.point_scale)},
          {"lambda_given", c.lambda_given},
          {"exact_normals", c.exact_normals},
          {"tuple_lambda", json_array(c.lambda)},
          {"tuple_z", json_array(c.z_vector)}};
}

Json pair_json(const PairCertificate& c) {
  return {{"distance_C", json_number(c.distance_C)}, {"coupling", json_number(c.coupling)},
          {"epsilon", json_number(c.epsilon)},       {"natural", json_number(c.natural)},
          {"normal", json_number(c.normal)},         {"exact_normals", c.exact_normals}};
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
                    {"tau", json_number(p.tau)},
                    {"f", json_number(p.f)},
                    {"coupling", json_number(p.coupling)},
                    {"violation", json_number(p.violation)},
                    {"gradient", json_number(p.gradient)},
                    {"seconds", json_number(p.seconds)}});
  return rows;
}

}  // namespace

Json option_json(const OptionText& option) {
  return std::visit(
      [&](const auto& value) -> Json {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
          if (option.value == "inf") return option.value;
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
          {"f", json_number(r.f)},
          {"f_x", json_number(r.f_x)},
          {"tau", json_number(r.tau)},
          {"certificate", certificate_json(r.certificate)},
          {"pair", pair_json(r.pair)},
          {"search",
           {{"branch", r.search.branch},
            {"solved", r.search.solved},
            {"neighbours", r.search.neighbours},
            {"exchange_optimal", r.search.exchange_optimal}}},
          {"bound", json_number(r.bound)},
          {"counts", counts_json(r.counts)},
          {"seconds", {{"total", r.times.total}, {"project_D", r.times.project_D}, {"polish", r.times.polish}}},
          {"x", json_array(r.x)},
          {"y", json_array(r.y)},
          {"lambda", json_array(r.lambda)},
          {"mu", json_array(r.mu)},
          {"trace", trace_json(r.trace)},
          {"options", options}};
}

}  // namespace

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_array(const Vector& v) {
  Json out = Json::array();
  for (const double value : v) out.push_back(json_number(value));
  return out;
}

namespace {

/// Numbers by their value: 1e12, 1000000000000 and 1000000000000.0 are the same.
void append_canonical(const Json& value, std::string& out) {
  if (value.is_number()) {
    fmt::format_to(std::back_inserter(out), "{}", value.get<double>() + 0.0);  // no negative zero
  } else if (value.is_structured()) {
    out += value.is_object() ? '{' : '[';
    for (const auto& [key, entry] : value.items()) {
      if (value.is_object()) out += Json(key).dump() + ':';
      append_canonical(entry, out);
      out += ',';
    }
    out += value.is_object() ? '}' : ']';
  } else {
    out += value.dump();
  }
}

}  // namespace

std::string digest(const Json& result) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, byte by byte
  for (const auto& [key, value] : result.items()) {
    if (key == "digest") continue;
    std::string text = key;
    append_canonical(value, text);
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

std::string to_json(const Result& r) {
  Json out = result_json(r);
  out["digest"] = digest(out);
  return out.dump(2);
}

}  // namespace pendec
