#include "pendec/core/result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "json.hpp"
#include "pendec/version.hpp"

namespace pendec {

Counts& Counts::operator+=(const Counts& other) {
  std::apply([&](const auto&... m) { ((this->*(m.member) += other.*(m.member)), ...); }, members());
  return *this;
}

Result Result::of_class(std::string route, std::string method, double seconds, Details details) {
  Result r;
  r.route = std::move(route);
  r.method = std::move(method);
  r.version = pendec::version;
  r.options.limits.seconds = seconds;
  r.details = std::move(details);
  return r;
}

double Result::gap() const {
  if (!has_point() || bound == -infinity) return infinity;
  const double relative = f == bound ? 0.0 : (f - bound) / std::abs(f);
  return status == Status::optimal && !(relative <= 1e-6) ? 0.0 : relative;  // proved up to rounding
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
    case Status::node_limit:
      return "node_limit";
  }
  return "?";
}

Status status_at(const Deadline& deadline, Status otherwise) {
  if (deadline.interrupted()) return Status::interrupted;
  return deadline.passed() ? Status::max_time : otherwise;
}

std::string work_of(const Result& r) {
  std::string work;
  detail::for_each_member(r.counts, [&](std::string_view name, Index count) {
    if (count > 0) work += fmt::format("{} {}, ", count, name);
  });
  return fmt::format("{}{:.3g} s", work, r.times.total);
}

std::string summary(const Result& r) {
  const std::string bound = r.bound > -infinity ? fmt::format(", bound {:.10g}", r.bound) : "";
  std::string routes = r.route == "general" ? "" : fmt::format("  route: {}\n", r.route);
  for (const RouteRefused& other : r.why_not) routes += fmt::format("  not {}: {}\n", other.route, other.reason);
  return fmt::format("{} ({}): f = {:.10g}{}\n  {}\n{}  {}\n  {}\n", to_string(r.status), r.method, r.f, bound,
                     r.message, routes, to_text(r.certificate), work_of(r));
}

namespace {

using Json = nlohmann::ordered_json;

/// Names in other encodings than UTF-8 have U+FFFD for what is none.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
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

Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_of(const Vector& v) {
  Json out = Json::array();
  for (const double value : v) out.push_back(json_of(value));
  return out;
}

Json json_of(const Matrix& rows) {
  Json out = Json::array();
  for (Index i = 0; i < rows.rows(); ++i) out.push_back(json_of(Vector(rows.row(i))));
  return out;
}

namespace {

Json result_json(const Result& r) {
  Json out{{"pendec_result", 2}};
  out.update(json_of(r));
  out["gap"] = json_of(r.gap());
  for (const OptionText& row : describe(r.options)) out["options"][row.name] = option_json(row);
  out["digest"] = digest(out);
  return out;
}

/// Numbers by their value: 1e12, 1000000000000 and 1000000000000.0 are the same.
void append_canonical(const Json& value, std::string& out) {
  if (value.is_number()) {
    fmt::format_to(std::back_inserter(out), "{}", value.get<double>() + 0.0);  // no negative zero
  } else if (value.is_structured()) {
    out += value.is_object() ? '{' : '[';
    for (const auto& [key, entry] : value.items()) {
      if (value.is_object()) out += text_of(key) + ':';
      append_canonical(entry, out);
      out += ',';
    }
    out += value.is_object() ? '}' : ']';
  } else {
    out += text_of(value);
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

std::string to_json(const Result& r) { return text_of(result_json(r), 2); }

std::string to_json(const std::vector<Result>& results, std::optional<std::size_t> chosen) {
  Json out{{"pendec_results", Json::array()}, {"chosen", chosen ? Json(*chosen) : Json()}};
  for (const Result& r : results) out["pendec_results"].push_back(result_json(r));
  return text_of(out, 2);
}

}  // namespace pendec
